"""A daily rhythm that networks learned from their hands: what do they say of the weeks after the record?"""

import numpy as np
import torch

from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.data import Data
from clockwork.lessons.lesson_15 import measure, readers

ONE = "one hand"
WORDS = {  # recorded names
    "hands for words": "as for words",
    "hands for words, and 24 h": "as for words, and 24 h",
    "those that came round, and 24 h": "24 h, and hands that came round",
}
HANDS = (ONE, *WORDS)
WHEN = tuple(measure.DRAWN)


class Daily(View):
    """Choose the hands of a network that learned four weeks of measurements, and look at the weeks that follow.

    Recorded in `data/beyond_words.json`: the line is the first of eight networks, the errors are those of all eight.
    """

    static = "daily"
    period = Slider(23, measure.PERIODS, "wavelength of the one hand (hours)")
    hands = Slider(ONE, HANDS, "the network reads")
    main = ("period", "hands")
    todo = (
        "Change the wavelength until the dots on the dial lie on one line. Then give the network the hands for words, "
        "and look at the days that follow."
    )
    caption = (
        "{Left}: what was measured in four weeks, each dot in the direction that the hand of the chosen wavelength "
        "has at its time; the further out, the larger. With more hands: two recorded days. {Right}: two days of the "
        "second week after the record. Blue is what happens, orange what the first of eight networks says. At 23.9 "
        "hours, six minutes a day add up to nearly three hours in four weeks."
    )

    def __init__(self, cursor=None, **traits):
        times, values = (found[0].numpy() for found in measure.record())
        names = [*map(measure.alone, measure.PERIODS), *WORDS.values()]
        found = [readers.chosen("hours", name) for name in names]
        self.errors = np.array([[np.mean(one[when]) for when in WHEN] for one in found])
        self.drawn = np.array([[one[f"{when}, drawn"] for when in WHEN] for one in found])
        days = torch.linspace(0, measure.SHOWN, measure.GRID, dtype=torch.float64)
        truth = np.array([measure.rhythm(start + days).numpy() for start in measure.DRAWN.values()])
        shown = times - measure.DRAWN[WHEN[0]]
        near = (shown > 0) & (shown < measure.SHOWN)
        data = Data(
            times=times,
            values=values,
            near=np.stack([shown[near], values[near]]),
            drawn=self.drawn,
            truth=truth,
            errors=self.errors,
        )
        super().__init__(cursor, data=data, **traits)

    def which(self) -> int:
        """Return the row of the chosen hands."""
        place = HANDS.index(self.at("hands"))
        return measure.PERIODS.index(self.at("period")) if place == 0 else len(measure.PERIODS) + place - 1

    def describe(self) -> str:
        """Say the hands and the errors."""
        before, after = map(fixed, self.errors[self.which()])
        hands = f"one hand of {self.at('period')} h" if self.at("hands") == ONE else self.at("hands")
        return f"{hands}: off by {before} in the recorded weeks, by {after} in those that follow"

    def numbers(self) -> dict:
        """Return what the network says of the days that follow, and the errors."""
        return {"later": self.drawn[self.which(), 1], "errors": self.errors[self.which()]}

    def said(self) -> dict[str, str]:
        """Say the errors."""
        before, after = map(fixed, self.errors[self.which()])
        return {"before": before, "after": after}
