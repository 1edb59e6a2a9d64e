# SPDX-License-Identifier: MIT
"""Number the tokens of a batch: texts with pads, and several texts packed into one row.

A text counts its own tokens from 0, wherever it lies in the row. A pad is no token, so no number is spent on it. Nobody
looks at a pad if the mask hides it; its own number may be any.

    packed = from_lengths([3, 2])  # position_ids 0 1 2 0 1, document_ids 0 0 0 1 1
    from_mask([[0, 0, 1, 1]])  # 0 0 0 1: the two pads, and then 0 and 1

Restarting the count and hiding other texts are two measures: an encoding that is added needs both, rotary the second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor

from . import _validate

if TYPE_CHECKING:  # to whom types are checked a Tensor; the tests check its shape, too
    from typing import Annotated as Bool
    from typing import Annotated as Int64

    from ._validate import Numbers


class Packed(NamedTuple):
    """The numbers of a row of packed texts.

    Example:
        >>> packed = from_lengths([1, 2])
        >>> packed.position_ids, packed.document_ids
        (tensor([0, 0, 1]), tensor([0, 1, 1]))
    """

    position_ids: Int64[Tensor, "seq_len"]
    document_ids: Int64[Tensor, "seq_len"]


def from_lengths(lengths: Numbers) -> Packed:
    """Return the position of each token in its own text, and the number of that text, for texts packed into one row.

    Args:
        lengths: tokens in each text, `(texts,)`, in the order of the row. A text of length 0 takes up no place.

    Raises:
        TypeError: lengths that are not whole numbers.
        ValueError: no list of lengths, or a negative one. On a GPU and in a compiled graph nobody looks.

    Example:
        >>> from_lengths([3, 2]).position_ids
        tensor([0, 1, 2, 0, 1])
    """
    lengths = _validate.positions("lengths", lengths, whole="they count tokens")
    if lengths.ndim != 1:
        raise ValueError(f"lengths must have shape (texts,) (one row), got {tuple(lengths.shape)}")
    if len(lengths) and _validate.readable(lengths) and _validate.host_truth(lengths.min() < 0) is True:
        raise ValueError(f"lengths must be at least 0 (they count tokens), got {lengths.min().item()}")
    texts = torch.arange(len(lengths), device=lengths.device)
    document_ids = texts.repeat_interleave(lengths)
    starts = lengths.cumsum(0) - lengths
    places = torch.arange(len(document_ids), device=lengths.device)
    return Packed(places - starts[document_ids], document_ids)


def from_mask(attention_mask: Numbers) -> Int64[Tensor, "... seq_len"]:
    """Return the position of each token among the tokens of its row that are no pads; pads get 0.

    The pads may lie on either side or in between. The next token of a row has the position `attention_mask.sum(-1)`.

    Args:
        attention_mask: 1 or True for a token, 0 or False for a pad, `(..., seq_len)`. Masks of texts that are packed
            into one row do not fit: they have `from_lengths`.

    Raises:
        TypeError: a mask of floats, such as the one that is added to scores.
        ValueError: another number than 0 and 1, or no axis. On a GPU and in a compiled graph nobody looks.

    Example:
        >>> from_mask([[0, 0, 1, 1, 1], [1, 1, 0, 1, 0]])  # pads on the left; a hole, and a pad on the right
        tensor([[0, 0, 0, 1, 2],
                [0, 1, 0, 2, 0]])
    """
    if isinstance(attention_mask, torch.Tensor) and attention_mask.dtype is torch.bool:
        mask = attention_mask.long()
    else:
        mask = _validate.positions("attention_mask", attention_mask, whole="1 for a token, 0 for a pad").long()
    if not mask.ndim:
        raise ValueError(f"attention_mask must have shape (..., seq_len) (a number for each token), got {mask.item()}")
    if mask.numel() and _validate.readable(mask) and _validate.host_truth(((mask == 0) | (mask == 1)).all()) is False:
        wrong = mask[(mask != 0) & (mask != 1)][0].item()
        raise ValueError(f"attention_mask must be 1 for a token and 0 for a pad (it says no more), got {wrong}")
    return (mask.cumsum(-1) - 1) * mask


def same_document(document_ids: Numbers) -> Bool[Tensor, "... seq_len seq_len"]:
    """Return where a query, a row, may look at a key, a column: where both belong to the same text.

    It says nothing of order: a causal model hides later keys besides.

    Args:
        document_ids: the number of each token's text, `(..., seq_len)`, as `from_lengths` returns them.

    Raises:
        TypeError: numbers that are not whole.
        ValueError: no axis.

    Example:
        >>> same_document([0, 0, 1]).int()
        tensor([[1, 1, 0],
                [1, 1, 0],
                [0, 0, 1]], dtype=torch.int32)
    """
    ids = _validate.positions("document_ids", document_ids, whole="they number texts")
    if not ids.ndim:
        raise ValueError(f"document_ids must have shape (..., seq_len) (a number for each token), got {ids.item()}")
    return ids[..., :, None] == ids[..., None, :]
