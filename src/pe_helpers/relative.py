"""T5's relative bias: one learned number for each head and each bucket of distances, added to the scores.

Small distances have a bucket each, larger ones share buckets that widen like octaves, and everything from
`max_distance` on is "far".

Source: Raffel et al. 2020, Exploring the Limits of Transfer Learning, arXiv:1910.10683, section 2.1.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch
from torch import nn

from pe_helpers import _arguments

if TYPE_CHECKING:
    from jaxtyping import Float, Int64
    from torch import Tensor


def bucket(
    relative_position, *, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128
) -> Int64[Tensor, "..."]:
    """Return the bucket of each distance, `relative_position` = key − query in tokens."""
    far = _arguments.positions("relative_position", relative_position)
    number = num_buckets // 2 if bidirectional else num_buckets
    sign = (far > 0).long() * number if bidirectional else 0
    far = far.abs() if bidirectional else (-far).clamp(min=0)
    exact = number // 2
    octave = torch.log(far.clamp(min=1).double() / exact) / math.log(max_distance / exact) * (number - exact)
    return sign + torch.where(far < exact, far, (exact + octave.long()).clamp(max=number - 1))


class RelativeBias(nn.Module):
    """A learned number for each bucket and head."""

    def __init__(self, num_heads: int, *, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128):
        super().__init__()
        self.bidirectional, self.num_buckets, self.max_distance = bidirectional, num_buckets, max_distance
        self.weight = nn.Parameter(torch.zeros(num_buckets, _arguments.whole_number("num_heads", num_heads)))

    def forward(self, query_ids, key_ids) -> Float[Tensor, "num_heads queries keys"]:
        """Return what joins the scores."""
        offset = key_ids[None, :] - query_ids[:, None]
        which = bucket(
            offset, bidirectional=self.bidirectional, num_buckets=self.num_buckets, max_distance=self.max_distance
        )
        return self.weight[which].movedim(-1, 0)
