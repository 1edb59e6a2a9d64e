"""Sinusoidal positional encoding: each pair of coordinates is the hand of a clock, each hand slower than the last.

A position is written as the sines and cosines of d_model/2 angles; moving by k tokens turns every hand by its own fixed
angle, whatever the position.

Source: Vaswani et al. 2017, Attention Is All You Need, arXiv:1706.03762, section 3.5.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch

from pe_helpers import _arguments, _clock

if TYPE_CHECKING:
    from jaxtyping import Float64
    from torch import Tensor

LAYOUTS = ("interleaved", "half")
CONVENTIONS = ("paper", "tensor2tensor")


def inv_freq(d_model: int, *, base: float = 10_000.0, convention: str = "paper") -> Float64[Tensor, "pairs"]:
    """Return how far each hand turns per token, in radians: ω_i = base^(−2i/d_model)."""
    return _hands(d_model, base, convention).inv_freq.clone()


def wavelengths(d_model: int, *, base: float = 10_000.0, convention: str = "paper") -> Float64[Tensor, "pairs"]:
    """Return how many tokens each hand needs for one turn: 2π/ω_i."""
    return 2 * math.pi / _hands(d_model, base, convention).inv_freq


def table(
    positions,
    d_model,
    *,
    base=10_000.0,
    layout="interleaved",
    convention="paper",
    dtype=torch.float32,
    device=None,
    out=None,
    exact=False,
):
    """Write positions as the hands of a clock: sin and cos of position · ω_i."""
    hands = _hands(d_model, base, convention)
    layout, dtype = _arguments.choice("layout", layout, LAYOUTS), _arguments.float_type("dtype", dtype)
    if isinstance(positions, int):
        positions = torch.arange(_arguments.whole_number("positions", positions, least=0))
    positions = _arguments.positions("positions", positions, device)
    angle = _clock.angles(positions, hands)
    pair = torch.stack([angle.sin(), angle.cos()], dim=-1 if layout == "interleaved" else -2)
    code = _clock.rounded(pair.flatten(-2), dtype)
    return code if out is None else out.copy_(code)


def shift_matrix(k, d_model, *, base=10_000.0, layout="interleaved", convention="paper", dtype=torch.float64):
    """Return the matrix M(k) with M(k) @ PE(p) = PE(p + k) for every p: one small rotation for each hand."""
    hands = _hands(d_model, base, convention)
    angle = _clock.angles(_arguments.positions("k", torch.as_tensor(k)), hands)
    pairs = torch.arange(len(hands.step))
    sine, cosine = (
        (2 * pairs, 2 * pairs + 1)
        if _arguments.choice("layout", layout, LAYOUTS) == "interleaved"
        else (pairs, pairs + len(pairs))
    )
    matrix = angle.new_zeros(*angle.shape[:-1], d_model, d_model)
    matrix[..., sine, sine] = matrix[..., cosine, cosine] = angle.cos()
    matrix[..., sine, cosine] = angle.sin()
    matrix[..., cosine, sine] = -angle.sin()
    return _clock.rounded(matrix, dtype)


def kernel(k, d_model, *, base=10_000.0, convention="paper"):
    """Return K(k) = Σ cos(k·ω_i), the score between any two codes that are k tokens apart."""
    return _clock.angles(_arguments.positions("k", torch.as_tensor(k)), _hands(d_model, base, convention)).cos().sum(-1)


def read_position(code, *, base=10_000.0, layout="interleaved", convention="paper"):
    """Return the position that a code shows, read as a clock is read: the slow hand roughly, then each faster hand."""
    code = code.double()
    d_model = code.shape[-1]
    hands = _hands(d_model, base, convention)
    pair = code.unflatten(-1, (-1, 2) if layout == "interleaved" else (2, -1))
    sine, cosine = pair.unbind(-1 if layout == "interleaved" else -2)
    shown = torch.atan2(sine, cosine)
    slow = shown[..., -1]
    guess = torch.stack([slow, torch.where(slow < 0, slow + 2 * math.pi, slow)]) / hands.inv_freq[-1]
    doubt = torch.zeros_like(guess)
    for angle, speed in zip(shown.unbind(-1)[-2::-1], hands.inv_freq.flip(0)[1:], strict=True):
        error = torch.remainder(angle - guess * speed + math.pi, 2 * math.pi) - math.pi
        guess, doubt = guess + error / speed, doubt + error.square()
    return torch.where(doubt[0] < doubt[1], guess[0], guess[1])


def _hands(d_model, base, convention):
    return _clock.hands(
        _arguments.even("d_model", d_model),
        _arguments.number("base", base, least=1),
        _arguments.choice("convention", convention, CONVENTIONS),
    )
