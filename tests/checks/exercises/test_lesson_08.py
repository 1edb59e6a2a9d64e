"""The checks of lesson 08's exercises: a blank is greeted, the solution passes, each usual mistake is named."""

import math

import pytest
import torch
from exercise_claims import claims, stubs_and_solutions

from pe_helpers import rope_scaling
from pe_helpers.checks.exercises import lesson_08


def gentle(seq_len, trained_len):
    return torch.linspace(0, min(seq_len, trained_len) - 1, seq_len)


def ntk(base, factor, head_dim):
    return base * factor ** (head_dim / (head_dim - 2))


test_the_stubs_are_greeted_and_the_folded_solutions_pass = stubs_and_solutions(
    "08_beyond_the_training_length", torch=torch
)
test_a_blank_is_greeted, test_a_right_answer_passes, test_a_wrong_answer_is_diagnosed = claims(
    right=[
        (lesson_08.looks_back, 15),
        (lesson_08.gentle, gentle),
        (lesson_08.gentle, lambda n, t: torch.arange(n) * min(1.0, (t - 1) / (n - 1))),
        (lesson_08.ntk_base, ntk),
    ],
    wrong=[
        (lesson_08.looks_back, 3, "keeps the angle"),
        (lesson_08.looks_back, 0.6, "how many tokens amount to 3 steps"),
        (lesson_08.looks_back, 8, "multiplies distances"),
        (lesson_08.looks_back, "x", "must be numbers"),
        (lesson_08.gentle, lambda n, t: torch.arange(n) / 2, "why touch them"),
        (lesson_08.gentle, lambda n, t: torch.arange(n), "beyond 31"),
        (lesson_08.gentle, lambda n, t: torch.arange(n) * t // max(n, t), "rounded, or cut off"),
        (lesson_08.gentle, lambda n, t: torch.arange(n).clamp(max=t - 1), "rounded, or cut off"),
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


@pytest.mark.parametrize(("base", "factor", "head_dim"), [(10_000.0, 4.0, 16), (500_000.0, 2.0, 128)])
def test_the_right_base_is_the_package_s(base, factor, head_dim):
    slowest = ntk(base, factor, head_dim) ** (-(head_dim - 2) / head_dim)
    assert rope_scaling.ntk_aware(head_dim, factor=factor, base=base)[-1].item() == pytest.approx(slowest)
