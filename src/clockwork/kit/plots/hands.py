"""Draw hands as the widgets do: the dial, the phases of all positions, one hand's wave, the row of a position.

A hand ends at (sin, cos): it starts at 12 o'clock and turns clockwise. The rim of a dial is the key to the phases: at
each angle it has the colour of that phase.
"""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import ConnectionPatch
from matplotlib.ticker import MaxNLocator

from clockwork.kit import plots
from clockwork.kit.numbers import fixed

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


def dial(ax: Axes, angles, chosen: int | None = None) -> None:
    """Draw hands at angles (hands,) in rad, fastest first: the faster, the longer; the chosen one with a halo."""
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
    if chosen is not None:
        wide = max(thick + 1, 2.6)
        ax.plot([0, tips[chosen, 0]], [0, tips[chosen, 1]], color=plots.PAPER, linewidth=wide + 3.5)
        ax.plot([0, tips[chosen, 0]], [0, tips[chosen, 1]], color=colors[chosen], linewidth=wide)
        ax.plot(*tips[chosen], "o", color=colors[chosen], markersize=2 * wide + 2, markeredgecolor=plots.PAPER)
    if count <= 8:
        for i, (x, y) in enumerate(tips):
            if i == 0 or abs(x) > 0.03 or y < 0:
                ax.plot(x, y, "o", color=colors[i], markersize=12)
                ax.text(x, y, f"{i}", color=plots.PAPER, ha="center", va="center_baseline", fontsize=8, weight="bold")
    ax.plot(0, 0, "o", color=plots.INK, markersize=5)


def phases(ax: Axes, speeds, positions, position: int | None = None, chosen: int | None = None) -> None:
    """Draw where every hand points at every position: one column a hand, one row a position, hue the phase.

    Args:
        ax: Where to draw.
        speeds: The hands' speeds (hands,), in rad a token.
        positions: The rows' positions, in order.
        position: The row to frame.
        chosen: The column to frame.
    """
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
    # A thin row or column is shown wider than it is, so that its frame does not hide it.
    shown = []
    if chosen is not None:
        wide = max(1, 0.04 * count)
        left = min(max(chosen - wide / 2, -0.5), count - 0.5 - wide)
        shown.append((turned[:, [chosen]], left, first, wide, span))
    if position is not None:
        tall = max(1, 0.05 * span)
        top = min(max(position - tall / 2, first), last - tall)
        shown.append((turned[positions == position], -0.5, top, count, tall))
    for part, x, y, w, h in shown:
        style = {"cmap": plots.ANGLE, "vmin": 0, "vmax": 1, "interpolation": "nearest"}
        ax.imshow(part, extent=(x, x + w, y + h, y), zorder=2, **style)
        for color, width in ((plots.PAPER, 3), (plots.INK, 1.3)):
            ax.add_patch(_box(x, y, w, h, fill=False, edgecolor=color, linewidth=width, zorder=2.5))
    ax.set(xlabel="hand", ylabel="position (tokens)", xlim=(-0.5, count - 0.5), ylim=(last, first - 0.05 * span))
    ax.xaxis.set_major_locator(MaxNLocator(8, integer=True, min_n_ticks=1))
    ax.spines[:].set_visible(False)


def wave(ax: Axes, speed: float, positions, position: int, color: str) -> None:
    """Draw one hand's sine and cosine along the positions, on a glow of the hand's own colour."""
    positions = np.asarray(positions)
    fine = np.linspace(positions[0], positions[-1], 1500)
    for turn, tone in ((np.sin, plots.SIN), (np.cos, plots.COS)):
        ax.plot(fine, turn(fine * speed), color=color, linewidth=4.5, alpha=0.4)
        ax.plot(fine, turn(fine * speed), color=tone, linewidth=1.3)
        ax.plot(position, turn(position * speed), "o", color=tone, markersize=7, markeredgecolor=plots.PAPER)
    ax.axvline(position, color=plots.SOFT, linewidth=0.8, zorder=0)
    ax.set(xlabel="position (tokens)", ylim=(-1.15, 1.15), yticks=[-1, 0, 1], xlim=(positions[0], positions[-1]))


def bars(ax: Axes, code, chosen: int) -> None:
    """Draw a code (d_model,) as a sine and a cosine for each hand."""
    code = np.asarray(code, float)
    count = len(code) // 2
    ax.axvspan(chosen - 0.5, chosen + 0.5, color=plots.hand_colors(count)[chosen], alpha=0.22, linewidth=0)
    for side, values, tone in ((-1, code[::2], plots.SIN), (1, code[1::2], plots.COS)):
        if count > 64:
            ax.plot(values, color=tone, linewidth=1.2)
        else:
            ax.bar(np.arange(count) + 0.19 * side, values, width=0.36, color=tone)
    ax.axhline(0, color=plots.LINE, linewidth=0.8, zorder=0)
    ax.set(xlabel="hand", ylim=(-1.15, 1.15), yticks=[-1, 0, 1], xlim=(-0.5, count - 0.5))


