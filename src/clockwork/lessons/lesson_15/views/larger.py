"""A larger picture for a trained model: where does it look if places are counted on, and where if they are squeezed?"""

import numpy as np

from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.data import Data
from clockwork.lessons.lesson_15 import pictures, readers

TASKS = {"three columns to the left": "three_left", "half a picture to the left": "half_left"}
WAYS = tuple(pictures.ways(pictures.SIDE))
WIDEST = max(pictures.SIDES)


class Larger(View):
    """Choose a task, a picture's size and what its places are: where does the model look?

    Recorded in `data/beyond_words.json`: models of one layer, trained on 14 × 14 tokens, eight seeds.
    """

    static = "larger"
    side = Slider(20, pictures.SIDES, "rows and columns")
    way = Slider("counted on", WAYS, "places")
    task = Slider("three columns to the left", tuple(TASKS), "the model has learned to name the symbol")
    main = ("side", "way", "task")
    todo = "Change the places, then the task. Which way keeps the answers right? Then drag the corner of the picture."
    caption = (
        "Where the framed token looks, in the mean of eight models: the bluer a square, the more weight it gets. The "
        "dashed square is as large as the pictures of training; in a picture of that size, both ways are one."
    )

    def __init__(self, cursor=None, **traits):
        shape = (len(TASKS), len(WAYS), len(pictures.SIDES))
        self.right = np.zeros(shape)
        self.looks = np.zeros((*shape, WIDEST, WIDEST))
        for i, task in enumerate(TASKS.values()):
            found = readers.better(f"pictures/{task}")
            for j, way in enumerate(WAYS):
                for k, side in enumerate(pictures.SIDES):
                    self.right[i, j, k] = np.mean(found["right"][f"{side} {way}"])
                    self.looks[i, j, k, :side, :side] = found["looks"][f"{side} {way}"]
        super().__init__(cursor, data=Data(right=self.right, looks=self.looks), **traits)

    def which(self) -> tuple[int, int, int]:
        """Return the place of this task, way and size in the tables."""
        return (
            list(TASKS).index(self.at("task")),
            WAYS.index(self.at("way")),
            pictures.SIDES.index(self.at("side")),
        )

    def places(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return row and column of the token that asks, and of the right answer."""
        return self.places_in(self.at("side"))

    def places_in(self, side: int) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return both places in a picture of this side."""
        columns = pictures.BACK if self.which()[0] == 0 else side // 2
        return (side // 2, side - 2), (side // 2, side - 2 - columns)

    def share(self) -> float:
        """Return the share of right answers, in the mean of eight models."""
        return self.right[self.which()]

    def on_target(self) -> float:
        """Return the weight at the right answer."""
        return self.looks[self.which()][self.places()[1]]

    def describe(self) -> str:
        """Say the choices, the weight at the right place and the share of right answers."""
        return (
            f"side {self.at('side')}, {self.at('way')}, {self.at('task')}: weight {fixed(self.on_target())} at the "
            f"right place, {fixed(self.share())} of the answers right"
        )

    def numbers(self) -> dict:
        """Return the weight at the right place, and the share of right answers."""
        return {"weight": [self.on_target()], "right": [self.share()]}

    def said(self) -> dict[str, str]:
        """Say the share of right answers."""
        return {"right": fixed(self.share())}
