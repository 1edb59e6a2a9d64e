"""Draw dials: an empty one, and one with the hands of a code."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from clockwork.kit import plots
from clockwork.kit.plots import hands


def rim(ax: Axes, title: str = "", *, hours: bool = True) -> None:
    """Draw an empty dial: a unit circle with its ticks, x to the right and y upwards, both from -1 to 1."""
    around = np.linspace(0, 2 * np.pi, 181)
    ax.plot(np.sin(around), np.cos(around), color=plots.SOFT, linewidth=1)
    for hour in range(12):
        angle = hour * np.pi / 6
        tick = np.array([0.9 if hour % 3 == 0 else 0.95, 1])
        ax.plot(tick * np.sin(angle), tick * np.cos(angle), color=plots.SOFT, linewidth=1)
        if hours and hour % 3 == 0:
            ax.text(1.16 * np.sin(angle), 1.16 * np.cos(angle), f"{hour or 12}", ha="center", va="center", fontsize=8)
    ax.set(xlim=(-1.3, 1.3), ylim=(-1.3, 1.3), aspect="equal", xticks=[], yticks=[], title=title)
    ax.spines[:].set_visible(False)


def dial(ax: Axes, code, title: str = "", *, hours: bool = True) -> None:
    """Draw one position's code (d_model,) as a dial: hand i points to x = sin(p·ω_i), y = cos(p·ω_i).

    The slower a hand, the shorter it is drawn, so that hands on the same spot stay apart. Up to
    eight hands carry their numbers, once they have left 12 o'clock.
    """
    code = np.asarray(code, float)
    tips = code.reshape(-1, 2)
    rim(ax, title, hours=hours)
    for i, (tip, color) in reversed(list(enumerate(zip(tips, plots.hand_colors(len(tips)), strict=True)))):
        slow = i / max(len(tips) - 1, 1)
        x, y = tip * (1 - (1 - hands.SHORTEST) * slow)
        ax.plot([0, x], [0, y], color=color, linewidth=1.4 + 2.6 * slow, solid_capstyle="round", zorder=3 - slow)
        if len(tips) <= 8 and (i == 0 or abs(x) > 0.05 or y < 0):
            ax.text(0.7 * x, 0.7 * y, f"{i}", ha="center", va="center", fontsize=8, zorder=4, bbox=halo())
    ax.plot(0, 0, "o", color=plots.INK, markersize=3.5, zorder=5)


def halo() -> dict:
    """Return the paper behind a number that stands on a hand."""
    return {"boxstyle": "circle,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.85}
