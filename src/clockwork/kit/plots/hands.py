"""Draw hands as the widgets do: the dial, and the phases of all positions.

A hand ends at (sin, cos): it starts at 12 o'clock and turns clockwise. The rim of a dial is the key to the phases: at
each angle it has the colour of that phase.
"""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from clockwork.kit import plots

TURN = 2 * np.pi
SHORTEST = 0.35  # of the dial's radius: the slowest hand
PLACES = (  # left, bottom, width and height of a dial, its two waves and the words, in parts of the figure
    (0.08, 0.55, 0.2778, 0.4),  # a square of 2 inches
    (0.42, 0.55, 0.56, 0.4),
    (0.08, 0.1, 0.2778, 0.42),
    (0.47, 0.1, 0.5, 0.3),
)


def ring(ax: Axes) -> None:
    """Draw an empty dial of radius 1 whose rim has the colours of the phases."""
    edges = np.linspace(0, TURN, 361)
    angle, radius = np.meshgrid(edges, [1.05, 1.13])
    colors = (edges[:-1] / TURN)[None, :]
    ax.pcolormesh(radius * np.sin(angle), radius * np.cos(angle), colors, cmap=plots.ANGLE, vmin=0, vmax=1)
    for hour in range(12):
        x = np.sin(hour * TURN / 12)
        y = np.cos(hour * TURN / 12)
        inner = 1.0 if hour % 3 else 0.96
        ax.plot([inner * x, 1.04 * x], [inner * y, 1.04 * y], color=plots.SOFT, linewidth=0.8)
        if hour % 3 == 0:
            ax.text(1.26 * x, 1.26 * y, f"{hour or 12}", ha="center", va="center", fontsize=9, color=plots.SOFT)
    ax.set(xlim=(-1.36, 1.36), ylim=(-1.36, 1.36), aspect="equal")
    ax.axis("off")


def dial(ax: Axes, angles) -> None:
    """Draw hands at angles (hands,) in rad, fastest first: the faster, the longer."""
    ring(ax)
    count = len(angles)
    lengths = np.linspace(1, SHORTEST, count) if count > 1 else np.ones(1)
    tips = lengths[:, None] * np.stack([np.sin(angles), np.cos(angles)], axis=-1)
    colors = plots.hand_colors(count)
    thick = max(0.8, min(3.6, 10 / np.sqrt(count)))
    for i in reversed(range(count)):
        ax.plot([0, tips[i, 0]], [0, tips[i, 1]], color=colors[i], linewidth=thick, alpha=0.7 if count > 64 else 1)
        if count > 16:
            ax.plot(*tips[i], "o", color=colors[i], markersize=thick + 1, markeredgewidth=0)
    if count <= 8:
        for i, (x, y) in enumerate(tips):
            if i == 0 or abs(x) > 0.03 or y < 0:
                ax.plot(x, y, "o", color=colors[i], markersize=12)
                ax.text(x, y, f"{i}", color=plots.PAPER, ha="center", va="center_baseline", fontsize=8, weight="bold")
    ax.plot(0, 0, "o", color=plots.INK, markersize=5)


def phases(ax: Axes, speeds, positions) -> None:
    """Draw where hands of these speeds (rad a token) point at all positions: a column a hand, a row a position."""
    speeds = np.asarray(speeds)
    positions = np.asarray(positions)
    turned = np.multiply.outer(positions, speeds) % TURN / TURN
    count = len(speeds)
    first = positions[0] - 0.5
    last = positions[-1] + 0.5
    extent = (-0.5, count - 0.5, last, first)
    ax.imshow(turned, cmap=plots.ANGLE, vmin=0, vmax=1, extent=extent, interpolation="nearest")
    span = last - first
    for i, color in enumerate(plots.hand_colors(count)):
        ax.add_patch(_box(i - 0.5, first - 0.045 * span, 1, 0.03 * span, facecolor=color, edgecolor="none"))
    ax.set(xlabel="hand", ylabel="position (tokens)", xlim=(-0.5, count - 0.5), ylim=(last, first - 0.05 * span))
    ax.xaxis.set_major_locator(MaxNLocator(8, integer=True, min_n_ticks=1))
    ax.spines[:].set_visible(False)


def dial_with_waves() -> tuple[Figure, list[Axes]]:
    """Return a figure and its axes for a dial, the cosine to its right, the sine below it, and words."""
    fig = Figure(figsize=(7.2, 5.0), layout="none")  # places by hand, so that dial and waves line up
    return fig, [fig.add_axes(place) for place in PLACES]


def _box(x: float, y: float, width: float, height: float, **style):
    from matplotlib.patches import Rectangle

    return Rectangle((x, y), width, height, clip_on=False, **style)
