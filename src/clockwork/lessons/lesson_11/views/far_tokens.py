"""What far tokens cost a published model whose slow hands turn, and one whose slow hands are stopped."""

import numpy as np
import traitlets

from clockwork.kit import pretrained
from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.data import Data
from clockwork.lessons.lesson_11 import figures
from clockwork.lessons.lesson_11.views.text_length import LENGTHS

START, LENGTH = LENGTHS[-2:]  # tokens of text: losses were averaged from START to the end
NEAR = 256  # tokens: how far back a token sees, beside the first one, when the far ones are hidden


class FarTokens(View):
    """Show what SmolLM2-135M loses at the end of a long text without its slow hands, its far tokens, or both."""

    static = "far_tokens"
    hands = Slider("stopped", ("turn", "stopped"), "slowest 16 hands")
    far = Slider("seen", ("seen", "hidden"), "far tokens")
    text = Slider("Alice", tuple(figures.TEXTS.values()), "text")
    main = ("hands", "far")
    sizes = traitlets.Dict({"length": LENGTH, "near": NEAR}, help="The text, and what is near, in tokens.").tag(
        sync=True
    )
    todo = "The slow hands are stopped. Now hide the far tokens."
    idea = "With the far tokens hidden, it no longer matters whether the slow hands turn."
    caption = (
        f"The loss in tokens {START:,}–{LENGTH - 1:,}, compared with all hands turning and all tokens seen. "
        "Click a bar."
    )

    def __init__(self, **traits):
        results = pretrained.results()
        self.rise = np.zeros((len(figures.TEXTS), 2, 2))  # (texts, slow hands turn or not, far tokens seen or not)
        for rise, text in zip(self.rise, figures.TEXTS, strict=True):
            rise[1, 0], _ = results["grown"][text]["slowest 16"][-1]
            rise[0, 1], _ = results["near_only"][text]["all turn"]
            rise[1, 1], _ = results["near_only"][text]["slowest 16"]
        super().__init__(data=Data(rise=self.rise), **traits)

    def now(self) -> tuple[int, int, int]:
        """Return the places of the text, of what the hands do, and of what is seen."""
        return tuple(self.values(name).index(self.at(name)) for name in ("text", "hands", "far"))

    def describe(self) -> str:
        """Say what is stopped and hidden, and what that costs."""
        hands = "stopped" if self.at("hands") == "stopped" else "turning"
        return (
            f"slowest 16 hands {hands}, far tokens {self.at('far')}: at the end the loss of {self.at('text')} rises by "
            f"{fixed(self.rise[self.now()])}"
        )

    def numbers(self) -> dict:
        """Return the four rises of the chosen text."""
        return {"rise": self.rise[self.now()[0]].ravel()}

    def said(self) -> dict[str, str]:
        """Say the rise."""
        return {"rise": fixed(self.rise[self.now()])}
