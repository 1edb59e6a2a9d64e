"""Slower hands for longer texts: how the field stretches a rotary model beyond the length it was trained on."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch

from pe_helpers import _arguments, sinusoidal

if TYPE_CHECKING:
    from jaxtyping import Float64
    from torch import Tensor

METHODS = ("none", "interpolation", "ntk", "dynamic_ntk", "yarn", "llama3")


def scaled_inv_freq(
    head_dim: int,
    *,
    base: float = 10_000.0,
    method: str = "none",
    factor: float = 1.0,
    original_max_len: int | None = None,
    seq_len: int | None = None,
    beta_fast: float = 32,
    beta_slow: float = 1,
    low_freq_factor: float = 1,
    high_freq_factor: float = 4,
) -> tuple[Float64[Tensor, "pairs"], float]:
    """Return the speeds of a stretched model's hands, and the factor by which its queries and keys grow.

    Pass the speeds to `rotate` as `inv_freq`. The factor is 1 except for YaRN: multiply queries and keys by it.

    Args:
        head_dim: features of a head (of those that turn).
        base: as in `sinusoidal.inv_freq`.
        method: "none"; "interpolation" (all speeds ÷ factor); "ntk" (a larger base); "dynamic_ntk" (a base that grows
            with `seq_len`); "yarn" (slow hands ÷ factor, fast hands kept, a ramp between); "llama3" (likewise).
        factor: how many times longer texts become.
        original_max_len: tokens in the longest text of the training; needed by the last three methods.
        seq_len: tokens in the text at hand; needed by "dynamic_ntk", where up to `original_max_len` nothing changes.
        beta_fast, beta_slow: turns within `original_max_len` from which YaRN keeps, and below which it slows, a hand.
        low_freq_factor, high_freq_factor: the same two bounds for "llama3", the slow one first.

    Raises:
        TypeError, ValueError: a value that is missing, of the wrong kind or out of bounds.
    """
    head_dim = _arguments.even("head_dim", head_dim)
    method = _arguments.choice("method", method, METHODS)
    factor = _arguments.number("factor", factor, least=1, why=" (texts become longer)")
    base = _arguments.number("base", base, least=1, why=" (no pair is faster than the first)")
    speeds = sinusoidal.inv_freq(head_dim, base=base)
    if method in ("dynamic_ntk", "yarn", "llama3"):
        original_max_len = _arguments.whole_number(
            "original_max_len", original_max_len, why=f" (method={method!r} asks)"
        )
    if method == "interpolation":
        return speeds / factor, 1.0
    if method in ("ntk", "dynamic_ntk"):
        if method == "dynamic_ntk":
            seq_len = _arguments.whole_number("seq_len", seq_len, why=" (method='dynamic_ntk' asks)")
            factor = factor * max(seq_len, original_max_len) / original_max_len - (factor - 1)
        growth = factor ** (head_dim / (head_dim - 2)) if head_dim > 2 else 1.0  # a single hand keeps its speed
        return sinusoidal.inv_freq(head_dim, base=base * growth), 1.0
    if method == "yarn":
        kept = _yarn_ramp(head_dim, base, original_max_len, *_bounds("beta", beta_slow, beta_fast))
        return speeds / factor * (1 - kept) + speeds * kept, 0.1 * math.log(factor) + 1
    if method == "llama3":
        low, high = _bounds("freq_factor", low_freq_factor, high_freq_factor)
        turns = original_max_len * speeds / (2 * math.pi)
        kept = ((turns - low) / (high - low)).clamp(0, 1)
        return speeds / factor * (1 - kept) + speeds * kept, 1.0
    return speeds, 1.0


def _bounds(name, low, high):
    low, high = (_arguments.number(name, bound, least=0) for bound in (low, high))
    if not 0 < low < high:
        names = "beta_slow < beta_fast" if name == "beta" else "low_freq_factor < high_freq_factor"
        raise ValueError(f"{names} must hold, both above 0 (a ramp has two ends), got {low:g} and {high:g}")
    return low, high


def _yarn_ramp(head_dim, base, original_max_len, slow, fast):
    """Return 1 for hands that keep their speed, 0 for hands that are slowed; the ends are whole dimensions."""
    if base == 1:
        return torch.ones(head_dim // 2, dtype=torch.float64)

    def dimension(turns):
        return head_dim * math.log(original_max_len / (turns * 2 * math.pi)) / (2 * math.log(base))

    start, end = max(math.floor(dimension(fast)), 0), min(math.ceil(dimension(slow)), head_dim - 1)
    ramp = (torch.arange(head_dim // 2, dtype=torch.float64) - start) / (end - start or 0.001)
    return 1 - ramp.clamp(0, 1)
