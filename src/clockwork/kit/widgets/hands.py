"""What the views of hands share in Python: how far each hand has turned, and the words and numbers said of it."""

import numpy as np

from clockwork.kit.numbers import amount, fixed
from clockwork.kit.widgets.base import View

TURN = 2 * np.pi


class Hands(View):
    """A view of the hands that a position has: pair i of its code is hand i, which turns ω_i rad a token."""

    def base_now(self) -> int:
        """Return the base of the speeds: the slider's, or the paper's."""
        return self.at("base") if self.home("base").has_trait("base") else 10_000

    def speeds(self) -> np.ndarray:
        """Return the speed of each hand, (d_model/2,), in rad a token."""
        from pe_helpers import sinusoidal

        return sinusoidal.inv_freq(self.at("d_model"), base=float(self.base_now())).numpy()

    def chosen(self) -> int:
        """Return the hand that is lit: the chosen one, or the slowest that this width has."""
        return min(self.at("hand"), self.at("d_model") // 2 - 1)

    def codes(self, positions) -> np.ndarray:
        """Return the codes of `positions` in float64, (..., d_model), sine and cosine alternating."""
        angles = np.multiply.outer(np.asarray(positions), self.speeds())
        return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(*np.shape(positions), -1)

    def said(self):
        """Say how far the chosen hand has turned, and what that makes of the two numbers."""
        speed = self.speeds()[self.chosen()]
        angle = self.at("position") * speed
        return {
            "angle": amount(angle),
            "turns": amount(angle / TURN),
            "sine": fixed(np.sin(angle)),
            "cosine": fixed(np.cos(angle)),
            "speed": amount(speed),
            "period": fixed(TURN / speed, 1),
        }
