"""A row of hands for each position, by whichever way costs least: sines, a product, or a look into a table.

Nothing here is public; `sinusoidal` and `rotary` stand on it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch

from pe_helpers import _arguments, _gpu
from pe_helpers._clock import first_rows, rounded, rows
from pe_helpers._neighbours import FEW, SOME, Face, blocks, factors, store, write

if TYPE_CHECKING:
    from jaxtyping import Float, Shaped
    from torch import Tensor

    from pe_helpers._clock import Hands


def show(
    positions: Shaped[Tensor, "*shape"] | int,
    hands: Hands,
    kind: tuple,
    *,
    device: torch.device,
    layout: str = "interleaved",
    dtype: torch.dtype = torch.float32,
    out: Float[Tensor, "..."] | None = None,
    exact: bool = False,
) -> Float[Tensor, "*shape width"]:
    """Return a row for each position (a count n means 0 … n−1), written into `out` if given.

    float32 is within 2.7 · 2⁻²⁴ of the truth, or with `exact` the nearest float32; the other dtypes are always nearest.
    """
    home, counted = _arguments.home(device), not isinstance(positions, torch.Tensor)
    positions = positions if counted else positions.to(home)
    if hands.make is None or not (counted or _constant(positions)):
        if counted:
            result = first_rows(positions, hands, kind, layout, dtype, home).to(device)
        else:
            result = rounded(rows(positions, hands, kind, layout), dtype).to(device)
        if out is not None:
            out.copy_(result)
        return result if out is None else out
    shape = (positions,) if counted else positions.shape
    positions = range(positions) if counted else positions.detach().flatten()
    face = Face(hands, kind, layout, dtype is torch.float32 and not exact, home)
    in_place = out is not None and out.device == home and (out.ndim == 2 or out.is_contiguous())
    result = out if in_place else torch.empty(*shape, 2 * hands.pairs, dtype=dtype, device=home)
    if result.numel() and home.type != "meta":
        _fill(result if result.ndim == 2 else result.view(-1, result.shape[-1]), positions, face)
    return result.to(device) if out is None else out if in_place else out.copy_(result)


def _constant(positions):
    return _arguments.readable(positions) and not (positions.requires_grad and torch.is_grad_enabled())


def _fill(result, positions, face):
    """Write the rows of a range or a line of positions into `result`."""
    if _gpu.writes(result, positions, face.kind):
        return _gpu.write_table(result, positions, face.hands, face.layout, face.fast)
    if isinstance(positions, range):
        return write(result, positions, face)
    few = len(positions) * face.hands.pairs <= FEW
    if positions.is_floating_point():
        positions = whole if bool(((whole := positions.long()) == positions).all()) else positions
    if not few and not positions.is_floating_point() and _look_up(result, positions, face):
        return None
    for some in blocks(len(result), SOME // face.hands.pairs, face.device):
        result[some] = rounded(rows(positions[some], face.hands, face.kind, face.layout), result.dtype)
    return None


def _look_up(result, positions, face):
    """Write the rows at positions in any order, unless these are too few for their span; tell whether it was done."""
    low, high = (int(end) for end in positions.aminmax())
    span = high - low + 1
    if span == len(positions) and torch.equal(positions - low, torch.arange(span, device=face.device)):
        write(result, range(low, high + 1), face)
    elif span <= 2 * len(positions):
        table = torch.empty(span, result.shape[-1], dtype=result.dtype, device=face.device)
        _fill(table, range(low, high + 1), face)
        torch.index_select(table, 0, positions - low, out=result)
    elif (bits := round(math.log2(span) / 2)) <= 20 and 2 << bits <= len(positions):
        kinds, kind = factors(face.kind), torch.complex64 if face.fast else torch.complex128
        coarse = face.rows(range(low, high + 1, 1 << bits), kinds[0], "interleaved")
        fine = face.rows(range(1 << bits), kinds[1], "interleaved")
        coarse, fine = (torch.view_as_complex(rows.unflatten(-1, (-1, 2))).to(kind) for rows in (coarse, fine))
        for some in blocks(len(result), SOME // face.hands.pairs, face.device):
            offset = positions[some] - low
            store(result[some], coarse[offset >> bits] * fine[offset & (1 << bits) - 1], face.layout == "half")
    else:
        return False
    return True
