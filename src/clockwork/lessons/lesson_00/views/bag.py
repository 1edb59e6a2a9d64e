"""A bag: words change places, and what an attention layer makes of each goes along with it."""

from itertools import permutations

import numpy as np

from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.data import Data
from clockwork.kit.widgets.typed_layer import attend

WORDS = ("tom", "bit", "a", "dog")
ORDERS = list(permutations(range(len(WORDS))))
SCHEMES = {"off": "nothing added", "on": "position codes"}


class ABag(View):
    """Draw one attention layer over four words that change places: weights as ribbons, outputs as columns of colour."""

    static = "bag"
    order = Slider(0, range(len(ORDERS)), "order of the words (one of 24)")
    clocks = Slider("off", tuple(SCHEMES), "clocks")
    main = ("order", "clocks")
    todo = "Drag a word onto another: they change places. Then switch the clocks on, and swap again."
    caption = (
        "One attention layer with random weights. The wider a ribbon, the more of that word goes into the output: a "
        "column of eight numbers, red above 0, blue below."
    )

    def __init__(self, cursor=None, **keywords):
        found = [[attend([WORDS[i] for i in order], scheme) for order in ORDERS] for scheme in SCHEMES.values()]
        self.weights = np.array([[weights for weights, _ in of] for of in found])
        self.outputs = np.array([[outputs for _, outputs in of] for of in found])
        means = self.outputs.mean(2)
        self.away = np.linalg.norm(means - means[:, :1], axis=-1)
        data = Data(orders=np.array(ORDERS), weights=self.weights, outputs=self.outputs, means=means, away=self.away)
        super().__init__(cursor, data=data, **keywords)

    def place(self) -> tuple[int, int]:
        """Return which scheme and which order are shown."""
        return list(SCHEMES).index(self.clocks), self.order

    def numbers(self) -> dict:
        """Return the weights (place, place), the outputs (place, 8) and how far the mean is from the first order's."""
        at = self.place()
        return {"weights": self.weights[at], "outputs": self.outputs[at], "away": self.away[at]}

    def said(self):
        """Say how far the mean has moved."""
        return {"away": fixed(self.away[self.place()])}

    def describe(self) -> str:
        """Say the sentence, and by how much the mean output has changed."""
        sentence = " ".join(WORDS[i] for i in ORDERS[self.order])
        return f"{sentence}, clocks {self.clocks}: the mean of the outputs has changed by {self.said()['away']}"
