"""A text with hidden pads: drag them through it, and let positions count them or not."""

import numpy as np

from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.data import Data
from clockwork.lessons.lesson_14 import serve, serving

ENCODINGS = ("rotary", "sinusoid")
POSITIONS = ("count the pads", "count the text")
COUNTED = ("row", "text")  # their names in the record


class Holes(View):
    """Where hidden pads stand in a text, and who counts them: which answers move?

    Recorded in `data/positions_at_work.json`: models of *three back*, eight seeds each.
    """

    static = "holes"
    before = Slider(8, range(serve.PADDED + 1), "tokens before the pads")
    pads = Slider(4, serve.HOLES, "pads")
    positions = Slider("count the pads", POSITIONS, "positions")
    encoding = Slider("rotary", ENCODINGS, "encoding")
    todo = "Drag the pads through the text, and watch which answers move."
    caption = (
        "A text of 16 tokens with hidden pads, and the positions that the model is told. Bars: for each token, how "
        "much probability the pads moved to other answers, the mean of eight models."
    )

    def __init__(self, cursor=None, **traits):
        runs = serving.recorded("three_back/holes, token by token")
        self.moved = np.array(
            [[[runs[name][f"{count} {at}"] for count in serve.HOLES] for at in COUNTED] for name in ENCODINGS]
        )
        super().__init__(cursor, data=Data(moved=self.moved), **traits)

    def here(self) -> np.ndarray:
        """Return how far each token's answer has moved."""
        chosen = (ENCODINGS.index(self.at("encoding")), POSITIONS.index(self.at("positions")))
        return self.moved[(*chosen, serve.HOLES.index(self.at("pads")), self.at("before"))]

    def ids(self) -> np.ndarray:
        """Return the position of each token of the text, without those of the pads."""
        places = np.arange(serve.PADDED)
        return places + self.at("pads") * (places >= self.at("before")) * (self.at("positions") == POSITIONS[0])

    def describe(self) -> str:
        """Say the switches and how many answers have moved."""
        return (
            f"{self.at('before')} tokens, {self.at('pads')} pads, {serve.PADDED - self.at('before')} tokens; "
            f"{self.at('encoding')}, positions {self.at('positions')}: {self.many()} answers moved by more than half"
        )

    def many(self) -> int:
        """Return how many answers have moved by more than half."""
        return int((self.here() > 0.5).sum())

    def numbers(self) -> dict:
        """Return the positions and how far answers have moved."""
        return {"ids": self.ids(), "moved": self.here()}

    def said(self) -> dict[str, str]:
        """Say how many answers have moved."""
        return {"many": str(self.many())}
