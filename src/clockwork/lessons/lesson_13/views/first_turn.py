"""What the lesson is about, before it begins: turn a part of a trained model, and it answers another number back."""

import numpy as np
import torch
import traitlets

from clockwork.kit import heads
from clockwork.kit.numbers import fixed
from clockwork.kit.playground import kept
from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.data import Data
from clockwork.lessons.lesson_13.views.knob import LETTERS, TRAINED, TURNS, clock
from pe_helpers import sinusoidal

LENGTH = 24  # tokens of the text that is shown


class FirstTurn(View):
    """Show what the short way's model answers to one text while the turning part of its head is turned further."""

    static = "first_turn"
    by = Slider(0, TURNS, "turned further by (letters)")
    todo = "Turn the dial by its longest hand. What does the model answer now?"
    caption = (
        "An arc goes from a letter to the one that the model's head looks at most. Below each letter stands the "
        "model's answer. The dial shows the part of the head that we turn, faint as training left it; the head scores "
        "by this part alone."
    )

    tokens = traitlets.List(help="The text.").tag(sync=True)

    def __init__(self, cursor=None, **traits):
        model = kept.in_torch(kept.load()["knob"])
        part = heads.turning_part(heads.score_matrices(model))
        text = torch.randint(16, (LENGTH,), generator=torch.Generator().manual_seed(5))
        self.answers, self.looks = self.turned(model, part, text)
        hands = np.stack(clock(part[0]))
        super().__init__(
            cursor, data=Data(answers=self.answers, looks=self.looks, hands=hands), tokens=text.tolist(), **traits
        )

    @torch.no_grad()
    def turned(self, model, part, text) -> tuple[np.ndarray, np.ndarray]:
        """Return by turn the answers and the key that each letter looks at most, (20, 24) each."""
        answers, looks = [], []
        for by in TURNS:
            changed = heads.rescored(model, part @ sinusoidal.shift_matrix(by, part.shape[-1]).float())
            answers.append(changed(text).argmax(-1).numpy())
            looks.append(changed.trace(text).weights[0][0].argmax(-1).numpy())
        return np.stack(answers), np.stack(looks)

    def right(self) -> int:
        """Return how many answers name the letter so many places back."""
        back = TRAINED + self.by
        return int((self.here(self.answers)[back:] == np.array(self.tokens[: LENGTH - back])).sum())

    def here(self, table: np.ndarray) -> np.ndarray:
        """Return a table's row at the slider."""
        return table[TURNS.index(self.by)]

    def numbers(self) -> dict:
        """Return how many answers are right, and the key that each letter looks at most, (24,)."""
        return {"right": self.right(), "looks": self.here(self.looks)}

    def said(self) -> dict[str, str]:
        """Say how many answers are right."""
        return {"right": str(self.right())}

    def describe(self) -> str:
        """Say how far the part is turned, how many answers are right, and what the last letter's answer is."""
        back = TRAINED + self.by
        named = LETTERS[self.here(self.answers)[-1]]
        asked = LENGTH - back
        return (
            f"turned further by {fixed(self.by, 0)}: {self.right()} of {asked} answers name the letter {back} back; "
            f"the last answer is {named}"
        )
