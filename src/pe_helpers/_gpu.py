"""What a GPU does in one kernel, where there is one and Triton, which torch brings along there, can compile for it.

Everything else (float64, positions between tokens or with gradients, graphs and transformations) goes the way of every
other device, with the same results to the last bits. Nothing here is public; `_dial` and `rotary` stand on it.
"""

from __future__ import annotations

import math
import os
import shutil
from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

import torch

from pe_helpers import _arguments
from pe_helpers._clock import CODE, SPIN, TICKS, Hands

if TYPE_CHECKING:
    from jaxtyping import Float, Int64
    from torch import Tensor

LINES, PAIRS = 16, 64  # of a tile: positions and, of a table, hands at most
TIMES = 8  # tiles of neighbouring rows in half precision that go on from the first of them
HEADS, WIDEST = 4, 1024  # of a tile: features that turn alike, at most, and their pairs


def present(device: torch.device) -> bool:
    """Tell whether kernels can be compiled for a device."""
    return device.type == "cuda" and _compiler() and torch.cuda.get_device_capability(device) >= (7, 5)


@lru_cache
def _compiler():
    return find_spec("triton") is not None and any(map(shutil.which, (os.environ.get("CC", "clang"), "gcc")))


def writes(result: Tensor, positions: Tensor | range, kind: tuple) -> bool:
    """Tell whether `write_table` is for this."""
    fits = kind == CODE and result.is_contiguous() and result.dtype is not torch.float64
    return fits and present(result.device) and (isinstance(positions, range) or not positions.is_floating_point())


def write_table(
    result: Float[Tensor, "rows width"], positions: Int64[Tensor, "rows"] | range, hands: Hands, layout: str, fast: bool
) -> None:
    """Write the codes of whole positions, or of range(n); `fast` is float32 within 2.5 · 2⁻²⁴, otherwise nearest."""
    from pe_helpers import _kernels

    counted, width = isinstance(positions, range), min(_power(hands.pairs), PAIRS)
    times = TIMES if counted and result.itemsize == 2 else 1
    with torch.cuda.device_of(result):
        _kernels.table[_tiles(len(result), LINES * times), _tiles(hands.pairs, width)](
            result, result if counted else positions, _speeds(hands, result.device), len(result), hands.pairs,
            layout == "half", counted, not fast, times, LINES, width,
        )  # fmt: skip


def turns(x: Tensor, positions: Tensor | int, hands: Hands) -> bool:
    """Tell whether `Turned` and `write_turned` are for this."""
    counted = not isinstance(positions, torch.Tensor)
    whole = counted or (_arguments.readable(positions) and not positions.is_floating_point())
    fits = hands.make is not None and hands.pairs <= WIDEST and x.dtype is not torch.float64 and x.numel() > 0
    return whole and fits and _arguments.readable(x) and present(x.device)


class Turned(torch.autograd.Function):
    """Turn features forward, or back where `sign` is −1; the gradient turns the other way."""

    @staticmethod
    def forward(context, x, positions, hands, layout, sign=1):
        """Return `x` turned."""
        counted = not isinstance(positions, torch.Tensor)
        context.save_for_backward(None if counted else positions)
        context.turn = positions if counted else None, hands, layout, sign
        result = torch.empty_like(x, memory_format=torch.contiguous_format)
        return write_turned(result, x, positions, hands, layout, sign)

    @staticmethod
    def backward(context, gradient):
        """Return the gradient turned back."""
        count, hands, layout, sign = context.turn
        positions = context.saved_tensors[0] if count is None else count
        return Turned.apply(gradient, positions, hands, layout, -sign), None, None, None, None


def write_turned(
    result: Float[Tensor, "... seq_len width"],
    x: Float[Tensor, "... seq_len width"],
    positions: Int64[Tensor, "*batch seq_len"] | int,
    hands: Hands,
    layout: str,
    sign: int = 1,
) -> Float[Tensor, "... seq_len width"]:
    """Write `x`, turned by its positions, into `result`, which is contiguous or `x` itself; return it."""
    from pe_helpers import _kernels

    (length, width), counted = x.shape[-2:], not isinstance(positions, torch.Tensor)
    own = not counted and positions.ndim == x.ndim - 1 and positions.shape[-2:-1] not in ((), (1,))
    heads = 1 if own or x.ndim == 2 else x.shape[-3]  # that have the same positions
    source = x.reshape(-1, heads, length, width)
    source = source if source.stride(-1) == 1 else source.contiguous()
    target = source if result is x else result.view(source.shape)
    ids = x.new_empty(0, 0, dtype=torch.int64)
    if not counted:
        ids = positions.to(x.device).expand(x.shape[:-1]).reshape(source.shape[:-1])[:, 0]
    block, pairs = min(_power(heads), HEADS), _power(hands.pairs)
    lines = max(LINES * PAIRS // pairs, 1)
    with torch.cuda.device_of(x):
        _kernels.turn[(len(source) * _tiles(heads, block) * _tiles(length, lines),)](
            target, source, ids, _speeds(hands, x.device), heads, length, hands.pairs,
            *target.stride()[:3], *source.stride()[:3], *ids.stride(),
            layout == "half", counted, sign, block, lines, pairs,
        )  # fmt: skip
    return x.copy_(source.view(x.shape)) if result is x and source.data_ptr() != x.data_ptr() else result


@lru_cache(maxsize=256)
def _speeds(hands, device):
    """Return each hand's ticks per token and, in a float64's bits, the fraction of a tick that is left.

    These are constants, which stay on the device: a call fetches nothing, so that it can be captured in a CUDA graph.
    """
    wheel = hands.wheel(SPIN, "half")
    rest = torch.tensor(wheel.rest[: hands.pairs], dtype=torch.float64, device="cpu") * (TICKS / (2 * math.pi))
    step = torch.tensor(wheel.step[: hands.pairs], device="cpu")
    return torch.stack([step, rest.view(torch.int64)]).to(device)


def _tiles(size, of):
    return -(-size // of)


def _power(size):
    """Return the power of 2 that is no less than `size`."""
    return 1 << (size - 1).bit_length()
