"""How many hands came round in training, how many did not, and what trained models answer in longer texts."""

import numpy as np

from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.data import Data
from clockwork.lessons.lesson_12 import layers, todays_models

HANDS = todays_models.HANDS
COUNTS = tuple(range(HANDS + 1))
LENGTHS = (32, 64, 128, 256)  # tokens: as long as in training, and up to eight times as long


def speeds_of(finished: int, unfinished: int) -> np.ndarray:
    """Return the speeds of a head's eight hands, in rad a token; 0 stands still."""
    return todays_models.counted(finished, unfinished).inv_freq.numpy()


def helped(finished: int, unfinished: int, length: int) -> bool:
    """Say whether a head's unfinished hands help beside some that came round: .01 more than with none of them."""
    unfinished = min(unfinished, HANDS - finished)
    with_them, without = (right(finished, others, length) for others in (unfinished, 0))
    return finished > 0 and with_them >= without + 0.01


def right(finished: int, unfinished: int, length: int) -> float:
    """Return the share of right answers of the head with so many hands, the mean of eight models."""
    name = f"{finished} finished, {unfinished} unfinished" if finished + unfinished else "none"
    return layers.recorded(f"three_back/stopped/{name}")[name]["accuracy"][:, LENGTHS.index(length)].mean().item()


class Phase(View):
    """Choose how many of a head's eight hands came round in training and how many did not; the others stand still.

    The models (*three back*, eight seeds each, `data/todays_models.json`) saw texts of 32 tokens in training.
    """

    static = "phase"
    finished = Slider(4, COUNTS, "hands that came round")
    unfinished = Slider(4, COUNTS, "hands that did not (as many as are left)")
    length = Slider(256, LENGTHS, "length of the text (tokens)")
    main = ("length",)
    todo = "Each cell is a head, trained anew from eight seeds. Choose one, and how long its text is."
    caption = (
        "{Left}, a cell for each head that was tried, with its share of right answers: the mean of eight models. "
        "{Right}, the eight hands of the chosen head: shaded, the angles that they had in training, over 32 tokens; "
        "the band, those that they have in your text."
    )

    def __init__(self, cursor=None, **traits):
        self.right = np.full((len(LENGTHS), len(COUNTS), len(COUNTS), len(todays_models.SEEDS)), np.nan)
        self.right[:, 0, 0] = layers.recorded("three_back/stopped/none")["none"]["accuracy"].T
        for finished, unfinished in todays_models.COUNTS:
            name = f"{finished} finished, {unfinished} unfinished"
            accuracy = layers.recorded(f"three_back/stopped/{name}")[name]["accuracy"]
            self.right[:, finished, unfinished] = accuracy.T
        speeds = np.zeros((len(COUNTS), len(COUNTS), HANDS))
        for counts in todays_models.COUNTS:
            speeds[counts] = speeds_of(*counts)
        data = Data(speeds=speeds, mean=self.right.mean(-1), low=self.right.min(-1), high=self.right.max(-1))
        super().__init__(cursor, data=data, **traits)

    def counts(self) -> tuple[int, int]:
        """Return how many hands came round and how many did not; a head has eight."""
        finished = self.at("finished")
        return finished, min(self.at("unfinished"), HANDS - finished)

    def speeds(self) -> np.ndarray:
        """Return the speeds of the chosen head's hands, (8,), in rad a token; 0 stands still."""
        return speeds_of(*self.counts())

    def scores(self) -> np.ndarray:
        """Return each seed's share of right answers, (8,)."""
        return self.right[LENGTHS.index(self.at("length"))][self.counts()]

    def numbers(self) -> dict:
        """Return the speeds, and the mean, least and largest share of right answers."""
        scores = self.scores()
        return {"speeds": self.speeds(), "right": [scores.mean(), scores.min(), scores.max()]}

    def said(self) -> dict:
        """Say the mean."""
        return {"right": fixed(self.scores().mean())}

    def describe(self) -> str:
        """Say the counts, the length and the share of right answers."""
        finished, unfinished = self.counts()
        scores = self.scores()
        return (
            f"finished {finished}, unfinished {self.at('unfinished')}, length {self.at('length')}: {finished} hands "
            f"came round, {unfinished} did not, {HANDS - finished - unfinished} stand still; "
            f"{fixed(scores.mean())} of the answers are right "
            f"({fixed(scores.min())} to {fixed(scores.max())})"
        )
