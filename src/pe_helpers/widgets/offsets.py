"""Two positions k tokens apart: the hands of both turn together, and their score K(k) stays."""

import numpy as np

from pe_helpers import sinusoidal
from pe_helpers.plots import offsets as drawn
from pe_helpers.widgets.base import View
from pe_helpers.widgets.codes import encode
from pe_helpers.widgets.cursor import Cursor
from pe_helpers.widgets.data import Data

EXACT = 10_000  # scores travel as whole ten-thousandths


class Offsets(View):
    """Show the hands of positions p and p + k on one dial a pair, and K(k) with the present offset marked.

    The cursor needs the sliders `position`, `d_model` and `k`, the offset:
    `Cursor(position=5, k=Slider(5, range(-64, 65), "offset k (tokens)"), d_model=16)`.
    """

    static = "offsets"
    needs = ("position", "k", "d_model")
    caption = (
        "The score stays when p moves. Blue is the hand of position p, vermilion that of p + k; the number under a "
        "dial is the cosine of the grey angle between them, which the pair adds to the score. Moving p turns both "
        "hands and changes no angle; moving k walks along the curve."
    )

    def __init__(self, cursor: Cursor):
        k, widths = cursor.values("k"), cursor.values("d_model")
        first = min(cursor.values("position")) + min(k)
        position_ids = np.arange(first, max(cursor.values("position")) + max(k) + 1)
        tips = np.full((len(widths), len(position_ids), 2 * drawn.DIALS), np.nan)
        pairs = np.full((len(widths), drawn.DIALS), -1)
        for w, d_model in enumerate(widths):
            shown = drawn.shown(d_model)
            pairs[w, : len(shown)] = shown
            table = encode(position_ids, d_model).reshape(len(position_ids), -1, 2)
            tips[w, :, : 2 * len(shown)] = table[:, shown].reshape(len(position_ids), -1)
        scores = np.stack([np.rint(EXACT * sinusoidal.kernel(k, d_model).numpy()) for d_model in widths])
        known = {"first": np.array([first]), "widths": np.array(widths), "offsets": np.array(k)}
        super().__init__(cursor, data=Data(tips=tips, pairs=pairs, scores=scores.astype(int), **known))

    def numbers(self) -> dict:
        """Return the two codes' dot product, and what each drawn pair adds to it."""
        p, k, d_model = self.at("position"), self.at("k"), self.at("d_model")
        here, there = encode([p, p + k], d_model)
        adds = (here * there).reshape(-1, 2).sum(-1)
        return {"score": adds.sum(), "adds": adds[drawn.shown(d_model)]}

    def describe(self) -> str:
        """Say the positions, the offset and the score."""
        p, k, d_model = self.at("position"), self.at("k"), self.at("d_model")
        score = f"{self.numbers()['score']:.3f}".replace("-", "−")
        return f"position {p}, offset {k}, d_model {d_model}: the codes of {p} and {p + k} have the dot product {score}"

    def picture(self):
        """Draw the same two positions with matplotlib."""
        return drawn.picture(self.at("position"), self.at("k"), self.at("d_model"))
