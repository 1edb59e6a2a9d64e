"""Draw lesson 04: a shift as a matrix, and the dot product K(k) as a sum of arrows."""

from __future__ import annotations

import itertools

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from clockwork.kit import plots
from clockwork.kit.numbers import amount, fixed
from clockwork.kit.plots import dials
from pe_helpers import sinusoidal


def blocks(ax: Axes, matrix) -> None:
    """Draw a shift's matrix with a frame in the hand's colour round each block."""
    plots.heat_map(ax, matrix, limit=1, colorbar=False)
    for i, color in enumerate(plots.hand_colors(len(matrix) // 2)):
        ax.add_patch(Rectangle((2 * i - 0.5, 2 * i - 0.5), 2, 2, fill=False, edgecolor=color, linewidth=2.5))
    ax.set(aspect="equal", xticks=[], yticks=[])


def chain(ax: Axes, inv_freq, k: int, level: float = 0.0, *, width: float = 2.0) -> complex:
    """Draw one unit arrow per hand, turned by k · ω_i, tip to tail, slowest first; return where the last one ends.

    Args:
        ax: Where to draw.
        inv_freq: The hands' speeds, (hands,), in rad per token, fastest first.
        k: The offset, in tokens.
        level: The height at which the chain begins.
        width: Of an arrow's line, in points.
    """
    slowest_first = np.asarray(inv_freq)[::-1]
    ends = np.concatenate([[0], np.exp(1j * k * slowest_first).cumsum()])
    for start, end, color in zip(ends[:-1], ends[1:], plots.hand_colors(len(ends) - 1)[::-1], strict=True):
        arrow = {"arrowstyle": "-|>", "color": color, "linewidth": width, "mutation_scale": 4 * width}
        arrow |= {"shrinkA": 0, "shrinkB": 0}
        ax.annotate("", (end.real, level + end.imag), (start.real, level + start.imag), arrowprops=arrow)
    ax.plot(0, level, "o", color=plots.INK, markersize=4)
    return ends[-1]


def moved(matrix, position: int, k: int) -> Figure:
    """Draw the hands of a position, a shift matrix with its entries, and the hands that it makes of them.

    Args:
        matrix: The shift by k tokens, (d_model, d_model), one block per hand.
        position: The position before the shift.
        k: The shift, in tokens.
    """
    matrix = np.asarray(matrix, float)
    count = len(matrix) // 2
    inv_freq = sinusoidal.inv_freq(2 * count).numpy()
    fig = plots.figure()[0]
    fig.clear()
    fig.set_figheight(1.05 * count + 0.5)
    grid = fig.add_gridspec(count, 3, width_ratios=[1, 0.95 * count, 1])
    colors = plots.hand_colors(count)
    ends = ((0, position, f"PE({position})"), (2, position + k, f"PE({position + k})"))
    for column, p, title in ends:
        for i in range(count):
            ax = fig.add_subplot(grid[i, column])
            dials.rim(ax, hours=False)
            ax.set(xlim=(-1.08, 1.08), ylim=(-1.08, 1.08))
            if column:
                dashed = position * inv_freq[i]
                ax.plot([0, np.sin(dashed)], [0, np.cos(dashed)], ":", color=colors[i], linewidth=1.5)
            turned = p * inv_freq[i]
            ax.plot([0, np.sin(turned)], [0, np.cos(turned)], color=colors[i], linewidth=3.5)
            ax.set_title(title if i == 0 else "", loc="center")
            if column == 0:
                ax.set_ylabel(f"hand {i}", rotation=0, ha="right", va="center")
            else:
                ax.yaxis.set_label_position("right")
                ax.set_ylabel(f"+{amount(k * inv_freq[i])} rad", rotation=0, ha="left", va="center")
    ax = fig.add_subplot(grid[:, 1])
    blocks(ax, matrix)
    for (row, column), entry in np.ndenumerate(matrix):
        if row // 2 == column // 2:
            tone = plots.PAPER if abs(entry) > 0.6 else plots.INK
            ax.text(column, row, fixed(entry), ha="center", va="center", fontsize=8, color=tone)
    ax.text(2 * count - 2.5, 1.2, f"$M_{{{k}}}$", fontsize=26, ha="center", va="center")
    for x, y in ((1.2, 2 * count - 2.5), (2 * count - 2.5, 3.2)):
        ax.text(x, y, "0", fontsize=20, color=plots.FAINT, ha="center", va="center")
    return plots.describe(
        fig,
        alt=(
            f"{count} dials with one hand each at position {position}, the matrix M_{k}, and the same hands at "
            f"position {position + k}. The matrix is zero except for {count} blocks of two by two along the diagonal, "
            "and each block turns one hand by its own angle."
        ),
        caption=(
            f"Each 2 × 2 block turns one hand. White is 0: no hand affects another. Dotted: where the hand was. "
            f"Nothing in the matrix depends on the position {position}."
        ),
        numbers=[
            ("hand", "turned by (rad)", "diagonal of its block", "upper right", "lower left"),
            *(
                (
                    f"{i}",
                    amount(k * inv_freq[i]),
                    fixed(matrix[2 * i, 2 * i], 3),
                    fixed(matrix[2 * i, 2 * i + 1], 3),
                    fixed(matrix[2 * i + 1, 2 * i], 3),
                )
                for i in range(count)
            ),
        ],
    )


def sums(offsets, d_model: int) -> Figure:
    """Draw, one row per offset, an arrow per hand turned by its angle, tip to tail, and K(k), how far they get.

    Args:
        offsets: The offsets k, in tokens.
        d_model: The width of a code, twice the number of arrows.
    """
    inv_freq = sinusoidal.inv_freq(d_model).numpy()
    count = len(inv_freq)
    fig, ax = plots.narrow()
    level = 0.0
    reached = []
    for k in offsets:
        heights = np.exp(1j * k * inv_freq[::-1]).imag.cumsum()
        told = f"K({k}) = {fixed((np.exp(1j * k * inv_freq)).real.sum(), 1)}"
        ax.text(0, level, f"k = {k}", va="top", weight="bold")
        ax.text(count, level, told, ha="right", va="top", fontsize=10, color=plots.ink(plots.KEY))
        level -= max(heights.max(), 0) + 0.12 * count
        end = chain(ax, inv_freq, k, level)
        under = level + min(heights.min(), 0) - 0.04 * count
        ax.plot([0, end.real], [under, under], color=plots.KEY, linewidth=3, solid_capstyle="butt")
        ax.plot([end.real] * 2, [under, level + end.imag], ":", color=plots.KEY, linewidth=1)
        reached.append((f"{k}", f"{end.real:.1f}"))
        level = under - 0.09 * count
    ax.set(xlim=(-0.01 * count, 1.01 * count), ylim=(level, 0), aspect="equal")
    ax.axis("off")
    fig.set_figheight(plots.NARROW * -level / (1.02 * count) + 0.1)
    return plots.describe(
        fig,
        alt=(
            f"Chains of {count} arrows, one per hand, each turned by k times its speed. At k = 0 they make one "
            "straight line. As k grows, the arrows of the fast hands bend the end of the chain, then curl it up, and "
            "the chain gets less and less far."
        ),
        caption=(
            f"K(k) as {count} arrows (d_model {d_model}), from the slowest hand (light) to the fastest (dark). In "
            "orange, how far to the right they get together: K(k). At k = 0 all arrows are in line. With more tokens "
            "between, more of them curl up."
        ),
        numbers=[("offset k (tokens)", "K(k)"), *reached],
    )


def kernels(values, *, d_model: int) -> Figure:
    """Draw K(0), K(1), … divided by K(0), with the mean of each tenth, and 40 steps close up.

    Args:
        values: K(0), K(1), …, at least 41 of them.
        d_model: The width of a code.
    """
    fig, (ax, near) = plots.panels(2, 2.8)
    values = np.asarray(values, float)
    last = len(values) - 1
    means = {(first, end): values[first : end + 1].mean() for first, end in stretched(last, 10)}
    first_mean, *_, last_mean = means.values()
    ax.plot(values / values[0], color=plots.PINK, linewidth=0.8)
    for ends, mean in means.items():
        ax.plot(ends, [mean / values[0]] * 2, color=plots.INK, linewidth=2)
    ax.axhline(0, color=plots.SOFT, linewidth=0.8)
    ax.set(xlabel="offset k (tokens)", ylabel="K(k) / K(0)", xlim=(-0.01 * last, 1.01 * last), ylim=(-0.22, 1.05))
    ax.set_xticks([0, last // 2, last], [f"{tick:,}" for tick in (0, last // 2, last)])
    key(ax, ((plots.PINK, f"each offset, d_model {d_model}"), (plots.INK, "mean of each tenth")), loc="upper right")
    middle = last // 2
    shown = np.arange(middle - 20, middle + 21)
    for first in shown[:-1]:
        up = values[first + 1] > values[first]
        tone, width = (plots.KEY, 2.2) if up else (plots.GREY, 1)
        near.plot([first, first + 1], values[first : first + 2] / values[0], color=tone, linewidth=width)
    near.set(xlabel="offset k (tokens)", xticks=[shown[0], shown[-1]])
    near.set_xticklabels([f"{tick:,}" for tick in (shown[0], shown[-1])])
    near.set_title("40 steps close up", pad=26)
    above = {"loc": "lower left", "bbox_to_anchor": (-0.03, 0.98), "ncols": 2}
    key(near, ((plots.KEY, "goes up"), (plots.GREY, "goes down")), **above)
    rises = int((np.diff(values[shown]) > 0).sum())
    return plots.describe(
        fig,
        alt=(
            f"K against the offset, from 0 to {last:,} tokens, a band that wobbles at every step. "
            f"Its mean goes from {first_mean / values[0]:.2f} of K(0) in the first tenth to "
            f"{fixed(last_mean / values[0])} in the last. Close up, {rises} of 40 steps go up."
        ),
        caption=(
            "K over the whole way, and its mean over each tenth. "
            f"Close up, the 40 steps in the middle: {rises} of them go up."
        ),
        numbers=[
            ("offsets", f"mean of K at d_model {d_model}"),
            *((f"{first:,} to {end:,}", fixed(float(mean))) for (first, end), mean in means.items()),
        ],
    )


def key(ax: Axes, entries, **place) -> None:
    """Name the colours of lines, (colour, what it means) each; `place` is what a legend takes."""
    lines = [Line2D([], [], color=color, linewidth=2.5, label=meaning) for color, meaning in entries]
    ax.legend(handles=lines, frameon=False, fontsize=9, handlelength=1.2, columnspacing=1.2, **place)


def stretched(last: int, count: int) -> list[tuple[int, int]]:
    """Return the first and the last offset of each of `count` stretches from 0 to `last`."""
    ends = [last * n // count for n in range(count + 1)]
    return list(itertools.pairwise(ends))


def agreement(apart, values) -> Figure:
    """Draw cos(k·ω_i) for some offsets, (count, hands): how well each hand agrees with itself k tokens later."""
    fig, ax = plots.narrow(2.5)
    image = plots.heat_map(ax, values, limit=1, xlabel="hand", ylabel="offset (tokens)", colorbar=False)
    scale = fig.colorbar(image, ax=ax, label="cos(k·ω_i)", location="top", fraction=0.06, aspect=40, ticks=[-1, 0, 1])
    scale.outline.set_visible(False)
    ax.set(yticks=range(len(apart)), yticklabels=[f"{k}" for k in apart], xticks=[0, 3, *range(10, len(values[0]), 10)])
    told = ", ".join(f"{k}" for k in apart)
    return plots.describe(
        fig,
        alt=f"Agreement of the fastest hands at offsets {told}: equal at hand 3, different at most other hands.",
        caption="Red: the hand agrees with itself, as hand 3 does in all rows. Hands of other periods tell them apart.",
        numbers=[
            ("hand", *(f"{k} tokens" for k in apart)),
            *(
                (f"{hand}", *(fixed(float(row[hand])) for row in values))
                for hand in sorted({*range(6), *range(10, len(values[0]), 10)})
                if hand < len(values[0])
            ),
        ],
    )
