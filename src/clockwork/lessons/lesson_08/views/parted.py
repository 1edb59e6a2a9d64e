"""As many keys as in training, but far apart: the second half of a text is moved on, and hand 1 comes round."""

from __future__ import annotations

import numpy as np

from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.data import Data
from clockwork.lessons.lesson_08 import lengths

SLOWER = {1: "none", 2: "hand 1 slowed by 2", 4: "hand 1 slowed by 4"}
HALF = 16  # tokens
SPEEDS = (1.0, 0.1)  # of hands 0 and 1 in training, rad a token
TURN = 2 * np.pi


def shares() -> np.ndarray:
    """Return the mean accuracy of eight decoders by hand 1's factor and the gap, (3, 29)."""
    runs = lengths.recorded("three_back/gaps under the mask")
    where = [f"{2 * HALF}, second half from {start}" for start in lengths.SHIFTS]
    return np.array([[runs[run][text].mean().item() for text in where] for run in SLOWER.values()])


class Parted(View):
    """Move the second half of a text of 32 tokens away, and see where hands 0 and 1 point across the gap."""

    static = "parted"
    start = Slider(HALF, lengths.SHIFTS, "second half begins at")
    hand1 = Slider(1, tuple(SLOWER), "hand 1 slower by")
    todo = "Drag the second half to the right. The text keeps its 32 tokens; what do the two hands do?"
    idea = (
        "*3 back* breaks while hand 1 is at angles that no training text had, and is right again once it has come "
        "round. Slow hand 1 by four, and nothing breaks."
    )
    caption = (
        "Dots: where the hand points, from each token of one half to each of the other; vermilion outside the grey, "
        "the angles of training. Curve: right answers of the second half, mean of eight models."
    )

    def __init__(self, cursor=None, **traits):
        self.shares = shares()
        super().__init__(cursor, data=Data(shares=self.shares), **traits)

    def fresh(self) -> list[int]:
        """Return for hands 0 and 1 how many of the 31 distances across the gap are at new angles."""
        away = np.arange(self.at("start") - HALF + 1, self.at("start") + HALF)
        now = (SPEEDS[0], SPEEDS[1] / self.at("hand1"))
        met = [(2 * HALF - 1) * speed for speed in SPEEDS]
        return [int((away * own % TURN > most + 1e-9).sum()) for own, most in zip(now, met, strict=True)]

    def here(self) -> float:
        """Return the share of right answers in the second half."""
        return float(self.shares[list(SLOWER).index(self.at("hand1")), lengths.SHIFTS.index(self.at("start"))])

    def describe(self) -> str:
        """Say where the second half begins, how many distances are at new angles, and what is right if known."""
        right = "" if self.veiled else f": {fixed(self.here())} right"
        return (
            f"second half from {self.at('start')}, hand 1 slower by {self.at('hand1')}: across the gap "
            f"{self.fresh()[1]} of 31 distances take hand 1 to new angles{right}"
        )

    def numbers(self) -> dict:
        """Return how many distances are at new angles, and the accuracy if that is shown."""
        return {"fresh": self.fresh()} | ({} if self.veiled else {"share": self.here()})
