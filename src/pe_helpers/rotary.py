"""Rotary encoding: rotate each pair of a query's and a key's features by position · ω_i, and add nothing.

The score of a rotated query and a rotated key depends only on the offset between their positions, because rotating by
one position undoes part of the rotation by the other. Two lines are the whole method:

    first′  = first · cos − second · sin
    second′ = first · sin + second · cos

Positions are the same in every layer, so a model computes cosines and sines once and hands them to all of its queries
and keys:

    cos, sin = cos_sin(position_ids, head_dim)
    q = apply_rotary_emb(q, cos, sin)  # the same in every layer
    k = apply_rotary_emb(k, cos, sin)

`rotate(x, position_ids)` does both steps at once. Nothing is remembered between calls.

Source: Su et al. 2021, RoFormer, arXiv:2104.09864, equations 15 and 34. Elsewhere `base` is also called theta.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from . import _validate, sinusoidal

if TYPE_CHECKING:
    from jaxtyping import Complex, Float, Shaped
    from torch import Tensor

PRECISIONS = (torch.float32, torch.float64)


def cos_sin(
    position_ids,
    head_dim: int,
    *,
    base: float = 10_000.0,
    inv_freq=None,
    dtype: torch.dtype = torch.float32,
    device: torch.device | str | None = None,
) -> tuple[Float[Tensor, "... pairs"], Float[Tensor, "... pairs"]]:
    """Return the cosines and the sines of position · ω_i, to be kept and passed to `apply_rotary_emb`.

    Args:
        position_ids: positions in tokens, of any shape, as `(seq_len,)` or `(batch, seq_len)`; float positions may lie
            between tokens.
        head_dim: how many features are rotated: those of a head, or the first ones of each head (partial rotation).
        base: as in `sinusoidal.inv_freq`.
        inv_freq: angle of each pair in radians per token, `(head_dim/2,)`, instead of those that `base` gives.
        dtype: of the result: float32, also for queries in half precision, or float64.
        device: of the result; by default that of the positions.

    Raises:
        TypeError: a value of the wrong kind, such as half-precision positions.
        ValueError: an odd `head_dim`, positions that are not finite, an `inv_freq` of another length.

    Example:
        >>> cos, sin = cos_sin(torch.tensor([0, 1]), 4)
        >>> cos
        tensor([[1.0000, 1.0000],
                [0.5403, 0.9999]])
    """
    positions = _validate.positions("position_ids", position_ids)
    device = device or positions.device
    home = _validate.float64_device(device)
    head_dim = _validate.even("head_dim", head_dim)
    _validate.choice("dtype", dtype, PRECISIONS)
    if inv_freq is None:
        omega = sinusoidal.inv_freq(head_dim, base=base, device=home)
    else:
        omega = _validate.positions("inv_freq", inv_freq).to(home).double()
        if omega.shape != (head_dim // 2,):
            raise ValueError(
                f"inv_freq must have shape ({head_dim // 2},) (one angle per token for each pair), "
                f"got {tuple(omega.shape)}"
            )
    angles = positions.to(home).double()[..., None] * omega
    return angles.cos().to(dtype).to(device), angles.sin().to(dtype).to(device)


def apply_rotary_emb(
    x: Float[Tensor, "... seq_len head_dim"],
    cos: Float[Tensor, "... seq_len pairs"],
    sin: Float[Tensor, "... seq_len pairs"],
    *,
    layout: str = "interleaved",
) -> Float[Tensor, "... seq_len head_dim"]:
    """Rotate each pair of features of `x` by the angle that has this cosine and sine.

    Half precision is rotated in float32 and rounded once. If there are fewer cosines than pairs, the last features of
    each head stay as they are (partial rotation).

    Args:
        x: queries or keys, heads before tokens.
        cos: cosines, as `cos_sin` returns them, in float32 or float64. Axes before the tokens are matched with the
            first axes of `x`: `(batch, seq_len, pairs)` goes with `(batch, heads, seq_len, head_dim)`.
        sin: sines, likewise.
        layout: "interleaved" if neighbouring features are a pair, "half" if features i and i + head_dim/2 are.

    Returns:
        The rotated features, of the dtype of `x`.

    Raises:
        TypeError: a value of the wrong kind, such as integer features or cosines in half precision.
        ValueError: shapes that do not fit.

    Example:
        >>> cos, sin = cos_sin(torch.arange(10), 64)
        >>> q = torch.randn(2, 8, 10, 64)
        >>> apply_rotary_emb(q, cos, sin).shape
        torch.Size([2, 8, 10, 64])
    """
    _check_features(x)
    _validate.choice("layout", layout, sinusoidal.LAYOUTS)
    for name, values in (("cos", cos), ("sin", sin)):
        if not isinstance(values, torch.Tensor):
            raise TypeError(f"{name} must be a tensor (..., seq_len, pairs), got {_validate.describe(values)}")
        _validate.choice(f"{name}.dtype", values.dtype, PRECISIONS, " (half precision is rotated in float32)")
    if cos.shape != sin.shape or cos.dtype != sin.dtype:
        raise ValueError(
            f"sin must have the shape and dtype of cos, {tuple(cos.shape)} and {cos.dtype}, "
            f"got {tuple(sin.shape)} and {sin.dtype}"
        )
    rotary_dim = 2 * cos.shape[-1]
    if rotary_dim > x.shape[-1]:
        raise ValueError(
            f"rotary_dim, twice the cosines of a token, must be at most head_dim = {x.shape[-1]}, got {rotary_dim}"
        )
    _check_axes("cos", cos.shape[:-1], x)
    same_for_all_heads = (..., *[None] * (x.ndim - cos.ndim), slice(None), slice(None))
    precision = torch.promote_types(x.dtype, cos.dtype)
    rotated = _rotated(
        x[..., :rotary_dim].to(precision),
        cos[same_for_all_heads].to(precision),
        sin[same_for_all_heads].to(precision),
        layout,
    ).to(x.dtype)
    if rotary_dim == x.shape[-1]:
        return rotated
    return torch.cat([rotated, x[..., rotary_dim:]], dim=-1)


def rotate(
    x: Float[Tensor, "... seq_len head_dim"],
    position_ids=None,
    *,
    base: float = 10_000.0,
    inv_freq=None,
    layout: str = "interleaved",
    rotary_dim: int | None = None,
) -> Float[Tensor, "... seq_len head_dim"]:
    """Rotate queries or keys by their positions: `cos_sin` and `apply_rotary_emb` in one call.

    There is no offset to keep: at the 100th step of decoding, `position_ids` is `torch.tensor([99])`.

    Args:
        x: queries or keys, heads before tokens.
        position_ids: positions in tokens, `(seq_len,)`, or batched like the first axes of `x`, as `(batch, seq_len)`
            for `(batch, heads, seq_len, head_dim)`; by default 0 … seq_len − 1.
        base: as in `sinusoidal.inv_freq`.
        inv_freq: as in `cos_sin`.
        layout: as in `apply_rotary_emb`.
        rotary_dim: how many features of each head to rotate, the first ones; by default all.

    Returns:
        The rotated features, of the dtype of `x`.

    Raises:
        TypeError: a value of the wrong kind, such as integer features or half-precision positions.
        ValueError: shapes that do not fit, an odd number of features, positions that are not finite.

    Example:
        >>> q = torch.randn(64)
        >>> k = torch.randn(64)
        >>> here, later = (rotate(q[None], [p]) @ rotate(k[None], [p - 3]).mT for p in (3, 1000))
        >>> torch.allclose(here, later, atol=1e-4)  # the score depends on the offset, 3, alone
        True
    """
    _check_features(x)
    if position_ids is None:
        position_ids = torch.arange(x.shape[-2], device=x.device)
    position_ids = _validate.positions("position_ids", position_ids)
    _check_axes("position_ids", position_ids.shape, x)
    width = x.shape[-1] if rotary_dim is None else _validate.even("rotary_dim", rotary_dim)
    precision = torch.float64 if x.dtype is torch.float64 else torch.float32
    cos, sin = cos_sin(position_ids, width, base=base, inv_freq=inv_freq, dtype=precision, device=x.device)
    return apply_rotary_emb(x, cos, sin, layout=layout)


def _rotated(x: Tensor, cos: Tensor, sin: Tensor, layout: str) -> Tensor:
    """Rotate all pairs; the three are of one dtype, float32 or float64."""
    if layout == "interleaved" and not torch.compiler.is_compiling():
        # A pair of neighbours is a complex number in memory, and its rotation one complex product: the same two lines
        # as below, several times faster as long as no compiler fuses those.
        return torch.view_as_real(_as_complex(x) * torch.complex(cos, sin)).flatten(-2)
    if layout == "interleaved":
        first, second = x.unflatten(-1, (-1, 2)).unbind(-1)
        return torch.stack([first * cos - second * sin, first * sin + second * cos], dim=-1).flatten(-2)
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)


def _as_complex(x: Float[Tensor, "... features"]) -> Complex[Tensor, "... pairs"]:
    """View neighbouring features as real and imaginary parts; copy `x` if they do not lie in memory like that."""
    *steps, step = x.stride()
    if step != 1 or x.storage_offset() % 2 or any(other % 2 for other in steps):
        x = x.clone(memory_format=torch.contiguous_format)
    return torch.view_as_complex(x.unflatten(-1, (-1, 2)))


def to_half(weight: Shaped[Tensor, "..."], head_dim: int | None = None) -> Shaped[Tensor, "..."]:
    """Reorder a query or key projection from interleaved pairs to halves.

    A model rotated in one layout gives the same scores in the other once both of its projections are reordered.

    Args:
        weight: `(..., features out, features in)` as `nn.Linear` has it, or a bias `(features out,)`.
        head_dim: features of a head, if `weight` holds several heads one after the other.

    Raises:
        TypeError: `weight` is not a tensor or `head_dim` not an int.
        ValueError: `head_dim` is odd or does not divide the features out.

    Example:
        >>> to_half(torch.arange(6))
        tensor([0, 2, 4, 1, 3, 5])
    """
    return _transposed(weight, head_dim, (-1, 2))


def to_interleaved(weight: Shaped[Tensor, "..."], head_dim: int | None = None) -> Shaped[Tensor, "..."]:
    """Reorder a query or key projection from halves to interleaved pairs: the inverse of `to_half`.

    Args:
        weight: as in `to_half`.
        head_dim: as in `to_half`.

    Raises:
        TypeError, ValueError: as for `to_half`.

    Example:
        >>> to_interleaved(torch.arange(8), head_dim=4)
        tensor([0, 2, 1, 3, 4, 6, 5, 7])
    """
    return _transposed(weight, head_dim, (2, -1))


def _transposed(weight: Tensor, head_dim: int | None, shape: tuple[int, int]) -> Tensor:
    """Reorder the features out of each head: seen as a matrix of this shape, they are transposed."""
    if not isinstance(weight, torch.Tensor) or weight.ndim == 0:
        raise TypeError(f"weight must be a tensor (..., features out, features in), got {_validate.describe(weight)}")
    axis = -1 if weight.ndim == 1 else -2
    rows = weight.shape[axis]
    head_dim = _validate.even("head_dim", rows if head_dim is None else head_dim)
    if rows % head_dim:
        raise ValueError(f"head_dim must divide the features out, {rows} (all heads are as wide), got {head_dim}")
    heads = torch.arange(rows, device=weight.device).view(-1, head_dim)
    return weight.index_select(axis, heads.unflatten(-1, shape).mT.flatten())


def _check_features(x):
    if not isinstance(x, torch.Tensor) or x.dtype not in _validate.FLOAT_TYPES or not _validate.dense(x) or x.ndim < 2:
        raise TypeError(f"x must be a dense float tensor (..., seq_len, head_dim), got {_validate.describe(x)}")


def _check_axes(name, shape, x):
    """Refuse positions whose axes are not the first axes of `x`, or 1 in their place, and its tokens."""
    axes = x.shape[:-1]
    fits = 0 < len(shape) <= len(axes) and shape[-1] == axes[-1]
    if not fits or any(size not in (1, axis) for size, axis in zip(shape[:-1], axes[:-1], strict=False)):
        raise ValueError(
            f"{name} must have positions of shape ({axes[-1]},) or batched like {tuple(axes)}, the axes of x before "
            f"the last, got {tuple(shape)}"
        )
