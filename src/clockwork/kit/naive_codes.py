"""The codes for a position that one would try first, as lesson 01 tries them in a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import torch
from torch.nn import functional

from clockwork.kit import attention
from pe_helpers import sinusoidal

if TYPE_CHECKING:
    from jaxtyping import Float, Int
    from torch import Tensor


class FixedCode(attention.Encoding):
    """Add `gain` times a code that is computed and never trained.

    `code(position_ids, d_model)` returns one row for each position, `(seq_len, d_model)`.
    """

    def __init__(self, code: Callable[[Int[Tensor, "seq_len"], int], Float[Tensor, "seq_len d_model"]], gain: float):
        super().__init__()
        self.code = code
        self.gain = gain

    def add(self, x, position_ids):
        """Add the code of each position to its token."""
        return x + self.gain * self.code(position_ids, x.shape[-1]).to(x)


def index_everywhere(position_ids, d_model):
    """Return the position itself on every coordinate."""
    return position_ids[:, None].float().expand(-1, d_model)


def index(position_ids, d_model):
    """Return the position itself on the first coordinate."""
    return _padded(position_ids[:, None].float(), d_model)


def squeezed_index(position_ids, d_model, *, last=23):
    """Return the position on the first coordinate, squeezed in a longer text so that the text ends at `last`."""
    return index(position_ids * min(1.0, last / (len(position_ids) - 1)), d_model)


def index_over_length(position_ids, d_model):
    """Return the position as a share of the text, from 0 to 1, on the first coordinate."""
    return _padded(position_ids[:, None] / (len(position_ids) - 1), d_model)


def binary(position_ids, d_model, *, digits=7):
    """Return the binary digits of the position as −1 and +1, the fastest first."""
    return _padded(2.0 * (position_ids[:, None] >> torch.arange(digits) & 1) - 1, d_model)


def gray(position_ids, d_model):
    """Return the digits of the Gray code as −1 and +1: each step changes one of them."""
    return binary(position_ids ^ (position_ids >> 1), d_model)


def one_hot(position_ids, d_model):
    """Return 1 on the coordinate of the position; positions past the last coordinate get no code."""
    return (position_ids[:, None] == torch.arange(d_model)).float()


def sinusoid(position_ids, d_model):
    """Return the sinusoidal code."""
    return sinusoidal.table(position_ids, d_model)


def _padded(columns, d_model):
    return functional.pad(columns, (0, d_model - columns.shape[1]))


CODES = {
    code.__name__: code
    for code in (index_everywhere, index, squeezed_index, index_over_length, binary, gray, one_hot, sinusoid)
}
