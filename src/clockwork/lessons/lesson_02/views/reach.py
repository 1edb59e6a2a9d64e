"""How far apart two codes are, over the tokens between them: for one hand or several, and two ways to space speeds."""

import numpy as np

from clockwork.kit.machine.lamps import said
from clockwork.kit.machine.plain import REACH
from clockwork.kit.widgets.base import Slider, View

FACTOR = 10_000 ** (1 / 8)  # from one hand to the next
SPEEDS = (1.0, 0.5, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005)  # rad per token
HANDS = 8
SLOWEST = 10_000 ** -(7 / 8)


class FarAndSharp(View):
    """The distance of two codes, with sliders for the number of hands and the speed of the fastest."""

    static = "reach"
    todo = "Drag the speed of one hand: can it be sharp and far-reaching at once? Then add hands."
    caption = (
        "How far apart two codes are, over the tokens between them. Below the dashed line, 0.1, they look alike. Each "
        "further hand is 3.2 times slower."
    )

    hands = Slider(1, range(1, HANDS + 1), "hands")
    speed = Slider(0.3, SPEEDS, "speed of the fastest (rad per token)")

    def speeds(self) -> np.ndarray:
        """Return the speed of each hand."""
        return self.speed * FACTOR ** -np.arange(self.hands)

    def describe(self):
        """Say whether the code is sharp and how far it reaches."""
        apart = distances(self.speeds(), REACH - 1)
        far = comes_round(apart)
        hands = f"{self.hands} hand{'s' if self.hands > 1 else ''}, the fastest at {self.speed:g} rad per token"
        neighbours = f"neighbours are {said(apart[0])} apart"
        if not far:
            return f"{hands}: {neighbours}; it does not come round"
        return (
            f"{hands}: {neighbours}; once it has come round, codes {far} tokens apart are {said(apart[far - 1])} apart"
        )

    def numbers(self):
        """Return the distances."""
        return {"apart": distances(self.speeds(), REACH - 1)}


class Spacing(View):
    """The same for eight hands, whose speeds are spaced by one factor or evenly."""

    static = "reach"
    todo = "Switch between the two ways to space eight speeds from 1 down to 0.0003."
    caption = "How far apart two codes are, over the tokens between them; below it, the eight speeds."

    spacing = Slider("one factor", ("one factor", "evenly"), "speeds spaced by")

    def speeds(self, spacing: str = "") -> np.ndarray:
        """Return the speed of each hand."""
        if (spacing or self.spacing) == "evenly":
            return np.linspace(1, SLOWEST, HANDS)
        return FACTOR ** -np.arange(HANDS)

    def describe(self):
        """Say which positions are most alike."""
        shown = f"eight speeds, {self.spacing}" if self.spacing == "evenly" else "eight speeds by one factor"
        if self.spacing == "evenly" and self.veiled:
            return f"{shown}: guess first where two codes are almost the same"
        apart = distances(self.speeds(), REACH - 1)
        return f"{shown}: the most alike are {apart.argmin() + 1} tokens apart, by {said(apart.min())}"

    def numbers(self):
        """Return the distances."""
        return {"apart": distances(self.speeds(), REACH - 1)}


def comes_round(apart: np.ndarray) -> int:
    """Return how far the two codes lie apart that are most alike beyond the curve's first top; 0 if it has none."""
    falls = np.flatnonzero(np.diff(apart) < 0)
    return int(falls[0] + 2 + apart[falls[0] + 1 :].argmin()) if len(falls) else 0


def distances(speeds: np.ndarray, reach: int) -> np.ndarray:
    """Return how far apart two codes are that lie 1, 2, … reach tokens apart."""
    return 2 * np.sqrt((np.sin(np.outer(np.arange(1, reach + 1), speeds) / 2) ** 2).sum(1))
