"""An attention layer whose word vectors and weights follow from letters alone: the browser computes the same one."""

import math

import numpy as np

from clockwork.kit.widgets.codes import encode
from clockwork.kit.widgets.typed import drawn_from

SCHEMES = ("nothing added", "a causal mask", "position codes")
D_MODEL = 8


def attend(words: list[str], scheme: str = SCHEMES[0]) -> tuple[np.ndarray, np.ndarray]:
    """Return the attention weights (word, word) and the outputs (word, 8) of the layer on these words."""
    x = np.stack([drawn_from(word, D_MODEL) for word in words])
    if scheme == "position codes":
        x = x + encode(np.arange(len(words)), D_MODEL)
    q, k, v = (x @ drawn_from(name, D_MODEL**2).reshape(D_MODEL, -1) / math.sqrt(D_MODEL) for name in "qkv")
    scores = q @ k.T / math.sqrt(D_MODEL)
    if scheme == "a causal mask":
        scores = np.where(np.tri(len(words), dtype=bool), scores, -np.inf)
    weights = np.exp(scores)
    weights /= weights.sum(1, keepdims=True)
    return weights, weights @ v
