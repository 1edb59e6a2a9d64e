"""The map of remedies: two hands slowed by any two factors, and what became of 3 back with a mask and without."""

from __future__ import annotations

import itertools

import numpy as np

from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.data import Data
from clockwork.lessons.lesson_08 import lengths
from clockwork.lessons.lesson_08.views import stretch

FACTORS = tuple(round(factor, 2) for factor in lengths.SLOWER_BY)
MASKS = {"causal mask": "three_back/map under the mask", "no mask": "three_back/map"}
LENGTH = 128  # tokens; training had up to 32
REMEDIES = ("none", "interpolation", "NTK-aware", "YaRN")
HEAD_DIM = 8


def shares() -> np.ndarray:
    """Return the mean accuracy of eight models at four times the length, by mask, hand 0 and hand 1, (2, 13, 13)."""
    found = []
    for part in MASKS.values():
        runs = lengths.recorded(part)
        names = (f"hand 0 by {one:.2f}, hand 1 by {two:.2f}" for one, two in itertools.product(FACTORS, repeat=2))
        found.append([runs[name][str(LENGTH)].mean().item() for name in names])
    return np.reshape(found, (2, len(FACTORS), len(FACTORS)))


def places() -> dict[str, tuple[float, float]]:
    """Return by how much each remedy slows hands 0 and 1, for texts four times as long."""
    usual = stretch.speeds("none", 4, head_dim=HEAD_DIM)
    slower = {name: usual / stretch.speeds(name, 4, trained_len=32, head_dim=HEAD_DIM) for name in REMEDIES}
    return {name: tuple(round(float(factor), 2) for factor in factors[:2]) for name, factors in slower.items()}


class Remedies(View):
    """Slow hands 0 and 1 by any two factors, and read off what 3 back becomes, with a causal mask and without."""

    static = "remedies"
    hand0 = Slider(1.0, FACTORS, "hand 0 slower by")
    hand1 = Slider(1.0, FACTORS, "hand 1 slower by")
    todo = "Drag the frame from *as trained* up to *YaRN*, on the map of the decoders. Guess what the other map does."
    idea = (
        "Slow hand 1 by four: with a causal mask nearly all is right, without one less than as trained. Hand 0 must "
        "stay as it was in both."
    )
    caption = (
        "The stronger the green, the more answers of *3 back* are right at 128 tokens: means of eight models, trained "
        "with a causal mask or without. Dots: the remedies. They slow hands 2 and 3, too, which changes next to "
        "nothing here: on the maps these two turn as in training."
    )

    def __init__(self, cursor=None, **traits):
        self.shares = shares()
        self.places = places()
        at = [[FACTORS.index(factor) for factor in place] for place in self.places.values()]
        super().__init__(cursor, data=Data(shares=self.shares, places=at), **traits)

    def here(self) -> np.ndarray:
        """Return the accuracies of this place, with a mask and, once that is not veiled, without."""
        here = self.shares[:, FACTORS.index(self.at("hand0")), FACTORS.index(self.at("hand1"))]
        return here[:1] if self.veiled else here

    def remedy(self) -> str:
        """Return the remedy that slows the two hands so, or nothing."""
        here = (self.at("hand0"), self.at("hand1"))
        names = [name for name, place in self.places.items() if place == here]
        return f" ({'as trained' if names == ['none'] else names[0]})" if names else ""

    def describe(self) -> str:
        """Say the factors, the remedy and what becomes of 3 back."""
        shares = ", ".join(f"{mask} {fixed(share)}" for mask, share in zip(MASKS, self.here(), strict=False))
        slow = fixed(self.at("hand0")), fixed(self.at("hand1"))
        return f"hand 0 slower by {slow[0]}, hand 1 by {slow[1]}{self.remedy()}: 3 back at 128 tokens, {shares}"

    def numbers(self) -> dict:
        """Return the accuracies that are shown."""
        return {"shares": self.here()}
