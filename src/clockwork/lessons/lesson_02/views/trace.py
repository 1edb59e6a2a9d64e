"""One rotating hand traces its cosine and its sine: the picture behind the formula."""

import numpy as np
import traitlets

from clockwork.kit.widgets.cursor import USUAL
from clockwork.kit.widgets.hands import Hands


class Trace(Hands):
    """One hand on its dial, with its height traced to the right, a cosine, and its sideways place downwards, a sine.

    Args:
        cursor: Its `position` and `d_model` are followed, and its `hand` or `base` if it has one.
        formula: Whether the line below the picture shows the formula of the sine.
    """

    static = "trace"
    needs = ("position", "d_model")

    hand = USUAL["hand"]()
    formula = traitlets.Bool(True).tag(sync=True)
    caption = (
        "One hand, two numbers. As it turns, its height traces the cosine and its distance to the right the sine. The "
        "pale band under both is in the hand's own colour. The colours of the rim name directions; later pictures use "
        "them."
    )

    def describe(self):
        """Say where the hand stands."""
        said = self.said()
        where = f"position {self.at('position')}, d_model {self.at('d_model')}: hand {self.chosen()}"
        right = f"{said['sine']} to the right of the middle, the sine"
        return f"{where} ends {right}, and {said['cosine']} above it, the cosine"

    def numbers(self):
        """Return the hand's sine and cosine."""
        angle = self.at("position") * self.speeds()[self.chosen()]
        return {"sine": np.sin(angle), "cosine": np.cos(angle)}
