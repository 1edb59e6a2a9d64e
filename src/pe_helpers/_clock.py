"""The clock's arithmetic: angles that stay exact, however long the hands have been turning.

A hand's position is a 64-bit integer, 2^64 of which make one turn. Adding steps overflows such an integer exactly when
the hand passes the top, so that whole turns, which no sine can see, vanish without rounding: the angle at position
10,000,000 is as good as the angle at position 1. Nothing here is public; every encoder stands on it.
"""

from __future__ import annotations

import math
from array import array
from decimal import Decimal, localcontext
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import torch

if TYPE_CHECKING:
    from jaxtyping import Float, Float64, Int64, Shaped
    from torch import Tensor

TURN = Decimal("6.2831853071795864769252867665590057683943387987502116419498891846156328125724")
TICKS = 2**64  # in one turn


class Hands(NamedTuple):
    """How far each hand moves per token: `inv_freq` in radians, the same as `step` in ticks plus `rest` in radians."""

    inv_freq: Float64[Tensor, "pairs"]
    step: Int64[Tensor, "pairs"]
    rest: Float64[Tensor, "pairs"]


def hands(width: int, base: float, convention: str) -> Hands:
    """Return the hands of the sinusoid: a geometric sequence from 1 radian per token down towards 1/base."""
    return Hands(
        *(
            torch.frombuffer(values, dtype=kind)
            for values, kind in zip(_geometric(width, base, convention), KINDS, strict=True)
        )
    )


def hands_at(inv_freq: Float64[Tensor, "pairs"]) -> Hands:
    """Return hands that move at the given speeds, taken as exact."""
    return Hands(
        *(
            torch.frombuffer(values, dtype=kind)
            for values, kind in zip(_given(tuple(inv_freq.tolist())), KINDS, strict=True)
        )
    )


KINDS = (torch.float64, torch.int64, torch.float64)


@lru_cache(maxsize=256)
def _geometric(width, base, convention):
    with localcontext(prec=60):
        gaps = width // 2 if convention == "paper" else max(width // 2 - 1, 1)
        ratio, speeds = Decimal(base) ** (Decimal(-1) / gaps), [Decimal(1)]
        while len(speeds) < width // 2:
            speeds.append(speeds[-1] * ratio)
        return _split(speeds)


@lru_cache(maxsize=256)
def _given(speeds):
    with localcontext(prec=60):
        return _split([Decimal(speed) for speed in speeds])


def _split(speeds):
    ticks = [speed / TURN * TICKS for speed in speeds]
    whole = [int(tick.to_integral_value()) for tick in ticks]
    rest = [float((tick - n) * TURN / TICKS) for tick, n in zip(ticks, whole, strict=True)]
    wrapped = [(n + TICKS // 2) % TICKS - TICKS // 2 for n in whole]
    return array("d", map(float, speeds)), array("q", wrapped), array("d", rest)


def angles(positions: Shaped[Tensor, "*shape"], hands: Hands) -> Float64[Tensor, "*shape pairs"]:
    """Return each hand's angle in radians, within half a turn for whole positions; gradients reach float positions."""
    if positions.is_floating_point():
        whole = positions.detach().floor()
        return angles(whole.long(), hands) + (positions.double() - whole)[..., None] * hands.inv_freq
    positions = positions.long()[..., None]
    return (positions * hands.step).double() * (2 * math.pi / TICKS) + positions.double() * hands.rest


def rounded(exact: Float64[Tensor, "*shape"], dtype: torch.dtype) -> Float[Tensor, "*shape"]:
    """Round once to `dtype`: half precision is reached through float32, where an odd last bit keeps what was cut off."""
    if dtype in (torch.float64, torch.float32):
        return exact.to(dtype)
    bits, below = exact.detach().view(torch.int64), 2**29 - 1  # what float32 cuts off
    odd = (bits | ((bits & below) + below)) & ~below
    return (exact + (odd.view(torch.float64) - exact.detach())).float().to(dtype)
