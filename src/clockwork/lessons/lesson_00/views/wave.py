"""A wave through each digit: binary digits melt into waves, and one height has two places."""

import numpy as np

from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.hands import TURN

COUNT = 16  # positions
BITS = 4
SHOWN = 3  # the digit whose heights are compared, the slowest
MELTED = 10


class AWave(View):
    """Melt four binary digits into waves of their periods; then mark both places that a height of the slowest has."""

    static = "wave"
    melt = Slider(4, range(MELTED + 1), "melt the digits")
    position = Slider(2, range(COUNT), "position")
    todo = "Melt the digits into waves. Then drag *here* along the slowest."
    caption = (
        "The four digits of each position. Each row melts into a wave of the same period. The upright line is *here*."
    )

    def waves(self) -> np.ndarray:
        """Return the height of each row at each position, (4, 16), between -1 and 1."""
        p = np.arange(COUNT)
        bit = np.arange(BITS)[:, None]
        square = 2 * ((p >> bit) & 1) - 1
        wave = -np.sin(TURN * (p + 0.5) / 2.0 ** (bit + 1))
        return square + self.melt / MELTED * (wave - square)

    def twin(self) -> int:
        """Return the other position at which the slowest wave is as high as here: one goes up, the other down."""
        return (COUNT // 2 - 1 - self.position) % COUNT

    def numbers(self) -> dict:
        """Return the heights, and the other place."""
        return {"waves": self.waves(), "twin": self.twin()}

    def said(self):
        """Say the height here, and the other place."""
        return {"height": fixed(self.waves()[SHOWN, self.position]), "twin": str(self.twin())}

    def describe(self) -> str:
        """Say how far the digits are melted, and once they are waves, which two places have one height."""
        said = self.said()
        told = f"melted {self.melt} of {MELTED}: at position {self.position} the slowest row is at {said['height']}"
        return told + (f", and at position {said['twin']} too" if self.melt == MELTED and not self.veiled else "")
