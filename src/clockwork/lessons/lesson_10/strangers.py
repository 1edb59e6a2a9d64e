"""WRONG ON PURPOSE: the twelve faults on lesson 10's wall, by a reader of its tests who took what projects have had.

`data/strangers.json` says which of the nineteen tests saw each of them at first, and which see it since four of the
tests have a line more: `python -m tools.strangers`.
"""

from __future__ import annotations

import torch

from clockwork.lessons.lesson_10.faulty_encodings import Sound, SoundRotary


class ScaledTwice(SoundRotary):
    """The factor divides the positions, and the speeds as well."""

    def angles(self, position_ids, head_dim, factor, share):
        """Divide positions that meet divided speeds."""
        return super().angles(position_ids / factor, head_dim, factor, share)


class KeysOneBehind(SoundRotary):
    """Keys turn by the position of the token before them."""

    def turn(self, x, position_ids, **settings):
        """Turn queries by their positions, and keys by one less."""
        queries, _ = super().turn(x, position_ids, **settings)
        _, keys = super().turn(x, position_ids - 1, **settings)
        return torch.stack([queries, keys])


class Backwards(SoundRotary):
    """The minus is on the wrong half: every pair turns backwards."""

    def rotated(self, x, cos, sin):
        """Turn by the negative angle."""
        return super().rotated(x, cos, -sin)


class RowsModulo4096(SoundRotary):
    """A table has 4,096 rows; position 4,096 gets row 0 again."""

    def angles(self, position_ids, head_dim, factor, share):
        """Take the remainder."""
        return super().angles(position_ids % 4096, head_dim, factor, share)


class FirstCallsType(SoundRotary):
    """The number type of the first call is kept for later calls."""

    def turn(self, x, position_ids, **settings):
        """Round what comes to the type of what came first."""
        self.__dict__.setdefault("kind", x.dtype)
        return super().turn(x.to(self.kind), position_ids, **settings).to(x.dtype)


class HeadsForTokens(SoundRotary):
    """With as many heads as tokens, the heads get the positions."""

    def turn(self, x, position_ids, **settings):
        """Exchange the two axes if their lengths are the same."""
        if x.ndim >= 4 and x.shape[-3] == x.shape[-2] > 1:
            return super().turn(x.transpose(-3, -2), position_ids, **settings).transpose(-3, -2)
        return super().turn(x, position_ids, **settings)


class DropoutAlways(Sound):
    """Dropout acts on the sum, in evaluation too."""

    def add(self, x, position_ids):
        """Drop a tenth of the numbers, whatever the mode."""
        return torch.dropout(super().add(x, position_ids), 0.1, True)


class WidthOf64(SoundRotary):
    """In heads wider than 64, exponents are still divided by 64."""

    def inv_freq(self, d_model, factor=1.0, share=1.0):
        """Divide by the width of the model that the code was written for."""
        omega = 10_000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / min(d_model, 64)) / factor
        omega[round(share * len(omega)) :] = 0
        return omega


class HolesCounted(Sound):
    """Padding between two turns of a chat is counted."""

    def positions(self, real):
        """Count from the first real token on."""
        first = real.long().argmax(-1, keepdim=True)
        return (torch.arange(real.shape[-1]) - first).clamp(min=0)


class TextByFirstToken(SoundRotary):
    """If the first token is text, the whole row is taken for text."""

    def angles(self, position_ids, *settings):
        """Drop two of the axes."""
        if position_ids.ndim == 2 and bool((position_ids[0] == position_ids[0, 0]).all()):
            position_ids = position_ids[:, 0]
        return super().angles(position_ids, *settings)


class ShortListOfLayers(SoundRotary):
    """The list of layers without positions ends at layer 11."""

    def rotates_in(self, layer):
        """Look the layer up where the list has it."""
        return layer >= 12 or super().rotates_in(layer)


class ChunksFrom0(SoundRotary):
    """A long prompt is cut every 4,096 tokens; each piece starts at 0."""

    def angles(self, position_ids, *settings):
        """Count each chunk."""
        if len(position_ids) > 4096:
            position_ids = torch.cat([torch.arange(len(chunk)) for chunk in position_ids.split(4096)])
        return super().angles(position_ids, *settings)


WALL: dict[str, type[Sound]] = {  # by what its tile says
    "factor used twice": ScaledTwice,
    "holes are counted": HolesCounted,
    "keys one behind": KeysOneBehind,
    "type of the first call": FirstCallsType,
    "chunks from 0": ChunksFrom0,
    "turned backwards": Backwards,
    "4,096 rows, then again": RowsModulo4096,
    "dropout always": DropoutAlways,
    "text or image?": TextByFirstToken,
    "width 64 written in": WidthOf64,
    "layers listed to 11": ShortListOfLayers,
    "heads for tokens": HeadsForTokens,
}
ESCAPED: dict[str, str] = {  # why no test saw it
    "holes are counted": "In masks of “padding”, pads stood in front, behind or on both sides, never between.",
    "chunks from 0": "“alone” compared texts of up to 3,000 tokens, and no test had a longer one.",
    "text or image?": "In “axes”, one token moved along each axis. No row began with text and went on with an image.",
    "layers listed to 11": "“layers” asked about layers 0 to 7, “drawn” about layers 0 to 11.",
}
ASKED: dict[str, str] = {  # the calls that a test made on the day of the wall: its code in commit c86d2a1
    "no test": "a fault that shows in none of these calls",
    "one of the eleven": "tables up to 512 wide; masks with padding in front, behind or on both sides",
    "total": "sums of short texts, at positions up to 900",
    "alone": "single tokens and the last seven, in texts of up to 3,000 tokens",
    "again": "four calls, the first in float32, another in bfloat16",
    "far": "single positions up to 1,000,003",
    "pairs": "queries and keys in heads of 16 features, with and without a factor or a share",
    "layers": "layers 0 to 7",
    "axes": "one token, moved along one axis or all three",
    "drawn": "80 calls at random: up to 9 tokens, up to 32 features, layers 0 to 11",
}
MENDED: dict[str, str] = {  # and what its test has since
    "holes are counted": "“padding” has masks with a hole.",
    "chunks from 0": "“alone” has a text of 70,000 tokens.",
    "text or image?": "“axes” has a row of text with an image behind it.",
    "layers listed to 11": "“layers” asks 200 layers.",
}
