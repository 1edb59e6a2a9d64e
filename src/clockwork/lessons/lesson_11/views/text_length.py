"""What it costs a published model to stop its slow hands: in four parts of a long text, and without its far tokens."""

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
EVERYTHING = "everything before it"
NEAR = "only the first and the last 256"


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
        near = np.array([results["near_from_hand"][text] for text in figures.TEXTS])[..., 0]
        self.rises = {EVERYTHING: np.concatenate([measured, nothing], axis=1), NEAR: near}
        data = Data(rise=self.rises[EVERYTHING], near=near)
        super().__init__(cursor, data=data, **traits)

    def now(self) -> tuple[int, int]:
        """Return the places of the first stopped hand and of the length."""
        return self.at("first") // STEP, LENGTHS.index(self.at("length"))

    @property
    def rise(self) -> np.ndarray:
        """By how much the loss rises, (texts, places of the first stopped hand, lengths)."""
        return self.rises[EVERYTHING]

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


class FarTokens(TextLength):
    """Show the same for the end of the longest text, with its far tokens seen or hidden from every query."""

    length = traitlets.Int(LENGTHS[-1], read_only=True).tag(sync=True)
    sees = Slider(EVERYTHING, (EVERYTHING, NEAR), "each token sees")
    todo = "Hide the far tokens."
    caption = (
        "The curves: loss added in tokens 1,024–1,791 when every hand right of the edge stops, compared with the model "
        "as it is. Pale: what each token sees in the other case, mean of both texts. Drag the edge."
    )

    @property
    def rise(self) -> np.ndarray:
        """By how much the loss rises with what each token sees now."""
        return self.rises[self.sees]

    def describe(self) -> str:
        """Say what each token sees, which hands are stopped, and what that costs."""
        return f"each token sees {self.sees}; {super().describe()}"
