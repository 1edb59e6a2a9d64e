"""Draw the angles that a hand met in training and those that it reaches now, as the widgets' arcs.js does."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, Wedge

from clockwork.kit import plots

TURN = 2 * np.pi
SHOWN = 8  # hands that get a dial
RING = (1.08, 1.24)  # radii of the band that shows how far a hand reaches


def sampled(count: int) -> list[int]:
    """Return the eight hands of `count` that get a dial, from the fastest to the slowest."""
    return [round(i * (count - 1) / (SHOWN - 1)) for i in range(SHOWN)]


def arc_dial(ax: Axes, met: float, reach: float, color: str, *, both_ways: bool, mark: tuple | None = None) -> None:
    """Draw a dial: the angles met in training shaded, a band as far as the hand reaches now, vermilion where it is new.

    Args:
        ax: where to draw.
        met: the largest angle of training, in rad.
        reach: the largest angle now, in rad.
        color: of the hand.
        both_ways: whether the angles run to both sides of 12 o'clock, as they do where no mask hides later tokens.
        mark: the angle that a hand turns in some tokens, in training and now; drawn as a dotted and a solid hand.
    """
    whole = np.pi if both_ways else TURN
    known = min(met, whole)
    now = min(reach, whole)
    ax.add_patch(Circle((0, 0), 1, facecolor=plots.PAPER, edgecolor=plots.SOFT, linewidth=1))
    _sector(ax, 0, known, both_ways, r=1, color=plots.FAINT, alpha=0.75)
    band = {"r": RING[1], "width": RING[1] - RING[0]}
    _sector(ax, 0, min(now, known), both_ways, color=color, **band)
    if now > known:
        _sector(ax, known, now, both_ways, color=plots.COS, **band)
    if mark is not None:
        before, after = mark
        ax.plot([0, 0.9 * np.sin(before)], [0, 0.9 * np.cos(before)], color=plots.INK, linewidth=1.4, linestyle=":")
        ax.plot(0.9 * np.sin(before), 0.9 * np.cos(before), "o", color=plots.PAPER, markeredgecolor=plots.INK)
        ax.plot([0, 0.9 * np.sin(after)], [0, 0.9 * np.cos(after)], color=color, linewidth=2.6)
        ax.plot(0.9 * np.sin(after), 0.9 * np.cos(after), "o", color=color, markersize=4)
    ax.plot(0, 0, "o", color=plots.INK, markersize=3)
    ax.set(xlim=(-1.32, 1.32), ylim=(-1.32, 1.32), xticks=[], yticks=[], aspect="equal")
    ax.spines[:].set_visible(False)


def _sector(ax: Axes, begin: float, end: float, both_ways: bool, *, r: float, color: str, **style) -> None:
    """Fill the angles from `begin` to `end`, clockwise from 12 o'clock, and their mirror image if both ways."""
    begin, end = np.degrees([begin, end])
    across = both_ways and begin == 0  # one sector, with no seam at 12 o'clock
    ax.add_patch(
        Wedge((0, 0), r, 90 - end, 90 + end if across else 90 - begin, facecolor=color, edgecolor="none", **style)
    )
    if both_ways and not across:
        ax.add_patch(Wedge((0, 0), r, 90 + begin, 90 + end, facecolor=color, edgecolor="none", **style))
