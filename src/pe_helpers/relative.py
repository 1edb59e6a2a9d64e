# SPDX-License-Identifier: MIT
"""T5's relative bias: one learned number for each head and each bucket of distances, added to the scores.

Small distances have a bucket each; larger ones share buckets whose width grows geometrically, and everything from
`max_distance` on falls into the last bucket.

Source: Raffel et al. 2020, Exploring the Limits of Transfer Learning, arXiv:1910.10683, section 2.1.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from . import _validate

if TYPE_CHECKING:  # to whom types are checked a Tensor; the tests check its shape, too
    from typing import Annotated as Float
    from typing import Annotated as Int64

    from ._validate import Numbers

WHOLE = "a bucket holds whole distances"


def bucket(
    relative_position: Numbers, *, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128
) -> Int64[Tensor, "..."]:
    """Return the bucket of each distance.

    Of the buckets of one direction, the first half hold one distance each and the second half are of equal width in
    the logarithm. If both directions count, the first half of all buckets is for keys behind the query and the second
    for keys ahead; otherwise keys ahead share bucket 0 with the query itself.

    Args:
        relative_position: key − query in tokens, whole numbers of any shape.
        bidirectional: whether keys ahead of the query count.
        num_buckets: number of buckets, for both directions together.
        max_distance: distance in tokens from which on everything is in the last bucket.

    Raises:
        TypeError: distances that are not whole numbers.
        ValueError: too few buckets, or a `max_distance` within the buckets that hold one distance each.

    Example:
        >>> bucket([0, -1, -7, -8, -100, 1])
        tensor([ 0,  1,  7,  8, 15, 17])
    """
    distance = _validate.positions("relative_position", relative_position, whole=WHOLE)
    _validate.choice("bidirectional", bidirectional, (True, False))
    directions = 2 if bidirectional else 1
    why = " (near and far in each direction)"
    per_direction = _validate.whole_number("num_buckets", num_buckets, 2 * directions, why) // directions
    single = per_direction // 2
    why = " (beyond the buckets that hold one distance each)"
    max_distance = _validate.whole_number("max_distance", max_distance, single + 1, why)
    if bidirectional:
        first = (distance > 0) * per_direction
        distance = distance.abs()
    else:
        first = torch.zeros_like(distance)
        distance = (-distance).clamp(min=0)
    far = distance.clamp(single, max_distance).to(_validate.float64_device(distance.device)).double()
    share = torch.log(far / single) / math.log(max_distance / single)  # 0 at the first shared bucket, 1 at max_distance
    # The small term lets a distance on the edge of two buckets open the second, whatever the logarithm's rounding.
    shared = single + (share * (per_direction - single) + 1e-9).long().to(distance.device)
    return first + torch.where(distance < single, distance, shared.clamp(max=per_direction - 1))


class RelativeBias(nn.Module):
    """A learned number for each bucket and head, `weight` of shape `(num_buckets, num_heads)`, at first 0.

    Args:
        num_heads: number of heads.
        bidirectional: as in `bucket`.
        num_buckets: as in `bucket`.
        max_distance: as in `bucket`.

    Raises:
        TypeError, ValueError: as for `bucket`.

    Example:
        >>> RelativeBias(num_heads=4)(range(6), range(6)).shape
        torch.Size([4, 6, 6])
    """

    def __init__(self, num_heads: int, *, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128):
        super().__init__()
        num_heads = _validate.whole_number("num_heads", num_heads)
        bucket(0, bidirectional=bidirectional, num_buckets=num_buckets, max_distance=max_distance)  # refuses bad values
        self.bidirectional = bidirectional
        self.num_buckets = num_buckets
        self.max_distance = max_distance
        self.weight = nn.Parameter(torch.empty(num_buckets, num_heads))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set all numbers to 0, as at first."""
        nn.init.zeros_(self.weight)

    def forward(self, query_ids: Numbers, key_ids: Numbers) -> Float[Tensor, "... num_heads queries keys"]:
        """Return the bias to add to the scores, for positions of queries `(queries,)` and keys `(keys,)` in tokens.

        If positions have a batch before that, so has the bias.
        """
        buckets = bucket(
            _validate.offsets(query_ids, key_ids, WHOLE).to(self.weight.device),
            bidirectional=self.bidirectional,
            num_buckets=self.num_buckets,
            max_distance=self.max_distance,
        )
        return nn.functional.embedding(buckets, self.weight).movedim(-1, -3)

    if TYPE_CHECKING:  # a call returns what `forward` returns

        def __call__(self, query_ids: Numbers, key_ids: Numbers) -> Tensor:
            """Return the bias to add to the scores."""
            ...
