# SPDX-License-Identifier: MIT
"""A learned table: one free vector for each position, for as many positions as the table has rows.

Source: Gehring et al. 2017, Convolutional Sequence to Sequence Learning, arXiv:1705.03122, section 3.1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from . import _validate

if TYPE_CHECKING:  # to whom types are checked a Tensor; the tests check its shape, too
    from typing import Annotated as Float

    from ._validate import Numbers


class LearnedTable(nn.Module):
    """A row of weights for each position, at first drawn from a normal distribution of standard deviation `std`.

    `std` has no default because it decides how fast such a table learns; that of the token vectors is a good choice.

    Args:
        max_len: number of rows.
        d_model: width of a row.
        std: standard deviation of the first weights.

    Raises:
        TypeError, ValueError: a size that is not a positive int, or a negative `std`.

    Example:
        >>> table = LearnedTable(512, 768, std=0.02)
        >>> table(torch.tensor([[0, 1, 511]])).shape
        torch.Size([1, 3, 768])
    """

    def __init__(self, max_len: int, d_model: int, *, std: float):
        super().__init__()
        max_len = _validate.whole_number("max_len", max_len)
        d_model = _validate.whole_number("d_model", d_model)
        self.std = _validate.number("std", std, least=0)
        self.weight = nn.Parameter(torch.empty(max_len, d_model))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw all weights anew."""
        nn.init.normal_(self.weight, std=self.std)

    def forward(self, position_ids: Numbers) -> Float[Tensor, "... d_model"]:
        """Return each position's row, for positions of any shape.

        Raises:
            TypeError: positions that are not whole numbers.
            IndexError: a position outside the table, such as −1. (On a GPU torch reports it, once the kernel has run.)
        """
        position_ids = _validate.positions("position_ids", position_ids, whole="a table has no row 2.5")
        rows = len(self.weight)
        if _validate.readable(position_ids):
            outside = (position_ids < 0) | (position_ids >= rows)
            if _validate.host_truth(outside.any()) is True:
                raise IndexError(
                    f"position_ids must be within 0 … {rows - 1} (the table has {rows} rows), "
                    f"got {position_ids[outside][0].item()}"
                )
        return nn.functional.embedding(position_ids.to(self.weight.device), self.weight)

    if TYPE_CHECKING:  # a call returns what `forward` returns

        def __call__(self, position_ids: Numbers) -> Tensor:
            """Return each position's row."""
            ...


def resize(
    weight: Float[Tensor, "rows d_model"],
    size: Sequence[int],
    new_size: Sequence[int],
    *,
    prefix: int = 0,
    antialias: bool = True,
) -> Float[Tensor, "new_rows d_model"]:
    """Return a table for another size: the rows of a grid of patches, or of a text, are read between as an image is.

    Bicubic; float16 and bfloat16 are computed in float32. A resized table is where fine-tuning begins, no table of
    rows that were learned.

    Args:
        weight: a table, `(prefix + places, d_model)`, places row by row.
        size: its places along each axis, `(rows, columns)` of patches, or `(places,)`.
        new_size: places of the result along each axis.
        prefix: rows before the places that stay as they are, such as that of a class token.
        antialias: whether a smaller table averages what lies between; True as timm does, False as transformers' ViT.

    Raises:
        TypeError: `weight` is not a float tensor, or a size not an int.
        ValueError: sizes that do not fit, or have more than two axes.

    Example:
        >>> weight = torch.randn(1 + 14 * 14, 768)  # a class token, 14 × 14 patches
        >>> resize(weight, (14, 14), (24, 24), prefix=1).shape
        torch.Size([577, 768])

    Source: Dosovitskiy et al. 2021, arXiv:2010.11929, section 3.2; `resample_abs_pos_embed` in timm.
    """
    if not isinstance(weight, Tensor) or weight.dtype not in _validate.FLOAT_TYPES or weight.ndim != 2:
        raise TypeError(f"weight must be a float tensor (rows, d_model), got {_validate.describe(weight)}")
    _validate.choice("antialias", antialias, (True, False))
    prefix = _validate.whole_number("prefix", prefix, least=0)
    old, new = (_size(name, given) for name, given in (("size", size), ("new_size", new_size)))
    if len(size) != len(new_size):
        raise ValueError(f"new_size must have as many axes as size, {len(size)}, got {len(new_size)}")
    if prefix + math.prod(old) != len(weight):
        raise ValueError(f"size must give the table's {len(weight)} rows, {prefix} of them a prefix, got {tuple(size)}")
    if old[1] == new[1] == 1:  # a single column as a single row: torch 2.13 misreads the former
        old, new = old[::-1], new[::-1]
    image = weight[prefix:].T.reshape(1, -1, *old)
    image = image.to(torch.promote_types(weight.dtype, torch.float32))
    image = nn.functional.interpolate(image, size=new, mode="bicubic", antialias=antialias)
    return torch.cat([weight[:prefix], image[0].flatten(1).T.to(weight.dtype)])


def _size(name: str, size: Sequence[int]) -> tuple[int, int]:
    """Return rows and columns; a text is a single column."""
    if not isinstance(size, Sequence) or len(size) not in (1, 2):
        raise ValueError(f"{name} must be (rows, columns) or (places,), got {_validate.describe(size)}")
    rows, columns = (*size, 1)[:2]
    return _validate.whole_number(name, rows), _validate.whole_number(name, columns)
