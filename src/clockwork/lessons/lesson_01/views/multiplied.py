"""Trained models whose code is the index: what they answer when all positions are multiplied by one number."""

import numpy as np

from clockwork.kit import datafiles
from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.data import Data

RECORDED = datafiles.read("index_models.json")
FACTORS = RECORDED["factors"]
LENGTHS = RECORDED["lengths"]  # tokens: as long as in training, and four times as long
TRAINED_TO, LAST = (length - 1 for length in LENGTHS)  # the last position of each


class Multiplied(View):
    """Multiply all positions of a text by a factor and ask trained models which of two letters came first.

    The models (eight seeds, `data/index_models.json`) saw texts of 24 tokens in training, with the index on one number.
    """

    static = "multiplied"
    factor = Slider(1.0, FACTORS, "multiply all positions by")
    length = Slider(LENGTHS[1], LENGTHS, "length of the text (tokens)")
    caption = (
        "Above, the positions that the model is given, a dot each; training showed the shaded ones. Below, the share "
        "of right answers on *who came first?*: a dot for each of eight trained models and a line for their mean."
    )

    def __init__(self, cursor=None, **traits):
        right = np.array([RECORDED["stretched"][str(length)] for length in LENGTHS])
        super().__init__(cursor, data=Data(right=right), **traits)
        self.right = right

    def scores(self) -> np.ndarray:
        """Return the share of right answers of each model, (8,)."""
        return self.right[LENGTHS.index(self.length), FACTORS.index(self.factor)]

    def numbers(self) -> dict:
        """Return the last position that the models are given, and their mean share of right answers."""
        last = {"last": [self.factor * (self.length - 1)]}
        return last if self.covered else last | {"right": [self.scores().mean()]}

    def said(self) -> dict:
        """Say both."""
        return (
            {} if self.covered else {"last": fixed(self.numbers()["last"][0], 1), "right": fixed(self.scores().mean())}
        )

    @property
    def covered(self) -> bool:
        """Say whether the answers are veiled: everywhere but at the start, where the lesson tells them."""
        return self.veiled and (self.factor, self.length) != (1.0, LENGTHS[1])

    def describe(self) -> str:
        """Say the factor, the last position and the mean."""
        last = fixed(self.numbers()["last"][0], 1)
        where = (
            f"{self.length} tokens, all positions times {fixed(self.factor)}: the last position is {last}, "
            f"training ended at {TRAINED_TO}"
        )
        if self.covered:
            return f"{where}; how many answers are right is hidden until you have guessed"
        return f"{where}; {self.said()['right']} of the answers are right"
