"""All hands: a secret position is read off its clock, the slow hands first."""

import numpy as np

from clockwork.kit.widgets.base import Slider, View
from pe_helpers import sinusoidal

COUNT = 128  # positions
HANDS = 4
BASE = 256.0  # hands of 1, 1/4, 1/16 and 1/64 rad a token: the slowest does not come round
SURE = 0.4  # rad: how exactly a hand is read
SECRETS = {"A": 89, "B": 37, "C": 114}


class AllHands(View):
    """Show the clock of a secret position, and which positions are left when 1 to 4 of its hands have been read."""

    static = "all_hands"
    read = Slider(1, range(1, HANDS + 1), "hands read, slow ones first")
    guess = Slider(20, range(COUNT), "your position")
    secret = Slider("A", tuple(SECRETS), "secret")
    main = ("read",)
    todo = "Read one more hand, then another, until one position is left. Then drag your line there."
    caption = (
        "Hand 0 is the fastest. A hand is read to within 0.4 rad, about 23 degrees; its strip shows the positions that "
        "fit. The last strip has those that fit all hands read so far."
    )

    def speeds(self) -> np.ndarray:
        """Return the speeds of the hands, (4,), in rad a token, the fastest first."""
        return sinusoidal.inv_freq(2 * HANDS, base=BASE).numpy()

    def fits(self) -> np.ndarray:
        """Return which positions fit each hand that has been read, (hands read, 128), the slowest first."""
        off = np.multiply.outer(self.speeds()[::-1], np.arange(COUNT) - SECRETS[self.secret])
        return np.cos(off[: self.read]) >= np.cos(SURE)

    def left(self) -> np.ndarray:
        """Return the positions that all hands read agree on."""
        return np.flatnonzero(self.fits().all(0))

    def numbers(self) -> dict:
        """Return the angles of both clocks' hands in rad, and the positions that are left."""
        return {
            "secret": SECRETS[self.secret] * self.speeds(),
            "yours": self.guess * self.speeds(),
            "left": self.left(),
        }

    def describe(self) -> str:
        """Say how many positions are left, and whether the guess is the secret one."""
        hands = "1 hand" if self.read == 1 else f"{self.read} hands"
        count = len(self.left())
        found = "this is it" if self.guess == SECRETS[self.secret] else "the clocks differ"
        return f"secret {self.secret}, {hands} read: {count} of {COUNT} positions left; yours is {self.guess}, {found}"
