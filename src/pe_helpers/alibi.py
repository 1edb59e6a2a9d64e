# SPDX-License-Identifier: MIT
"""ALiBi: no code for positions, but a penalty on each score that grows linearly with the distance.

Each head has its own slope: steep ones attend to neighbours, flat ones reach far. Nothing is learned, and no length is
the longest.

Source: Press, Smith, Lewis 2022, Train Short, Test Long, arXiv:2108.12409, section 3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from . import _validate

if TYPE_CHECKING:  # to whom types are checked a Tensor; the tests check its shape, too
    from typing import Annotated as Float32

    from ._validate import Numbers


def slopes(
    num_heads: int, *, alibi_bias_max: float = 8.0, device: torch.device | str | None = None
) -> Float32[Tensor, "num_heads"]:
    """Return each head's penalty per token: 2^(−8/n), 2^(−16/n), … 2^(−8) for n heads.

    If n is not a power of two, the slopes of the next smaller power come first, followed by every other slope of the
    next larger one, as in the authors' reference.

    Args:
        num_heads: number of heads n.
        alibi_bias_max: the 8 above; the flattest slope is 2^(−alibi_bias_max).
        device: of the result.

    Raises:
        TypeError, ValueError: `num_heads` is not a positive int, or `alibi_bias_max` is negative.

    Example:
        >>> slopes(8)
        tensor([0.5000, 0.2500, 0.1250, 0.0625, 0.0312, 0.0156, 0.0078, 0.0039])
    """
    num_heads = _validate.whole_number("num_heads", num_heads)
    alibi_bias_max = _validate.number("alibi_bias_max", alibi_bias_max, least=0)
    device = device or torch.empty(0).device  # the default; torch.get_default_device() cannot be compiled
    power = 2 ** (num_heads.bit_length() - 1)  # the largest power of two up to num_heads
    steps = torch.arange(1, 2 * power + 1, dtype=torch.float64, device=_validate.float64_device(device))
    # The slopes of 2 · power heads; every second one is a slope of `power` heads.
    larger = torch.exp2(-alibi_bias_max / 2 * steps / power)
    return torch.cat([larger[1::2], larger[0::2][: num_heads - power]]).float().to(device)


def bias(
    num_heads: int, query_ids: Numbers, key_ids: Numbers, *, symmetric: bool = False, alibi_bias_max: float = 8.0
) -> Float32[Tensor, "... num_heads queries keys"]:
    """Return the bias to add to the scores, −slope · (query − key) for each head.

    Keys ahead of the query would be rewarded: hide them with a causal mask or, in a model that looks both ways, take
    `symmetric=True`. Differences are taken before anything is rounded, because slope · position in half precision gives
    many neighbours the same bias.

    Args:
        num_heads: number of heads, any positive int.
        query_ids: positions of the queries in tokens, `(queries,)` or `(batch, queries)`.
        key_ids: positions of the keys in tokens, `(keys,)` or `(batch, keys)`.
        symmetric: penalise the distance in both directions, −slope · |query − key|.
        alibi_bias_max: as in `slopes`.

    Returns:
        The bias, `(num_heads, queries, keys)`, with a batch before that if positions have one.

    Raises:
        TypeError: a value of the wrong kind, such as half-precision positions.
        ValueError: positions that are not finite (nobody looks on a GPU), or have other shapes.

    Example:
        >>> bias(8, [2], [0, 1, 2])[0]
        tensor([[-1.0000, -0.5000,  0.0000]])
    """
    _validate.choice("symmetric", symmetric, (True, False))
    offset = _validate.offsets(query_ids, key_ids)
    if symmetric:
        offset = -offset.abs()
    slope = slopes(num_heads, alibi_bias_max=alibi_bias_max, device=offset.device)
    return slope[:, None, None] * offset.float().unsqueeze(-3)
