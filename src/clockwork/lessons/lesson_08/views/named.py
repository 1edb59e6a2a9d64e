"""What a model that learned 3 back names once its positions are interpolated: the token at the old angle."""

from __future__ import annotations

import numpy as np

from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.data import Data
from clockwork.lessons.lesson_08 import lengths

FACTORS = tuple(round(asked / 3, 2) for asked in lengths.NAMED)


def shares() -> np.ndarray:
    """Return how often the symbol k back is named, k from 1 to 14, mean of eight decoders, by factor, (10, 14)."""
    runs = lengths.recorded("three_back/named")
    found = []
    for asked, factor in zip(lengths.NAMED, FACTORS, strict=True):
        length = round(asked / 3 * 32)
        found.append([runs[f"by {factor:.2f}"][f"{length}, {k} back"].mean().item() for k in lengths.BACK])
    return np.array(found)


class Named(View):
    """Interpolate the positions of a model that learned 3 back, and see which tokens it names."""

    static = "named"
    by = Slider(1.0, FACTORS, "interpolated by")
    todo = "Interpolate: drag the bar to the left. Where does hand 0 point, three tokens back?"
    idea = "The model names the token at the angle that three tokens had in training: interpolated by 2, six back."
    caption = (
        "Bars: share of the answers that are the symbol so many tokens back; one in sixteen is chance. Text and factor "
        "grow together. Dial: three tokens, dotted in training, solid now."
    )

    def __init__(self, cursor=None, **traits):
        self.shares = shares()
        super().__init__(cursor, data=Data(shares=self.shares), **traits)

    @property
    def covered(self) -> bool:
        """Say whether the bars are veiled: wherever anything is interpolated."""
        return self.veiled and self.at("by") != 1

    def here(self) -> np.ndarray:
        """Return the share of the answers that are the symbol 1 to 14 back."""
        return self.shares[FACTORS.index(self.at("by"))]

    def describe(self) -> str:
        """Say the factor and which token is named most."""
        state = f"interpolated by {fixed(self.at('by'))}"
        if self.covered:
            return f"{state}: what the model names is hidden until you have guessed"
        most = int(self.here().argmax())
        return f"{state}: {fixed(self.here()[most])} of the answers are the symbol {most + 1} back"

    def numbers(self) -> dict:
        """Return the shares, if they are shown."""
        return {} if self.covered else {"shares": self.here()}
