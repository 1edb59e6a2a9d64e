"""Give each layer of a `Transformer` an encoding of its own, and make scores grow with the length of the text.

Today's models mix layers: some rotate queries and keys, some leave them alone, some rotate only part of a head.

Source: layers without rotation among rotating ones: Yang et al. 2025, arXiv:2501.18795. Scores that grow with the
logarithm of the length: Chiang and Cholak 2022, arXiv:2202.12172.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch
from torch import nn

from clockwork.kit import attention, datafiles

if TYPE_CHECKING:
    from jaxtyping import Float, Shaped
    from torch import Tensor


class OwnEncoding(nn.Module):
    """A layer that uses its own encoding, whatever the model's is."""

    def __init__(self, block: attention.Block, encoding: attention.Encoding):
        super().__init__()
        self.block = block
        self.encoding = encoding

    def forward(self, x, position_ids, encoding: attention.Encoding, causal: bool):
        """Return what the layer returns with its own encoding."""
        return self.block(x, position_ids, self.encoding, causal)


def transformer(vocab_size: int, encodings: Sequence[attention.Encoding], **sizes) -> attention.Transformer:
    """Return a transformer with one layer for each encoding, in this order.

    An encoding's door to the input is not used: a layer has the other two only.

    Args:
        vocab_size: number of different tokens.
        encodings: what each layer does with positions; `attention.Encoding()` does nothing.
        sizes: passed to `attention.Transformer`.

    Example:
        >>> model = transformer(16, [attention.Rotary(), attention.Encoding()], d_model=32, causal=True)
        >>> model(torch.randint(16, (2, 10))).shape
        torch.Size([2, 10, 16])
    """
    model = attention.Transformer(vocab_size, attention.Encoding(), num_layers=len(encodings), **sizes)
    model.blocks = nn.ModuleList(map(OwnEncoding, model.blocks, encodings))
    return model


class LogLength(attention.Encoding):
    """Multiply the scores of the query at position p by log(p + 1) / log(trained), beyond the trained length.

    Up to `trained` tokens nothing changes. The query at p sees p + 1 keys if the model is causal.

    Args:
        encoding: what is done with positions otherwise.
        trained: tokens in the longest text of training.
    """

    def __init__(self, encoding: attention.Encoding, trained: int):
        super().__init__()
        self.encoding = encoding
        self.trained = trained

    def factor(self, position_ids: Shaped[Tensor, "seq_len"]) -> Float[Tensor, "seq_len"]:
        """Return what the scores of each query are multiplied by."""
        return ((position_ids + 1.0).log() / math.log(self.trained)).clamp(min=1)

    def turn(self, x, position_ids):
        """Rotate as the inner encoding does, and make the queries longer."""
        q, k = self.encoding.turn(x, position_ids)
        return torch.stack([q * self.factor(position_ids)[:, None], k])

    def bias(self, num_heads, position_ids):
        """Return the inner encoding's bias."""
        return self.encoding.bias(num_heads, position_ids)


def recorded(part: str) -> dict[str, dict]:
    """Return recorded results of models with such layers: `lengths`, and `accuracy` for each seed and length.

    Args:
        part: the task, a slash, and what is compared, such as "three_back/layers" (todays_models.py).

    Raises:
        ValueError: if data/todays_models.json has no such part.

    Example:
        >>> from clockwork.lessons.lesson_12 import layers
        >>> result = layers.recorded("three_back/layers")["rotary, none"]
        >>> result["lengths"], result["accuracy"].shape
        ([32, 64, 128, 256], torch.Size([8, 4]))
    """
    runs = datafiles.read_part("todays_models.json", part)
    return {name: {"lengths": run["lengths"], "accuracy": torch.tensor(run["accuracy"])} for name, run in runs.items()}
