"""Two texts, each with a zero of its own, and the scores of one query with the keys of the other text."""

import numpy as np

from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.data import Data
from pe_helpers import sinusoidal

WORDS = 6  # in each text
HANDS = 8
STARTS = range(13)
TURNED = ("query and key", "the query alone", "neither")


class Strips(View):
    """Push each text along its own strip of positions: which scores change, if both are turned, or one alone?

    Queries and keys are drawn at random; the hands have the speeds of a head of 16 numbers.
    """

    static = "strips"
    query_start = Slider(0, STARTS, "the upper text begins at")
    key_start = Slider(0, STARTS, "the lower text begins at")
    query = Slider(2, range(WORDS), "word that asks")
    turned = Slider("query and key", TURNED, "turned by position")
    main = ("turned",)
    todo = "Push both texts to the right by the same amount, then one of them. Do the same with the query alone turned."
    caption = (
        "Above, a text whose word asks, and its keys in another text: two strips, and each has its own 0. Below, the "
        "scores of that query. The outlines are the scores with both texts at 0."
    )

    def __init__(self, cursor=None, **traits):
        draw = np.random.default_rng(3)
        q, k = draw.standard_normal((2, WORDS, HANDS, 2)) / (2 * HANDS) ** 0.25
        self.along = np.einsum("ahc,bhc->abh", q, k)
        self.across = q[:, None, :, 0] * k[None, :, :, 1] - q[:, None, :, 1] * k[None, :, :, 0]
        self.speeds = sinusoidal.inv_freq(2 * HANDS).numpy()
        super().__init__(cursor, data=Data(along=self.along, across=self.across), **traits)

    def scores(self, query_start: int, key_start: int) -> np.ndarray:
        """Return the scores of the query with each key, the texts beginning at these positions."""
        query = self.at("query")
        at_query = query_start + query if self.at("turned") != "neither" else 0
        at_keys = key_start + np.arange(WORDS) if self.at("turned") == "query and key" else np.zeros(WORDS)
        angles = (at_keys - at_query)[:, None] * self.speeds
        return (self.along[query] * np.cos(angles) - self.across[query] * np.sin(angles)).sum(-1)

    def here(self) -> np.ndarray:
        """Return the scores where the texts stand."""
        return self.scores(self.at("query_start"), self.at("key_start"))

    def moved(self) -> float:
        """Return by how much the scores have moved at most since both texts stood at 0."""
        return np.abs(self.here() - self.scores(0, 0)).max()

    def describe(self) -> str:
        """Say where the texts begin, what is turned, and how far the scores have moved."""
        return (
            f"texts begin at {self.at('query_start')} and {self.at('key_start')}, word {self.at('query')} asks, "
            f"turned: {self.at('turned')}; scores moved by up to {fixed(self.moved())}"
        )

    def numbers(self) -> dict:
        """Return the scores, and those with both texts at 0."""
        return {"scores": self.here(), "before": self.scores(0, 0)}

    def said(self) -> dict[str, str]:
        """Say how far the scores have moved."""
        return {"moved": fixed(self.moved())}
