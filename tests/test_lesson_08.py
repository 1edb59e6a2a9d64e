"""Lesson 08's exercises: a blank is greeted, a right answer ticked, a wrong one diagnosed."""

import math

import pytest
import torch

from pe_helpers.checks import CheckFailed, lesson_08


def gentle(seq_len, trained_len):
    return torch.arange(seq_len) * min(1.0, (trained_len - 1) / (seq_len - 1))


def ntk(base, factor, head_dim):
    return base * factor ** (head_dim / (head_dim - 2))


@pytest.mark.parametrize("check", [lesson_08.looks_back, lesson_08.gentle, lesson_08.ntk_base])
@pytest.mark.parametrize("blank", [None, ...])
def test_a_blank_is_greeted(check, blank, capsys):
    check(blank)
    assert "not attempted yet" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("check", "answer"), [(lesson_08.looks_back, 15), (lesson_08.gentle, gentle), (lesson_08.ntk_base, ntk)]
)
def test_a_right_answer_is_ticked(check, answer, capsys):
    check(answer)
    assert "✔" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("check", "answer", "diagnosis"),
    [
        (lesson_08.looks_back, 3, "keeps the angle"),
        (lesson_08.looks_back, 0.6, "how many tokens amount to 3 steps"),
        (lesson_08.looks_back, 8, "multiplies distances"),
        (lesson_08.looks_back, "x", "must be numbers"),
        (lesson_08.gentle, lambda n, t: torch.arange(n) / 2, "why touch them"),
        (lesson_08.gentle, lambda n, t: torch.arange(n), "beyond 31"),
        (lesson_08.gentle, lambda n, t: torch.arange(n) * t // max(n, t), "were they rounded"),
        (lesson_08.gentle, lambda n, t: torch.arange(n) % t, "share position|were they rounded"),
        (lesson_08.gentle, lambda n, t: gentle(n, t if n <= t else t / 2), "no more than is needed"),
        (lesson_08.gentle, lambda n, t: gentle(n, t) * math.nan, "finite"),
        (lesson_08.gentle, lambda n, t: gentle(n, t)[:-1], "shape"),
        (lesson_08.ntk_base, lambda b, f, d: b * f, "not −1"),
        (lesson_08.ntk_base, lambda b, f, d: b / f, "larger base"),
        (lesson_08.ntk_base, lambda b, f, d: b * f**d, "close to 1"),
        (lesson_08.ntk_base, lambda b, f, d: b, "slowed by 1.000"),
        (lesson_08.ntk_base, 4, "the function itself"),
    ],
)
def test_a_wrong_answer_is_diagnosed(check, answer, diagnosis):
    with pytest.raises(CheckFailed, match=diagnosis):
        check(answer)
