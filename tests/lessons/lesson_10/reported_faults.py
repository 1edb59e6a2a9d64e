"""Faults that bug reports tell, as nine searches of stored GitHub threads gave them; none is one of lesson 10's thirty.

Left out is what was on a list already, what fails with an error and what an excerpt does not tell. They are not used to
improve the tests. Whoever does so moves the fault to `LED_TO_A_TEST` in kept_aside_faults.py, and looks for two others.

Source: the searches were "bug in positional encoding implementation wrong", "rotary embedding bug incorrect cos sin
cache", "RoPE position_ids wrong generation fix", "sinusoidal positional embedding error padding dtype buffer fix",
"rope scaling attention factor mrope section wrong fix rotary dim", "rotary positional embedding bug batch dimension
broadcasting heads wrong axis fix", "rotary embedding numerical mismatch half precision autocast compile fix", "KV cache
rope offset off by one decode prefill chunked positions bug" and "2D / image position embedding height width swapped bug
fix", on 22 November 2026; the last two are of two searches of the day after, "rope rotary embedding bug wrong positions
fix cos sin" and "positional encoding buffer wrong after loading checkpoint". Each class names its thread.
"""

import math

import torch
from torch import nn

from clockwork.lessons.lesson_10.faulty_encodings import BASE, Sound, SoundRotary


class CodeOfTheLength(Sound):
    """DiffPoseTalk#20: pe[:, n] where pe[:, :n] was meant: the code of position n for all tokens."""

    def add(self, x, position_ids):
        code = self.table(torch.tensor([x.shape[-2]], device=x.device), x.shape[-1], x.dtype)
        return x * math.sqrt(x.shape[-1]) + code


