"""Two waves are a hand: they bend into the two shadows of one turning hand."""

import numpy as np

from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View

COUNT = 25  # positions
SPEEDS = [round(0.1 * tenth, 1) for tenth in range(1, 13)]  # rad a token
SHOWN = ("two waves", "one hand")


class OneHand(View):
    """Draw a sine and a cosine as waves, or as the shadows of one hand: how far right it points, and how far up."""

    static = "hand"
    shown = Slider(SHOWN[0], SHOWN, "shown as")
    position = Slider(3, range(COUNT), "position")
    speed = Slider(0.4, SPEEDS, "speed (rad a word)")
    main = ("shown", "position")
    todo = "Bend the *two waves* into *one hand*. Then drag the hand."
    caption = (
        "Blue is how far right the hand points, the sine; vermilion how far up, the cosine. The green slice is what "
        "the last word added to the angle. Angles are in radians (rad): a whole turn has 2π."
    )

    def angle(self) -> float:
        """Return how far the hand has turned, in rad."""
        return self.position * self.speed

    def numbers(self) -> dict:
        """Return how far right and up the hand points, and its angle in rad."""
        return {"hand": [np.sin(self.angle()), np.cos(self.angle())], "angle": self.angle()}

    def said(self):
        """Say the two numbers of the hand."""
        return {"right": fixed(np.sin(self.angle())), "up": fixed(np.cos(self.angle()))}

    def describe(self) -> str:
        """Say where the hand points."""
        said = self.said()
        where = f"{self.shown}, position {self.position}, {fixed(self.speed, 1)} rad a word"
        return f"{where}: {said['right']} right, {said['up']} up"
