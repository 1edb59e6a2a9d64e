"""The checks of lesson 13's exercises: turn a head on, find what looks like three back, mirror without turning."""

from __future__ import annotations

import torch
from torch import Tensor

from clockwork.kit import heads
from clockwork.kit.checks.exercises import CheckFailed, array, close, exercise
from clockwork.lessons.lesson_13 import plain_checks
from pe_helpers import sinusoidal

WIDTH = 32
MIRRORED = 4  # numbers: two hands

lookalikes = exercise(plain_checks.lookalikes)


@exercise
def further(attempt: object) -> str:
    """Check `further(W, k)`, (32, 32): key q must get the score that key q + k had, for any W."""
    if not callable(attempt):
        raise CheckFailed(f"further must be a function, got {type(attempt).__name__}")
    draw = torch.Generator().manual_seed(0)
    for k in (2, -3, 17):
        W = torch.randn(WIDTH, WIDTH, generator=draw, dtype=torch.float64)
        answer = array(attempt(W.clone(), k), name=f"further(W, {k})")
        if answer.shape != W.shape:
            raise CheckFailed(f"further(W, {k}) must have shape {tuple(W.shape)} (as W has), got {tuple(answer.shape)}")
        if close(answer, W @ shift(k), 1e-6):
            continue
        for wrong, told in mistakes(W, k).items():
            if close(answer, told, 1e-6):
                raise CheckFailed(f"k = {k}: {wrong}")
        raise CheckFailed(f"k = {k}: key 20 must get the score that key {20 + k} had, and it gets another one")
    return "every key gets the score of the key k further on, whatever W is"


def shift(k: int) -> Tensor:
    """Return M_k in float64."""
    return sinusoidal.shift_matrix(k, WIDTH)


def mistakes(W: Tensor, k: int) -> dict[str, Tensor]:
    """Return what each usual mistake makes of W."""
    return {
        "this is W as it was": W,
        "M_k alone forgets what the head has learned": shift(k),
        "this moves keys the other way: $M_{-k}$ is the transpose of $M_k$": W @ shift(-k),
        "on the left, $M_k$ meets the query. For a turning part that makes no difference; W holds more": shift(k) @ W,
        "on the left, $M_k$ meets the query, and here it is transposed as well": shift(-k) @ W,
        "on both sides, $M_k$ moves query and key alike: the offset stays": shift(k).T @ W @ shift(k),
        "add up turns, not matrices: $M_k$ is a factor": W + shift(k),
        "this multiplies number by number: `@` is the product of matrices": W * shift(k),
    }


@exercise
def mirrors(attempt: object) -> str:
    """Check W (4, 4): no turning part, no zero in either hand's own block, and nothing outside the blocks."""
    W = array(attempt, name="W")
    if W.shape != (MIRRORED, MIRRORED):
        raise CheckFailed(f"W must have shape (4, 4) (two hands), got {tuple(W.shape)}")
    own = torch.block_diag(torch.ones(2, 2), torch.ones(2, 2)).bool()
    if W[~own].abs().max() > 1e-9:
        raise CheckFailed("W mixes the two hands: outside their own blocks there must be zeros")
    if W[own].abs().min() < 1e-6:
        raise CheckFailed("each hand's own block must have four numbers that are not 0")
    part = heads.turning_part(W)
    for hand in range(2):
        a, b = part[2 * hand, 2 * hand], part[2 * hand, 2 * hand + 1]
        if max(abs(a), abs(b)) > 1e-9:
            raise CheckFailed(
                f"hand {hand} is turned as well: the turning part of its block has a = {a:.2f} and b = {b:.2f}"
            )
    return "both blocks mirror and do not turn, so from everywhere together they say nothing of an offset"
