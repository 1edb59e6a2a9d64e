"""Four hands of a small model in longer texts, under each remedy, and how often two tasks are right there."""

from __future__ import annotations

import math

import numpy as np
import traitlets

from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.data import Data
from clockwork.lessons.lesson_08 import lengths
from clockwork.lessons.lesson_08.views import stretch

METHODS = ("none", "interpolation", "NTK-aware", "YaRN", "window")
TASKS = {"who_came_first": ("who came first", 24), "three_back": ("3 back", 32)}  # trained to, in tokens
FACTOR = 4  # of every remedy, whatever the length of the text
HEAD_DIM = 8
NEW = 1 + 1e-6  # by more than rounding


def speeds(method: str) -> np.ndarray:
    """Return the speed of each hand, in rad a token; a window slows none."""
    rule = "none" if method == "window" else method
    return stretch.speeds(rule, FACTOR, head_dim=HEAD_DIM, trained_len=24).double().numpy()


def shares() -> np.ndarray:
    """Return the mean accuracies of eight models by task, remedy and length, (2, 5, 7)."""
    runs = [lengths.recorded(f"{task}/by four") for task in TASKS]
    return np.array(
        [
            [
                [run[method][str(round(longer * trained))].mean().item() for longer in lengths.LONGER]
                for method in METHODS
            ]
            for run, (_, trained) in zip(runs, TASKS.values(), strict=True)
        ]
    )


class FourHands(View):
    """Choose a remedy and the length of the text, and see which angles each hand reaches, beside the right answers.

    The right answers of a task appear once its question is answered.
    """

    static = "four_hands"
    todo = "Change the length, then the remedy. Which bands are still vermilion, at new angles?"
    idea = (
        "In a longer text every hand turns further. Hand 0 came round in training, and in *3 back* hand 1 did, but "
        "for a sliver; the others reach new angles, unless a remedy slows them enough."
    )
    caption = (
        "Grey: the angles between two tokens of a training text. Band: those in this text, vermilion where they are "
        "new. Of *3 back*, three tokens: dotted in training, solid now. Every remedy is set for texts four times as "
        "long. Curves: right answers, means of eight models without a mask. Dashed: guessing."
    )

    longer = Slider(4, lengths.LONGER, "text, in trained lengths")
    method = Slider("none", METHODS, "remedy")
    speeds = traitlets.List(help="Of each hand, in rad a token, by remedy.").tag(sync=True)
    guesses = traitlets.List(["08/window-order", "08/saves-distance"], help="The question of each task.").tag(sync=True)
    opened = traitlets.List([False, False], help="Whether each task's right answers are shown.").tag(sync=True)

    def __init__(self, cursor=None, **traits):
        self.shares = shares()
        every_speed = [speeds(method).tolist() for method in METHODS]
        super().__init__(cursor, speeds=every_speed, data=Data(shares=self.shares), **traits)

    def angles(self) -> tuple[np.ndarray, np.ndarray]:
        """Return how far each hand turned in training and how far it turns now, in rad, by task, (2, 4) each."""
        trained = np.array([[longest] for _, longest in TASKS.values()])
        longer = 1 if self.at("method") == "window" else self.at("longer")
        return trained * speeds("none"), longer * trained * speeds(self.at("method"))

    def new(self) -> list[list[int]]:
        """Return for each task the hands that reach new angles; half a turn to either side is the whole dial."""
        met, reach = self.angles()
        return [np.flatnonzero(row).tolist() for row in (met < math.pi) & (reach > met * NEW)]

    def here(self) -> list[float]:
        """Return the accuracy of each task whose question is answered."""
        now = self.shares[:, METHODS.index(self.at("method")), lengths.LONGER.index(self.at("longer"))]
        return [share for share, known in zip(now.tolist(), self.opened, strict=True) if known]

    def describe(self) -> str:
        """Say for each task which hands reach new angles, and what is right if that is known."""
        known = iter(self.here())
        told = []
        for (task, trained), hands, opened in zip(TASKS.values(), self.new(), self.opened, strict=True):
            right = f", {fixed(next(known))} right" if opened else ""
            named = ", ".join(map(str, hands)) or "none"
            told.append(f"{task}, {round(self.at('longer') * trained)} tokens: hands at new angles {named}{right}")
        return f"remedy {self.at('method')}, text of {self.at('longer'):g} trained lengths; {'; '.join(told)}"

    def numbers(self) -> dict:
        """Return how far the hands reach in both tasks, in rad, and the accuracies that are shown."""
        return {"reach": self.angles()[1], "shares": self.here()}
