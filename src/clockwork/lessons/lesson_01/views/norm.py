"""What LayerNorm leaves of a word when its position is written on one of its numbers, or on all of them."""

import numpy as np
import torch
import traitlets
from torch import nn

from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.data import Data

NUMBERS = 8  # of a row
POSITIONS = range(129)
WRITTEN = ("one number", "every number")
WORD = torch.tensor([0.4, -1.1, 0.8, 1.3, -0.6, 0.2, -1.4, 0.9], dtype=torch.float64)


def normed(row: np.ndarray) -> np.ndarray:
    """Return what a LayerNorm makes of a row: its mean taken off, then divided by its spread."""
    return nn.functional.layer_norm(torch.tensor(row), (len(row),)).numpy()


class Norm(View):
    """Drag the position of a word, which is added to one of its eight numbers or to all, and see what LayerNorm leaves.

    Args:
        position: What is added.
    """

    static = "norm"
    position = Slider(0, POSITIONS, "position that is added")
    written = Slider(WRITTEN[0], WRITTEN, "added to")
    todo = "Drag the position."
    caption = (
        "Eight numbers of a word, before LayerNorm and after it: a row's mean is taken off, then the row is divided by "
        "its spread. In colour, numbers that the position is added to."
    )

    word = traitlets.List(WORD.tolist(), help="The word's numbers.").tag(sync=True)

    def __init__(self, cursor=None, **traits):
        left = {name: [normed(self.row(position, name)) for position in POSITIONS] for name in WRITTEN}
        super().__init__(cursor, data=Data(left=np.array(list(left.values()))), **traits)

    @staticmethod
    def row(position: int, written: str) -> np.ndarray:
        """Return the word's numbers with the position added."""
        added = np.ones(NUMBERS) if written == WRITTEN[1] else np.eye(NUMBERS)[0]
        return WORD.numpy() + position * added

    def left(self) -> float:
        """Return how far numbers 1 to 7 still lie from one another after LayerNorm, as a share of what it was at 0."""
        spread = [np.ptp(normed(self.row(p, self.written))[1:]) for p in (self.position, 0)]
        return spread[0] / spread[1]

    def numbers(self) -> dict:
        """Return what LayerNorm hands on, and how much of the word is left in it."""
        return {} if self.covered else {"left": normed(self.row(self.position, self.written)), "share": [self.left()]}

    def said(self) -> dict:
        """Say the share."""
        return {} if self.covered else {"share": fixed(self.left())}

    @property
    def covered(self) -> bool:
        """Say whether the outcome is veiled: where the position is added to every number."""
        return self.veiled and self.written == WRITTEN[1]

    def describe(self) -> str:
        """Say the position and what is left of the word."""
        where = f"position {self.position} added to {self.written}"
        if self.covered:
            return f"{where}: what LayerNorm hands on is hidden until you have guessed"
        return f"{where}: {fixed(self.left())} of the word is left"
