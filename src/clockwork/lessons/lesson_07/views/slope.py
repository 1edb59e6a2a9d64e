"""One head with a falling bias: the weights that it gives, and how well models with such a head answer."""

from collections.abc import Mapping, Sequence

import numpy as np
import traitlets

from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.data import Data

KEYS = 24  # tokens of the text
SHOWN = 13  # bars
BACK = 3


class Slope(View):
    """Show the weights of one ALiBi head over the distance, and what models with such a head answer on *3 back*.

    `Slope({0.29: [0.51, 0.52], 0.7: [0.89, 0.90]})`: for each slope the accuracies of the trained models, one a seed.
    """

    static = "slope"
    back = traitlets.Int(BACK, help="The key whose weight is told.", read_only=True).tag(sync=True)
    tokens = traitlets.Int(KEYS, help="How many keys share the weight.", read_only=True).tag(sync=True)
    caption = (
        "{Left}: the weights that the last of 24 tokens gives by the bias alone, as if the words said nothing; *three "
        "back* in orange. {Right}: the share of right answers of four trained models per slope (green), and the weight "
        "on three back (pink). Drag sideways {on the right}."
    )

    def __init__(self, measured: Mapping[float, Sequence[float]], **traits):
        slopes = sorted(measured)
        self.measured = {slope: np.array(measured[slope], dtype=float) for slope in slopes}
        self.add_traits(slope=Slider(slopes[0], slopes, "slope"))
        super().__init__(data=Data(accuracy=np.stack([*self.measured.values()])), **traits)

    def weights(self) -> np.ndarray:
        """Return the weights of the keys 0, 1, … steps back."""
        grown = np.exp(-self.slope * np.arange(KEYS))
        return grown / grown.sum()

    def accuracy(self) -> float:
        """Return the mean accuracy at this slope."""
        return float(self.measured[self.slope].mean())

    def numbers(self):
        """Return the weights drawn, and the accuracy."""
        return {"weights": self.weights()[:SHOWN], "accuracy": [self.accuracy()]}

    def said(self):
        """Say the weight on three back and the accuracy."""
        return {"weight": fixed(self.weights()[BACK], 3), "right": fixed(self.accuracy(), 2)}

    def describe(self):
        """Say how much weight three back gets, and how many answers are right."""
        said = self.said()
        return (
            f"slope {fixed(self.slope, 3)}: three back gets {said['weight']} of the weight; "
            f"{said['right']} of the answers are right"
        )
