"""Whole tables of hands at the speed of memory, by the theorem that a shift is a rotation.

The hands at position a + b are the hands at a, turned by the hands at b: one complex product. So a table of n positions
needs sines only for √n coarse and √n fine positions, each exact, and the rest is one multiplication for each hand.
Nothing here is public; `sinusoidal` and `rotary` stand on it.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import torch

from pe_helpers import _arguments
from pe_helpers._clock import BACK, CODE, Hands, even_rows, rounded, rows

if TYPE_CHECKING:
    from jaxtyping import Float, Shaped
    from torch import Tensor

FEW = 2**14  # pairs of numbers for which sines cost less than products
SOME = 2**13  # pairs that stay in a core's cache as float64 while they are worked on
MANY = 2**16  # and as float32
PLAIN = 2**23  # positions up to which the product with a rate is exact enough for float32


class Face(NamedTuple):
    """What kind of rows is wanted, and how exact."""

    hands: Hands
    kind: tuple
    layout: str
    fast: bool  # float32 within 2.5 · 2⁻²⁴ instead of the nearest
    pairs: int
    device: torch.device


def show(
    positions: Shaped[Tensor, "*shape"] | range,
    hands: Hands,
    kind: tuple,
    *,
    device: torch.device,
    layout: str = "interleaved",
    dtype: torch.dtype = torch.float32,
    out: Float[Tensor, "..."] | None = None,
    exact: bool = False,
) -> Float[Tensor, "*shape width"]:
    """Return a row for each position, written into `out` if given.

    float32 is within 2.5 · 2⁻²⁴ of the truth, or with `exact` the nearest float32; the other dtypes are always nearest.
    """
    home = device if device.type in ("cpu", "cuda") else torch.device("cpu")  # the others have no float64
    if isinstance(positions, range) and hands.make is None:
        positions = torch.arange(len(positions), device=home)
    shape = (len(positions),) if isinstance(positions, range) else positions.shape
    if not isinstance(positions, range):
        differentiable = positions.requires_grad and torch.is_grad_enabled()
        if hands.make is None or differentiable or not _arguments.readable(positions):
            return rounded(rows(positions.to(home), hands, kind, layout), dtype).to(device)
        positions = positions.detach().flatten().to(home)
    face = Face(hands, kind, layout, dtype is torch.float32 and not exact, hands.pairs, home)
    in_place = out is not None and out.device == home and (out.ndim == 2 or out.is_contiguous())
    result = out if in_place else torch.empty(*shape, 2 * face.pairs, dtype=dtype, device=home)
    if result.numel():
        _fill(result if result.ndim == 2 else result.view(-1, result.shape[-1]), positions, face)
    return result.to(device) if out is None else out if in_place else out.copy_(result)


def paired(x: Shaped[Tensor, "..."]) -> bool:
    """Tell whether neighbours in memory can be taken as the two halves of complex numbers."""
    return x.stride(-1) == 1 and not any(step % 2 for step in (x.storage_offset(), *x.stride()[:-1]))


def _fill(result, positions, face):
    """Write the rows of a range or a line of positions into `result`."""
    few = len(positions) * face.pairs <= FEW
    if isinstance(positions, range):
        if face.fast or not few:
            return _sweep(result, positions, face)
        return result.copy_(rounded(_even(positions, face), result.dtype))
    if positions.is_floating_point():
        positions = whole if bool(((whole := positions.long()) == positions).all()) else positions
    if not few and not positions.is_floating_point() and _look_up(result, positions, face):
        return None
    for some in _blocks(len(result), SOME // face.pairs, face.device):
        result[some] = rounded(rows(positions[some], face.hands, face.kind, face.layout), result.dtype)
    return None


def _blocks(length, size, device):
    """Cut a length into slices that stay in the cache; a GPU is better served by one piece."""
    size = max(size, 1) if device.type == "cpu" else length
    return [slice(start, min(start + size, length)) for start in range(0, length, size)]


def _even(positions, face):
    plain = face.fast and positions.start > -PLAIN and positions.stop < PLAIN
    return even_rows(positions, face.hands, face.kind, face.layout, face.device, plain=plain)


def _circle(positions, face):
    """Return evenly spaced rows as complex numbers: by products in their turn, where there are many."""
    face = face if face.layout == "interleaved" else face._replace(layout="interleaved")
    if len(positions) < 4 or len(positions) * face.pairs <= FEW:
        return torch.view_as_complex(_even(positions, face).view(-1, face.pairs, 2))
    fine = 1 << round(math.log2(len(positions)) / 2)
    turns = _circle(range(0, fine * positions.step, positions.step), _turning(face))
    turned = _circle(positions[::fine], face).unsqueeze(1) * turns
    return turned.flatten(0, 1)[: len(positions)]


def _turning(face):
    """Return the kind of rows that turn such rows further."""
    return face._replace(kind=BACK if face.kind is CODE else face.kind)


def _sweep(result, positions, face):
    """Write rows of neighbouring positions."""
    fine = max(1, min(512, (MANY // 2 if face.fast else SOME) // face.pairs))
    remember = face.device.type == "cpu" and fine > 1 and _arguments.readable(result)
    halves, first = face.layout == "half", (_first if remember else _first.__wrapped__)(fine, face)
    if face.fast and len(positions) <= fine and positions.start == 0:
        return result.copy_((first[0] if halves else first)[: len(positions)])
    if face.fast and not halves and not paired(result):
        return _sweep(result, positions, face._replace(fast=False))
    write = _nearest if not face.fast else _halves if halves else _product
    size, turning = max(MANY // 2 // face.pairs, 1) * fine, _turning(face)
    for start in range(0, len(positions), size):
        some = positions[start : start + size]
        target = result if len(some) == len(positions) else result[start : start + size]
        coarse, (whole, rest) = _circle(some[::fine], turning), divmod(len(some), fine)
        if rest:
            write(target[-rest:], coarse[-1:], first[..., :rest, :], halves)
            target, coarse = target[:-rest], coarse[:whole]
        if whole:
            write(target, coarse, first, halves)
    return result


@lru_cache(maxsize=4)
def _first(fine, face):
    """Return the rows from position 0 on, as the product wants them: at most 512 kB, the same always, for no caller."""
    rows = _circle(range(fine), face)
    if not face.fast:
        return rows
    if face.layout == "interleaved":
        return torch.view_as_real(rows).float().flatten(-2)
    real, imag = rows.real.float(), rows.imag.float()
    return torch.stack([torch.cat([real, imag], dim=-1), torch.cat([-imag, real], dim=-1)])


def _product(result, coarse, first, halves=False):
    shape = -1, coarse.shape[-1], 2
    turned, first = result.view(len(coarse), *shape), torch.view_as_complex(first.view(shape))
    torch.mul(coarse.to(torch.complex64).unsqueeze(1), first, out=torch.view_as_complex(turned))


def _halves(result, coarse, first, halves=True):
    """The same product in real numbers, for a layout in which the two parts of a number lie apart."""
    real, imag = (part.float().repeat(1, 2).unsqueeze(1) for part in (coarse.real, coarse.imag))
    result = result.view(len(coarse), -1, result.shape[-1])
    for few in _blocks(len(result), 2 * MANY // first[0].numel(), result.device):
        torch.mul(real[few], first[0], out=result[few]).addcmul_(imag[few], first[1])


def _nearest(result, coarse, first, halves):
    """The same product in float64, rounded once."""
    result = result.view(len(coarse), -1, result.shape[-1])
    for few in _blocks(len(result), SOME // first.numel(), result.device):
        _round(result[few], coarse[few].unsqueeze(1) * first, halves)


def _round(result, turned, halves):
    pairs = result.unflatten(-1, (2, -1)).mT if halves else result.unflatten(-1, (-1, 2))
    pairs.copy_(rounded(torch.view_as_real(turned), result.dtype))


def _look_up(result, positions, face):
    """Write the rows at positions in any order, unless these are too few for their span; tell whether it was done."""
    low, high = (int(end) for end in positions.aminmax())
    span = high - low + 1
    if span == len(positions) and torch.equal(positions - low, torch.arange(span, device=face.device)):
        _sweep(result, range(low, high + 1), face)
    elif span <= 2 * len(positions):
        table = torch.empty(span, result.shape[-1], dtype=result.dtype, device=face.device)
        _fill(table, range(low, high + 1), face)
        torch.index_select(table, 0, positions - low, out=result)
    elif (bits := round(math.log2(span) / 2)) <= 20 and 2 << bits <= len(positions):
        coarse, turns = _circle(range(low, high + 1, 1 << bits), face), _circle(range(1 << bits), _turning(face))
        if face.fast:
            coarse, turns = coarse.to(torch.complex64), turns.to(torch.complex64)
        for some in _blocks(len(result), SOME // face.pairs, face.device):
            offset = positions[some] - low
            _round(result[some], coarse[offset >> bits] * turns[offset & (1 << bits) - 1], face.layout == "half")
    else:
        return False
    return True
