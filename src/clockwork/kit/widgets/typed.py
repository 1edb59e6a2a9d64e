"""What a reader types: how many words a sentence may have, and the numbers that a word's letters decide."""

import math

import numpy as np
from traitlets import TraitError

FEWEST, MOST = 2, 12  # words
FNV_START, FNV_PRIME = 2166136261, 16777619
LCG_FACTOR, LCG_STEP = 1664525, 1013904223


def words_of(sentence: str) -> list[str]:
    """Split a sentence into words at its spaces; what is no sentence has none."""
    return sentence.split() if isinstance(sentence, str) else []


def enough(words: list[str]) -> list[str]:
    """Return the words of a sentence, or say that they are too few or too many."""
    if not FEWEST <= len(words) <= MOST:
        raise TraitError(f"sentence must have {FEWEST} to {MOST} words (they are drawn), got {words!r}")
    return words


def drawn_from(text: str, count: int) -> np.ndarray:
    """Return `count` numbers of mean 0 and variance 1 that only the letters of `text` decide.

    Source: the hash is FNV-1a, the generator a linear congruential one, both 32 bits, as typed.js has them.
    """
    state = FNV_START
    for letter in text:
        state = (state ^ ord(letter)) * FNV_PRIME % 2**32
    numbers = []
    for _ in range(count):
        state = (state * LCG_FACTOR + LCG_STEP) % 2**32
        numbers.append((2 * state / 2**32 - 1) * math.sqrt(3))
    return np.array(numbers)
