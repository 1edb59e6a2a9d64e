"""Inside a model: it learned *three back*; turn the clocks of the letters that look, and it answers any number back."""

import functools

import numpy as np
import torch
import traitlets

from clockwork.kit.playground import kept
from clockwork.kit.turned import turned
from clockwork.kit.widgets.base import Slider, View

LENGTH = 24  # tokens of the text that is shown
TRAINED = 3  # tokens back
FARTHEST = 20
LETTERS = "abcdefghijklmnop"


class TurnTheHead(View):
    """Show one text and what the model answers, while the clock of each letter that looks is turned back."""

    static = "turn_the_head"
    engine = "answers.js"
    by = Slider(0, range(1 - TRAINED, FARTHEST - TRAINED + 1), "turn the clock back by (letters)")
    todo = "Turn the clock of the letters that look: drag its longest hand."
    caption = (
        "Below each letter is the model's answer, green where it is right. A letter that searches goes by the turned "
        "clock; faint, where its hands stood. The letters that it looks at keep their clocks."
    )

    kept = traitlets.Dict(help="The trained model, as a page needs it.").tag(sync=True)
    tokens = traitlets.List(help="The text.").tag(sync=True)

    def __init__(self, cursor=None, **keywords):
        recorded = kept.load()["knob"]
        self.in_torch = kept.in_torch(recorded)
        tokens = torch.randint(16, (LENGTH,), generator=torch.Generator().manual_seed(5)).tolist()
        super().__init__(cursor, kept=kept.for_a_page(recorded), tokens=tokens, **keywords)
        self.found = functools.cache(self.answered)

    @property
    def back(self) -> int:
        """Return how many places back the head looks."""
        return TRAINED + self.by

    @torch.no_grad()
    def answered(self, back: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the answers of the turned model, (24,), and whom its head listens to, (24, 24)."""
        text = torch.tensor(self.tokens)
        model = turned(self.in_torch, back - TRAINED)
        return model(text).argmax(-1).numpy(), model.trace(text).weights[0][0].numpy()

    def right(self) -> int:
        """Return how many answers name the letter so many places back."""
        answers, _ = self.found(self.back)
        return int((answers[self.back :] == np.array(self.tokens[: LENGTH - self.back])).sum())

    @property
    def covered(self) -> bool:
        """Say whether the answers are veiled: wherever the clock is turned."""
        return self.veiled and self.by != 0

    def numbers(self) -> dict:
        """Return how many answers are right, and whom the last letter listens to, (24,), where that is not veiled."""
        if self.covered:
            return {}
        return {"right": self.right(), "weights": self.found(self.back)[1][-1]}

    def said(self):
        """Say how many answers are right."""
        if self.covered:
            return {}
        return {"right": str(self.right())}

    def describe(self) -> str:
        """Say how many places back is asked, how many answers are right, and what the last one names."""
        if self.covered:
            return f"clock turned by {self.by}: what the model names is hidden until you have guessed"
        asked = LENGTH - self.back
        named = LETTERS[self.found(self.back)[0][-1]]
        return f"{self.back} back: {self.right()} of {asked} answers are right; the last letter's answer is {named}"
