"""*Who came first?*: a sequence and its twin, and the shares of right answers of eight models without a code."""

import numpy as np

from clockwork.kit import sweep
from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.data import Data

B = 4  # where B stands
PLACES = (0, 1, 2, 3, 5, 6, 7)
LENGTH = 24  # tokens of the recorded texts


class Twins(View):
    """Drag A through a sequence and choose what a reader of bags answers: for its twin he answers the same."""

    static = "twins"
    place = Slider(1, PLACES, "place of A")
    says = Slider("A", ("A", "B"), "the model says")
    todo = "Drag A, and try both answers."
    caption = (
        "Two rows of one bag: in the twin, A and B have changed places. Below, the share of right answers of eight "
        "trained models, a dot each."
    )

    def __init__(self, cursor=None, **traits):
        runs = sweep.find("who_came_first", "none", grid="naive_codes")
        self.right = runs["accuracy"][:, runs["lengths"].index(LENGTH)].numpy()
        super().__init__(cursor, data=Data(right=np.array(self.right)), **traits)

    @property
    def first(self) -> str:
        """Which letter comes first in the sequence; in its twin it is the other one."""
        return "A" if self.place < B else "B"

    def numbers(self) -> dict:
        """Return the models' shares of right answers."""
        return {} if self.veiled else {"right": self.right}

    def describe(self) -> str:
        """Say where A stands, and for which of the two the answer is right."""
        row = "the sequence" if self.says == self.first else "its twin"
        where = f"A at {self.place}, B at {B}: the answer {self.says} is right for {row} alone"
        if self.veiled:
            return f"{where}; what trained models get is hidden until you have guessed"
        return f"{where}; trained models get {fixed(float(self.right.mean()))}"
