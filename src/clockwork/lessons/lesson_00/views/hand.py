"""Two waves are a hand: they bend into the two shadows of one turning hand."""

import numpy as np
from matplotlib.figure import Figure

from clockwork.kit import plots
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
    idea = "**A pair of waves is one hand, and every word turns it by the same angle.**"
    todo = "Bend the *two waves* into *one hand*. Then drag the hand."
    caption = (
        "Blue is how far right the hand points, the sine; vermilion how far up, the cosine. The wedge is what the last "
        "word added to the angle."
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

    def picture(self) -> Figure:
        """Draw the hand beside its two waves."""
        fig, (dial, waves) = plots.figure(cols=2, width_ratios=[1, 1.6])
        around = np.linspace(0, 2 * np.pi, 181)
        dial.plot(np.sin(around), np.cos(around), color=plots.SOFT, linewidth=1)
        right, up = self.numbers()["hand"]
        dial.plot([0, right], [0, up], color=plots.INK, linewidth=4, solid_capstyle="round")
        dial.plot([0, right], [-1.15, -1.15], color=plots.SIN, linewidth=4)
        dial.plot([-1.15, -1.15], [0, up], color=plots.COS, linewidth=4)
        dial.set(aspect="equal", xticks=[], yticks=[], xlim=(-1.3, 1.3), ylim=(-1.3, 1.3))
        dial.spines[:].set_visible(False)
        p = np.linspace(0, COUNT - 1, 400)
        for turn, color in ((np.sin, plots.SIN), (np.cos, plots.COS)):
            waves.plot(p, turn(p * self.speed), color=color)
            waves.plot(self.position, turn(self.angle()), "o", color=color, markersize=8)
        waves.set(xlabel="position", yticks=[-1, 0, 1])
        return fig
