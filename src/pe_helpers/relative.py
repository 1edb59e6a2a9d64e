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

WHOLE = "a bucket holds whole distances"


def bucket(
    relative_position, *, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128
) -> Int64[Tensor, "..."]:
    """Return the bucket of each distance.

    Half the buckets of a side hold one distance each, the other half are of equal width in the logarithm. Looking both
    ways, the first half of all buckets is for keys behind the query and the second for keys ahead; looking back only,
    keys ahead share bucket 0 with the query's own.

    Args:
        relative_position: key − query in tokens, whole numbers of any shape.
        bidirectional: whether keys ahead of the query count.
        num_buckets: how many buckets there are.
        max_distance: distance in tokens from which on all is the last bucket.

    Raises:
        TypeError: distances that are not whole numbers.
        ValueError: fewer buckets than sides need, or a `max_distance` within the buckets of single distances.
    """
    distance = _arguments.positions("relative_position", relative_position, whole=WHOLE)
    sides = 2 if bidirectional else 1
    per_side = _arguments.whole_number("num_buckets", num_buckets, 2 * sides, " (near and far on each side)") // sides
    single = per_side // 2
    max_distance = _arguments.whole_number("max_distance", max_distance, single + 1, " (far is beyond the single ones)")
    ahead = (distance > 0).long() * per_side if bidirectional else torch.zeros_like(distance)
    distance = distance.clamp(-max_distance, max_distance)
    distance = distance.abs() if bidirectional else (-distance).clamp(min=0)
    octaves = torch.log(distance.clamp(min=single).double() / single) / math.log(max_distance / single)
    shared = single + (octaves * (per_side - single) + 1e-9).long()  # a distance on an edge opens the next bucket
    return ahead + torch.where(distance < single, distance, shared.clamp(max=per_side - 1))


class RelativeBias(nn.Module):
    """A learned number for each bucket and head, `weight` of shape `(num_buckets, num_heads)`; at first 0, no bias."""

    def __init__(self, num_heads: int, *, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128):
        """Make the table; arguments and errors as for `bucket`."""
        super().__init__()
        bucket(
            0, bidirectional=bidirectional, num_buckets=num_buckets, max_distance=max_distance
        )  # or say what is wrong
        self.bidirectional, self.num_buckets, self.max_distance = bidirectional, num_buckets, max_distance
        self.weight = nn.Parameter(torch.zeros(num_buckets, _arguments.whole_number("num_heads", num_heads)))

    def forward(self, query_ids, key_ids) -> Float[Tensor, "num_heads queries keys"]:
        """Return what joins the scores, given the positions of queries and keys in tokens."""
        which = bucket(
            _arguments.offsets(query_ids, key_ids, self.weight.device, WHOLE),
            bidirectional=self.bidirectional,
            num_buckets=self.num_buckets,
            max_distance=self.max_distance,
        )
        return nn.functional.embedding(which, self.weight).movedim(-1, 0)
