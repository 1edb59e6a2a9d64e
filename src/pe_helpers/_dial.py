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
from pe_helpers._clock import Hands, angles, on, rounded

if TYPE_CHECKING:
    from jaxtyping import Float, Shaped
    from torch import Tensor

CODE, TURN, BACK = "i·exp(−iθ) = (sin, cos)", "exp(iθ) = (cos, sin)", "exp(−iθ)"
FEW = 2**13  # hands for which sines cost less than products
MANY = 2**16  # hands that stay in a core's cache while they are worked on


def show(
    positions: Shaped[Tensor, "*shape"] | range,
    hands: Hands,
    kind: str,
    *,
    device: torch.device,
    layout: str = "interleaved",
    dtype: torch.dtype = torch.float32,
    out: Float[Tensor, "..."] | None = None,
    exact: bool = False,
) -> Float[Tensor, "..."]:
    """Return the hands at `positions`, two numbers for each: `(*shape, 2 * pairs)`, written into `out` if given.

    float32 is within 2.5 · 2⁻²⁴ of the truth, or with `exact` the nearest float32; the other dtypes are always nearest.
    """
    if _traced(positions):
        return _by_sines(positions, hands, kind, layout, dtype, device)
    home = device if device.type in ("cpu", "cuda") else torch.device("cpu")  # the others have no float64
    shape = (len(positions),) if isinstance(positions, range) else positions.shape
    in_place = out is not None and out.device == home and (out.ndim == 2 or out.is_contiguous())
    result = out if in_place else torch.empty(*shape, 2 * len(hands.step), dtype=dtype, device=home)
    if result.numel():
        rows = result if result.ndim == 2 else result.view(-1, result.shape[-1])
        _fill(
            rows,
            positions if isinstance(positions, range) else positions.flatten().to(home),
            hands,
            kind,
            layout,
            exact,
        )
    return result.to(device) if out is None else out if in_place else out.copy_(result)


def paired(x: Shaped[Tensor, "..."]) -> bool:
    """Tell whether neighbours in memory can be taken as the two halves of complex numbers."""
    return x.stride(-1) == 1 and not any(step % 2 for step in (x.storage_offset(), *x.stride()[:-1]))


def _traced(positions):
    """Tell whether the way must not depend on values: in a compiled graph, under vmap, and where gradients flow."""
    if isinstance(positions, range):
        return torch.compiler.is_compiling()
    return (positions.requires_grad and torch.is_grad_enabled()) or not _arguments.readable(positions)


def _by_sines(positions, hands, kind, layout, dtype, device):
    if isinstance(positions, range):
        positions = torch.arange(len(positions), device=device) * positions.step + positions.start
    angle = angles(positions.to(device), on(hands, device))
    cos, sin = angle.cos(), angle.sin()
    pair = (sin, cos) if kind is CODE else (cos, sin if kind is TURN else -sin)
    return rounded(torch.stack(pair, dim=-1 if layout == "interleaved" else -2).flatten(-2), dtype)


