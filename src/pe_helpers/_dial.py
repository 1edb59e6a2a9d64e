"""Whole tables of hands at the speed of memory, by the theorem that a shift is a rotation.

The hands at position a + b are the hands at a, turned by the hands at b: one complex product. So a table of n positions
needs sines only for √n coarse and √n fine positions, each exact, and the rest is one multiplication for each hand.
Nothing here is public; `sinusoidal` and `rotary` stand on it.
"""

from __future__ import annotations

import math
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
    if not isinstance(positions, range):
        if hands.make is None or not _arguments.readable(positions) or _needs_gradient(positions):
            return rounded(rows(positions.to(home), hands, kind, layout), dtype).to(device)
        shape, positions = positions.shape, positions.detach().flatten().to(home)
    else:
        shape = (len(positions),)
    face = Face(hands, kind, layout, dtype is torch.float32 and not exact, hands.pairs, home)
    if out is None and isinstance(positions, range) and len(positions) * face.pairs <= FEW:
        shown = rounded(_even(positions, face), dtype)
        return shown if home is device else shown.to(device)
    in_place = out is not None and out.device == home and (out.ndim == 2 or out.is_contiguous())
    result = out if in_place else torch.empty(*shape, 2 * face.pairs, dtype=dtype, device=home)
    if result.numel():
        _fill(result if result.ndim == 2 else result.view(-1, result.shape[-1]), positions, face)
    return result.to(device) if out is None else out if in_place else out.copy_(result)


def paired(x: Shaped[Tensor, "..."]) -> bool:
    """Tell whether neighbours in memory can be taken as the two halves of complex numbers."""
    return x.stride(-1) == 1 and not any(step % 2 for step in (x.storage_offset(), *x.stride()[:-1]))


def _needs_gradient(positions):
    return positions.requires_grad and torch.is_grad_enabled()


def _fill(result, positions, face):
    """Write the rows of a range or a line of positions into `result`."""
    few = len(positions) * face.pairs <= FEW
    if isinstance(positions, range):
        return result.copy_(rounded(_even(positions, face), result.dtype)) if few else _sweep(result, positions, face)
    if positions.is_floating_point():
        whole = positions.long()
        positions = whole if bool((positions == whole).all()) else positions
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
    if len(positions) * face.pairs <= FEW:
        return torch.view_as_complex(_even(positions, face).view(-1, face.pairs, 2))
    fine = 1 << round(math.log2(len(positions)) / 2)
    turned = _circle(positions[::fine], face).unsqueeze(1) * _circle(*_turns(positions, fine, face))
    return turned.flatten(0, 1)[: len(positions)]


def _turns(positions, fine, face):
    """Return what leads from a coarse row to each of the `fine` rows from there on."""
    return range(0, fine * positions.step, positions.step), face._replace(kind=BACK if face.kind is CODE else face.kind)


def _sweep(result, positions, face):
    """Write evenly spaced rows."""
    halves = face.layout == "half"
    face = face._replace(layout="interleaved") if halves else face
    fast = face.fast and (halves or paired(result))
    fine = max(1, min(128, 1 << round(math.log2(len(positions)) / 2), (MANY // 2 if fast else SOME) // face.pairs))
    turns, write, at_once = _circle(*_turns(positions, fine, face)), _nearest, 1
    if fast:
        turns, write, at_once = turns.to(torch.complex64), _product, MANY
    if fast and halves:
        turns, write, at_once = _parts(turns), _halves, MANY // (fine * face.pairs)
    whole = len(positions) // fine * fine
    for coarse in _blocks(whole // fine, MANY // 2 // face.pairs, face.device):
        here = slice(coarse.start * fine, coarse.stop * fine)
        start, target = _circle(positions[here][::fine], face).unsqueeze(1), result[here].view(-1, fine, 2 * face.pairs)
        for few in _blocks(len(target), at_once, face.device):
            write(target[few], start[few], turns, halves)
    if whole < len(positions):
        _fill(result[whole:], positions[whole:], face._replace(layout="half" if halves else "interleaved"))


def _product(result, coarse, turns, halves=False):
    torch.mul(coarse.to(torch.complex64), turns, out=torch.view_as_complex(result.view(*result.shape[:-1], -1, 2)))


def _halves(result, coarse, turns, halves=True):
    """The same product in real numbers, for a layout in which the two parts of a number lie apart."""
    (real, imag), (first, second) = _parts(coarse), result.chunk(2, dim=-1)
    torch.mul(real, turns[0], out=first).addcmul_(imag, turns[1], value=-1)
    torch.mul(real, turns[1], out=second).addcmul_(imag, turns[0])


def _parts(turned):
    return turned.real.float(), turned.imag.float()


def _nearest(result, coarse, turns, halves):
    """The same product in float64, rounded once."""
    pairs = result.unflatten(-1, (2, -1)).mT if halves else result.unflatten(-1, (-1, 2))
    pairs.copy_(rounded(torch.view_as_real(coarse * turns), result.dtype))


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
        halves, face = face.layout == "half", face._replace(layout="interleaved")
        coarse, turns = _circle(range(low, high + 1, 1 << bits), face), _circle(*_turns(range(1), 1 << bits, face))
        fast = face.fast and not halves and paired(result)
        if fast:
            coarse, turns = coarse.to(torch.complex64), turns.to(torch.complex64)
        for some in _blocks(len(result), SOME // face.pairs, face.device):
            offset = positions[some] - low
            turned = coarse[offset >> bits], turns[offset & (1 << bits) - 1]
            (_product if fast else _nearest)(result[some], *turned, halves)
    else:
        return False
    return True
