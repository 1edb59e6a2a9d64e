"""Two documents in one row: drag the border, restart the positions, hide one document from the other."""

import numpy as np

from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.data import Data
from clockwork.lessons.lesson_14 import serve, serving

ENCODINGS = ("rotary", "sinusoid")
POSITIONS = ("run on", "restart")
MASKS = ("one mask for the row", "each document alone")


class Packed(View):
    """Where the border lies, whether positions restart and whether the mask keeps documents apart: who is wronged?

    Recorded in `data/positions_at_work.json`: models of *three back*, eight seeds each.
    """

    static = "packed"
    border = Slider(16, serve.BORDERS, "tokens in the first document")
    positions = Slider("run on", POSITIONS, "positions")
    mask = Slider("one mask for the row", MASKS, "a token may look at")
    encoding = Slider("rotary", ENCODINGS, "encoding")
    todo = "Drag the border. Then find switches with which both documents are answered as if each were alone."
    caption = (
        "The row that the model reads: two documents, with the positions it is told. Below, for each token, how much "
        "probability has moved to other answers than those of its document alone, 0 to 1, the mean of eight models. "
        "The first three have nothing three back in their own document: what they see of the other one moves them."
    )

    def __init__(self, cursor=None, **traits):
        runs = serving.recorded("three_back/packing")
        self.moved = np.array([[runs[encoding][name] for name in serve.RUNS] for encoding in ENCODINGS])
        super().__init__(cursor, data=Data(moved=self.moved), **traits)

    def run(self) -> int:
        """Return which of the four runs is chosen."""
        chosen = (self.at("positions") == "restart", self.at("mask") == MASKS[1])
        return list(serve.RUNS.values()).index(chosen)

    def here(self) -> np.ndarray:
        """Return how far each token's answer has moved."""
        return self.moved[ENCODINGS.index(self.at("encoding")), self.run(), serve.BORDERS.index(self.at("border"))]

    def ids(self) -> np.ndarray:
        """Return the positions that the model is told."""
        border = self.at("border")
        places = np.arange(serve.LENGTH)
        return np.where(places >= border, places - border, places) if self.at("positions") == "restart" else places

    def many(self) -> list[int]:
        """Return how many answers of each document have moved by more than half."""
        border = self.at("border")
        return [int((part > 0.5).sum()) for part in (self.here()[:border], self.here()[border:])]

    def describe(self) -> str:
        """Say the switches and how far the second document's answers have moved."""
        first, second = self.many()
        return (
            f"border {self.at('border')}, {self.at('encoding')}, positions {self.at('positions')}, "
            f"{self.at('mask')}: moved by more than half: {first} answers of the first document, {second} of the second"
        )

    def numbers(self) -> dict:
        """Return the positions and how far answers have moved."""
        return {"ids": self.ids(), "moved": self.here()}

    def said(self) -> dict[str, str]:
        """Say how many answers of the second document have moved."""
        return {"second": str(self.many()[1])}
