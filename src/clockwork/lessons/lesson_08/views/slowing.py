"""Four hands of a small model, each slowed by four or not, and what became of two tasks in every case."""

from __future__ import annotations

import itertools

import numpy as np

from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.data import Data
from clockwork.lessons.lesson_08 import lengths
from pe_helpers import sinusoidal

HANDS = 4
KEPT, SLOWED = "kept", "slowed"
CHOICES = (KEPT, SLOWED)
STRETCH = 4


def shares() -> np.ndarray:
    """Return the mean accuracies of who came first, 3 back and 12 back at four times the length, (16, 3)."""
    first = lengths.recorded("who_came_first/causal mask")
    back = lengths.recorded("three_back/causal mask")
    names = ["slowed " + "".join(bits) for bits in itertools.product("01", repeat=HANDS)]
    return np.array(
        [
            [own.mean().item() for own in (first[name]["96"], back[name]["128"], back[name]["128, 12 back"])]
            for name in names
        ]
    )


class Slowing(View):
    """Slow any of four hands by four, and read off what two tasks become at four times the trained length."""

    static = "slowing"
    hand0 = Slider(KEPT, CHOICES, "hand 0")
    hand1 = Slider(KEPT, CHOICES, "hand 1")
    hand2 = Slider(KEPT, CHOICES, "hand 2")
    hand3 = Slider(KEPT, CHOICES, "hand 3")
    caption = (
        "Click a dial to slow its hand by four, or to let it go. Grey: the angles between two tokens of a text of 24. "
        "Band: those in a text of 96, vermilion where they are new. Dotted: three tokens in training; solid: three "
        "tokens now. Bars: right answers, means of eight models with a causal mask."
    )

    def __init__(self, cursor=None, **traits):
        self.usual = sinusoidal.inv_freq(2 * HANDS).numpy()
        self.shares = shares()
        super().__init__(cursor, data=Data(shares=self.shares), **traits)

    def slowed(self) -> list[bool]:
        """Return which hands are slowed."""
        return [self.at(f"hand{i}") == SLOWED for i in range(HANDS)]

    def speeds(self) -> np.ndarray:
        """Return the speed of each hand now."""
        return np.where(self.slowed(), self.usual / STRETCH, self.usual)

    def here(self) -> np.ndarray:
        """Return the three accuracies of this choice."""
        return self.shares[int("".join("01"[slow] for slow in self.slowed()), 2)]

    def describe(self) -> str:
        """Say which hands are slowed and what becomes of the tasks."""
        names = ", ".join(f"hand {i} {self.at(f'hand{i}')}" for i in range(HANDS))
        first, back, twelve = map(fixed, self.here())
        return (
            f"{names}: who came first {first} right at 96 tokens, 3 back {back} at 128; of its answers there "
            f"{twelve} are the symbol 12 back"
        )

    def numbers(self) -> dict:
        """Return the accuracies, and how far each hand reaches in a text of 96, in rad."""
        return {"shares": self.here(), "reach": 96 * self.speeds()}

    def said(self) -> dict[str, str]:
        """Say the accuracies."""
        return dict(zip(("first", "back", "twelve"), map(fixed, self.here()), strict=True))