class IntegerDivision(Sound):
    """Kyubyong/transformer#81: an integer division makes every exponent 0."""

    def inv_freq(self, d_model):
        return BASE ** -(torch.arange(0, d_model, 2) // d_model).double()


class ShortTable(SoundRotary):
    """vllm-ascend#1266: the table of cosines and sines is shorter than the longest text."""

    def angles(self, position_ids, head_dim, factor, share):
        return super().angles(position_ids.clamp(max=8191), head_dim, factor, share)


class SpeedsInTheInputsType(SoundRotary):
    """xformers#779: the speeds are cast to the type of the input before they are multiplied."""

    def turn(self, x, position_ids, **settings):
        self.kind = x.dtype
        return super().turn(x, position_ids, **settings)

    def inv_freq(self, d_model, factor=1.0, share=1.0):
        return super().inv_freq(d_model, factor, share).to(getattr(self, "kind", torch.float64)).double()


class SinesOverwriteAngles(Sound):
    """transformers#11724: the sines overwrite angles from which the cosines are still to be computed."""

    layout = "half"

    def table(self, position_ids, d_model, dtype=torch.float32):
        if d_model % 2:
            raise ValueError("d_model must be even")
        angles = (position_ids.double()[..., None] * self.inv_freq(d_model).to(position_ids.device)).repeat_interleave(
            2, -1
        )
        angles[..., : d_model // 2] = angles[..., 0::2].sin()
        angles[..., d_model // 2 :] = angles[..., 1::2].cos()
        return angles.to(dtype)


class SinesOfAPaddedWidth(SoundRotary):
    """vllm-ascend#12723: at widths that are no power of two the sines are read from a wrong place."""

    def rotated(self, x, cos, sin):
        pairs = cos.shape[-1]
        padded = 2 ** math.ceil(math.log2(pairs))
        if padded != pairs:
            sin = nn.functional.pad(sin, (0, padded))[..., padded - pairs : padded]
        return super().rotated(x, cos, sin)


class LastImagesOffset(SoundRotary):
    """transformers#43952: what an image added to the positions of one text is added to the next text too."""

    delta = 0

    def turn(self, x, position_ids, **settings):
        if position_ids.ndim == 2:
            self.delta = int(position_ids.max()) - len(position_ids) + 1
            return super().turn(x, position_ids, **settings)
        return super().turn(x, position_ids + self.delta, **settings)


class OneCodeForAll(Sound):
    """curated-transformers#254: the code of a single position is returned for a whole sequence."""

    def add(self, x, position_ids):
        return super().add(x, position_ids[..., -1:])


class ShareOfAShare(SoundRotary):
    """vllm#41185: the share is taken of what is a share already."""

    def inv_freq(self, d_model, factor=1.0, share=1.0):
        return super().inv_freq(d_model, factor, share * share)


class FactorInSomeLayers(SoundRotary):
    """kekzl/imp#897: one part of the model, here the layers from 8 on, computes plain angles without the factor."""

    def turn(self, x, position_ids, *, layer=0, factor=1.0, share=1.0):
        return super().turn(x, position_ids, layer=layer, factor=factor if layer < 8 else 1.0, share=share)


class FactorAlwaysEight(SoundRotary):
    """swiss-ai/Megatron-LM#80: the factor is always 8, whatever the configuration says."""

    def inv_freq(self, d_model, factor=1.0, share=1.0):
        return super().inv_freq(d_model, 8.0 if factor != 1 else 1.0, share)


class AddedAsWell(SoundRotary):
    """gpt-neox#147: the codes of the other scheme are still added."""

    def add(self, x, position_ids):
        return x + self.table(position_ids, x.shape[-1], x.dtype)


class HeadsNumbered(SoundRotary):
    """open_lm#4, xformers#841: the heads are numbered instead of the tokens."""

    def turn(self, x, position_ids, **settings):
        if x.ndim < 4:
            return super().turn(x, position_ids, **settings)
        heads = torch.arange(x.shape[-3], device=x.device)
        return super().turn(x.transpose(-3, -2), heads, **settings).transpose(-3, -2)


class PositionsRunOnOverTheBatch(SoundRotary):
    """exllama#101: the positions run on from one text of the batch to the next."""

    def turn(self, x, position_ids, **settings):
        if x.ndim < 4:
            return super().turn(x, position_ids, **settings)
        texts = [
            super(PositionsRunOnOverTheBatch, self).turn(text, position_ids + i * x.shape[-2], **settings)
            for i, text in enumerate(x.unbind(1))
        ]
        return torch.stack(texts, 1)


class LastPositionForAllQueries(SoundRotary):
    """TransformerEngine#536: after the first call all queries get the position of the last one."""

    called = False

    def turn(self, x, position_ids, **settings):
        turned = super().turn(x, position_ids, **settings)
        if self.called:
            queries = super().turn(x[:1], position_ids[-1:].expand_as(position_ids), **settings)
            turned = torch.cat([queries, turned[1:]])
        self.called = True
        return turned


class BatchAndHeadsMixed(SoundRotary):
    """curated-transformers#151: batch and heads are mixed up when the shape is restored."""

    def turn(self, x, position_ids, **settings):
        turned = super().turn(x, position_ids, **settings)
        return turned.transpose(1, 2).reshape(x.shape) if x.ndim == 5 else turned


class FirstHeadOfASingleToken(SoundRotary):
    """mlx-rs#357: for a single token only the first head is turned."""

    def turn(self, x, position_ids, **settings):
        turned = super().turn(x, position_ids, **settings)
        if x.ndim < 4 or x.shape[-2] > 1:
            return turned
        return torch.cat([turned[..., :1, :, :], x[..., 1:, :, :]], -3)


class AnglesUnderAutocast(SoundRotary):
    """diffusers#13920: the angles are a matrix product, which autocast does in bfloat16."""

    def angles(self, position_ids, head_dim, factor, share):
        exact = super().angles(position_ids, head_dim, factor, share)
        if position_ids.ndim == 2 or not torch.is_autocast_enabled("cpu"):
            return exact
        omega = self.inv_freq(head_dim, factor, share).float()
        return (position_ids.float()[:, None] @ omega[None]).double()


class AnglesInTheModelsType(SoundRotary):
    """gpt-neox#1003: the angles are computed in the type to which the model was cast."""

    def __init__(self):
        super().__init__()
        self.register_buffer("cast", torch.zeros((), dtype=torch.float64))

    def angles(self, position_ids, head_dim, factor, share):
        omega = self.inv_freq(head_dim, factor, share).to(self.cast.dtype).to(position_ids.device)
        place = position_ids[:, self.axis_of_pair(len(omega))] if position_ids.ndim == 2 else position_ids[:, None]
        return (place.to(omega.dtype) * omega).double()


class PromptInPiecesCountedTwice(SoundRotary):
    """mlx-node#33: with a long prompt in pieces, what was read is counted twice from the second piece on."""

    read = 0

    def turn(self, x, position_ids, **settings):
        if position_ids.ndim == 2 or x.shape[-2] == 1:
            return super().turn(x, position_ids, **settings)
        self.read = 0 if position_ids[0] == 0 else self.read
        turned = super().turn(x, position_ids + self.read, **settings)
        self.read = int(position_ids[-1]) + 1
        return turned


class SeveralTokensBeginAText(SoundRotary):
    """hipfire#391: where several tokens come at once, those before them are not counted."""

    def turn(self, x, position_ids, **settings):
        if x.shape[-2] > 1 and position_ids.ndim == 1:
            position_ids = position_ids - position_ids[0]
        return super().turn(x, position_ids, **settings)


class HalvesOfNeighbours(SoundRotary):
    """NVIDIA/ngpt#10: sines and cosines alternate, and are read as a first and a second half."""

    def rotated(self, x, cos, sin):
        first, second = torch.stack([sin, cos], -1).flatten(-2).chunk(2, dim=-1)
        return super().rotated(x, second, first)


class EmptyAfterMeta(SoundRotary):
    """Synthyra/FastPLMs#47: speeds built on the meta device are whatever the memory holds once it is there."""

    def __init__(self):
        super().__init__()
        self.register_buffer("filled", torch.ones((), dtype=torch.bool))

    def angles(self, position_ids, head_dim, factor, share):
        return super().angles(position_ids, head_dim, factor, share) * self.filled


REPORTED: dict[str, type[Sound]] = {
    kind.__name__: kind for kind in list(globals().values()) if isinstance(kind, type) and kind.__module__ == __name__
}
