"""The clock's arithmetic: angles that stay exact, however long the hands have been turning.

A hand's position is a 64-bit integer, 2^64 of which make one turn. Adding steps overflows such an integer exactly when
the hand passes the top, so that whole turns, which no sine can see, vanish without rounding: the angle at position
10,000,000 is as good as the angle at position 1. Nothing here is public; the encoders stand on it.
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
CUT_OFF = 2**29 - 1  # the bits of a float64 that a float32 has no room for


class Hands(NamedTuple):
    """How far each hand moves per token: `inv_freq` in radians, and the same as `step` in ticks plus `rest` in radians.

    Where values cannot be looked at, while a graph is compiled, there are no ticks and angles are plain products.
    """

    inv_freq: Float64[Tensor, "pairs"]
    step: Int64[Tensor, "pairs"] | None
    rest: Float64[Tensor, "pairs"] | None


def geometric(width: int, base: float, convention: str) -> Hands:
    """Return the hands of the sinusoid: the first moves 1 radian per token, each next one slower by the same ratio."""
    gaps = width // 2 if convention == "paper" else max(width // 2 - 1, 1)
    if torch.compiler.is_compiling():
        return Hands(base ** (-torch.arange(width // 2, dtype=torch.float64, device="cpu") / gaps), None, None)
    return _as_tensors(_geometric(width // 2, gaps, base))


def given(inv_freq: Float64[Tensor, "pairs"], readable: bool) -> Hands:
    """Return hands that move at the given speeds, taken as exact."""
    return _as_tensors(_given(tuple(inv_freq.tolist()))) if readable else Hands(inv_freq, None, None)


@lru_cache(maxsize=256)
def _geometric(pairs, gaps, base):
    with localcontext(prec=60):
        ratio, speeds = Decimal(base) ** (Decimal(-1) / gaps), [Decimal(1)]
        while len(speeds) < pairs:
            speeds.append(speeds[-1] * ratio)
        return _in_ticks(speeds)


@lru_cache(maxsize=256)
def _given(speeds):
    with localcontext(prec=400):  # a float64 can be any size: its whole turns are many digits long
        return _in_ticks([Decimal(speed) for speed in speeds])


def _in_ticks(speeds):
    ticks = [speed / TURN * TICKS for speed in speeds]
    whole = [int(tick.to_integral_value()) for tick in ticks]
    rest = [float((tick - n) * TURN / TICKS) for tick, n in zip(ticks, whole, strict=True)]
    wrapped = [(n + TICKS // 2) % TICKS - TICKS // 2 for n in whole]
    return array("d", map(float, speeds)), array("q", wrapped), array("d", rest)


def _as_tensors(arrays):
    kinds = (torch.float64, torch.int64, torch.float64)
    return Hands(*(torch.frombuffer(values, dtype=kind) for values, kind in zip(arrays, kinds, strict=True)))


def on(hands: Hands, device: torch.device) -> Hands:
    """Return the hands on a device."""
    return Hands(*(part if part is None else part.to(device) for part in hands))


def angles(positions: Shaped[Tensor, "*shape"], hands: Hands) -> Float64[Tensor, "*shape pairs"]:
    """Return each hand's angle in radians, less the whole turns; gradients reach float positions."""
    if hands.step is None:
        return positions.double()[..., None] * hands.inv_freq
    if positions.is_floating_point():
        whole = positions.detach().floor()
        return angles(whole.long(), hands) + (positions.double() - whole)[..., None] * hands.inv_freq
    positions = positions[..., None]
    return (positions * hands.step).double().mul_(2 * math.pi / TICKS).add_(positions * hands.rest)


def rounded(exact: Float64[Tensor, "*shape"], dtype: torch.dtype) -> Float[Tensor, "*shape"]:
    """Round once to `dtype`.

    Half precision is reached through float32, which would round twice: so what is cut off there leaves an odd last bit.
    """
    if dtype in (torch.float64, torch.float32):
        return exact.to(dtype)
    bits = exact.detach().view(torch.int64)
    odd = ((bits | ((bits & CUT_OFF) + CUT_OFF)) & ~CUT_OFF).view(torch.float64)
    return (exact + (odd - exact.detach())).float().to(dtype)
