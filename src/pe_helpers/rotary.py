"""Rotary encoding: instead of adding a code, turn each pair of a query's or key's features by position · ω_i.

Source: Su et al. 2021, RoFormer, arXiv:2104.09864, equation 34.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from pe_helpers import _arguments, _clock

if TYPE_CHECKING:
    pass


def rotate(x, position_ids=None, *, base=10_000.0, inv_freq=None, layout="interleaved", rotary_dim=None, inplace=False):
    """Turn each pair of features of `x` by position · ω_i."""
    position_ids = (
        torch.arange(x.shape[-2]) if position_ids is None else _arguments.positions("position_ids", position_ids)
    )
    rotary_dim = x.shape[-1] if rotary_dim is None else rotary_dim
    hands = (
        _clock.geometric(_arguments.even("rotary_dim", rotary_dim), base, "paper")
        if inv_freq is None
        else _clock.given(inv_freq.double(), True)
    )
    if position_ids.ndim > 1:
        position_ids = position_ids.reshape(*position_ids.shape[:-1], *[1] * (x.ndim - 1 - position_ids.ndim), -1)
    compute = torch.float64 if x.dtype == torch.float64 else torch.float32
    cos, sin = _clock.rows(position_ids.to(x.device), hands, _clock.SPIN, "half").to(compute).chunk(2, -1)
    turned, rest = x[..., :rotary_dim].to(compute), x[..., rotary_dim:]
    if layout == "interleaved":
        first, second = turned.unflatten(-1, (-1, 2)).unbind(-1)
    else:
        first, second = turned.chunk(2, -1)
    pair = torch.stack([first * cos - second * sin, first * sin + second * cos], -1 if layout == "interleaved" else -2)
    result = torch.cat([pair.flatten(-2).to(x.dtype), rest], -1)
    return x.copy_(result) if inplace else result
