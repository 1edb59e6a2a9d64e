"""What a head reads from one word as both move through a text: its value left alone, turned, and turned back."""

import numpy as np
import traitlets

from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View
from clockwork.lessons.lesson_04b.views.added_or_turned import WIDTH
from pe_helpers import sinusoidal

VALUE = (1.0, 0.4)  # two numbers of the word's value: up, then to the right
LAST = 64


class Values(View):
    """Draw what arrives at the reader on three dials; the word is read from `apart` tokens further on."""

    static = "values"
    position = Slider(5, range(LAST + 1), "both words (position of bit)")
    apart = Slider(2, range(1, 13), "reader alone (tokens after bit)")
    main = ("position", "apart")
    todo = "Drag both words. On which dials does the same word keep saying the same?"
    idea = "Turned, a word says something else at each place. Turned back at the reader, only the distance is left."
    caption = "Dashed: the value that *bit* was given. Bold: what arrives where it is read."
    value = traitlets.List(VALUE, read_only=True).tag(sync=True)

    def numbers(self) -> dict:
        """Return what arrives, (2,) each: left alone, turned, and turned and turned back."""
        speed = sinusoidal.inv_freq(WIDTH)[1].item()
        arrives = {"alone": 0.0, "turned": self.position * speed, "back": -self.apart * speed}
        return {name: turned(VALUE, by) for name, by in arrives.items()}

    def describe(self) -> str:
        """Say where both words stand and what arrives on each dial."""
        told = [f"{name} {fixed(pair[0])}, {fixed(pair[1])}" for name, pair in self.numbers().items()]
        return f"bit at {self.position}, read at {self.position + self.apart}: {'; '.join(told)}"


def turned(pair, angle: float) -> np.ndarray:
    """Return a pair turned clockwise by an angle in rad."""
    cos, sin = np.cos(angle), np.sin(angle)
    return np.array([pair[0] * cos - pair[1] * sin, pair[0] * sin + pair[1] * cos])
