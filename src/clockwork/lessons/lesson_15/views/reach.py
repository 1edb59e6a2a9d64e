"""How far each hand turns over a range of inputs: hands that hardly move, that tell, that wrap."""

import numpy as np

from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.hands import TURN
from pe_helpers import sinusoidal

SPANS = (*(digit * 10**zeros for zeros in range(6) for digit in (1, 2, 5)), 1_000_000)
BASES = (10, 100, 1_000, 10_000, 100_000, 1_000_000)
WIDTHS = (16, 64, 256)
HARDLY = 0.1  # rad
CLOSE = 1e-9  # of an angle: two programs need not round a power alike
STATES = ("hardly move", "tell", "wrap")


def states(turned: np.ndarray) -> np.ndarray:
    """Return the state of each hand, 0, 1 or 2 as in `STATES`, from the angle over the whole range, in rad."""
    return (turned > HARDLY * (1 - CLOSE)).astype(int) + (turned > TURN * (1 + CLOSE))


class Reach(View):
    """Choose how wide a range goes in and how the wavelengths spread: which hands can tell its values apart?

    A hand hardly moves if it turns by less than 0.1 rad over the range. It wraps if it turns by more than a whole turn,
    and so points to the same place for different inputs.
    """

    static = "reach"
    span = Slider(1, SPANS, "range of what goes in")
    base = Slider(10_000, BASES, "base")
    d_model = Slider(256, WIDTHS, "d_model")
    main = ("span", "base")
    todo = "Drag the left end of the row of dots up and down, then the right end."
    caption = (
        "A dot for each hand, the fastest on the left: how far it turns over the whole range. Below a tenth of a "
        "radian it hardly moves; from there to a whole turn, in the green band, it tells; above, it wraps. A hand that "
        "wraps says what is fine, as long as a slower one says which of its turns it is on. The dials: eight of the "
        "hands, and the angles that they pass."
    )

    def turned(self) -> np.ndarray:
        """Return the angle of each hand over the range, (d_model/2,), in rad."""
        return self.at("span") * sinusoidal.inv_freq(self.at("d_model"), base=self.at("base")).numpy()

    def counts(self) -> list[int]:
        """Return how many hands hardly move, tell and wrap."""
        return np.bincount(states(self.turned()), minlength=len(STATES)).tolist()

    def describe(self) -> str:
        """Say the sliders and the counts."""
        hardly, tell, wrap = self.counts()
        return (
            f"range {self.at('span')}, base {self.at('base')}, d_model {self.at('d_model')}: of "
            f"{self.at('d_model') // 2} hands {hardly} hardly move, {tell} tell, {wrap} wrap"
        )

    def numbers(self) -> dict:
        """Return the counts, and the decimal logarithms of the angles."""
        return {"counts": self.counts(), "turned": np.log10(self.turned())}

    def said(self) -> dict[str, str]:
        """Say the counts."""
        return dict(zip(("hardly", "tell", "wrap"), map(str, self.counts()), strict=True))
