"""Whole tables of hands at the speed of memory, by the theorem that a shift is a rotation.

The hands at position a + b are the hands at a, turned by the hands at b: one complex product. So a table of n positions
needs sines only for √n coarse and √n fine positions, each exact, and the rest is one multiplication for each hand.
Nothing here is public; `sinusoidal` and `rotary` stand on it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch

from pe_helpers import _arguments
from pe_helpers._clock import BACK, CODE, Hands, nearby_rows, rounded, rows

if TYPE_CHECKING:
    from jaxtyping import Float, Shaped
    from torch import Tensor

FEW = 2**14  # pairs of numbers for which sines cost less than products
SOME = 2**13  # pairs that stay in a core's cache as float64 while they are worked on
MANY = 2**16  # and as float32
NEARBY = 2**23  # positions whose product with a rate is exact enough for float32


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
    if isinstance(positions, range):
        shape = (len(positions),)
        if len(positions) * hands.pairs <= FEW and out is None and dtype is torch.float32 and not exact:
            return nearby_rows(len(positions), hands, kind, layout, home).float().to(device)
    elif hands.make is None or not _arguments.readable(positions) or _needs_gradient(positions):
        return rounded(rows(positions.to(home), hands, kind, layout), dtype).to(device)
    else:
        shape, positions = positions.shape, positions.detach().flatten().to(home)
    in_place = out is not None and out.device == home and (out.ndim == 2 or out.is_contiguous())
    result = out if in_place else torch.empty(*shape, 2 * hands.pairs, dtype=dtype, device=home)
    if result.numel():
        _fill(result if result.ndim == 2 else result.view(-1, result.shape[-1]), positions, hands, kind, layout, exact)
    return result.to(device) if out is None else out if in_place else out.copy_(result)


def paired(x: Shaped[Tensor, "..."]) -> bool:
    """Tell whether neighbours in memory can be taken as the two halves of complex numbers."""
    return x.stride(-1) == 1 and not any(step % 2 for step in (x.storage_offset(), *x.stride()[:-1]))


def _needs_gradient(positions):
    return positions.requires_grad and torch.is_grad_enabled()


def _fill(result, positions, hands, kind, layout, exact):
    """Write the rows of a range or a line of positions into `result`."""
    if torch.is_tensor(positions) and positions.is_floating_point():
        whole = positions.long()
        positions = whole if bool((positions == whole).all()) else positions
    if len(positions) * hands.pairs > FEW:
        if isinstance(positions, range):
            return _sweep(result, positions, hands, kind, layout, exact)
        if not positions.is_floating_point() and _look_up(result, positions, hands, kind, layout, exact):
            return None
    for some in _blocks(len(result), SOME // hands.pairs, result.device):
        result[some] = rounded(rows(_as_tensor(positions[some], result.device), hands, kind, layout), result.dtype)
    return None


def _as_tensor(positions, device):
    if isinstance(positions, range):
        return torch.arange(len(positions), device=device).mul_(positions.step).add_(positions.start)
    return positions


def _blocks(length, size, device):
    """Cut a length into slices that stay in the cache; a GPU is better served by one piece."""
    size = max(size, 1) if device.type == "cpu" else length
    return [slice(start, min(start + size, length)) for start in range(0, length, size)]


def _circle(positions, hands, kind, device):
    """Return evenly spaced rows as complex numbers: by products in their turn, where there are many."""
    if len(positions) * hands.pairs <= FEW:
        pairs = rows(_as_tensor(positions, device), hands, kind, "interleaved")
        return torch.view_as_complex(pairs.unflatten(-1, (-1, 2)))
    fine = 1 << round(math.log2(len(positions)) / 2)
    turned = _circle(positions[::fine], hands, kind, device)[:, None] * _turns(positions, fine, hands, kind, device)
    return turned.flatten(0, 1)[: len(positions)]


def _turns(positions, fine, hands, kind, device):
    """Return what leads from a coarse row to each of the `fine` rows from there on."""
    return _circle(range(0, fine * positions.step, positions.step), hands, BACK if kind is CODE else kind, device)


def _sweep(result, positions, hands, kind, layout, exact):
    """Write evenly spaced rows."""
    device, pairs, fast = result.device, hands.pairs, result.dtype is torch.float32 and not exact
    fast = fast and (layout == "half" or paired(result))
    fine = max(1, min(128, 1 << round(math.log2(len(positions)) / 2), (MANY // 2 if fast else SOME) // pairs))
    turns, write, at_once = _turns(positions, fine, hands, kind, device), _nearest, 1
    if fast and layout == "half":
        turns, write, at_once = _parts(turns), _halves, MANY // (fine * pairs)
    elif fast:
        turns, write, at_once = turns.to(torch.complex64), _product, MANY
    whole = len(positions) // fine * fine
    for coarse in _blocks(whole // fine, MANY // pairs, device):
        here = slice(coarse.start * fine, coarse.stop * fine)
        start, target = _circle(positions[here][::fine], hands, kind, device), result[here].unflatten(0, (-1, fine))
        for few in _blocks(len(target), at_once, device):
            write(target[few], start[few, None], turns, layout)
    if whole < len(positions):
        _fill(result[whole:], positions[whole:], hands, kind, layout, exact)


def _product(result, coarse, turns, layout):
    torch.mul(coarse.to(torch.complex64), turns, out=torch.view_as_complex(result.unflatten(-1, (-1, 2))))


def _halves(result, coarse, turns, layout):
    """The same product in real numbers, for a layout in which the two parts of a number lie apart."""
    (real, imag), (first, second) = _parts(coarse), result.chunk(2, dim=-1)
    torch.mul(real, turns[0], out=first).addcmul_(imag, turns[1], value=-1)
    torch.mul(real, turns[1], out=second).addcmul_(imag, turns[0])


def _parts(turned):
    return turned.real.float(), turned.imag.float()


def _nearest(result, coarse, turns, layout):
    """The same product in float64, rounded once."""
    pairs = result.unflatten(-1, (-1, 2)) if layout == "interleaved" else result.unflatten(-1, (2, -1)).mT
    pairs.copy_(rounded(torch.view_as_real(coarse * turns), result.dtype))


def _look_up(result, positions, hands, kind, layout, exact):
    """Write the rows at positions in any order, unless these are too few for their span; tell whether it was done."""
    low, high = (int(end) for end in positions.aminmax())
    span, device = high - low + 1, result.device
    if span == len(positions) and torch.equal(positions - low, torch.arange(span, device=device)):
        _sweep(result, range(low, high + 1), hands, kind, layout, exact)
    elif span <= 2 * len(positions):
        table = torch.empty(span, result.shape[-1], dtype=result.dtype, device=device)
        _fill(table, range(low, high + 1), hands, kind, layout, exact)
        torch.index_select(table, 0, positions - low, out=result)
    elif (bits := round(math.log2(span) / 2)) <= 20 and 2 << bits <= len(positions):
        every = range(low, high + 1, 1 << bits)
        coarse, turns = _circle(every, hands, kind, device), _turns(range(1), 1 << bits, hands, kind, device)
        fast = result.dtype is torch.float32 and not exact and layout == "interleaved" and paired(result)
        if fast:
            coarse, turns = coarse.to(torch.complex64), turns.to(torch.complex64)
        write = _product if fast else _nearest
        for some in _blocks(len(result), SOME // hands.pairs, device):
            offset = positions[some] - low
            write(result[some], coarse[offset >> bits], turns[offset & (1 << bits) - 1], layout)
    else:
        return False
    return True
