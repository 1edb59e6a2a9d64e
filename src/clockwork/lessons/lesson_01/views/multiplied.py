"""Trained models whose code is the index: what they answer when all positions are multiplied by one number."""

import numpy as np
from matplotlib.figure import Figure

from clockwork.kit import datafiles, plots
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
        return {"last": [self.factor * (self.length - 1)], "right": [self.scores().mean()]}

    def said(self) -> dict:
        """Say both."""
        return {"last": fixed(self.numbers()["last"][0], 1), "right": fixed(self.scores().mean())}

    def describe(self) -> str:
        """Say the factor, the last position and the mean."""
        said = self.said()
        return (
            f"{self.length} tokens, all positions times {fixed(self.factor)}: the last position is {said['last']}, "
            f"training ended at {TRAINED_TO}; {said['right']} of the answers are right"
        )

    def picture(self) -> Figure:
        """Draw the positions above and the shares of right answers below."""
        fig, (above, below) = plots.figure(rows=2, height_ratios=[1, 4])
        fig.set_figheight(3.4)
        positions = self.factor * np.arange(self.length)
        above.axvspan(0, TRAINED_TO, color=plots.LINE, linewidth=0)
        for part, color in ((positions <= TRAINED_TO, plots.SIN), (positions > TRAINED_TO, plots.COS)):
            above.plot(positions[part], np.zeros(part.sum()), "o", color=color, markersize=3)
        above.set_title("positions that the model is given", loc="left", fontsize=10)
        above.set(xlim=(-1, LAST + 1), ylim=(-1, 1), yticks=[], xticks=[0, TRAINED_TO, LAST])
        scores = self.right[LENGTHS.index(self.length)]
        below.axhline(0.5, color=plots.SOFT, linewidth=1, linestyle="--")
        below.semilogx(FACTORS, scores.mean(1), color=plots.GREEN)
        below.plot(self.factor, self.scores().mean(), "o", color=plots.INK, markersize=8)
        below.plot([self.factor] * len(self.scores()), self.scores(), "o", color=plots.GREEN, markersize=4)
        below.set(ylim=(0.4, 1.02), xlabel="all positions are multiplied by (log axis)", ylabel="right answers")
        below.set_xticks([0.05, 0.25, 1, 4], ["0.05", "0.25", "1", "4"])
        below.minorticks_off()
        return fig
