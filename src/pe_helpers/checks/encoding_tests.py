"""Eleven properties, each as a test of a whole encoding; lesson 10 runs all of them on each of `faulty_encodings`.

A test takes an encoding with the methods of `faulty_encodings.Sound` and raises `CheckFailed` with a diagnosis if the
property does not hold. Each test looks at one thing only, so that the table shows which test sees which fault.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch.nn import functional

from pe_helpers.attention import Transformer
from pe_helpers.checks import properties
from pe_helpers.checks.answers import CheckFailed
from pe_helpers.faulty_encodings import Sound

D_MODEL = 64
LENGTH = 24  # tokens
LONGEST = 2048  # tokens, over which no code may repeat


def shuffle(encoding: Sound) -> None:
    """Shuffling a sequence must change the mean output of an untrained model."""
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = Transformer(16, encoding, d_model=D_MODEL, embedding_std=D_MODEL**-0.5).eval()
    tokens = torch.arange(LENGTH).remainder(16).repeat(2, 1)
    with torch.no_grad():
        properties.shuffle(model, tokens)


def origin(encoding: Sound) -> None:
    """At position 0 every sine must be 0 and every cosine 1, up to a common factor."""
    properties.origin(_directions(encoding))


def norm(encoding: Sound) -> None:
    """Every code must have length √(d_model/2)."""
    properties.norm(encoding.table(torch.arange(LENGTH), D_MODEL))


def rotation(encoding: Sound) -> None:
    """One step must rotate each pair by its ω, whatever the length of the codes."""
    properties.rotation(_directions(encoding))


def offset_only(encoding: Sound) -> None:
    """If all tokens are the same, a score must depend only on the offset."""
    q, k = torch.randn(2, D_MODEL, generator=torch.Generator().manual_seed(0))
    same = torch.stack([q.expand(LENGTH, -1), k.expand(LENGTH, -1)])
    q, k = encoding.turn(same, torch.arange(LENGTH))
    properties.offset_only(q @ k.T)


def distinct(encoding: Sound) -> None:
    """No two of 2,048 positions may have the same code."""
    properties.distinct(encoding.table(torch.arange(LONGEST), D_MODEL, torch.float64))


def dtype(encoding: Sound) -> None:
    """In every dtype a code must be the exact one, rounded."""
    properties.dtype_and_device(lambda position_ids, kind: encoding.table(position_ids, D_MODEL, kind))


def width(encoding: Sound) -> None:
    """An odd width must be refused, or use every coordinate."""
    try:
        codes = encoding.table(torch.arange(LENGTH), 5)
    except ValueError:
        return
    if (codes == codes[:1]).all(0).any():
        raise CheckFailed("at d_model = 5 a coordinate never changes: an odd width should be refused")


def padding(encoding: Sound) -> None:
    """Padding in front must not change the positions of the real tokens."""
    real = torch.arange(LENGTH) >= 3
    moved = encoding.positions(real)[3:]
    if not torch.equal(moved, torch.arange(LENGTH - 3)):
        raise CheckFailed(f"after 3 tokens of padding the first real token is at {moved[0]}: is padding counted?")


def frozen(encoding: Sound) -> None:
    """A formula must have no parameters that an optimiser would change."""
    count = sum(parameter.numel() for parameter in encoding.parameters() if parameter.requires_grad)
    if count:
        raise CheckFailed(f"{count:,} numbers of the formula are trained: was a buffer registered as a parameter?")


def balance(encoding: Sound) -> None:
    """A token drawn at standard deviation 1/√d_model must not be much shorter than its code."""
    x = torch.randn(LENGTH, D_MODEL, generator=torch.Generator().manual_seed(0)) / math.sqrt(D_MODEL)
    position_ids = torch.arange(LENGTH)
    code = encoding.add(torch.zeros_like(x), position_ids)
    token = encoding.add(x, position_ids) - code
    token_length = token.norm(dim=-1).mean()
    code_length = code.norm(dim=-1).mean()
    if token_length < 0.5 * code_length:
        share = token_length / code_length
        raise CheckFailed(f"a token is {share:.2f} times as long as its code: was √d_model forgotten?")


def _directions(encoding: Sound) -> torch.Tensor:
    codes = encoding.table(torch.arange(LENGTH), D_MODEL, torch.float64)
    return functional.normalize(codes, dim=-1) * math.sqrt(D_MODEL / 2)


PROPERTIES: dict[str, Callable[[Sound], None]] = {
    test.__name__: test
    for test in (shuffle, origin, norm, rotation, offset_only, distinct, dtype, width, padding, frozen, balance)
}


def examine(encoding: Sound) -> dict[str, str]:
    """Return the diagnosis for each property that the encoding does not have, by the property's name."""
    diagnoses = {}
    for name, test in PROPERTIES.items():
        try:
            test(encoding)
        except CheckFailed as missing:
            diagnoses[name] = str(missing)
    return diagnoses
