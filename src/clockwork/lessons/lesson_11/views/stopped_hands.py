"""A dial on which hands of a published model are stopped: what the model loses was recorded for every choice."""

import numpy as np
import traitlets

from clockwork.kit import pretrained
from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.cursor import Cursor
from clockwork.kit.widgets.data import Data
from clockwork.lessons.lesson_11 import figures

HANDS = 32
STEP = 4  # hands
POSITION = 1_000  # tokens: where the dial is read


def stops(first: int = 0, count: int = 0, *, step: int = STEP) -> Cursor:
    """Return a cursor with the two sliders that say which hands are stopped: the first, and how many.

    `StoppedHands` was recorded for every fourth hand; with `step=1` the cursor is one for `RealHeads` alone.
    """
    cursor = Cursor(
        first=Slider(0, range(0, HANDS, step), "first stopped hand"),
        count=Slider(0, range(0, HANDS + 1, step), "stopped hands"),
    )
    cursor.first = first
    cursor.count = count
    return cursor


class StoppedHands(View):
    """Show the hands of SmolLM2-135M, some of them stopped in every layer, and by how much its loss rises.

    `StoppedHands()` makes its own sliders, `first` and `count`; `stops()` makes them for several views.
    """

    static = "stopped_hands"
    needs = ("first", "count")
    position = traitlets.Int(POSITION, help="Where the dial is read.", read_only=True).tag(sync=True)
    caption = (
        "{Left}: the 32 hands at position 1,000, the fastest the longest; a stopped hand is grey and stays at 12. "
        "{Right}: the cost of stopping that many neighbouring hands, for each choice of the first one, for two "
        "texts. Drag the band sideways."
    )

    def __init__(self, cursor: Cursor | None = None, **traits):
        results = pretrained.results()
        self.inv_freq = np.array(results["inv_freq"])
        texts = list(figures.TEXTS)
        self.usual = np.array([results["usual"][text][str(results["short"])] for text in texts])
        self.rise = np.full((len(texts), HANDS // STEP, HANDS // STEP + 1), np.nan)
        self.rise[:, :, 0] = 0
        for rows, text in zip(self.rise, texts, strict=True):
            for row, measured in zip(rows, results["stopped"][text], strict=True):
                row[1 : len(measured) + 1] = [rise for rise, _ in measured]
        # Beyond the slowest hand there is nothing to stop: more is as much as there is.
        known = np.maximum.accumulate(np.where(np.isnan(self.rise), 0, np.arange(HANDS // STEP + 1)), axis=-1)
        self.rise = np.take_along_axis(self.rise, known.astype(int), axis=-1)
        data = Data(rise=self.rise, usual=self.usual)
        super().__init__(cursor or stops(), data=data, **traits)

    def stopped(self) -> tuple[int, int]:
        """Return the first stopped hand and how many there are, which ends with the slowest."""
        first = self.at("first")
        return first, min(self.at("count"), HANDS - first)

    def rises(self) -> np.ndarray:
        """Return by how much the loss of each text rises, in nats."""
        first, count = self.stopped()
        return self.rise[:, first // STEP, count // STEP]

    def describe(self) -> str:
        """Say which hands are stopped and what that costs."""
        first, count = self.stopped()
        names = ", ".join(
            f"{name} {fixed(usual + rise)} ({fixed(rise)} more)"
            for name, usual, rise in zip(figures.TEXTS.values(), self.usual, self.rises(), strict=True)
        )
        return f"first stopped hand {first}, stopped hands {count}: loss of {names}"

    def numbers(self) -> dict:
        """Return the two rises, and those of as many hands from elsewhere on."""
        return {"rise": self.rises(), "elsewhere": self.rise[:, :, self.stopped()[1] // STEP]}

    def said(self):
        """Say what the loss of each text becomes."""
        losses = self.usual + self.rises()
        return {f"{text}": fixed(loss) for text, loss in zip(figures.TEXTS, losses, strict=True)}
