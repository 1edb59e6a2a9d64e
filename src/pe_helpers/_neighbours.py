"""Rows of neighbouring positions at the speed of memory, by the theorem that a shift is a rotation.

The hands at position a + b are the hands at b, turned by the hands at a: one complex product. So sines are needed for
the first rows of a configuration, which are constants as its speeds are, and then for one row in so many; the rest is
one multiplication for each hand. In units of 2⁻²⁴ its float32 is off by at most √2/2 for each factor's rounding, ¾ for
the two products' and ½ for the sum's: 2.7, where more than 2.5 takes all five at their worst.

Nothing here is public; `_dial` stands on it.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import torch

from pe_helpers import _arguments
from pe_helpers._clock import BACK, CODE, SPIN, Hands, even_rows, rounded

if TYPE_CHECKING:
    from jaxtyping import Float, Float64, Shaped
    from torch import Tensor

FEW = 2**14  # pairs of numbers for which sines cost less than products
SOME = 2**13  # pairs that stay in a core's cache as float64 while they are worked on
MANY = 2**16  # pairs of a factor that is in memory at one time
FIRST = 3 * MANY  # pairs of a configuration's first rows in float32, which are no products


class Face(NamedTuple):
    """What kind of rows is wanted, and how exact."""

    hands: Hands
    kind: tuple
    layout: str
    fast: bool  # float32 within 2.7 · 2⁻²⁴ instead of the nearest
    device: torch.device

    def rows(self, positions: range, kind: tuple, layout: str) -> Float64[Tensor, "rows width"]:
        """Return the rows of one kind at evenly spaced positions."""
        return even_rows(positions, self.hands, kind, layout, self.device, fast=self.fast)

    def inside(self) -> str:
        """Return the layout of factors: what is rounded at the end is made of complex numbers."""
        return self.layout if self.fast else "interleaved"


def paired(x: Shaped[Tensor, "..."]) -> bool:
    """Tell whether neighbours in memory can be taken as the two halves of complex numbers."""
    return x.stride(-1) == 1 and math.gcd(x.storage_offset(), *x.stride()[:-1]) % 2 == 0


def factors(kind: tuple) -> tuple[tuple, tuple]:
    """Return the kinds of the coarse and the fine rows whose complex product is a row of `kind`."""
    return BACK if kind == CODE else kind, kind


def write(result: Float[Tensor, "rows width"], positions: range, face: Face) -> None:
    """Write the rows of neighbouring positions into `result`."""
    if face.layout == "interleaved" and not paired(result):
        face = face._replace(fast=False)
    lasting = face.device.type == "cpu" and _arguments.readable(result)
    from_0 = lasting and face.fast and positions.start == 0
    if not from_0 and len(positions) * face.hands.pairs <= FEW:
        result.copy_(rounded(face.rows(positions, face.kind, face.layout), result.dtype))
        return
    first = (_first if lasting else _first.__wrapped__)(face)
    if from_0 and len(positions) <= len(first):
        result.copy_(first[: len(positions)])
    else:
        _write_products(result, positions, first, face)


def _write_products(result, positions, first, face):
    turning, multiply, parts = factors(face.kind)[0], _product if face.fast else _nearest, 1
    if face.fast and face.layout == "half":
        turning, multiply, parts = SPIN, _halves, 4
    fine = first[: max(1, min(4 * math.isqrt(len(positions)), MANY // parts // face.hands.pairs))]
    rest, several = len(positions) % len(fine), len(fine) * max(1, MANY // 2 // face.hands.pairs)
    if face.fast and positions.start == 0:
        result[:rest].copy_(fine[:rest])
    elif rest:
        multiply(result[:rest], face.rows(positions[:1], turning, face.inside()), fine[:rest], face)
    for start in range(rest, len(positions), several):
        coarse = face.rows(positions[start : start + several : len(fine)], turning, face.inside())
        multiply(result[start : start + several], coarse, fine, face)


@lru_cache(maxsize=4)
def _first(face):
    """Return the first rows: constants of a configuration, as its speeds are, and at most 1.5 MB."""
    count, dtype = (FIRST, torch.float32) if face.fast else (MANY, torch.float64)
    positions = range(max(1, count // face.hands.pairs))
    first = torch.empty(len(positions), 2 * face.hands.pairs, dtype=dtype, device=face.device)
    for some in blocks(len(positions), SOME // face.hands.pairs, face.device):
        first[some] = face.rows(positions[some], face.kind, face.inside())
    return first


def _product(result, coarse, fine, face):
    coarse, fine = coarse.float().view(torch.complex64), fine.view(torch.complex64)
    torch.mul(coarse.unsqueeze(1), fine, out=result.view(torch.complex64).view(len(coarse), *fine.shape))


def _halves(result, coarse, fine, face):
    """The same where parts lie apart: f(a + b) = cos a · f(b) ± sin a · g(b), and g is the other part."""
    (cos, sin), (f, g) = coarse.float().unsqueeze(1).chunk(2, dim=-1), fine.chunk(2, dim=-1)
    sign, result = 1 if face.kind == CODE else -1, result.view(len(coarse), *fine.shape)
    for few in blocks(len(result), 2 * MANY // fine.numel(), face.device):
        one, other = result[few].chunk(2, dim=-1)
        torch.mul(cos[few], f, out=one).addcmul_(sin[few], g, value=sign)
        torch.mul(cos[few], g, out=other).addcmul_(sin[few], f, value=-sign)


def _nearest(result, coarse, fine, face):
    """The same product in float64, rounded once."""
    result = result.view(len(coarse), len(fine), -1)
    coarse, fine = coarse.view(torch.complex128).unsqueeze(1), fine.view(torch.complex128)
    for few in blocks(len(result), SOME // fine.numel(), face.device):
        store(result[few], coarse[few] * fine, face.layout == "half")


def store(result, turned, halves):
    pairs = result.unflatten(-1, (2, -1)).mT if halves else result.unflatten(-1, (-1, 2))
    pairs.copy_(rounded(torch.view_as_real(turned), result.dtype))


def blocks(length, size, device):
    """Cut a length into slices that stay in the cache; a GPU is better served by one piece."""
    size = max(size, 1) if device.type == "cpu" else length
    return [slice(start, min(start + size, length)) for start in range(0, length, size)]
