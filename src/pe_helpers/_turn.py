"""Turning pairs of features block by block, so that what is read twice is still in the cache the second time.

float32 in neighbouring pairs is one complex product, which torch differentiates by itself. Everything else (half
precision, which is turned in float32 and rounded once, and pairs whose parts lie apart) passes through a small scratch.
Nothing here is public; `rotary` stands on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from pe_helpers import _arguments, _neighbours

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Tensor

BLOCK = 2**17  # features that stay in a core's cache while they are worked on


def plainly(x: Float[Tensor, "... width"], spin: Float[Tensor, "... width"], layout: str) -> Float[Tensor, "... width"]:
    """Return `x` turned by `spin` (cosines and sines) in operations that every transformation of torch knows."""
    (first, second), (cos, sin) = (parts(each, layout) for each in (x.to(spin.dtype), spin))
    turned = first * cos - second * sin, first * sin + second * cos
    joined = torch.stack(turned, dim=-1).view(x.shape) if layout == "interleaved" else torch.cat(turned, dim=-1)
    return joined.to(x.dtype)


def product(x: Float[Tensor, "... width"], spin: Float[Tensor, "... width"]) -> Float[Tensor, "... width"]:
    """Return `x`, whose neighbours are pairs, turned by one complex product."""
    return torch.view_as_real(
        as_complex(x if _neighbours.paired(x) else x.clone(memory_format=torch.contiguous_format)) * as_complex(spin)
    ).flatten(-2)


def as_complex(x: Float[Tensor, "... width"]):
    """Return neighbours as complex numbers, without a copy."""
    return torch.view_as_complex(x.unflatten(-1, (-1, 2)))


def parts(x: Float[Tensor, "... width"], layout: str):
    """Return the first and the second part of every pair, without a copy."""
    return x.view(*x.shape[:-1], -1, 2).unbind(-1) if layout == "interleaved" else x.chunk(2, dim=-1)


class InBlocks(torch.autograd.Function):
    """Turn in blocks; the gradient turns back."""

    @staticmethod
    def forward(context, x, spin, layout):
        """Return `x` turned by `spin`."""
        context.save_for_backward(spin)
        context.layout = layout
        return write(torch.empty_like(x), x, spin, layout)

    @staticmethod
    def backward(context, gradient):
        """Return the gradient turned by −`spin`."""
        (spin,), layout = context.saved_tensors, context.layout
        signs = spin.new_ones(spin.shape[-1])
        parts(signs, layout)[1].neg_()
        turn = InBlocks.apply if _arguments.readable(gradient) else plainly  # a batch of gradients is no plain tensor
        return turn(gradient, spin * signs, layout), None, None


def write(result, x, spin, layout):
    """Write `x` turned by `spin` into `result`, which may be `x`; return it."""
    spin = spin.view(*[1] * (x.ndim - spin.ndim), *spin.shape)
    (_write_pairs if layout == "interleaved" else _write_halves)(result, x, spin)
    return result


def _write_pairs(result, x, spin):
    work = spin.new_empty(0)
    for target, source, turn in _blocks([result, x, as_complex(spin)]):
        if work.shape != source.shape:
            work = spin.new_empty(source.shape)
            turned = as_complex(work)
        work.copy_(source)
        turned.mul_(turn)
        target.copy_(work)


def _write_halves(result, x, spin):
    work, (cos, sin) = spin.new_empty(2, 0), parts(spin, "half")
    for target, source, both, turn in _blocks([result, x, torch.cat([cos, cos], dim=-1), sin]):
        if (x.dtype is not spin.dtype or result is x) and work[0].shape != source.shape:
            work = spin.new_empty(2, *source.shape).unbind()
        source = source if x.dtype is spin.dtype and result is not x else work[0].copy_(source)
        turned = target if x.dtype is spin.dtype else work[1]
        (first, second), (above, below) = source.chunk(2, dim=-1), torch.mul(source, both, out=turned).chunk(2, dim=-1)
        above.addcmul_(second, turn, value=-1)
        below.addcmul_(first, turn)
        if turned is not target:
            target.copy_(turned)


def _blocks(tensors):
    """Cut tensors alike, except along what is broadcast, until the first is no more than a block."""
    whole = tensors[0]
    if whole.numel() <= BLOCK or whole.ndim == 1 or whole.device.type != "cpu":
        return [tensors]
    size = max(BLOCK * len(whole) // whole.numel(), 1)
    if size == 1:
        rows = zip(*(each.unbind() * (len(whole) // len(each)) for each in tensors), strict=True)
        return [block for row in rows for block in _blocks(row)]
    starts = range(0, len(whole), size)
    return [[each[start : start + size] if len(each) > 1 else each for each in tensors] for start in starts]
