"""A reader behind one head whose words say nothing: it counts sizes in old texts, and names symbols in new ones.

The last of 24 tokens mixes all symbols by the weights of a bias. So each symbol has a size, the sum of the weights of
its tokens. `views/bias.js` counts in the same way while a reader drags the bias.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

KEYS = 24  # tokens of a text, the query itself included
SYMBOLS = 16
BACK = 3  # the token that is asked for
OLD = 2000  # texts in which sizes are counted
NEW = 1000  # texts in which symbols are named
STEP = 0.02  # sizes that are nearer than this are one size
SHIFT = 0.37  # of a step: so no usual size lies on the border of two
BINS = 52


class Counted(NamedTuple):
    """What comes of a bias."""

    weights: Tensor  # of the keys 0, 1, … steps back, (24,)
    shares: Tensor  # of the symbols of each size, how many stood three back, (52,)
    right: float  # share of the new texts whose symbol is named


def texts() -> Tensor:
    """Return 3,000 texts, newest token first, (3000, 24): numbers that JavaScript makes exactly alike."""
    state = 1
    symbols = []
    for _ in range((OLD + NEW) * KEYS):
        state = state * 16_807 % 2_147_483_647
        symbols.append(state * SYMBOLS // 2_147_483_647)
    return torch.tensor(symbols).view(-1, KEYS)


TEXTS = texts()


def sizes(weights: Tensor) -> tuple[Tensor, Tensor]:
    """Return the new texts, newest token first, (1000, 24), and each symbol's size there, (1000, 16).

    Sizes are counted in steps, so that they can be looked up in `Counted.shares`.

    Args:
        weights: of the keys 0, 1, … 23 steps back, (24,).
    """
    return TEXTS[OLD:], in_steps(weights)[OLD:]


def in_steps(weights: Tensor) -> Tensor:
    """Return the size of each symbol in each text, (3000, 16), in steps."""
    sizes = torch.zeros(len(TEXTS), SYMBOLS, dtype=torch.float64)
    for back in range(KEYS):
        sizes.scatter_add_(1, TEXTS[:, back, None], weights[back].double().expand(len(TEXTS), 1))
    return (sizes / STEP + SHIFT).floor().long()


def count(bias: Tensor) -> Counted:
    """Let the reader count behind a head with this bias, and ask it.

    Args:
        bias: of the keys 0, 1, … 23 steps back, (24,).

    Raises:
        ValueError: if `bias` does not have 24 numbers.
    """
    bias = torch.as_tensor(bias, dtype=torch.float64)
    if bias.shape != (KEYS,):
        raise ValueError(f"bias must have shape ({KEYS},) (a number for each step back), got {tuple(bias.shape)}")
    weights = bias.softmax(0)
    bins = in_steps(weights)
    asked = TEXTS[:, BACK]
    all_of_a_size = bins[:OLD].flatten().bincount(minlength=BINS)
    three_back = bins[:OLD].gather(1, asked[:OLD, None]).flatten().bincount(minlength=BINS)
    shares = three_back.double() / (all_of_a_size + 1)
    named = shares[bins[OLD:]].argmax(1)
    return Counted(weights, shares, float((named == asked[OLD:]).double().mean()))
