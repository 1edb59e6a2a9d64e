"""Lesson 09's exercises: a blank is greeted, a right answer ticked, a wrong one diagnosed."""

import pytest
import torch

from pe_helpers.checks import CheckFailed, lesson_09


def share(table, k, *, center=True, power=2, rest=False):
    s = torch.linalg.svdvals(table - table.mean(0) * center) ** power
    return (s[k:] if rest else s[:k]).sum() / s.sum()


CHECKS = [lesson_09.guesser, lesson_09.share, lesson_09.fits_anything]


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("blank", [None, ...])
def test_a_blank_is_greeted(check, blank, capsys):
    check(blank)
    assert "not attempted yet" in capsys.readouterr().out


@pytest.mark.parametrize(("check", "answer"), list(zip(CHECKS, [128, share, lambda n, k: n - k], strict=True)))
def test_a_right_answer_is_ticked(check, answer, capsys):
    check(answer)
    assert "✔" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("check", "answer", "diagnosis"),
    [
        (lesson_09.guesser, 256, "largest error"),
        (lesson_09.guesser, 147.8, "root of the mean square"),
        (lesson_09.guesser, 0, "take distances"),
        (lesson_09.guesser, "many", "must be numbers"),
        (lesson_09.share, lambda t, k: share(t, k, center=False), "subtract it first"),
        (lesson_09.share, lambda t, k: share(t, k, power=1), "square of a singular value"),
        (lesson_09.share, lambda t, k: share(t, k, rest=True), "left out"),
        (lesson_09.share, lambda t, k: float("nan"), "finite"),
        (lesson_09.fits_anything, lambda n, k: n, "how many equations"),
        (lesson_09.fits_anything, lambda n, k: n - k - 1, "one equation more"),
        (lesson_09.fits_anything, lambda n, k: 5, "reaches R²"),
        (lesson_09.fits_anything, 5, "the function itself"),
    ],
)
def test_a_wrong_answer_is_diagnosed(check, answer, diagnosis):
    with pytest.raises(CheckFailed, match=diagnosis):
        check(answer)
