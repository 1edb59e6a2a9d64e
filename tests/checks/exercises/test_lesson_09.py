"""The checks of lesson 09's exercises: a blank is greeted, the solution passes, each usual mistake is named."""

import pytest
import torch
from exercise_claims import claims, stubs_and_solutions

from pe_helpers import probes
from pe_helpers.checks.exercises import lesson_09


def share(table, k, *, center=True, power=2, rest=False):
    s = torch.linalg.svdvals(table - table.mean(0) * center) ** power
    return (s[k:] if rest else s[:k]).sum() / s.sum()


test_the_stubs_are_greeted_and_the_folded_solutions_pass = stubs_and_solutions("09_what_tables_learn", torch=torch)
test_a_blank_is_greeted, test_a_right_answer_passes, test_a_wrong_answer_is_diagnosed = claims(
    right=[(lesson_09.guesser, 128), (lesson_09.share, share), (lesson_09.fits_anything, lambda n, k: n - k)],
    wrong=[
        (lesson_09.guesser, 255.5, "255.5 is the largest error"),
        (lesson_09.guesser, 147.8, "root of the mean square"),
        (lesson_09.guesser, 0, "take distances"),
        (lesson_09.guesser, "many", "must be numbers"),
        (lesson_09.share, lambda t, k: share(t, k, center=False), "subtract it first"),
        (lesson_09.share, lambda t, k: share(t, k, power=1), "square of a singular value"),
        (lesson_09.share, lambda t, k: share(t, k, rest=True), "left out"),
        (lesson_09.share, lambda t, k: 100 * share(t, k), "is it in percent"),
        (lesson_09.share, lambda t, k: float("nan"), "finite"),
        (lesson_09.fits_anything, lambda n, k: n, "how many equations"),
        (lesson_09.fits_anything, lambda n, k: n - k - 1, "one equation more"),
        (lesson_09.fits_anything, lambda n, k: 5, "reaches R²"),
        (lesson_09.fits_anything, 5, "the function itself"),
    ],
)


@pytest.mark.parametrize(("max_len", "k"), [(40, 1), (40, 10), (25, 3)])
def test_noise_shifts_exactly_from_as_many_columns_as_equations_on(max_len, k):
    table = torch.randn(max_len, max_len, generator=torch.Generator().manual_seed(max_len + k))
    width = max_len - k
    assert probes.shift_fit(table[:, :width], k)[1] > 1 - 1e-9 > probes.shift_fit(table[:, : width - 1], k)[1]
