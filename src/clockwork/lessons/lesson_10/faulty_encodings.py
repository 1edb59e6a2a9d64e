"""WRONG ON PURPOSE: encodings with one fault each. Lesson 10 finds the faults.

All of them run and train without an error. `Sound` is the correct sinusoid and `SoundRotary` the correct rotary
encoding; each of the others differs from one of the two in one place.

Source: where somebody has reported such a fault, `report` names the thread (repository#issue or repository!pull
request), and `reported` says what that thread reports, which may differ from what is written here. The threads were
read in stored copies on 22 November 2026. A class without a report is our own invention.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch
from torch import nn

from clockwork.kit.attention import Encoding
from pe_helpers import rotary

if TYPE_CHECKING:
    from jaxtyping import Bool, Float, Int, Shaped
    from torch import Tensor

BASE = 10_000.0


class Sound(Encoding):
    """The correct sinusoid, added to the tokens."""

    rotates = False  # whether it acts on queries and keys instead of the input
    layout = "interleaved"  # which numbers are a pair: those of the codes, or those that turn
    report = ""
    reported = ""

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

    def turn(self, x, position_ids, *, layer: int = 0, factor: float = 1.0, share: float = 1.0):
        """Leave queries and keys as they are."""
        return x


class BatchAxis(Sound):
    """Positions count the texts of the batch, not the tokens."""

    report = "cmu-l3/anlp-fall2025-code#1"
    reported = "the same: the positions count x.size(0), so all tokens of a sequence get one code"

    def add(self, x, position_ids):
        """Meant for (seq_len, batch, d_model), fed with (batch, seq_len, d_model)."""
        codes = self.table(torch.arange(x.shape[0]), x.shape[-1], x.dtype)
        return x * math.sqrt(x.shape[-1]) + codes.reshape(-1, *[1] * (x.ndim - 2), x.shape[-1])


class Forgotten(Sound):
    """x.add(codes) makes a sum that nobody keeps."""

    def add(self, x, position_ids):
        """Compute the sum and drop it."""
        x = x * math.sqrt(x.shape[-1])
        x.add(self.table(position_ids, x.shape[-1], x.dtype))
        return x


class Divided(Sound):
    """Position / ω, where position · ω is meant."""

    report = "harvardnlp/annotated-transformer#131"
    reported = "a slip of the reporter's own, with which the first example of that tutorial converged much faster"

    def inv_freq(self, d_model):
        """Return 1/ω."""
        return 1 / super().inv_freq(d_model)


class DoubledExponent(Sound):
    """The exponent is 4i/d, where 2i/d is meant."""

    report = "SamLynnEvans/Transformer#25"
    reported = "a comment of January 2021: the loop over i goes in twos, so 2i is one 2 too many"

    def inv_freq(self, d_model):
        """Return ω²."""
        return super().inv_freq(d_model) ** 2


class CosineAhead(Sound):
    """Each cosine has the speed of the next pair."""

    report = "SamLynnEvans/Transformer#7"
    reported = "the same line, in code that accompanied a widely read article"

    def table(self, position_ids, d_model, dtype=torch.float32):
        """Take each cosine at the speed of the next pair."""
        ahead = super().inv_freq(d_model) * BASE ** (-2 / d_model)
        codes = super().table(position_ids, d_model, dtype).clone()
        codes[..., 1::2] = (position_ids.double()[..., None] * ahead).cos().to(dtype)
        return codes


class Precedence(Sound):
    """// rounds the exponent down: pair i turns by exp(−2i)."""

    report = "zju3dv/LoFTR#41"
    reported = "the same line; with it mended, the reported scores rose by 0.15 to 0.44 points"

    def inv_freq(self, d_model):
        """Return exp(−2i)."""
        steps = torch.arange(0, d_model, 2, dtype=torch.float64)
        return (steps * (-math.log(BASE) / d_model // 2)).exp()


class Concatenated(Sound):
    """All sines, then all cosines, where pairs are expected."""

    report = "tensorflow/text#1122"
    reported = "a false alarm: this layout is that of the paper's authors, used consistently"

    def table(self, position_ids, d_model, dtype=torch.float32):
        """Put the sines first, then the cosines."""
        codes = super().table(position_ids, d_model, dtype)
        return torch.cat([codes[..., 0::2], codes[..., 1::2]], dim=-1)


class Swapped(Sound):
    """The cosine of each pair stands before its sine."""

    def table(self, position_ids, d_model, dtype=torch.float32):
        """Exchange the two of each pair."""
        return super().table(position_ids, d_model, dtype).unflatten(-1, (-1, 2)).flip(-1).flatten(-2)


class OffByOne(Sound):
    """The first token has position 1, not 0."""

    report = "Physical-Intelligence/openpi#762"
    reported = "a question: why one program counts from 0 where the model it builds on counts from 1"

    def table(self, position_ids, d_model, dtype=torch.float32):
        """Give each position the code of the next."""
        return super().table(position_ids + 1, d_model, dtype)


class OddWidth(Sound):
    """An odd d_model is accepted, and its last number stays 0."""

    def table(self, position_ids, d_model, dtype=torch.float32):
        """Fill the pairs that fit."""
        codes = super().table(position_ids, d_model - d_model % 2, dtype)
        return nn.functional.pad(codes, (0, d_model % 2))


class HalfPrecisionPositions(Sound):
    """Positions are cast to the type of the codes: in bfloat16, 257 is 256."""

    report = "huggingface/transformers!29285"
    reported = "the rotary cousin: under bfloat16 autocast the angles of Llama and Gemma lost precision"

    def table(self, position_ids, d_model, dtype=torch.float32):
        """Round the positions before they are multiplied."""
        return super().table(position_ids.to(dtype), d_model, dtype)


class LeftPadding(Sound):
    """Padding in front is counted as if it were text."""

    report = "ndif-team/nnsight!673"
    reported = "the same: prompts shorter than the longest of a batch were mispredicted, without an error"

    def positions(self, real):
        """Count every slot."""
        return torch.arange(real.shape[-1], device=real.device).expand(real.shape)


class TooShort(Sound):
    """Past the end of a table, every position gets its last row."""

    rows = 512

    def table(self, position_ids, d_model, dtype=torch.float32):
        """Give every token past the end the same code."""
        return super().table(position_ids.clamp(max=self.rows - 1), d_model, dtype)


class Trainable(Sound):
    """The codes are a parameter: training changes them."""

    report = "henry9zhr/QANet-pytorch#3"
    reported = "the same: the formula's table was an nn.Parameter without requires_grad=False"

    def __init__(self, rows: int = 4096, d_model: int = 64):
        super().__init__()
        self.codes = nn.Parameter(super().table(torch.arange(rows), d_model))

    def add(self, x, position_ids):
        """Add the trained codes."""
        codes = self.codes[position_ids, : x.shape[-1]]
        return x * math.sqrt(x.shape[-1]) + codes.to(x.dtype)


class Unscaled(Sound):
    """The tokens are not multiplied by √d_model: too quiet."""

    report = "SamLynnEvans/Transformer#10"
    reported = "a false alarm: a comment found the factor in another class"

    def add(self, x, position_ids):
        """Add codes √(d_model/2) times as long as the tokens."""
        return x + self.table(position_ids, x.shape[-1], x.dtype)


class Normalized(Sound):
    """The codes are scaled to length 1: too quiet."""

    def table(self, position_ids, d_model, dtype=torch.float32):
        """Divide by the length."""
        return nn.functional.normalize(super().table(position_ids, d_model, torch.float64), dim=-1).to(dtype)


class AddedTwice(Sound):
    """The caller and the layer both add the codes."""

    def add(self, x, position_ids):
        """Add the code of each token again."""
        return super().add(x, position_ids) + self.table(position_ids, x.shape[-1], x.dtype)


class TokensTwice(Sound):
    """The caller and the layer both add the tokens."""

    report = "ZhongYang2026/Attention-Is-All-You-Need-In-Speech-Separation#5"
    reported = "a question about this sum; the author answered that one is enough"

    def add(self, x, position_ids):
        """Add the tokens to the sum of tokens and codes."""
        return x * math.sqrt(x.shape[-1]) + super().add(x, position_ids)


class Reversed(Sound):
    """position_ids.flip(-1): the last token gets position 0."""

    def add(self, x, position_ids):
        """Count from the end."""
        return super().add(x, position_ids.flip(-1))


class IgnoredPositions(Sound):
    """add() counts the tokens it sees, whatever the position_ids."""

    def add(self, x, position_ids):
        """Count the tokens at hand."""
        return super().add(x, torch.arange(x.shape[-2], device=x.device))


class SoundRotary(Sound):
    """The correct rotary encoding: layout "half", and what today's configurations ask for.

    Every fourth layer has no positions. `factor` slows every pair, `share` keeps the fastest pairs and stops the rest.
    Positions with three axes (time, row, column) are dealt out to the pairs in turn.
    """

    rotates = True
    layout = "half"

    def inv_freq(self, d_model: int, factor: float = 1.0, share: float = 1.0) -> Float[Tensor, "pairs"]:
        """Return the speed of each pair: divided by `factor`, and 0 for all but the fastest `share` of them."""
        omega = super().inv_freq(d_model) / factor
        omega[round(share * len(omega)) :] = 0
        return omega

    def axis_of_pair(self, pairs: int) -> Int[Tensor, "pairs"]:
        """Return the axis that each pair follows: 0 1 2 0 1 2 …"""
        return torch.arange(pairs) % 3

    def angles(self, position_ids, head_dim: int, factor: float, share: float) -> Float[Tensor, "seq_len pairs"]:
        """Return position · ω for each pair; `position_ids` are `(seq_len,)` or `(seq_len, 3)`."""
        omega = self.inv_freq(head_dim, factor, share)
        place = position_ids[:, self.axis_of_pair(len(omega))] if position_ids.ndim == 2 else position_ids[:, None]
        return place.double() * omega.to(position_ids.device)

    def rotates_in(self, layer: int) -> bool:
        """Return whether this layer, counted from 0, has positions."""
        return (layer + 1) % 4 != 0

    def rotated(self, x, cos, sin):
        """Rotate the pairs; in layout "half" these are (i, i + d/2)."""
        return rotary.apply_rotary_emb(x, cos, sin, layout=self.layout, rotary_dim=2 * cos.shape[-1])

    def add(self, x, position_ids):
        """Add nothing."""
        return x

    def turn(self, x, position_ids, *, layer=0, factor=1.0, share=1.0):
        """Rotate queries and keys by their positions."""
        if not self.rotates_in(layer):
            return x
        angles = self.angles(position_ids, x.shape[-1], factor, share)
        precision = torch.promote_types(x.dtype, torch.float32)
        return self.rotated(x, angles.cos().to(precision), angles.sin().to(precision))


class MixedLayouts(SoundRotary):
    """Queries turn in halves, keys turn as neighbours."""

    def rotated(self, x, cos, sin):
        """Rotate the queries in halves and the keys as neighbours."""
        q, k = x
        return torch.stack(
            [super().rotated(q, cos, sin), rotary.apply_rotary_emb(k, cos, sin, rotary_dim=2 * cos.shape[-1])]
        )


class SplitNeighbours(SoundRotary):
    """Partners as in halves, angles laid out for neighbours."""

    report = "raiyanyahya/how-to-train-your-gpt!7"
    reported = "the same, in a course: repeat_interleave of the frequencies beside a rotate_half in halves"

    def rotated(self, x, cos, sin):
        """Pair feature i with i + d/2, at the angles of pairs (2i, 2i + 1)."""
        first, second = x.chunk(2, dim=-1)
        turned = x * cos.repeat_interleave(2, -1) + torch.cat([-second, first], -1) * sin.repeat_interleave(2, -1)
        return turned.to(x.dtype)


class PairedInside(SoundRotary):
    """With share 1/4, feature i turns with i + d/8, not i + d/2."""

    report = "NVIDIA-NeMo/Megatron-Bridge#4195"
    reported = "the same for Gemma 4: 64 right frequencies, so checks of values pass, and the wrong partners"

    def angles(self, position_ids, head_dim, factor, share):
        """Leave out the pairs that stand still."""
        return super().angles(position_ids, head_dim, factor, share)[:, : round(share * head_dim / 2)]


class WrongDenominator(SoundRotary):
    """With share 1/4, exponents are 8i/d, where 2i/d is meant."""

    report = "pegainfer-project/pegainfer#820"
    reported = "a warning before the code was written: getting the denominator wrong is not loud"

    def inv_freq(self, d_model, factor=1.0, share=1.0):
        """Spread the turning pairs over the whole range of speeds."""
        moving = round(share * d_model / 2)
        still = torch.zeros(d_model // 2 - moving, dtype=torch.float64)
        return torch.cat([Sound.inv_freq(self, 2 * moving) / factor, still])


class IgnoredFactor(SoundRotary):
    """The factor that should slow all pairs is never used."""

    report = "lablup/mlxcel#1340"
    reported = "the same for Gemma 3: “Output stays fluent, which is why this has survived”"

    def inv_freq(self, d_model, factor=1.0, share=1.0):
        """Forget the factor."""
        return super().inv_freq(d_model, 1.0, share)


class InvertedLayers(SoundRotary):
    """Only every fourth layer turns: the one that should not."""

    report = "onnxruntime/mobius!233"
    reported = "the same for SmolLM3: in `no_rope_layers` a 1 means that the layer *has* positions"

    def rotates_in(self, layer):
        """Rotate in every fourth layer."""
        return not super().rotates_in(layer)


class AxesInBlocks(SoundRotary):
    """In images, pairs follow axes 0 0 1 1 2 2, not 0 1 2 0 1 2."""

    report = "alibaba/MNN!4133"
    reported = "the same for Qwen3-VL: text came out alike, images did not"

    def axis_of_pair(self, pairs):
        """Return 0 0 0 … 1 1 1 … 2 2 2."""
        return super().axis_of_pair(pairs).sort().values


class CoarsePositions(SoundRotary):
    """Positions keep 11 significant bits: 2,049 is 2,048."""

    report = "huggingface/transformers#48428"
    reported = "the same on a B200 GPU, where a product of float32 matrices ran in TF32"

    def angles(self, position_ids, head_dim, factor, share):
        """Round each position to 11 bits."""
        mantissa, exponent = torch.frexp(position_ids.double())
        return super().angles(torch.ldexp((mantissa * 2**11).round() / 2**11, exponent), head_dim, factor, share)


class RestartedPositions(SoundRotary):
    """turn() counts the tokens it sees, whatever the position_ids."""

    report = "Blaizzy/mlx-vlm#1983"
    reported = "the same for Qwen3-Omni: every generated token was at position 0"

    def angles(self, position_ids, head_dim, factor, share):
        """Count the tokens at hand."""
        here = torch.arange(len(position_ids), device=position_ids.device)
        return super().angles(here, head_dim, factor, share)


class StaleCache(SoundRotary):
    """Angles are kept by the number of tokens, not by position."""

    report = "lucidrains/rotary-embedding-torch#11"
    reported = "the same: the offset was missing in the key of the cache"

    def angles(self, position_ids, head_dim, factor, share):
        """Look the angles up by how many there are."""
        key = (len(position_ids), position_ids.ndim, head_dim, factor, share)
        remembered = self.__dict__.setdefault("remembered", {})
        if key not in remembered:
            remembered[key] = super().angles(position_ids, head_dim, factor, share)
        return remembered[key]


FAULTS: tuple[type[Sound], ...] = tuple(
    kind for sound in (Sound, SoundRotary) for kind in sound.__subclasses__() if kind is not SoundRotary
)
