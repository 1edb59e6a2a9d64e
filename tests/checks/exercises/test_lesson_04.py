"""The checks of lesson 04's exercises: a blank is greeted, the solution passes, each usual mistake is named."""

import math

import torch
from exercise_claims import claims

from pe_helpers.checks.exercises import lesson_04


def rotation(k, d_model):
    """M_k, one 2 × 2 block a pair, written out."""
    matrix = torch.zeros(d_model, d_model, dtype=torch.float64)
    for i in range(d_model // 2):
        turn = k * 10_000.0 ** (-2 * i / d_model)
        matrix[2 * i, 2 * i] = matrix[2 * i + 1, 2 * i + 1] = math.cos(turn)
        matrix[2 * i, 2 * i + 1], matrix[2 * i + 1, 2 * i] = math.sin(turn), -math.sin(turn)
    return matrix


def half_shift(k, d_model):
    turn = k * 10_000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    cos = turn.cos().diag()
    sin = turn.sin().diag()
    return torch.cat([torch.cat([cos, sin], dim=1), torch.cat([-sin, cos], dim=1)])


test_a_blank_is_greeted, test_a_right_answer_passes, test_a_wrong_answer_is_diagnosed = claims(
    right=[
        (lesson_04.order, [0, 1, 5, 3]),
        (lesson_04.half_shift, half_shift),
        (lesson_04.looks_back, rotation(3, 16)),
        (lesson_04.looks_back, (5 * rotation(3, 16)).tolist()),
    ],
    wrong=[
        (lesson_04.order, [0, 1, 3, 5], "does not fall with every step"),
        (lesson_04.order, [3, 5, 1, 0], "smallest first"),
        (lesson_04.order, [1, 0, 5, 3], "with itself"),
        (lesson_04.order, [0, 5, 1, 3], "nearest is still nearest"),
        (lesson_04.order, [0, 1, 1, 3], "once"),
        (lesson_04.order, [0, 1, 3], "must have shape (4,)"),
        (lesson_04.order, [0, 1, 3, math.nan], "must be finite"),
        (lesson_04.half_shift, rotation, "interleaved layout"),
        (lesson_04.half_shift, lambda k, d: half_shift(k, d).T, "the other way"),
        (lesson_04.half_shift, lambda k, d: half_shift(k, d).abs(), "no rotation"),
        (lesson_04.half_shift, lambda k, d: half_shift(k, d).roll(1, 0), "which ω_i"),
        (lesson_04.half_shift, lambda k, d: half_shift(k, d)[: d // 2], "must have shape (4, 4)"),
        (lesson_04.half_shift, rotation(3, 16), "must be a function"),
        (lesson_04.looks_back, torch.eye(16), "looks at itself"),
        (lesson_04.looks_back, rotation(-3, 16), "3 steps ahead"),
        (lesson_04.looks_back, rotation(2, 16), "looks 2 steps back"),
        (lesson_04.looks_back, torch.arange(256.0).sin().reshape(16, 16), "others look elsewhere"),
        (lesson_04.looks_back, torch.eye(8), "must have shape (16, 16)"),
        (lesson_04.looks_back, torch.full((16, 16), math.nan), "must be finite"),
    ],
)
