"""The two ends of a coordinate on five hands, each twice as fast as the one before: when are their codes one?"""

import math

import numpy as np

from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View

HANDS = 5
PI = 3.14  # the slider's last value stands for π
FACTORS = (*(round(0.1 * step, 1) for step in range(5, 32)), PI)
ALONE, ITSELF = "the hands alone", "the hands, and x itself"


class Ends(View):
    """Choose how far the slowest hand turns, and whether x goes in as well: how far apart are the codes of −1 and 1?

    Hand k turns by `factor` · 2ᵏ · x. The codes are the sines and cosines of all hands, and x where it goes in.
    """

    static = "ends"
    factor = Slider(1.0, FACTORS, "the first hand turns by x times")
    reads = Slider(ALONE, (ALONE, ITSELF), "the network reads")
    main = ("factor", "reads")
    todo = "Turn the first hand of the lower row until the rows are alike: 3.14 stands for π. Then let x itself go in."
    caption = (
        "Five hands: the first turns by x times the number you choose, in radians, each next one twice as far. Upper "
        "row: where they stand at x = −1. Lower row: at x = 1. With π both rows are one, and a network cannot tell "
        "the two ends apart by them. Green: x itself goes in, too."
    )

    def turned(self) -> np.ndarray:
        """Return the angle of each hand at x = 1, (5,), in rad."""
        factor = math.pi if self.at("factor") == PI else self.at("factor")
        return factor * 2.0 ** np.arange(HANDS)

    def apart(self) -> float:
        """Return the distance of the codes of −1 and 1."""
        beside = 2.0 if self.at("reads") == ITSELF else 0.0
        return float(np.hypot(2 * np.linalg.norm(np.sin(self.turned())), beside))

    def numbers(self) -> dict:
        """Return the angles at x = 1, and the distance of the codes."""
        return {"turned": self.turned(), "apart": [self.apart()]}

    def said(self) -> dict[str, str]:
        """Say the distance of the codes."""
        return {"apart": fixed(self.apart())}

    def describe(self) -> str:
        """Say the factor, what goes in, and the distance of the codes."""
        apart = f"the codes of −1 and 1 are {fixed(self.apart())} apart"
        return f"x times {fixed(self.at('factor'))}, {self.at('reads')}: {apart}"
