"""Rotary encoding: add nothing, but turn each pair of a query's and a key's features by position · ω_i.

The score of a turned query and a turned key depends on the offset of their positions alone, since a rotation by the one
undoes a rotation by the other.

Source: Su et al. 2021, RoFormer, arXiv:2104.09864, equations 15 and 34. Elsewhere `base` is also called theta, a word
that others use for the inverse frequency.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from pe_helpers import _arguments, _clock, _dial, _gpu, _neighbours, _turn, sinusoidal

if TYPE_CHECKING:
    from jaxtyping import Float, Shaped
    from torch import Tensor

__all__ = ["rotate", "to_half", "to_interleaved"]


def rotate(
    x: Float[Tensor, "... seq_len head_dim"],
    position_ids=None,
    *,
    base: float = 10_000.0,
    inv_freq=None,
    layout: str = "interleaved",
    rotary_dim: int | None = None,
    inplace: bool = False,
) -> Float[Tensor, "... seq_len head_dim"]:
    """Turn each pair of features of `x` by its position's angles; give queries and keys to it alike.

    There is no cache and no offset to keep: at the 100th step of decoding, `position_ids` is `torch.tensor([99])`. Half
    precision is turned in float32 and rounded once: to the nearest, but where the two products of a feature cancel.

    Args:
        x: queries or keys, heads before tokens.
        position_ids: positions in tokens, `(seq_len,)`, or batched like the first axes of `x`, as `(batch, seq_len)`
            for `(batch, heads, seq_len, head_dim)`; by default 0 … seq_len − 1.
        base: as in `sinusoidal.inv_freq`.
        inv_freq: speeds of the pairs in radians per token, in place of those that `base` gives.
        layout: "interleaved" if neighbours are a pair, "half" if features i and i + head_dim/2 are.
        rotary_dim: how many of the first features to turn; by default all.
        inplace: write into `x` and return it.

    Raises:
        TypeError: a value of the wrong kind, such as integer features or half-precision positions.
        ValueError: shapes that do not fit, an odd number of features, positions that are not finite.
    """
    if not isinstance(x, torch.Tensor) or x.dtype not in _arguments.FLOATS or not _arguments.dense(x):
        raise TypeError(f"x must be a float tensor (..., seq_len, head_dim), dense, got {_arguments.shown(x)}")
    if x.ndim < 2:
        raise ValueError(f"x must have two axes or more (..., seq_len, head_dim), got shape {tuple(x.shape)}")
    layout = _arguments.choice("layout", layout, sinusoidal.LAYOUTS)
    name, width = ("head_dim", x.shape[-1]) if rotary_dim is None else ("rotary_dim", rotary_dim)
    width = _arguments.even(name, width)
    if width > x.shape[-1]:
        raise ValueError(
            f"rotary_dim must be at most head_dim = {x.shape[-1]} (there are no more features), got {width}"
        )
    if inplace and x.requires_grad and x.is_leaf and torch.is_grad_enabled():
        raise ValueError("x must not be a leaf that requires gradients (inplace would overwrite the weights), got one")
    if inplace:
        _arguments.apart("x", x)
    positions, hands = _positions(position_ids, x), _hands(width, base, inv_freq)
    if width == x.shape[-1]:
        return _turned(x, positions, hands, layout, inplace)
    turned = _turned(x[..., :width], positions, hands, layout, inplace)
    return x if inplace else torch.cat([turned, x[..., width:]], dim=-1)


def to_half(weight: Shaped[Tensor, "..."], head_dim: int | None = None) -> Shaped[Tensor, "..."]:
    """Reorder a query or key projection whose heads pair neighbours, so that its heads pair halves.

    A model rotated in the one layout gives the same scores in the other, once the rows of both projections are moved.

    Args:
        weight: `(..., features out, features in)` as `nn.Linear` has it, or a bias `(features out,)`.
        head_dim: features of a head, if `weight` holds several heads one after the other.
    """
    return _reordered(weight, head_dim, lambda features: features.unflatten(-1, (-1, 2)).mT)


def to_interleaved(weight: Shaped[Tensor, "..."], head_dim: int | None = None) -> Shaped[Tensor, "..."]:
    """Reorder a projection whose heads pair halves, so that its heads pair neighbours: the inverse of `to_half`."""
    return _reordered(weight, head_dim, lambda features: features.unflatten(-1, (2, -1)).mT)


def _reordered(weight, head_dim, order):
    if not isinstance(weight, torch.Tensor) or weight.ndim == 0:
        raise TypeError(f"weight must be a tensor (..., features out, features in), got {_arguments.shown(weight)}")
    axis = -1 if weight.ndim == 1 else -2
    rows = weight.shape[axis]
    head_dim = _arguments.even("head_dim", rows if head_dim is None else head_dim)
    if rows % head_dim:
        raise ValueError(f"head_dim must divide the features out, {rows} (every head has as many), got {head_dim}")
    features = torch.arange(rows, device=weight.device).view(-1, head_dim)
    return weight.index_select(axis % weight.ndim, order(features).flatten())


def _positions(position_ids, x):
    """Return positions whose axes are those of `x` but the last, 1 where they are the same for all."""
    length = x.shape[-2]
    if position_ids is None:
        return length
    ids = _arguments.positions("position_ids", position_ids)
    batch = ids.shape[:-1]
    fits = 0 < ids.ndim < x.ndim and ids.shape[-1] == length
    if not fits or any(size not in (1, axis) for size, axis in zip(batch, x.shape[: len(batch)], strict=True)):
        wanted = f"({length},), or batched like x {tuple(x.shape)}"
        raise ValueError(f"position_ids must have shape {wanted} (a position for each token), got {tuple(ids.shape)}")
    return ids.view(*batch, *[1] * (x.ndim - 1 - ids.ndim), length) if len(batch) else ids


def _hands(width, base, inv_freq):
    if inv_freq is None:
        base = _arguments.number("base", base, least=1, why=" (no pair is faster than the first)")
        return _clock.geometric(width, base, "paper")
    speeds = _arguments.positions("inv_freq", inv_freq).double()
    if speeds.shape != (width // 2,):
        raise ValueError(f"inv_freq must have shape ({width // 2},) (a speed for each pair), got {tuple(speeds.shape)}")
    return _clock.given(speeds, _arguments.readable(speeds) and not speeds.requires_grad)


def _turned(x, positions, hands, layout, inplace):
    recorded = x.requires_grad and torch.is_grad_enabled()
    if _gpu.turns(x, positions, hands):
        if inplace and not recorded:
            return _gpu.write_turned(x, x, positions, hands, layout)
        turned = _gpu.Turned.apply(x, positions, hands, layout)
        return x.copy_(turned) if inplace else turned
    dtype = torch.float64 if x.dtype is torch.float64 else torch.float32
    products = hands.make is not None and (
        isinstance(positions, torch.Tensor) or positions * hands.pairs > _neighbours.FIRST
    )
    spin = _dial.show(positions, hands, _clock.SPIN, device=x.device, layout=layout, dtype=dtype, exact=products)
    if spin.requires_grad or not _arguments.readable(x, spin):
        if torch.compiler.is_compiling():  # a compiler that may not look through this keeps the sines for all heads
            spin = spin.as_strided(spin.shape, spin.stride())
        turned = _turn.plainly(x.clone() if inplace and spin.requires_grad else x, spin, layout)
        return x.copy_(turned) if inplace else turned
    if layout == "interleaved" and x.dtype is spin.dtype:
        if not inplace:
            return _turn.product(x, spin)
        if not _neighbours.paired(x):
            return x.copy_(_turn.product(x, spin))
        _turn.as_complex(x).mul_(_turn.as_complex(spin))
        return x
    if not inplace:
        return _turn.InBlocks.apply(x, spin, layout)
    return x.copy_(_turn.InBlocks.apply(x, spin, layout)) if recorded else _turn.write(x, x, spin, layout)
