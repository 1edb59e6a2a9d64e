# SPDX-License-Identifier: MIT
"""A learned table: one free vector for each position, for as many positions as the table has rows.

Source: Gehring et al. 2017, Convolutional Sequence to Sequence Learning, arXiv:1705.03122, section 3.1.
"""

from __future__ import annotations

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
