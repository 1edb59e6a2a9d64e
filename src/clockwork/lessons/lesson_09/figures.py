"""Draw lesson 09: rows of position tables, their cosines, and how they go round in the plane of two directions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from clockwork.kit import plots
from clockwork.kit.plots import hands

TRAIL = 12  # rows that the line joins
DOT = 2.4  # points: thin enough to be a line, and no coloured area, where a picture is redrawn for the dark
RISE = 0.05  # by which a top must be higher than the one before to be named
OUTER = 0.99  # of the rows lie within the frame's reach
FASTEST = 1.0  # rad per token: the sinusoid's fastest hand
PIXELS = 512  # of the picture of cosines: one for each row, so that nothing shimmers
ALIKE = ListedColormap(0.95 * colormaps[plots.SIGNED](np.arange(256))[:, :3])  # its middle is darker than paper
BY_POSITION = ListedColormap(plots.hand_colors(256))


def lengths(tables: Mapping[str, np.ndarray], special: Mapping[str, list[int]]) -> Figure:
    """Draw how long each row is, one panel a table, and name the rows that stand out.

    Args:
        tables: tables (max_len, d_model) by name.
        special: the rows to name, for each table.
    """
    fig, axes = plots.panels(len(tables), 2.9)
    said = []
    numbers = [("length of a row", "usually", "shortest", "longest", "named rows")]
    for ax, (name, table) in zip(axes, tables.items(), strict=True):
        long = np.linalg.norm(np.asarray(table, float), axis=1)
        top = 1.3 * np.sort(long)[-2]
        ax.plot(long, color=plots.SIN, linewidth=1.2)
        ax.set(title=name, xlabel="position (tokens)", ylim=(0, top), xlim=(-len(long) / 30, 1.03 * len(long)))
        for row in special[name]:
            height = min(long[row], 0.93 * top)
            side = 1 if row < 0.8 * len(long) else -1
            out = f" ({long[row]:.2f})" if long[row] > top else ""
            ax.plot(row, height, "o", color=plots.COS, markersize=5)
            ax.annotate(
                f"{row}{out}",
                (row, height),
                xytext=(7 * side, 0),
                textcoords="offset points",
                ha="left" if side > 0 else "right",
                va="center",
                color=plots.ink(plots.COS),
                weight="bold",
            )
        usual = np.median(long)
        named = [f"row {row} {long[row]:.2f}" for row in special[name]]
        said.append(f"{name}: usually {usual:.2f}, " + ", ".join(named))
        numbers.append((name, *(f"{length:.2f}" for length in (usual, long.min(), long.max())), ", ".join(named)))
        ax.set_ylabel("length of the row")
    return plots.describe(
        fig,
        alt=f"The length of each row against its position. {'; '.join(said)}. Most other rows are nearly alike.",
        caption=(
            "Most rows of this table are nearly equally long. A few stand out, and these are named. All rows of a "
            "sinusoid have one length."
        ),
        numbers=numbers,
    )


def cosines(table: np.ndarray, similar: Sequence[float], *, seam: int) -> Figure:
    """Draw the cosine of every two rows of a table and their mean at each distance, and mark the sinusoid's turns.

    Args:
        table: the table (512, d_model).
        similar: the mean cosine at the distances 1, 2, 3, …
        seam: the last row before the table changes.
    """
    unit = np.asarray(table, float)
    unit = unit / np.linalg.norm(unit, axis=1, keepdims=True)
    fig, (left, right) = plots.panels(2, 3.4)
    fig.set_layout_engine("none")
    width, height = np.array((plots.NARROW, fig.get_figheight())) * plots.CSS_PIXELS * plots.SHARPNESS
    left.set_position((0.125, 0.13, PIXELS / width, PIXELS / height))
    right.set_position((0.125, 0.13, 0.85, PIXELS / height))
    image = left.imshow(unit @ unit.T, cmap=ALIKE, vmin=-1, vmax=1, interpolation="nearest")
    ticks = [0, seam, 2 * seam + 1, 511]
    left.set(title="cosine of two rows", xlabel="position (tokens)", xticks=ticks, yticks=ticks)
    left.get_xticklabels()[-1].set_horizontalalignment("right")
    left.spines[:].set_visible(False)
    key = fig.subfigs[0].add_axes((0.72, 0.965, 0.25, 0.02))
    bar = fig.colorbar(image, cax=key, orientation="horizontal")
    bar.set_ticks([-1, 0, 1], labels=["−1", "0", "1"])
    bar.outline.set_visible(False)
    curve = np.asarray(similar, float)
    right.plot(np.arange(1, len(curve) + 1), curve, "-o", color=plots.SIN, markersize=2.5, linewidth=1.3)
    tops = [k + 1 for k in range(1, len(curve) - 1) if curve[k - 1] < curve[k] > curve[k + 1]]
    peaks = tops[:3]
    rises = [k for before, k in pairwise(tops) if curve[k - 1] > curve[before - 1] + RISE][:1]
    for k in peaks + rises:
        right.annotate(f"{k}", (k, curve[k - 1]), xytext=(0, 6), textcoords="offset points", ha="center", fontsize=9)
    for turn in range(1, len(peaks) + 1):
        at = turn * hands.TURN / FASTEST
        right.plot([at, at], [0, 0.15], color=plots.SOFT, linewidth=1)
        right.annotate(f"{2 * turn}π", (at, 0.16), color=plots.SOFT, ha="center", fontsize=9)
    right.axhline(0, color=plots.FAINT, linewidth=0.8)
    right.set(title="mean cosine at each distance", xlabel="distance (tokens)", ylim=(-0.1, 1.05), xlim=(0, None))
    return plots.describe(
        fig,
        alt=(
            "A square of cosines, all rows against all rows. Fine stripes run along the diagonal, a thin pale "
            f"cross goes through row {seam}, and broad bands show that rows some 240 apart are opposite. "
            f"Beside it, the mean cosine falls from {curve[0]:.2f} at distance 1 in waves, with tops at {peaks}. "
            "Marks at 2π, 4π and 6π, where the sinusoid's fastest hand comes round, lie a little further right."
        ),
        caption=(
            "The square: red for cosines above 0, blue below. Find the fine stripes along the diagonal, the thin pale "
            f"cross at {seam}, and broad bands: slow waves. The curve: rows six tokens apart are more alike than rows "
            "three apart; short marks, where the sinusoid's fastest hand has come round."
        ),
        numbers=[("distance (tokens)", "mean cosine"), *((str(k + 1), f"{cos:.2f}") for k, cos in enumerate(curve))],
    )


def wanders(ahead: Mapping[str, np.ndarray], *, first: int = 0) -> Figure:
    """Draw by how many tokens hands are ahead of an even clock at each row, a line a hand, each about its own mean.

    Args:
        ahead: for each hand, by its name, tokens at each row; minus for late.
        first: the position of the first row.
    """
    fig, ax = plots.narrow(2.9)
    lines = {name: np.asarray(tokens, float) for name, tokens in ahead.items()}
    lines = {name: tokens - tokens.mean() for name, tokens in lines.items()}
    for (name, tokens), color in zip(lines.items(), (plots.SIN, plots.COS), strict=True):
        rows = first + np.arange(len(tokens))
        ax.plot(rows, tokens, color=color, linewidth=1.8, label=name, zorder=3 if color == plots.SIN else 2)
    ax.axhline(0, color=plots.SOFT, linewidth=0.8)
    ax.set(xlabel="position (tokens)", ylabel="tokens ahead", xlim=(rows[0], rows[-1]))
    ax.legend(loc="upper right", frameon=False)
    one, other = lines.values()
    apart = np.abs(one - other).mean()
    wide = {name: f"{np.ptp(tokens):.1f}" for name, tokens in lines.items()}
    said = "; ".join(f"the {name}'s wander is {tokens} tokens wide" for name, tokens in wide.items())
    return plots.describe(
        fig,
        alt=f"Two lines against position: {said}. They fall and rise together, {apart:.1f} tokens apart.",
        caption=(
            "How many tokens each hand is ahead of an even clock, less its mean. A line that falls is a slow hand. At "
            "the last rows the second hand is short, and its angle leaps; its small ripples we did not explain."
        ),
        numbers=[("line", "tokens"), *wide.items(), ("apart, on average", f"{apart:.1f}")],
    )


def reach(points: np.ndarray) -> float:
    """Return the radius of a frame that holds nearly all points (rows, 2)."""
    return 1.12 * float(np.quantile(np.linalg.norm(points, axis=1), OUTER))


def cloud(ax: Axes, points: np.ndarray, *, size: float) -> None:
    """Draw points of a plane, coloured by position, within a circle of radius `size`.

    Args:
        ax: where to draw.
        points: (rows, 2).
        size: the frame's radius.
    """
    inside = np.linalg.norm(points, axis=1) <= size
    positions = np.arange(len(points))
    colors = BY_POSITION(positions[inside] / positions[-1])
    ax.scatter(*points[inside].T, c=colors, s=DOT**2, linewidths=0)
    ax.set(xlim=(-size, size), ylim=(-size, size), aspect="equal")
    ax.axis("off")


def rings(
    planes: Mapping[str, Mapping[str, np.ndarray]], *, chosen: str = "that was chosen from its earlier rows"
) -> Figure:
    """Draw clouds side by side, for each table one for each range of its rows, and say how they go round.

    Args:
        planes: for each table, by the range's name, where the rows are in the plane, (rows, 2), the middle at (0, 0).
        chosen: which plane of each table this is, for the caption.
    """
    count = sum(len(ranges) for ranges in planes.values())
    lines = (count + 1) // 2
    fig, axes = plots.narrow(2.35 * lines, rows=lines, cols=min(count, 2))
    fig.set_layout_engine("constrained", rect=(0, 0.04, 1, 0.91), hspace=0.2)
    said = []
    numbers = [("cloud", "times round", "mean turn from row to row (rad)", "radius varies by")]
    left = iter(np.atleast_1d(axes).flat)
    for name, ranges in planes.items():
        ranges = {which: np.asarray(points, float) for which, points in ranges.items()}
        size = max(reach(points) for points in ranges.values())
        for which, points in ranges.items():
            ax = next(left)
            cloud(ax, points, size=size)
            ax.plot(*points[:TRAIL].T, color=plots.COS, linewidth=0.8)
            ax.set_title(f"{name}\n{which}", fontsize=10)
            tips = points[:, 1] + 1j * points[:, 0]
            turn = abs(np.angle(tips[1:] / tips[:-1]).sum())
            times = turn / hands.TURN
            radius = np.abs(tips)
            varies = f"{radius.std() / radius.mean():.0%}"
            told = f"{times:.1f} times round\nradius varies by {varies}"
            ax.text(0.5, -0.04, told, transform=ax.transAxes, ha="center", va="top", fontsize=9)
            numbers.append((f"{name}, {which}", f"{times:.1f}", f"{turn / (len(points) - 1):.2f}", varies))
            said.append(f"{name}, {which}: {times:.1f} times round, and the radius varies by {varies} of its mean")
    return plots.describe(
        fig,
        alt=f"{count} clouds of dots in a plane. {'; '.join(said)}.",
        caption=(
            f"Each table in the plane {chosen}, and at a scale of its own. How far the radius varies is given as a "
            "share of its mean. Colours run from the first row to the last; the line joins the first twelve."
        ),
        numbers=numbers,
    )
