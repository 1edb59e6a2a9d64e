"""The map of remedies: two hands of a small model slowed by any two factors, and what became of two tasks."""

from __future__ import annotations

import itertools

import numpy as np

from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.data import Data
from clockwork.lessons.lesson_08 import lengths
from clockwork.lessons.lesson_08.views import stretch

FACTORS = tuple(round(factor, 2) for factor in lengths.SLOWER_BY)
TASKS = {"who_came_first": ("who came first", 24, 96), "three_back": ("3 back", 32, 128)}  # trained to, asked at
REMEDIES = ("none", "interpolation", "NTK-aware", "YaRN")
HEAD_DIM = 8


def shares() -> np.ndarray:
    """Return the mean accuracy of eight models at four times the length, by task, hand 0 and hand 1, (2, 13, 13)."""
    found = []
    for task, (_, _, length) in TASKS.items():
        runs = lengths.recorded(f"{task}/map")
        names = (f"hand 0 by {one:.2f}, hand 1 by {two:.2f}" for one, two in itertools.product(FACTORS, repeat=2))
        found.append([runs[name][str(length)].mean().item() for name in names])
    return np.reshape(found, (2, len(FACTORS), len(FACTORS)))


def places() -> dict[str, tuple[float, float]]:
    """Return by how much each remedy slows hands 0 and 1, for texts four times as long."""
    usual = stretch.speeds("none", 4, head_dim=HEAD_DIM)
    slower = {name: usual / stretch.speeds(name, 4, trained_len=24, head_dim=HEAD_DIM) for name in REMEDIES}
    return {name: tuple(round(float(factor), 2) for factor in factors[:2]) for name, factors in slower.items()}


class Remedies(View):
    """Slow hands 0 and 1 by any two factors, and read off what two tasks become at four times the trained length."""

    static = "remedies"
    hand0 = Slider(1.0, FACTORS, "hand 0 slower by")
    hand1 = Slider(1.0, FACTORS, "hand 1 slower by")
    todo = "Drag the frame: find a place that is good for both tasks."
    caption = (
        "The brighter, the more answers are right, in the mean of eight models without a mask, at four times "
        "the trained length. The dots are the remedies. They slow hands 2 and 3, too, which changes next to "
        "nothing here: on the maps these two turn as in training."
    )

    def __init__(self, cursor=None, **traits):
        self.shares = shares()
        self.places = places()
        traits.setdefault("idea", self.lucky())
        at = [[FACTORS.index(factor) for factor in place] for place in self.places.values()]
        super().__init__(cursor, data=Data(shares=self.shares, places=at), **traits)

    def here(self) -> np.ndarray:
        """Return the accuracies of both tasks at this place."""
        return self.shares[:, FACTORS.index(self.at("hand0")), FACTORS.index(self.at("hand1"))]

    def lucky(self) -> str:
        """Say what the maps show, with the place of NTK-aware and the one before it."""
        _, slow1 = self.places["NTK-aware"]
        at = FACTORS.index(slow1)
        before, now = (fixed(self.shares[1, 0, i]) for i in (at - 1, at))
        return (
            "Without a mask no place is best for both: *who came first* wants hand 1 slower, *3 back* wants hand 0 "
            f"hardly slowed. And NTK-aware is lucky: with hand 1 slower by {fixed(FACTORS[at - 1])} instead of "
            f"{fixed(slow1)}, *3 back* falls from {now} to {before}. There 88 tokens turn hand 1 once and hand 0 "
            "fourteen times, so the token 91 back looks like the one 3 back."
        )

    def remedy(self) -> str:
        """Return the remedy that slows the two hands so, or nothing."""
        here = (self.at("hand0"), self.at("hand1"))
        names = [name for name, place in self.places.items() if place == here]
        return f" ({'as trained' if names == ['none'] else names[0]})" if names else ""

    def describe(self) -> str:
        """Say the factors, the remedy and what becomes of the tasks."""
        first, back = map(fixed, self.here())
        return (
            f"hand 0 slower by {fixed(self.at('hand0'))}, hand 1 by {fixed(self.at('hand1'))}{self.remedy()}: "
            f"who came first {first} right at 96 tokens, 3 back {back} at 128"
        )

    def numbers(self) -> dict:
        """Return the accuracies of both tasks."""
        return {"shares": self.here()}

    def said(self) -> dict[str, str]:
        """Say the accuracies."""
        return dict(zip(("first", "back"), map(fixed, self.here()), strict=True))
