"""The clock's arithmetic: hands that stay exact, however long they have been turning.

A hand's position is a 64-bit integer, 2^64 of which make one turn. Adding steps overflows such an integer exactly when
the hand passes the top, so that whole turns, which no sine can see, vanish without rounding: the hands at position
10,000,000 are as good as those at position 1. A cosine is a sine a quarter turn ahead, and a quarter turn is a whole
number of ticks too. Nothing here is public; the encoders stand on it.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable
from decimal import Decimal, localcontext
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import torch

if TYPE_CHECKING:
    from jaxtyping import Float, Float64, Shaped
    from torch import Tensor

TURN = Decimal("6.2831853071795864769252867665590057683943387987502116419498891846156328125724")
TICKS = 2**64  # in one turn
FINE = 64  # neighbouring positions whose sines are taken in a graph, for all others to be turned from
PLAIN = 2**23  # radians up to which the product with a rate is exact enough for float32
CUT_OFF = 2**29 - 1  # the bits of a float64 that a float32 has no room for

CODE = ((1, 1), (0, 1))  # directions and quarter turns ahead of (sin, cos): a code, and i·exp(−iθ)
SPIN = ((1, 1), (1, 0))  # (cos, sin): a rotation by θ, and exp(iθ)
BACK = ((1, -1), (1, 0))  # (cos, −sin): a rotation by −θ, and exp(−iθ)


class Wheel(NamedTuple):
    """What each number of a row is the sine of, at position p: `p · rate + ahead` radians.

    The same is `p · step + ahead_ticks` ticks and `p · rest` radians, without rounding. These are plain buffers and the
    tensors made of them are made anew: there is nothing that a mode of torch, a device or a caller could spoil.
    """

    rate: array
    ahead: array
    step: array
    ahead_ticks: array
    rest: array
    plain: float  # positions up to which the product with a rate is exact enough for float32


class Hands(NamedTuple):
    """The speeds of a set of hands, and how to make a wheel of them; there is no wheel while a graph is planned."""

    pairs: int
    make: Callable[..., Wheel] | None
    speeds: tuple | Float64[Tensor, "pairs"]

    def wheel(self, kind: tuple, layout: str) -> Wheel:
        """Return the wheel for one kind of row."""
        return self.make(*self.speeds, kind, layout)


def geometric(width: int, base: float, convention: str) -> Hands:
    """Return the hands of the sinusoid: the first moves 1 radian per token, the others fall by one ratio."""
    gaps = width // 2 if convention == "paper" else max(width // 2 - 1, 1)
    planned = torch.compiler.is_compiling() or type(torch.empty(0, device="cpu")) is not torch.Tensor  # but fake
    return Hands(width // 2, None if planned else _geometric, (width // 2, base, gaps))


def inv_freq(hands: Hands, device: torch.device | None = None) -> Float64[Tensor, "pairs"]:
    """Return the speeds: what an angle grows by at position 1."""
    if isinstance(hands.speeds, torch.Tensor):
        return hands.speeds.to(device)
    if hands.make is not None:
        return torch.tensor(hands.wheel(SPIN, "half").rate[: hands.pairs], dtype=torch.float64, device=device)
    pairs, base, gaps = hands.speeds  # a graph makes them where it runs
    return base ** (-torch.arange(pairs, dtype=torch.float64, device=device) / gaps)


def given(inv_freq: Float64[Tensor, "pairs"], readable: bool) -> Hands:
    """Return hands of the given speeds (radians per token), which are taken as exact."""
    speeds = (tuple(inv_freq.tolist()),) if readable else inv_freq
    return Hands(len(inv_freq), _given if readable else None, speeds)


@lru_cache(maxsize=256)
def _geometric(pairs, base, gaps, kind, layout):
    with localcontext(prec=60):
        ratio, speeds = Decimal(base) ** (Decimal(-1) / gaps), [Decimal(1)]
        while len(speeds) < pairs:
            speeds.append(speeds[-1] * ratio)
    return _wheel(speeds, kind, layout)


@lru_cache(maxsize=256)
def _given(speeds, kind, layout):
    return _wheel([Decimal(speed) for speed in speeds], kind, layout)


def _wheel(speeds, kind, layout):
    places = range(2 * len(speeds))
    order = [(i // 2, i % 2) if layout == "interleaved" else (i % len(speeds), i // len(speeds)) for i in places]
    with localcontext(prec=400):  # a float64 can be any size: its whole turns are many digits long
        ticks = [speed / TURN * TICKS for speed in speeds]
        whole = [int(tick.to_integral_value()) for tick in ticks]
        rest = [float((tick - n) * TURN / TICKS) for tick, n in zip(ticks, whole, strict=True)]
    signs, quarters = kind
    return Wheel(
        rate=array("d", [signs[part] * float(speeds[hand]) for hand, part in order]),
        ahead=array("d", [quarters[part] * math.pi / 2 for _, part in order]),
        step=array("q", [(signs[part] * whole[hand] + TICKS // 2) % TICKS - TICKS // 2 for hand, part in order]),
        ahead_ticks=array("q", [quarters[part] * TICKS // 4 for _, part in order]),
        rest=array("d", [signs[part] * rest[hand] for hand, part in order]),
        plain=PLAIN / max(1.0, *(abs(float(speed)) for speed in speeds)),
    )


def rows(
    positions: Shaped[Tensor, "*shape"], hands: Hands, kind: tuple, layout: str
) -> Float64[Tensor, "*shape width"]:
    """Return a row of sines for each position; gradients reach float positions."""
    if hands.make is None:
        return _joined(_parts(positions, hands, kind), layout)
    wheel, device, column = hands.wheel(kind, layout), positions.device, positions.unsqueeze(-1)
    if positions.is_floating_point():
        column = column.detach().floor().long()
    angle = (column * _tensor(wheel.step, device)).add_(_tensor(wheel.ahead_ticks, device))  # in ticks
    left = angle + TICKS // 4 < 0  # of the top: half a turn less is near 0 where the sine is, and keeps its last digits
    angle = angle.add_(left, alpha=-(TICKS // 2)).double().mul_(2 * math.pi / TICKS)
    angle.add_(column * _tensor(wheel.rest, device))
    if positions.is_floating_point():
        angle = angle + (positions.double().unsqueeze(-1) - column) * _tensor(wheel.rate, device)
    return angle.sin_().mul_(torch.where(left, -1.0, 1.0))


def even_rows(
    positions: range, hands: Hands, kind: tuple, layout: str, device, *, fast: bool
) -> Float64[Tensor, "rows width"]:
    """Return the rows of evenly spaced positions; `fast` takes the product with the rate where float32 allows it."""
    wheel = hands.wheel(kind, layout)
    if not (fast and positions.start > -wheel.plain and positions.stop < wheel.plain):
        whole = torch.arange(len(positions), device=device).mul_(positions.step).add_(positions.start)
        return rows(whole, hands, kind, layout)
    column = torch.arange(positions.start, positions.stop, positions.step, dtype=torch.float64, device=device)
    return torch.addcmul(_tensor(wheel.ahead, device), column.unsqueeze_(-1), _tensor(wheel.rate, device)).sin_()


def _tensor(buffer, device):
    values = torch.frombuffer(buffer, dtype=torch.float64 if buffer.typecode == "d" else torch.int64)
    return values if device.type == "cpu" else values.to(device)


def first_rows(count: int, hands: Hands, kind: tuple, layout: str, dtype, device) -> Float[Tensor, "count width"]:
    """Return the rows of positions 0 … count − 1, a product of coarse and fine ones rounded once, in a graph."""
    places, fine = torch.arange(count, device=device), torch.arange(FINE, device=device)
    coarse = FINE * torch.arange(count // FINE + 2, device=device)  # two or more: a length of 1 is a graph of its own
    a, b = (part[places // FINE] for part in _parts(coarse, hands, BACK if kind == CODE else kind))
    c, d = (part[places % FINE] for part in _parts(fine, hands, kind))
    return _joined([rounded(part, dtype) for part in (a * c - b * d, a * d + b * c)], layout)


def _parts(positions, hands, kind):
    (signs, quarters), angle = kind, positions.double()[..., None] * inv_freq(hands, positions.device)
    sines = [(angle * sign + quarter * math.pi / 2).sin() for sign, quarter in zip(signs, quarters, strict=True)]
    if torch.compiler.is_compiling():  # which may not look through this, and takes no sine twice
        return [part.as_strided(part.shape, part.stride()) for part in sines]
    return sines


def _joined(parts, layout):
    return torch.stack(parts, dim=-1 if layout == "interleaved" else -2).flatten(-2)


def rounded(exact: Float[Tensor, "*shape"], dtype: torch.dtype) -> Float[Tensor, "*shape"]:
    """Round once to `dtype`.

    Half precision is reached through float32, which would round twice: so what is cut off there leaves an odd last bit.
    """
    if dtype in (torch.float32, torch.float64):
        return exact.float() if dtype is torch.float32 else exact
    bits = exact.detach().view(torch.int64)
    odd = ((bits | ((bits & CUT_OFF) + CUT_OFF)) & ~CUT_OFF).view(torch.float64)
    return (exact + (odd - exact.detach())).float().to(dtype)
