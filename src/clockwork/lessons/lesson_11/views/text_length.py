"""What it costs a published model to stop its hands from one on, in four parts of a long text."""

import numpy as np
import traitlets

from clockwork.kit import pretrained
from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.data import Data
from clockwork.lessons.lesson_11 import figures

HANDS = 32
STEP = 4  # hands
LENGTHS = (64, 256, 1_024, 1_792)  # tokens: where the four parts end, over which losses were averaged


class TextLength(View):
    """Show what SmolLM2-135M loses in texts of four lengths when all hands from one on are stopped."""

    static = "text_length"
    length = Slider(LENGTHS[0], LENGTHS, "tokens of text")
    first = Slider(16, range(0, HANDS + 1, STEP), "first stopped hand")
    lengths = traitlets.List(LENGTHS, help="The lengths that were measured.").tag(sync=True)
    todo = "Make the text longer, and keep the cost of stopping small."
    caption = (
        "Top: how far every fourth hand comes in the text. The curves: loss added at the end of the text when every "
        "hand right of the edge stops. The end is the last part: tokens 0–63, 64–255, 256–1,023 or 1,024–1,791. "
        "Pale: the other lengths, mean of both texts. Drag the edge."
    )

    def __init__(self, cursor=None, **traits):
        results = pretrained.results()
        measured = np.array([results["from_hand"][text] for text in figures.TEXTS])[..., 0]  # (texts, firsts, parts)
        nothing = np.zeros((len(measured), 1, len(LENGTHS)))  # no hand is stopped
        self.rise = np.concatenate([measured, nothing], axis=1)
        super().__init__(cursor, data=Data(rise=self.rise), **traits)

    def now(self) -> tuple[int, int]:
        """Return the places of the first stopped hand and of the length."""
        return self.at("first") // STEP, LENGTHS.index(self.at("length"))

    def describe(self) -> str:
        """Say the length, which hands are stopped, and what that costs."""
        first, part = self.now()
        alice, course = (fixed(rise) for rise in self.rise[:, first, part])
        return (
            f"{self.at('length')} tokens of text, first stopped hand {self.at('first')}: at its end the loss of Alice "
            f"rises by {alice}, of this course by {course}"
        )

    def numbers(self) -> dict:
        """Return the two rises, and those of all other choices in a text of this length."""
        first, part = self.now()
        return {"rise": self.rise[:, first, part], "elsewhere": self.rise[:, :, part]}

    def said(self) -> dict[str, str]:
        """Say the two rises."""
        first, part = self.now()
        return {text: fixed(rise) for text, rise in zip(figures.TEXTS, self.rise[:, first, part], strict=True)}
