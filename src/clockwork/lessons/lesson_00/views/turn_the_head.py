"""Inside a model: it learned *three back*; turn the clocks of the letters that look, and it answers any number back."""

import functools

import numpy as np
import torch
import traitlets
from matplotlib.figure import Figure

from clockwork.kit import plots
from clockwork.kit.playground import kept
from clockwork.kit.plots import dials
from clockwork.kit.turned import turned
from clockwork.kit.widgets.base import Slider, View
from pe_helpers import sinusoidal

LENGTH = 24  # tokens of the text that is shown
TRAINED = 3  # tokens back
FARTHEST = 20
LETTERS = "abcdefghijklmnop"
HANDS = 5  # of the model's sixteen, the fastest
WIDTH = 32  # d_model


class TurnTheHead(View):
    """Show one text and what the model answers, while the clock of each letter that looks is turned back."""

    static = "turn_the_head"
    engine = "answers.js"
    by = Slider(0, range(1 - TRAINED, FARTHEST - TRAINED + 1), "turn the clock back by (letters)")
    todo = "Turn the clock back: drag its longest hand, the slider, or the arc."
    caption = (
        "Below each letter is the model's answer, green where it is right. A letter that looks takes the turned clock "
        "for its own; faint, where the hands stood. The letters it looks at keep their clocks."
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

    def numbers(self) -> dict:
        """Return how many answers are right, and whom the last letter listens to, (24,)."""
        return {"right": self.right(), "weights": self.found(self.back)[1][-1]}

    def said(self):
        """Say how many answers are right."""
        return {"right": str(self.right())}

    def describe(self) -> str:
        """Say how many places back is asked, how many answers are right, and what the last one names."""
        asked = LENGTH - self.back
        named = LETTERS[self.found(self.back)[0][-1]]
        return f"{self.back} back: {self.right()} of {asked} answers are right; the last letter's answer is {named}"

    def picture(self) -> Figure:
        """Draw the text with its answers, and the clock of the last letter."""
        answers, _ = self.found(self.back)
        fig, (left, right) = plots.figure(cols=2, width_ratios=[2.2, 1])
        fig.set_figheight(2.6)
        code = sinusoidal.table([LENGTH - 1 - self.by], WIDTH)[0, : 2 * HANDS]
        dials.dial(right, code, f"turned back by {self.by}", hours=False)
        for i, token in enumerate(self.tokens):
            left.text(i, 1, LETTERS[token], ha="center", va="center", fontsize=10)
            if i >= self.back:
                good = answers[i] == self.tokens[i - self.back]
                color = plots.GREEN if good else plots.COS
                left.text(i, 0, LETTERS[answers[i]], ha="center", va="center", fontsize=10, color=color)
        left.annotate(
            "",
            (LENGTH - 1 - self.back, 1.25),
            (LENGTH - 1, 1.25),
            arrowprops={"arrowstyle": "->", "color": plots.SIN, "connectionstyle": "arc3,rad=0.35"},
        )
        left.set(xlim=(-0.7, LENGTH - 0.3), ylim=(-1, 4))
        left.set_title(f"{self.right()} of {LENGTH - self.back} answers right")
        left.axis("off")
        return fig
