"""WRONG ON PURPOSE: encodings with one fault each, as people have reported them. Lesson 10 finds the faults.

All of them run and train without an error. `Sound` is the correct encoding; each of the others differs from it in one
place.

Source: the docstrings name a public report of the fault (repository#issue) if one is known.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch
from torch import nn

from pe_helpers import rotary
from pe_helpers.attention import Encoding

if TYPE_CHECKING:
    from jaxtyping import Bool, Float, Shaped
    from torch import Tensor

BASE = 10_000.0


class Sound(Encoding):
    """The correct sinusoid: the only correct encoding in this file."""

    def positions(self, real: Bool[Tensor, "... seq_len"]) -> Shaped[Tensor, "... seq_len"]:
        """Number the real tokens of each sequence from 0, without the padding (False) in front."""
        return (real.long().cumsum(-1) - 1).clamp(min=0)

    def inv_freq(self, d_model: int) -> Float[Tensor, "pairs"]:
        """Return the angle that each pair turns by, in radians per token."""
        return BASE ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)

    def table(self, position_ids: Shaped[Tensor, "..."], d_model: int, dtype: torch.dtype = torch.float32):
        """Return the codes of the positions, `(..., d_model)`."""
        if d_model % 2:
            raise ValueError(f"d_model must be even (coordinates turn in pairs), got {d_model}")
        angles = position_ids.double()[..., None] * self.inv_freq(d_model).to(position_ids.device)
        return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2).to(dtype)

    def add(self, x, position_ids):
        """Scale the token vectors by √d_model, as the paper does, and add each one's code."""
        return x * math.sqrt(x.shape[-1]) + self.table(position_ids, x.shape[-1], x.dtype)


class BatchAxis(Sound):
    """Codes are sliced along the batch: a row's tokens share one code (cmu-l3/anlp-fall2025-code#1)."""

    def add(self, x, position_ids):
        """Meant for (seq_len, batch, d_model), fed with (batch, seq_len, d_model)."""
        codes = self.table(torch.arange(x.shape[0]), x.shape[-1], x.dtype)
        return x * math.sqrt(x.shape[-1]) + codes.reshape(-1, *[1] * (x.ndim - 2), x.shape[-1])


class Forgotten(Sound):
    """The sum is thrown away: `x.add(codes)` is not `x.add_(codes)`."""

    def add(self, x, position_ids):
        """Compute the sum and drop it."""
        x = x * math.sqrt(x.shape[-1])
        x.add(self.table(position_ids, x.shape[-1], x.dtype))
        return x


class Divided(Sound):
    """Positions are divided by ω where they should be multiplied (harvardnlp/annotated-transformer#131)."""

    def inv_freq(self, d_model):
        """Return 1/ω."""
        return 1 / super().inv_freq(d_model)


class DoubledExponent(Sound):
    """The exponent is 2i/d where i counts by twos already, so 4i/d (SamLynnEvans/Transformer#7)."""

    def inv_freq(self, d_model):
        """Return ω²."""
        return super().inv_freq(d_model) ** 2


class CosineAhead(Sound):
    """The cosine's exponent is 2(i+1)/d: a pair has two speeds (SamLynnEvans/Transformer#25)."""

    def table(self, position_ids, d_model, dtype=torch.float32):
        """Take each cosine at the speed of the next pair."""
        ahead = super().inv_freq(d_model) * BASE ** (-2 / d_model)
        codes = super().table(position_ids, d_model, dtype).clone()
        codes[..., 1::2] = (position_ids.double()[..., None] * ahead).cos().to(dtype)
        return codes


class Concatenated(Sound):
    """All sines, then all cosines, where pairs are expected (tensorflow/text#1122)."""

    def table(self, position_ids, d_model, dtype=torch.float32):
        """Put the sines first, then the cosines."""
        codes = super().table(position_ids, d_model, dtype)
        return torch.cat([codes[..., 0::2], codes[..., 1::2]], dim=-1)


class Swapped(Sound):
    """Cosines stand in the even coordinates, sines in the odd ones (Open-Deep-ML/DML-OpenProblem#495)."""

    def table(self, position_ids, d_model, dtype=torch.float32):
        """Exchange the two of each pair."""
        return super().table(position_ids, d_model, dtype).unflatten(-1, (-1, 2)).flip(-1).flatten(-2)


class OffByOne(Sound):
    """Counting begins at 1: wrong next to a table that begins at 0 (graykode/nlp-tutorial#73)."""

    def table(self, position_ids, d_model, dtype=torch.float32):
        """Give each position the code of the next."""
        return super().table(position_ids + 1, d_model, dtype)


class OddWidth(Sound):
    """An odd d_model is accepted, and its last coordinate stays 0 (codertimo/BERT-pytorch#78)."""

    def table(self, position_ids, d_model, dtype=torch.float32):
        """Fill the pairs that fit."""
        codes = super().table(position_ids, d_model - d_model % 2, dtype)
        return nn.functional.pad(codes, (0, d_model % 2))


class HalfPrecisionPositions(Sound):
    """Positions are cast before the angle: in bfloat16, 257 is 256 (huggingface/transformers PR 29285)."""

    def table(self, position_ids, d_model, dtype=torch.float32):
        """Round the positions before they are multiplied."""
        return super().table(position_ids.to(dtype), d_model, dtype)


class LeftPadding(Sound):
    """Padding in front is counted, so that codes depend on the batch."""

    def positions(self, real):
        """Count every slot."""
        return torch.arange(real.shape[-1], device=real.device).expand(real.shape)


class TooShort(Sound):
    """Positions past the end of a prepared table get its last row."""

    rows = 512

    def table(self, position_ids, d_model, dtype=torch.float32):
        """Give every token past the end the same code."""
        return super().table(position_ids.clamp(max=self.rows - 1), d_model, dtype)


class Trainable(Sound):
    """The codes are a parameter: training changes what should stay fixed."""

    def __init__(self, rows: int = 512, d_model: int = 64):
        super().__init__()
        self.codes = nn.Parameter(super().table(torch.arange(rows), d_model))

    def add(self, x, position_ids):
        """Add the trained codes."""
        return x * math.sqrt(x.shape[-1]) + self.codes[position_ids].to(x.dtype)


class Unscaled(Sound):
    """√d_model is forgotten: tokens are much shorter than their codes."""

    def add(self, x, position_ids):
        """Add codes √(d_model/2) times as long as the tokens."""
        return x + self.table(position_ids, x.shape[-1], x.dtype)


class Normalized(Sound):
    """The codes are scaled to length 1: much shorter than their tokens."""

    def table(self, position_ids, d_model, dtype=torch.float32):
        """Divide by the length."""
        return nn.functional.normalize(super().table(position_ids, d_model, torch.float64), dim=-1).to(dtype)


class MixedLayouts(Sound):
    """Rotary queries are rotated in one layout and keys in the other (raiyanyahya/how-to-train-your-gpt PR 7)."""

    def add(self, x, position_ids):
        """Add no code: rotary acts on queries and keys."""
        return x * math.sqrt(x.shape[-1])

    def turn(self, x, position_ids):
        """Rotate the queries in the interleaved layout and the keys in the half layout."""
        q, k = x
        return torch.stack([rotary.rotate(q, position_ids), rotary.rotate(k, position_ids, layout="half")])


FAULTS: tuple[type[Sound], ...] = tuple(Sound.__subclasses__())
