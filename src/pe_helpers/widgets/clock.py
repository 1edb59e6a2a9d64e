"""A position as hands on a dial: pair i of the code is a hand that turns ω_i rad a token."""

import numpy as np
from matplotlib.figure import Figure

from pe_helpers import plots
from pe_helpers.widgets.base import Slider, View
from pe_helpers.widgets.codes import codes, encode
from pe_helpers.widgets.cursor import Cursor

SHORTEST = 0.35  # of the dial's radius: the slowest hand


class Clock(View):
    """All hands of one position on a dial, and the row of the table that they spell.

    A hand ends at x = sin, y = cos, so it starts at 12 o'clock and turns clockwise; the faster, the longer.
    """

    static = "clock"
    needs = ("position", "d_model")
    caption = "Every pair of the code is a hand: the left ones of the row turn fast, the right ones hardly move."

    hand = Slider(0, range(256), "hand")

    def __init__(self, cursor: Cursor, **traits):
        super().__init__(cursor, data=codes(cursor), **traits)

    def chosen(self) -> int:
        """Return the hand that is lit: the chosen one, or the slowest that this width has."""
        return min(self.hand, self.at("d_model") // 2 - 1)

    def hands(self) -> np.ndarray:
        """Return the ends of all hands, (d_model/2, 2), as (sin, cos)."""
        return encode(self.at("position"), self.at("d_model")).reshape(-1, 2)

    def hour(self) -> int:
        """Return the hour, 1 to 12, nearest to which the chosen hand points."""
        sine, cosine = self.hands()[self.chosen()]
        return round(np.arctan2(sine, cosine) / (2 * np.pi) * 12) % 12 or 12

    def describe(self):
        """Say where the chosen hand points."""
        position, width = self.at("position"), self.at("d_model")
        hand = f"hand {self.chosen()} of {width // 2}"
        return f"position {position}, d_model {width}: {hand} points to {self.hour()} o'clock"

    def numbers(self):
        """Return the hands' ends."""
        return {"hands": self.hands()}

    def picture(self) -> Figure:
        """Draw the dial at the first positions and at the present one."""
        return dials(self)


def dials(clock: Clock) -> Figure:
    """Draw the dial at the first positions and now: the fast hands leave, the slow ones stay."""
    now, width, chosen = clock.at("position"), clock.at("d_model"), clock.chosen()
    fig, axes = plots.figure(cols=4)
    fig.set_figheight(2.2)
    around = np.linspace(0, 2 * np.pi, 121)
    for ax, position in zip(axes, [*sorted({0, 1, 2, 3} - {now})[:3], now], strict=True):
        ends = encode(position, width).reshape(-1, 2)
        ends = ends * np.linspace(1, SHORTEST, len(ends))[:, None]
        ax.plot(np.sin(around), np.cos(around), color="#CCCCCC", linewidth=1)
        ax.plot(*np.stack([0 * ends, ends], axis=1).transpose(2, 1, 0), color=plots.GREY, linewidth=0.8)
        ax.plot(*np.stack([0 * ends[chosen], ends[chosen]], axis=1), color=plots.PINK, linewidth=3)
        ax.set(xlim=(-1.1, 1.1), ylim=(-1.1, 1.1), aspect="equal", title=f"position {position}")
        ax.axis("off")
    return fig