def clock(speeds, angles, positions, position: int, chosen: int) -> Figure:
    """Draw one position's dial beside the phases of all positions."""
    fig, (left, right) = plots.figure(cols=2)
    fig.set_figheight(3.5)
    dial(left, angles, chosen)
    left.set_title(f"position {position}", loc="center")
    phases(right, speeds, positions, position, chosen)
    return fig


def two_dials(speeds, angles, secret, chosen: int) -> Figure:
    """Draw one dial beside another whose position is not named."""
    fig, axes = plots.figure(cols=2)
    fig.set_figheight(3.5)
    for ax, turned, title in zip(axes, (angles, secret), ("your dial", "the secret dial"), strict=True):
        dial(ax, turned, chosen)
        ax.set_title(title, loc="center")
    return fig


def table(speeds, positions, position: int, chosen: int) -> Figure:
    """Draw the phases of all positions, the wave of the chosen hand and the row of one position."""
    fig = plots.figure()[0]
    fig.clear()
    fig.set_figheight(4.1)
    axes = fig.subplot_mosaic([["map", "wave"], ["map", "row"]])
    phases(axes["map"], speeds, positions, position, chosen)
    wave(axes["wave"], speeds[chosen], positions, position, plots.hand_colors(len(speeds))[chosen])
    axes["wave"].set_title(f"hand {chosen}: the wave")
    code = np.stack([np.sin(position * speeds), np.cos(position * speeds)], axis=-1).ravel()
    bars(axes["row"], code, chosen)
    axes["row"].set_title(f"position {position}: the row")
    return fig


def dial_with_waves() -> tuple[Figure, list[Axes]]:
    """Return a figure and its axes for a dial, the cosine to its right, the sine below it, and words."""
    fig = Figure(figsize=(7.2, 5.0), layout="none")  # places by hand, so that dial and waves line up
    return fig, [fig.add_axes(place) for place in PLACES]


def trace(speeds, positions, position: int, chosen: int) -> Figure:
    """Draw one hand on its dial, its cosine traced to the right and its sine downwards."""
    speed = speeds[chosen]
    color = plots.hand_colors(len(speeds))[chosen]
    fig, placed = dial_with_waves()
    axes = dict(zip(("dial", "cosine", "sine", "words"), placed, strict=True))
    ring(axes["dial"])
    x = np.sin(position * speed)
    y = np.cos(position * speed)
    axes["dial"].plot([0, x], [0, y], color=color, linewidth=3.5)
    axes["dial"].plot(x, y, "o", color=color, markersize=10, markeredgecolor=plots.PAPER)
    axes["dial"].plot(0, 0, "o", color=plots.INK, markersize=5)
    first, last = span(speed, positions, position)
    fine = np.linspace(first, last, 1500)
    for name, turn, tone in (("cosine", np.cos, plots.COS), ("sine", np.sin, plots.SIN)):
        ax = axes[name]
        past = fine[fine <= position]
        for times, width, alpha, paint in ((fine, 1.2, 0.3, tone), (past, 4.5, 0.4, color), (past, 1.6, 1, tone)):
            across = (times, turn(times * speed))
            ax.plot(*(across if name == "cosine" else across[::-1]), color=paint, linewidth=width, alpha=alpha)
        here = (position, turn(position * speed))
        here = here if name == "cosine" else here[::-1]
        ax.plot(*here, "o", color=tone, markersize=7, markeredgecolor=plots.PAPER)
        ends = {"coordsA": axes["dial"].transData, "coordsB": ax.transData}
        fig.add_artist(ConnectionPatch((x, y), here, **ends, color=tone, linestyle="--", linewidth=1.2))
    axes["cosine"].set(ylim=(-1.36, 1.36), xlabel="position (tokens)", yticks=[-1, 0, 1], title="cosine: how high")
    axes["sine"].set(xlim=(-1.36, 1.36), ylabel="position (tokens)", xticks=[-1, 0, 1], xlabel="sine: how far right")
    axes["sine"].invert_yaxis()
    words = axes["words"]
    words.axis("off")
    angle = position * speed
    lines = [
        (f"hand {chosen}, position {position}", plots.INK),
        (f"sin {fixed(angle)} = {fixed(x)}", plots.SIN),
        (f"cos {fixed(angle)} = {fixed(y)}", plots.COS),
    ]
    for k, (text, tone) in enumerate(lines):
        words.text(0.5, 0.65 - 0.16 * k, text, color=tone, fontsize=13, ha="center", weight="bold")
    return fig


def span(speed: float, positions, position: int) -> tuple[int, int]:
    """Return between which positions a trace runs: four turns, though at least 32 positions and at most all."""
    first = int(positions[0])
    last = int(positions[-1])
    length = max(32, int(np.ceil(4 * TURN / speed)))
    if length >= last - first:
        return first, last
    start = first + length * ((position - first) // length)
    return start, start + length


def _box(x: float, y: float, width: float, height: float, **style):
    from matplotlib.patches import Rectangle

    return Rectangle((x, y), width, height, clip_on=False, **style)
