"""Four hands of a small decoder in longer texts, under each remedy, and how often two tasks are right there."""

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
TASKS = {"three_back": ("3 back", 32), "who_came_first": ("who came first", 24)}  # trained to, in tokens
FACTOR = 4  # of every remedy, whatever the length of the text
HEAD_DIM = 8
TURN = 2 * math.pi
NEW = 1 + 1e-6  # by more than rounding


def speeds(method: str) -> np.ndarray:
    """Return the speed of each hand, in rad a token; a window slows none."""
    rule = "none" if method == "window" else method
    return stretch.speeds(rule, FACTOR, head_dim=HEAD_DIM, trained_len=24).double().numpy()


def shares(methods: tuple[str, ...]) -> np.ndarray:
    """Return the mean accuracies of eight models with a causal mask by task, remedy and length, (2, methods, 7)."""
    found = []
    for task, (_, trained) in TASKS.items():
        runs = lengths.recorded(f"{task}/under the mask")
        at = [str(round(longer * trained)) for longer in lengths.LONGER]
        found.append([[runs[method][length].mean().item() for length in at] for method in methods])
    return np.array(found)


class Longer(View):
    """Make the text longer, and see which angles the hands of *3 back* reach, beside the right answers."""

    static = "four_hands"
    todo = "Drag the line to the right: make the text longer. Which hands go where training never took them?"
    idea = "At four times the length hands 1, 2 and 3 are at new angles, and little more than a third is right."
    caption = (
        "Grey: the angles between two tokens of a training text. Band: those in this text, vermilion where new. "
        "Curve: right answers, mean of eight models. Dashed: guessing."
    )
    count = 1  # of the tasks that are drawn
    methods: tuple[str, ...] = ("none",)

    longer = Slider(1, lengths.LONGER, "text, in trained lengths")
    method = traitlets.Unicode("none", help="The remedy.").tag(sync=True)
    every = traitlets.List(help="The remedies that are drawn.").tag(sync=True)
    tasks = traitlets.Int(help="How many tasks are drawn.").tag(sync=True)
    speeds = traitlets.List(help="Of each hand, in rad a token, by remedy.").tag(sync=True)

    def __init__(self, cursor=None, **traits):
        self.shares = shares(self.methods)[: self.count]
        every_speed = [speeds(method).tolist() for method in self.methods]
        data = Data(shares=self.shares)
        super().__init__(cursor, every=list(self.methods), tasks=self.count, speeds=every_speed, data=data, **traits)

    def angles(self) -> tuple[np.ndarray, np.ndarray]:
        """Return how far each hand turned in training and how far it turns now, in rad, by task, (tasks, 4) each."""
        trained = np.array([[longest] for _, longest in TASKS.values()])[: self.count]
        longer = 1 if self.at("method") == "window" else self.at("longer")
        return trained * speeds("none"), longer * trained * speeds(self.at("method"))

    def new(self) -> list[list[int]]:
        """Return for each task the hands that reach new angles; all keys are on one side, so a turn is the dial."""
        met, reach = self.angles()
        return [np.flatnonzero(row).tolist() for row in (met < TURN) & (reach > met * NEW)]

    def here(self) -> list[float]:
        """Return the accuracy of each task, or nothing before the guess."""
        if self.veiled:
            return []
        place = self.methods.index(self.at("method")), lengths.LONGER.index(self.at("longer"))
        return self.shares[:, *place].tolist()

    def describe(self) -> str:
        """Say for each task which hands reach new angles, and what is right if that is known."""
        known = self.here() or [None] * self.count
        told = []
        for (task, trained), hands, share in zip(TASKS.values(), self.new(), known, strict=False):
            right = "" if share is None else f", {fixed(share)} right"
            named = ", ".join(map(str, hands)) or "none"
            told.append(f"{task}, {round(self.at('longer') * trained)} tokens: hands at new angles {named}{right}")
        return f"remedy {self.at('method')}, text of {self.at('longer'):g} trained lengths; {'; '.join(told)}"

    def numbers(self) -> dict:
        """Return how far the hands reach in each task, in rad, and the accuracies that are shown."""
        return {"reach": self.angles()[1], "shares": self.here()}


class FourHands(Longer):
    """Choose a remedy and the length of the text, and see the hands and the right answers of two tasks."""

    todo = "Choose a remedy. Whose bands are still vermilion? And where does the solid mark leave the dotted one?"
    idea = (
        "YaRN takes hand 1 back to the angles of training and leaves hand 0 alone: both tasks are right. Interpolation "
        "slows hand 0 as well, and three tokens are no longer where *3 back* looks."
    )
    caption = (
        "Of *3 back*, three tokens: dotted in training, solid now. Band: the angles of this text, vermilion where new. "
        "Curves: right answers, means of eight models. Remedies are set for texts four times as long. Dashed: guessing."
    )
    count = 2
    methods = METHODS
    main = ("method", "longer")

    longer = Slider(4, lengths.LONGER, "text, in trained lengths")
    method = Slider("none", METHODS, "remedy")
