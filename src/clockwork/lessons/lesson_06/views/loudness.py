"""Turn the tokens up and down: how often models are right that were trained with five codes of one length."""

import numpy as np

from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.data import Data
from clockwork.lessons.lesson_06 import adding, train_adding

STDS = train_adding.STDS
HELD = train_adding.HELD
TOKENS = ("trained", "held")
BUDGETS = train_adding.BUDGETS
CODES = ("sinusoid", "drifting rows", "sinusoid, rows shuffled", "random rows", "random rows, 9 directions")


class Loudness(View):
    """Show the recorded accuracy on *who came first?* of five codes, beside tokens from quiet to loud.

    Training changes the tokens, or they are held as they were drawn; held ones were tried at two loudnesses. All codes
    are equally long, √(d_model/2) with 32 numbers. Eight seeds each, after 250 and after 1,000 steps.
    """

    static = "loudness"
    std = Slider(0.02, STDS, "loudness of the tokens at the start (std)")
    budget = Slider(BUDGETS[0], BUDGETS, "training steps")
    tokens = Slider(TOKENS[0], TOKENS, "tokens")
    todo = "Make the tokens louder, give the models more steps, then hold the tokens."
    caption = (
        "*Who came first?*, texts of 24 tokens, learning rate 0.005, a line for each code. Dots: the eight seeds at "
        "the chosen loudness; the number is their mean. All codes are equally long; the tokens' numbers are drawn with "
        "the chosen standard deviation. *Held*: training does not change the tokens (tried at two loudnesses); pale: "
        "where it does. Dotted: guessing."
    )

    def __init__(self, cursor=None, **traits):
        trained = [adding.recorded(f"loudness/{steps}") for steps in BUDGETS]
        held = [adding.recorded(part) for part in ("held", "held/longer")]
        self.right = np.full((2, len(BUDGETS), len(CODES), len(STDS), 8), np.nan)
        for i in range(len(BUDGETS)):
            for j, name in enumerate(CODES):
                self.right[0, i, j] = trained[i][name].numpy()
                self.right[1, i, j, [STDS.index(std) for std in HELD]] = held[i][name].numpy()
        super().__init__(cursor, data=Data(right=self.right), **traits)

    def scores(self) -> np.ndarray:
        """Return each seed's share of right answers with each code, (5, 8): not a number where nothing was trained."""
        held = TOKENS.index(self.at("tokens"))
        return self.right[held, BUDGETS.index(self.at("budget")), :, STDS.index(self.at("std"))]

    def longer(self) -> float:
        """Return how many times as long as a token the code is, on average over their squares."""
        return np.sqrt(0.5) / self.at("std")

    def numbers(self) -> dict:
        """Return the mean of each code where it was tried, and how many times as long as a token it is."""
        means = self.scores().mean(1)
        return {"means": means[np.isfinite(means)], "longer": [self.longer()]}

    def describe(self) -> str:
        """Say the loudness, the steps and the mean of each code."""
        means = self.scores().mean(1)
        told = ", ".join(f"{name} {fixed(mean)}" for name, mean in zip(CODES, means, strict=True))
        setting = f"{self.at('tokens')} tokens at std {self.at('std'):g}, {self.at('budget')} training steps"
        return f"{setting}: {'not tried' if np.isnan(means).any() else told}"
