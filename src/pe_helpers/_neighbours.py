"""Rows of neighbouring positions at the speed of memory, by the theorem that a shift is a rotation.

The hands at position a + b are the hands at a, turned by the hands at b: one complex product. So a table of n positions
needs sines only for √n coarse and √n fine positions, each exact, and the rest is one multiplication for each hand.
Nothing here is public; `_dial` stands on it.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import torch

from pe_helpers import _arguments
from pe_helpers._clock import BACK, CODE, Hands, even_rows, rounded

if TYPE_CHECKING:
    from jaxtyping import Float, Shaped
    from torch import Tensor

FEW = 2**14  # pairs of numbers for which sines cost less than products
SOME = 2**13  # pairs that stay in a core's cache as float64 while they are worked on
MANY = 2**16  # and as float32
SHORT = 2**18  # pairs of a table that is remembered, 2 MB
PLAIN = 2**23  # positions up to which the product with a rate is exact enough for float32


class Face(NamedTuple):
    """What kind of rows is wanted, and how exact."""

    hands: Hands
    kind: tuple
    layout: str
    fast: bool  # float32 within 2.5 · 2⁻²⁴ instead of the nearest
    pairs: int
    device: torch.device

    def turning(self) -> Face:
        """Return the face of the rows that turn such rows further."""
        return self._replace(kind=BACK if self.kind == CODE else self.kind)


def paired(x: Shaped[Tensor, "..."]) -> bool:
    """Tell whether neighbours in memory can be taken as the two halves of complex numbers."""
    return x.stride(-1) == 1 and not any(step % 2 for step in (x.storage_offset(), *x.stride()[:-1]))


def write(result: Float[Tensor, "rows width"], positions: range, face: Face) -> None:
    """Write the rows of neighbouring positions into `result`."""
    short = face.fast and positions.start == 0 and len(positions) * face.pairs <= SHORT
    if short and _remembered(result, face):
        length = min(1 << (len(positions) - 1).bit_length(), SHORT // face.pairs)
        result.copy_(_short(length, face)[: len(positions)])
    elif face.fast and face.layout == "interleaved" and not paired(result):
        _write(result, positions, face._replace(fast=False))
    else:
        _write(result, positions, face)


def _remembered(result, face):
    return face.device.type == "cpu" and _arguments.readable(result)


@lru_cache(maxsize=2)
def _short(length, face):
    """Return the rows from position 0 on: the same always, for every caller, who gets a copy."""
    rows = torch.view_as_real(circle(range(length), face))
    return (rows.mT if face.layout == "half" else rows).float().flatten(-2)


def _write(result, positions, face):
    fine = max(1, min(512, (MANY // 2 if face.fast else SOME) // face.pairs))
    halves, first = face.layout == "half", (_first if _remembered(result, face) else _first.__wrapped__)(fine, face)
    write_block = _nearest if not face.fast else _halves if halves else _product
    size, turning = max(MANY // 2 // face.pairs, 1) * fine, face.turning()
    for start in range(0, len(positions), size):
        some = positions[start : start + size]
        target = result if len(some) == len(positions) else result[start : start + size]
        coarse, (whole, rest) = circle(some[::fine], turning), divmod(len(some), fine)
        if rest:
            write_block(target[-rest:], coarse[-1:], first[..., :rest, :], halves)
            target, coarse = target[:-rest], coarse[:whole]
        if whole:
            write_block(target, coarse, first, halves)


@lru_cache(maxsize=4)
def _first(fine, face):
    """Return the rows from position 0 on, as the product wants them: at most 512 kB, the same always, for no caller."""
    if not face.fast:
        return circle(range(fine), face)
    first = _short.__wrapped__(fine, face)
    if face.layout == "interleaved":
        return first
    real, imag = first.chunk(2, dim=-1)
    return torch.stack([first, torch.cat([-imag, real], dim=-1)])


def _product(result, coarse, first, halves=False):
    shape = -1, coarse.shape[-1], 2
    turned, first = result.view(len(coarse), *shape), torch.view_as_complex(first.view(shape))
    torch.mul(coarse.to(torch.complex64).unsqueeze(1), first, out=torch.view_as_complex(turned))


def _halves(result, coarse, first, halves=True):
    """The same product in real numbers, for a layout in which the two parts of a number lie apart."""
    real, imag = (torch.cat([part, part], dim=-1).float().unsqueeze(1) for part in (coarse.real, coarse.imag))
    result = result.view(len(coarse), -1, result.shape[-1])
    for few in blocks(len(result), 2 * MANY // first[0].numel(), result.device):
        torch.mul(real[few], first[0], out=result[few]).addcmul_(imag[few], first[1])


def _nearest(result, coarse, first, halves):
    """The same product in float64, rounded once."""
    result = result.view(len(coarse), -1, result.shape[-1])
    for few in blocks(len(result), SOME // first.numel(), result.device):
        store(result[few], coarse[few].unsqueeze(1) * first, halves)


def store(result, turned, halves):
    pairs = result.unflatten(-1, (2, -1)).mT if halves else result.unflatten(-1, (-1, 2))
    pairs.copy_(rounded(torch.view_as_real(turned), result.dtype))


def blocks(length, size, device):
    """Cut a length into slices that stay in the cache; a GPU is better served by one piece."""
    size = max(size, 1) if device.type == "cpu" else length
    return [slice(start, min(start + size, length)) for start in range(0, length, size)]


def even(positions, face):
    plain = face.fast and positions.start > -PLAIN and positions.stop < PLAIN
    return even_rows(positions, face.hands, face.kind, face.layout, face.device, plain=plain)


def circle(positions, face):
    """Return evenly spaced rows as complex numbers: by products in their turn, where there are many."""
    face = face if face.layout == "interleaved" else face._replace(layout="interleaved")
    if len(positions) < 4 or len(positions) * face.pairs <= FEW:
        return torch.view_as_complex(even(positions, face).view(-1, face.pairs, 2))
    fine = 1 << round(math.log2(len(positions)) / 2)
    turns = circle(range(0, fine * positions.step, positions.step), face.turning())
    turned = circle(positions[::fine], face).unsqueeze(1) * turns
    return turned.flatten(0, 1)[: len(positions)]
