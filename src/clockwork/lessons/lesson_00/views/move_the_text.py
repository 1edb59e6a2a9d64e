"""Two words of a text with their clocks: moved together, no angle between them changes; moved apart, all do."""

import numpy as np
import traitlets
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from clockwork.kit import plots
from clockwork.kit.numbers import fixed
from clockwork.kit.plots import dials
from clockwork.kit.widgets.base import Slider, View
from pe_helpers import sinusoidal

TEXT = (
    "tom bit a dog and the dog ran home to anna who fed the cat and saw the bear sleep in the sun while the man hit a "
    "drum so the bear woke up and ran to the lake where tom sat in a boat with a hat and a book he had read ten times "
    "and when the bear came he gave it the hat and swam home"
)
WORDS = TEXT.split()
WIDTH = 16  # d_model
FARTHEST = 20  # tokens between the two words
TOLD = 1  # the hand whose angle is written out
DIAL, CHAIN = "as a clock", "tip to tail"


class MoveTheText(View):
    """Draw the clocks of two words and the angles between their hands, as a third clock or laid tip to tail.

    Tip to tail, the height of the tip is the dot product of the two codes.
    """

    files = (*View.files, "hands")
    static = "move_the_text"
    first = Slider(0, range(len(WORDS) - FARTHEST), "both words (position)")
    apart = Slider(3, range(1, FARTHEST + 1), "second word alone (tokens further)")
    between = Slider(DIAL, (DIAL, CHAIN), "the angles between")
    main = ("first", "between")
    todo = "Drag the text: both words move. Then drag one word alone."
    caption = (
        "Eight hands a clock. The third clock has the angle between each hand of the first and the same hand of the "
        "second. Lay these angles end to end, and their tip climbs: its height is one number, the score of the words."
    )

    text = traitlets.Unicode(TEXT, read_only=True).tag(sync=True)

    def __init__(self, cursor=None, **keywords):
        self.speeds = sinusoidal.inv_freq(WIDTH).numpy()
        super().__init__(cursor, **keywords)

    def score(self) -> float:
        """Return the dot product of the codes of the two words."""
        here, there = sinusoidal.table([self.first, self.first + self.apart], WIDTH).double()
        return float(here @ there)

    def numbers(self) -> dict:
        """Return the angles of the two clocks' hands, (8,) each, in rad, and the score."""
        return {
            "here": self.first * self.speeds,
            "there": (self.first + self.apart) * self.speeds,
            "score": self.score(),
        }

    def said(self):
        """Say the score."""
        return {"score": fixed(self.score())}

    def describe(self) -> str:
        """Say which words stand where, the angle between their fastest hands, and the score."""
        second = self.first + self.apart
        words = f"{WORDS[self.first]} at {self.first}, {WORDS[second]} at {second}"
        angle = fixed(self.apart * self.speeds[TOLD])
        return f"{words}, {self.apart} apart: hand {TOLD} differs by {angle} rad, score {fixed(self.score())}"

    def picture(self) -> Figure:
        """Draw the two clocks, and the hands of the third tip to tail."""
        fig, axes = plots.figure(cols=3, width_ratios=[1, 1, 1.3])
        second = self.first + self.apart
        codes = sinusoidal.table([self.first, second], WIDTH)
        for ax, code, place in zip(axes, codes, (self.first, second), strict=False):
            dials.dial(ax, code, f"{WORDS[place]}, position {place}", hours=False)
        chain(axes[2], self.apart * self.speeds)
        axes[2].set_title(f"{self.apart} apart: score {fixed(self.score())}", loc="center")
        return fig


def chain(ax: Axes, angles: np.ndarray) -> None:
    """Draw unit arrows at `angles`, in rad clockwise from 12 o'clock, each from the tip of the next slower one."""
    steps = np.stack([np.sin(angles), np.cos(angles)], axis=-1)[::-1]
    ends = np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])
    colors = plots.hand_colors(len(angles))[::-1]
    for start, end, color in zip(ends[:-1], ends[1:], colors, strict=True):
        ax.plot(*zip(start, end, strict=True), color=color, linewidth=2.4)
    ax.axhline(ends[-1, 1], color=plots.COS, linewidth=1, linestyle="--")
    ax.plot(*ends[-1], "o", color=plots.COS, markersize=6)
    ax.set(aspect="equal", xlim=(-2.5, 4.5), ylim=(-0.5, 8.4), xticks=[], ylabel="score")
