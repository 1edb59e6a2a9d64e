"""ALiBi: no code at all, but a penalty on each score that grows with the distance, at its own slope in each head.

Heads with a steep slope see their neighbours, heads with a flat slope see far; nothing is learned, nothing has an end.

Source: Press, Smith, Lewis 2022, Train Short, Test Long, arXiv:2108.12409, section 3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from pe_helpers import _arguments

if TYPE_CHECKING:
    from jaxtyping import Float32
    from torch import Tensor


def slopes(num_heads: int) -> Float32[Tensor, "num_heads"]:
    """Return each head's penalty per token: a geometric sequence that starts at its own ratio.

    For a number of heads that is no power of two, the sequence of the next smaller power is completed by every other
    slope of the next larger one, as in the authors' reference.

    Raises:
        TypeError, ValueError: `num_heads` is not a positive int.
    """
    return _slopes(num_heads)


def bias(num_heads: int, query_ids, key_ids, *, symmetric: bool = False) -> Float32[Tensor, "num_heads queries keys"]:
    """Return what joins the scores: −slope · (query − key) for each head.

    Keys behind the query are lowered; keys ahead of it would be raised, and are hidden by a causal mask. A model that
    looks both ways takes `symmetric=True`, −slope · |query − key|. Differences are taken before anything is rounded:
    slope · position in half precision gives many neighbours the same bias.

    Args:
        num_heads: how many heads, any positive number.
        query_ids: positions of the queries (tokens).
        key_ids: positions of the keys (tokens).
        symmetric: penalise keys ahead as well as keys behind.
    """
    offset = _arguments.offsets(query_ids, key_ids)
    offset = -offset.abs() if symmetric else offset
    heads = _slopes(num_heads, _arguments.home(offset.device)).to(offset.device)
    return heads[:, None, None] * offset.float()


def _slopes(num_heads, device=None):
    num_heads = _arguments.whole_number("num_heads", num_heads)
    power = 1 << (num_heads.bit_length() - 1)
    larger = torch.exp2(torch.arange(1, 2 * power + 1, dtype=torch.float64, device=device) * (-4 / power))
    return torch.cat([larger[1::2], larger[::2][: num_heads - power]]).float()
