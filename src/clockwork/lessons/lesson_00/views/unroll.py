"""The dial unrolls: each hand's ring becomes a column of colour, and the columns are the famous heat map."""

import numpy as np

from clockwork.kit.widgets.base import Slider, View
from pe_helpers import sinusoidal

COUNT = 64  # positions
HANDS = 8
SHOWN = ("rings", "columns")


class DialUnrolls(View):
    """Draw all positions of eight hands on rings of a dial, or unrolled into the table of sines and cosines."""

    static = "unroll"
    shown = Slider(SHOWN[0], SHOWN, "shown as")
    position = Slider(10, range(COUNT), "position")
    todo = "Unroll the *rings* into *columns*. Then drag along them."
    caption = (
        "A ring is one hand, a cell one position: red where the hand points up, blue where it points down. Unrolled, "
        "each hand has two columns: how far right it points, then how far up."
    )

    def codes(self) -> np.ndarray:
        """Return the codes of all positions, (64, 16), sine and cosine alternating."""
        return sinusoidal.table(COUNT, 2 * HANDS).double().numpy()

    def numbers(self) -> dict:
        """Return the row of the position, and the first and the last hand's columns."""
        codes = self.codes()
        return {"row": codes[self.position], "fastest": codes[:, 0], "slowest": codes[:, -1]}

    def describe(self) -> str:
        """Say which position is lit."""
        return f"{self.shown}: position {self.position} of {COUNT}, {HANDS} hands, {2 * HANDS} numbers"
