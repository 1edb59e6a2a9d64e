"""Eight numbers, four hands: which two of them a program turns together, and what comes of the wrong ones."""

import traitlets

from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View
from pe_helpers import rotary

WIDTH = 8  # numbers in a head
BASE = 100.0
LAST = 40  # the last position of the first word, in tokens
ORDERS = ("interleaved", "half")
QUERY = (0.9, 0.2, -0.6, 0.8, 0.5, -0.9, 1.0, 0.3)  # each hand's two numbers side by side
KEY = (0.4, -0.8, 0.7, 0.9, -0.3, -0.7, 0.8, 0.6)


class Layouts(View):
    """Draw a query and a key as cells, the cells that are turned together, and the score that comes of it.

    `stored` is the order in which the model learned its numbers, `program` the one by which they are turned.
    """

    static = "layouts"
    stored = Slider("interleaved", ORDERS, "the model learned with")
    program = Slider("interleaved", ORDERS, "the program turns")
    position = Slider(6, range(LAST + 1), "both words (position of bit)")
    apart = Slider(2, range(1, 13), "dog alone (tokens after bit)")
    main = ("stored", "program")
    todo = "Press the program's other order. Then drag both words: does the score tell that something is wrong?"
    idea = "With the wrong order the score is another one, and it still depends on the distance alone."
    caption = (
        "A cell's frame: its hand, as the model learned it. An arch joins two cells that the program turns together."
    )
    query = traitlets.List(QUERY, read_only=True).tag(sync=True)
    key = traitlets.List(KEY, read_only=True).tag(sync=True)

    def score(self, program: str) -> float:
        """Return the score of the two words, stored as the model learned it and turned as `program` says."""
        import torch

        order = places(self.stored)
        words = torch.tensor([QUERY, KEY], dtype=torch.float64)[:, order]
        at = [self.position, self.position + self.apart]
        query, key = rotary.rotate(words, at, base=BASE, layout=program)
        return (query @ key).item()

    def numbers(self) -> dict:
        """Return the score, and what it is with the order that the model learned."""
        return {"score": self.score(self.program), "learned": self.score(self.stored)}

    def describe(self) -> str:
        """Say both orders, where the words stand, and the score."""
        where = f"bit at {self.position}, dog at {self.position + self.apart}"
        score, learned = (fixed(value) for value in self.numbers().values())
        told = f"score {score}" + (f" instead of {learned}" if self.program != self.stored else "")
        return f"stored {self.stored}, turned {self.program}, {where}: {told}"


def places(order: str) -> list[int]:
    """Return which number of the interleaved row stands at each place of a row in this order."""
    return list(range(WIDTH)) if order == "interleaved" else [*range(0, WIDTH, 2), *range(1, WIDTH, 2)]
