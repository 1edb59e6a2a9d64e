"""The checks of lesson 13's exercises: a blank is greeted, the solution passes, each usual mistake is named."""

import math

import torch
from tests.lessons.exercise_claims import claims, stubs_and_solutions

from clockwork.lessons.lesson_13 import checks
from pe_helpers import sinusoidal


def shift(k):
    return sinusoidal.shift_matrix(k, 32)


def found(speeds, strengths, k, reach, count, near=2, low=None, weigh=True):
    """Sort all offsets by their score, highest first."""
    rows = []
    for n in range(-reach if low is None else low, reach + 1):
        if abs(n - k) > near:
            rows.append(
                (-sum((s if weigh else 1) * math.cos((n - k) * w) for w, s in zip(speeds, strengths, strict=True)), n)
            )
    return [n for _, n in sorted(rows)[:count]]


BLOCK = torch.tensor([[1.0, 2.0], [2.0, -1.0]])

test_a_blank_is_greeted, test_a_right_answer_passes, test_a_wrong_answer_is_diagnosed = claims(
    right=[
        (checks.further, lambda W, k: W @ shift(k)),
        (checks.lookalikes, found),
        (checks.lookalikes, lambda *given: tuple(reversed(found(*given)))),
        (checks.mirrors, torch.block_diag(BLOCK, -3 * BLOCK)),
        (checks.mirrors, torch.block_diag(BLOCK, BLOCK / -3).tolist()),
    ],
    wrong=[
        (checks.further, lambda W, k: W, "as it was"),
        (checks.further, lambda W, k: shift(k), "forgets"),
        (checks.further, lambda W, k: W @ shift(k).T, "other way"),
        (checks.further, lambda W, k: shift(k) @ W, "meets the query"),
        (checks.further, lambda W, k: shift(-k) @ W, "transposed as well"),
        (checks.further, lambda W, k: shift(k).T @ W @ shift(k), "the offset stays"),
        (checks.further, lambda W, k: W + shift(k), "is a factor"),
        (checks.further, lambda W, k: W * shift(k), "number by number"),
        (checks.further, lambda W, k: 2 * W @ shift(k), "gets another one"),
        (checks.further, lambda W, k: W[:3], "as W has"),
        (checks.lookalikes, lambda *given: found(*given, near=0), "are not meant"),
        (checks.lookalikes, lambda *given: found(*given, low=0), "both sides"),
        (checks.lookalikes, lambda *given: [n - given[2] for n in found(*given)], "counted from the key"),
        (checks.lookalikes, lambda *given: [-n for n in found(*given)], "wrong sign"),
        (checks.lookalikes, lambda *given: found(*given, weigh=False), "by its strength"),
        (checks.lookalikes, lambda *given: found(*given)[:-1], "different offsets are asked"),
        (checks.lookalikes, lambda *given: 44, "must be a list"),
        (checks.mirrors, torch.eye(4), "four numbers that are not 0"),
        (checks.mirrors, torch.ones(4, 4), "mixes the two hands"),
        (checks.mirrors, torch.block_diag(BLOCK, torch.tensor([[1.0, 2.0], [-2.0, 1.0]])), "hand 1 is turned"),
        (checks.mirrors, torch.eye(2), "two hands"),
    ],
)

test_stubs_and_solutions = stubs_and_solutions(
    "13_inside_a_trained_head", math=math, torch=torch, sinusoidal=sinusoidal, checks=checks
)
