"""A number on each word: how does the code change from one word to the next?"""

import numpy as np

from clockwork.kit.widgets.base import Slider, View

COUNT = 16  # words
BITS = 4
CODES = ("the number itself", "binary digits", "one digit at a time")


class NumberEachWord(View):
    """Draw the codes of sixteen words, what each step changes, and which steps differ from the one before.

    *One digit at a time* is the Gray code.
    """

    static = "number"
    code = Slider(CODES[0], CODES, "write on each word")
    step = Slider(6, range(COUNT - 1), "the step after word")
    todo = "Choose a code. Then walk from word to word, and see what each step changes."
    caption = (
        "A column is a word. The tick under a step is vermilion where the step differs from the one before it. "
        "*One digit at a time* is known as a Gray code."
    )

    def codes(self) -> np.ndarray:
        """Return the codes of all words, (16, 1) or (16, 4), the fastest digit first."""
        p = np.arange(COUNT)
        if self.code == CODES[0]:
            return p[:, None]
        number = p if self.code == CODES[1] else p ^ (p >> 1)
        return (number[:, None] >> np.arange(BITS)) & 1

    def unlike(self) -> np.ndarray:
        """Return which steps differ from the one before, (15,); the first has none before it."""
        change = np.diff(self.codes(), axis=0)
        return np.concatenate([[False], (change[1:] != change[:-1]).any(1)])

    def numbers(self) -> dict:
        """Return the codes, and which steps differ from the one before."""
        return {"codes": self.codes(), "unlike": self.unlike().astype(int)}

    def describe(self) -> str:
        """Say what the step changes, and how many steps differ from the one before."""
        here, there = self.codes()[self.step : self.step + 2]
        if self.code == CODES[0]:
            what = "the number grows by 1"
        else:
            changed = int((here != there).sum())
            what = f"{changed} {'digit changes' if changed == 1 else 'digits change'}"
        unlike = f"{self.unlike().sum()} of {COUNT - 2} steps differ from the one before"
        return f"{self.code}, from word {self.step} to word {self.step + 1}: {what}; {unlike}"
