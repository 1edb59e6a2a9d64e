"""A bias built by hand: 24 numbers to drag, the weights they give, and a counter that counts anew."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View
from clockwork.lessons.lesson_07 import counting

HEIGHTS = tuple(round(-8 + 0.2 * step, 1) for step in range(81))


class Bias(View):
    """Draw the bias of one head, and see what a counter behind it makes of *3 back*.

    Args:
        bias: The biases of the keys 0, 1, … 23 steps back to begin with, each rounded to 0.2 in −8 … 8.
    """

    static = "bias"
    todo = "Drag sideways over the pink bars, and draw a bias."
    caption = (
        "{Left}: the bias of each key, and below it the weights that it gives to the keys of the last of 24 tokens, if "
        "the words say nothing. *Three back* is orange. {Right}: the counter. It has counted in 2,000 texts: of the "
        "symbols that had a total weight of about this size, how many stood three back? In 1,000 new texts it names "
        "the symbol whose size has the largest share. Each number is a place, steps back, drawn at its own weight."
    )

    def __init__(self, bias: Sequence[float] = (0.0,) * counting.KEYS, **traits):
        near = [HEIGHTS[int(np.abs(np.subtract(HEIGHTS, height)).argmin())] for height in bias]
        self.add_traits(
            **{f"back_{k}": Slider(height, HEIGHTS, f"bias, {k} back") for k, height in enumerate(near)},
        )
        super().__init__(**traits)

    def values(self, name: str) -> list:
        """List the values of a slider, or what a challenge may ask: right answers in percent, whether it rises."""
        told = {"right": range(101), "rises": (False, True)}
        return list(told[name]) if name in told else super().values(name)

    def bias(self) -> list[float]:
        """Return the bias that is drawn."""
        return [self.at(f"back_{k}") for k in range(counting.KEYS)]

    def counted(self) -> counting.Counted:
        """Return the weights, the counter's shares and its right answers."""
        return counting.count(self.bias())

    def describe(self) -> str:
        """Say the weight on three back, and how many answers are right."""
        found = self.counted()
        most = int(found.weights.argmax())
        return (
            f"most weight, {fixed(found.weights[most])}, goes to {most} back, and {fixed(found.weights[counting.BACK])}"
            f" to three back; {fixed(found.right)} of the answers are right"
        )

    def numbers(self) -> dict:
        """Return the weights, the counter's shares and its right answers."""
        found = self.counted()
        return {"weights": found.weights.numpy(), "shares": found.shares.numpy(), "right": [found.right]}

    def said(self) -> dict[str, str]:
        """Say the weight on three back, and the right answers."""
        found = self.counted()
        return {"weight": fixed(found.weights[counting.BACK]), "right": fixed(found.right)}