def _fill(result, positions, hands, kind, layout, exact):
    """Write the hands at a range or a row of positions into `result`."""
    if torch.is_tensor(positions) and positions.is_floating_point():
        whole = positions.long()
        positions = whole if bool((positions == whole).all()) else positions
    if len(positions) * len(hands.step) > FEW:
        if isinstance(positions, range):
            return _sweep(result, positions, hands, kind, layout, exact)
        if not positions.is_floating_point() and _look_up(result, positions, hands, kind, layout, exact):
            return None
    for rows in _blocks(len(result), FEW // len(hands.step), result.device):
        result[rows] = _by_sines(positions[rows], hands, kind, layout, result.dtype, result.device)
    return None


def _blocks(length, rows, device):
    """Cut `length` rows into slices that stay in the cache; a GPU is better served by one piece."""
    rows = max(rows, 1) if device.type == "cpu" else length
    return [slice(start, min(start + rows, length)) for start in range(0, length, rows)]


def _circle(positions, hands, kind, device):
    """Return exp(iθ) and the like at evenly spaced positions, by sines where there are few."""
    if len(positions) <= 32:
        return torch.view_as_complex(
            _by_sines(positions, hands, kind, "interleaved", torch.float64, device).unflatten(-1, (-1, 2))
        )
    rows = 1 << round(math.log2(len(positions)) / 2)
    coarse = _circle(positions[::rows], hands, kind, device)[:, None]
    fine = _circle(_from_zero(positions, rows), hands, BACK if kind is CODE else kind, device)
    return (coarse * fine).flatten(0, 1)[: len(positions)]


def _from_zero(positions, rows):
    return range(0, rows * positions.step, positions.step)


def _sweep(result, positions, hands, kind, layout, exact):
    """Write the hands at evenly spaced positions."""
    device, pairs, fast = result.device, len(hands.step), result.dtype is torch.float32 and not exact
    fast = fast and (layout == "half" or paired(result))
    rows = max(1, min(128, 1 << round(math.log2(len(positions)) / 2), (MANY // 2 if fast else FEW) // pairs))
    fine = _circle(_from_zero(positions, rows), hands, BACK if kind is CODE else kind, device)
    write, at_once = _nearest, 1
    if fast:
        write, fine = (_halves, _split(fine)) if layout == "half" else (_product, fine.to(torch.complex64))
        at_once = MANY // (rows * pairs) if layout == "half" else MANY
    whole = len(positions) // rows * rows
    for coarse in _blocks(whole // rows, MANY // pairs, device):
        here = slice(coarse.start * rows, coarse.stop * rows)
        turned = _circle(positions[here][::rows], hands, kind, device)[:, None]
        target = result[here].unflatten(0, (-1, rows))
        for few in _blocks(len(target), at_once, device):
            write(target[few], turned[few], fine, layout)
    if whole < len(positions):
        _fill(result[whole:], positions[whole:], hands, kind, layout, exact)


def _product(result, coarse, fine, layout):
    torch.mul(coarse.to(torch.complex64), fine, out=torch.view_as_complex(result.unflatten(-1, (-1, 2))))


def _halves(result, coarse, fine, layout):
    """The same product in real numbers, for a layout in which the two halves of a number lie apart."""
    real, imag = _split(coarse)
    first, second = result.chunk(2, dim=-1)
    torch.mul(real, fine[0], out=first).addcmul_(imag, fine[1], value=-1)
    torch.mul(real, fine[1], out=second).addcmul_(imag, fine[0])


def _split(turn):
    return turn.real.float(), turn.imag.float()


def _nearest(result, coarse, fine, layout):
    """Multiply in float64 and round once."""
    pairs = result.unflatten(-1, (-1, 2)) if layout == "interleaved" else result.unflatten(-1, (2, -1)).mT
    pairs.copy_(rounded(torch.view_as_real(coarse * fine), result.dtype))


def _look_up(result, positions, hands, kind, layout, exact):
    """Write the hands at positions in any order, unless they are too few for their range; tell whether it was done."""
    low, high = (int(end) for end in positions.aminmax())
    span, device = high - low + 1, result.device
    if span == len(positions) and torch.equal(positions - low, torch.arange(span, device=device)):
        _sweep(result, range(low, high + 1), hands, kind, layout, exact)
    elif span <= 2 * len(positions):
        table = torch.empty(span, result.shape[-1], dtype=result.dtype, device=device)
        _fill(table, range(low, high + 1), hands, kind, layout, exact)
        torch.index_select(table, 0, positions - low, out=result)
    elif (bits := round(math.log2(span) / 2)) <= 20 and 2 << bits <= len(positions):
        coarse = _circle(range(low, high + 1, 1 << bits), hands, kind, device)
        fine = _circle(range(1 << bits), hands, BACK if kind is CODE else kind, device)
        fast = result.dtype is torch.float32 and not exact and layout == "interleaved" and paired(result)
        if fast:
            coarse, fine = coarse.to(torch.complex64), fine.to(torch.complex64)
        write = _product if fast else _nearest
        for rows in _blocks(len(result), FEW // len(hands.step), device):
            offset = positions[rows] - low
            write(result[rows], coarse[offset >> bits], fine[offset & (1 << bits) - 1], layout)
    else:
        return False
    return True
