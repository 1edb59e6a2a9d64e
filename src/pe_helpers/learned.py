"""A learned table: one free vector for each position, as many as the table has rows, and none beyond.

Source: Gehring et al. 2017, Convolutional Sequence to Sequence Learning, arXiv:1705.03122, section 3.1.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import torch
from torch import nn

from pe_helpers import _arguments

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Tensor


class LearnedTable(nn.Module):
    """A row of weights for each position, drawn at first from a normal distribution of width `std`.

    `std` has no default, since it decides whether such a table learns in time: what the tokens' own vectors have is a
    good choice.
    """

    def __init__(self, max_len: int, d_model: int, *, std: float):
        """Draw `max_len` rows of `d_model` weights."""
        super().__init__()
        self.std = _arguments.number("std", std, least=0)
        rows, columns = _arguments.whole_number("max_len", max_len), _arguments.whole_number("d_model", d_model)
        self.weight = nn.Parameter(torch.empty(rows, columns))
        nn.init.normal_(self.weight, std=self.std)

    def forward(self, position_ids) -> Float[Tensor, "... d_model"]:
        """Return each position's row, for positions of any shape.

        Raises:
            TypeError: positions that are not whole numbers.
            IndexError: a position outside the table; −1 is outside.
        """
        why = "a table has no row 2.5"
        position_ids = _arguments.positions("position_ids", position_ids, self.weight.device, whole=why)
        rows = len(self.weight)
        if _arguments.readable(position_ids):
            outside = position_ids[(position_ids < 0) | (position_ids >= rows)]
            if outside.numel():
                raise IndexError(
                    f"position_ids must be within 0 … {rows - 1} (the table has {rows} rows), got {int(outside[0])}"
                )
        return nn.functional.embedding(position_ids, self.weight)

    @torch.no_grad()
    def resized(self, new_len: int) -> LearnedTable:
        """Return a table of `new_len` rows, interpolated from this one, first row on first and last on last."""
        new_len = _arguments.whole_number("new_len", new_len)
        columns = self.weight.double().T[None]
        rows = nn.functional.interpolate(columns, size=new_len, mode="linear", align_corners=True)[0].T
        table = copy.deepcopy(self)
        table.weight = nn.Parameter(rows.to(self.weight.dtype).contiguous(), self.weight.requires_grad)
        return table
