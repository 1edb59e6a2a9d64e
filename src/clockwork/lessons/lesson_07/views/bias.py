"""A bias built by hand: 24 numbers to drag, the weights they give, and a reader that counts anew."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from clockwork.kit import plots
from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View
from clockwork.lessons.lesson_07 import counting

HEIGHTS = tuple(round(-8 + 0.2 * step, 1) for step in range(81))
PLACES = 7  # whose sizes are marked below the reader's curve


class Bias(View):
    """Draw the bias of one head, and see what a reader behind it makes of *3 back*.

    Args:
        bias: The biases of the keys 0, 1, … 23 steps back to begin with, each rounded to 0.2 in −8 … 8.
    """

    static = "bias"
    todo = "Drag sideways over the pink bars, and draw a bias."
    caption = (
        "{Left}: the bias of each key, and below it the weights that it gives to the keys of the last of 24 tokens, if "
        "the words say nothing. *Three back* is orange. {Right}: the reader. It has counted in 2,000 texts: of the "
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
        """Return the weights, the reader's shares and its right answers."""
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
        """Return the weights, the reader's shares and its right answers."""
        found = self.counted()
        return {"weights": found.weights.numpy(), "shares": found.shares.numpy(), "right": [found.right]}

    def said(self) -> dict[str, str]:
        """Say the weight on three back, and the right answers."""
        found = self.counted()
        return {"weight": fixed(found.weights[counting.BACK]), "right": fixed(found.right)}

    def picture(self) -> Figure:
        """Draw the bias, its weights and the reader's curve."""
        found = self.counted()
        fig, axes = plots.figure(rows=2, cols=2, width_ratios=[1.3, 1], sharex="col")
        fig.set_figheight(3.9)
        for ax in axes[:, 1]:
            ax.remove()
        right = fig.add_subplot(axes[0, 0].get_gridspec()[:, 1])
        back = range(counting.KEYS)
        axes[0, 0].bar(back, self.bias(), color=plots.PINK)
        axes[0, 0].axhline(0, color=plots.SOFT, linewidth=0.8)
        axes[0, 0].set(ylim=(-8.3, 8.3), ylabel="bias")
        colors = [plots.KEY if k == counting.BACK else plots.GREEN for k in back]
        axes[1, 0].bar(back, found.weights, color=colors)
        axes[1, 0].set(ylim=(0, 1), ylabel="weight", xlabel="steps back", xticks=range(0, counting.KEYS, 3))
        at = (np.arange(counting.BINS) - counting.SHIFT + 0.5) * counting.STEP
        right.step(at, found.shares, where="mid", color=plots.INK)
        for k in range(PLACES):
            color = plots.ink(plots.KEY) if k == counting.BACK else plots.SOFT
            right.text(found.weights[k], -0.06 - 0.05 * (k % 3), str(k), ha="center", va="center", color=color)
        right.set(xlim=(0, 1), ylim=(-0.2, 1.02), xlabel="size", yticks=[0, 0.5, 1])
        right.set_title(f"share three back; {fixed(found.right)} right", fontsize=10)
        return fig
