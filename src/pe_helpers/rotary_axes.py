# SPDX-License-Identifier: MIT
"""Rotary encoding of positions with several axes: rows and columns of an image, frames of a video, text among images.

Each pair of features follows one axis: pair i turns by position on axis `axis_of_pair[i]` · ω_i. A score then depends
only on the offset along each axis. The methods differ in which pair follows which axis, and in the speeds:

    axial      the first pairs follow the rows, the others the columns; each axis has a ladder of speeds of its own
    sections   one ladder for all axes, divided into consecutive sections (Qwen2-VL) or dealt out in turn (Qwen3-VL)

Where the axes share one ladder, a token whose axes are equal is encoded exactly as its position is in 1-D: text keeps
the encoding it had. With a ladder for each axis it does not.

`cos_sin` returns what `rotary.apply_rotary_emb` takes. Most of these models pair features in layout "half", the text of
GLM-4V and GLM-OCR in "interleaved": `rope_scaling.read` says it of a configuration, and the axis of each pair.

Source: Heo et al. 2024, arXiv:2403.13298 (axial); Wang et al. 2024, Qwen2-VL, arXiv:2409.12191 (sections); Bai et al.
2025, Qwen3-VL, arXiv:2511.21631 (dealt out in turn). All three were compared with transformers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from . import _validate, rope_rules, rotary, sinusoidal

if TYPE_CHECKING:  # to whom types are checked a Tensor; the tests check its shape, too
    from typing import Annotated as Float
    from typing import Annotated as Float64
    from typing import Annotated as Int64

    from ._validate import Numbers


def grid(*sizes: int) -> Int64[Tensor, "places axes"]:
    """Return the positions of a grid's places, one row each, the last axis fastest: an image's patches row by row.

    Args:
        sizes: places along each axis, such as rows and columns, or frames, rows and columns.

    Raises:
        TypeError, ValueError: no size, or one that is not a positive int.

    Example:
        An image of 2 × 3 patches after 4 tokens of text; the text goes on at 4 + max(2, 3) = 7, as in Qwen2-VL.

        >>> text = torch.arange(4)[:, None].expand(-1, 3)
        >>> image = 4 + grid(1, 2, 3)
        >>> torch.cat([text, image])[3:7]
        tensor([[3, 3, 3],
                [4, 4, 4],
                [4, 4, 5],
                [4, 4, 6]])
    """
    if not sizes:
        raise ValueError("sizes must name at least one axis, got none")
    axes = [torch.arange(_validate.whole_number("sizes", size)) for size in sizes]
    return torch.stack(torch.meshgrid(*axes, indexing="ij"), dim=-1).flatten(0, -2)


def axial(
    head_dim: int, *, axes: int = 2, base: float = 10_000.0
) -> tuple[Float64[Tensor, "pairs"], Int64[Tensor, "pairs"]]:
    """Return `inv_freq` and `axis_of_pair` of an encoding that gives each axis its share of a head.

    Each share has the speeds of a head that narrow, base^(−2i·axes/head_dim).

    Args:
        head_dim: features of a head, a multiple of 2 · axes.
        axes: axes of a position.
        base: as in `sinusoidal.inv_freq`.

    Raises:
        TypeError, ValueError: a `head_dim` that cannot be divided, a `base` below 1.

    Example:
        >>> inv_freq, axis_of_pair = axial(8)
        >>> inv_freq
        tensor([1.0000, 0.0100, 1.0000, 0.0100], dtype=torch.float64)
        >>> axis_of_pair
        tensor([0, 0, 1, 1])
    """
    axes = _validate.whole_number("axes", axes)
    head_dim = _validate.even("head_dim", head_dim)
    if head_dim % (2 * axes):
        raise ValueError(f"head_dim must be a multiple of {2 * axes} (each axis has as many pairs), got {head_dim}")
    ladder = sinusoidal.inv_freq(head_dim // axes, base=base, device="cpu")
    return ladder.repeat(axes), torch.arange(axes, device="cpu").repeat_interleave(len(ladder))


def sections(sizes: list[int] | tuple[int, ...], *, interleaved: bool = False) -> Int64[Tensor, "pairs"]:
    """Return `axis_of_pair` for axes that share one ladder of speeds (M-RoPE).

    Args:
        sizes: pairs that follow each axis: time, rows, columns; `mrope_section` in configurations. Their sum is
            head_dim/2.
        interleaved: False for consecutive sections, so that the first axis has all the fast pairs. True to deal out the
            pairs in turn, 0 1 2 0 1 2 …, until an axis has its number; the rest follows the first axis.
            `mrope_interleaved` in configurations.

    Raises:
        TypeError: a size that is not an int.
        ValueError: no size, one below 1, or, if interleaved, a first axis with fewer pairs than another.

    Example:
        >>> sections([2, 1, 1])
        tensor([0, 0, 1, 2])
        >>> sections([4, 2, 2], interleaved=True)
        tensor([0, 1, 2, 0, 1, 2, 0, 0])
    """
    return torch.tensor(rope_rules.sections(sizes, interleaved=interleaved), device="cpu")


def cos_sin(
    position_ids: Numbers,
    axis_of_pair: Int64[Tensor, "pairs"],
    *,
    base: float = 10_000.0,
    inv_freq: Numbers | None = None,
    attention_factor: float = 1.0,
    axes_dim: int = -1,
    dtype: torch.dtype = torch.float32,
    device: torch.device | str | None = None,
) -> tuple[Float[Tensor, "... pairs"], Float[Tensor, "... pairs"]]:
    """Return the cosines and the sines of positions with several axes, as `rotary.cos_sin` does for one.

    Args:
        position_ids: positions, `(seq_len, axes)` or `(batch, seq_len, axes)`.
        axis_of_pair: the axis that each pair follows, as `axial` and `sections` return it.
        base: as in `sinusoidal.inv_freq`.
        inv_freq: angle of each pair in radians per step, instead of those that `base` gives.
        attention_factor: as in `rotary.cos_sin`.
        axes_dim: 0 if the axes come first, `(axes, batch, seq_len)`, as in published programs of M-RoPE.
        dtype: as in `rotary.cos_sin`.
        device: as in `rotary.cos_sin`.

    Raises:
        TypeError, ValueError: as for `rotary.cos_sin`; an `axis_of_pair` that does not number the axes.

    Example:
        >>> q = torch.randn(1, 4, 6, 8)  # the queries of an image of 2 × 3 patches
        >>> inv_freq, axis_of_pair = axial(8)
        >>> cos, sin = cos_sin(grid(2, 3), axis_of_pair, inv_freq=inv_freq)
        >>> rotary.apply_rotary_emb(q, cos, sin, layout="half").shape
        torch.Size([1, 4, 6, 8])
    """
    position_ids = _validate.positions("position_ids", position_ids)
    axis_of_pair = _validate.positions("axis_of_pair", axis_of_pair, whole="it numbers the axes")
    if axis_of_pair.ndim != 1 or not len(axis_of_pair):
        raise ValueError(f"axis_of_pair must have one axis (a number for each pair), got {tuple(axis_of_pair.shape)}")
    if position_ids.ndim < 2:
        raise ValueError(f"position_ids must have shape (..., seq_len, axes), got {tuple(position_ids.shape)}")
    if isinstance(axes_dim, bool) or axes_dim not in (0, -1):
        raise ValueError(f"axes_dim must be 0 or −1 (axes come first or last), got {axes_dim!r}")
    axes = position_ids.shape[axes_dim]
    if _validate.readable(axis_of_pair):
        lowest, highest = axis_of_pair.aminmax()
        if _validate.host_truth((lowest >= 0) & (highest == axes - 1)) is False:
            raise ValueError(
                f"axis_of_pair must number the axes of position_ids, 0 … {axes - 1}, got {lowest} … {highest}"
            )
    of_axis = [
        rotary.cos_sin(
            axis,
            2 * len(axis_of_pair),
            base=base,
            inv_freq=inv_freq,
            attention_factor=attention_factor,
            dtype=dtype,
            device=device,
        )
        for axis in position_ids.unbind(axes_dim)
    ]
    cos, sin = of_axis[0]
    for axis in range(1, axes):
        follows = (axis_of_pair == axis).to(cos.device)
        cos = torch.where(follows, of_axis[axis][0], cos)
        sin = torch.where(follows, of_axis[axis][1], sin)
    return cos, sin
