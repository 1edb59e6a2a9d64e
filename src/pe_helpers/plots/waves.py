"""Draw lesson 02: digits as waves, a hand and its waves, codes that step by a matrix, speeds, the table by phase."""

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import ConnectionPatch

from pe_helpers import plots
from pe_helpers.plots import hands

HAND_PLACES = (  # left, bottom, width and height of the dial, its two waves and the words, in parts of the figure
    (0.08, 0.55, 0.2778, 0.4),  # a square of 2 inches
    (0.42, 0.55, 0.56, 0.4),
    (0.08, 0.1, 0.2778, 0.42),
    (0.47, 0.1, 0.5, 0.3),
)


def counter(num_positions: int = 16, num_digits: int = 4) -> Figure:
    """Draw binary digits with their waves, and the same waves slowed down until the fastest turns 1 rad a token."""
    fig, axes = plots.figure(rows=num_digits, cols=2, sharex=True, sharey=True)
    fig.set_figheight(0.8 * num_digits + 0.9)
    positions = np.arange(num_positions)
    fine = np.linspace(-0.5, num_positions - 0.5, 40 * num_positions)
    for i, (digit, slower) in enumerate(axes):
        digit.bar(positions, 2 * (positions >> i & 1) - 1, width=1, color=plots.LINE)
        for ax, speed in ((digit, np.pi / 2**i), (slower, 1 / 2**i)):
            ax.plot(fine, -np.sin((fine + 0.5) * speed), color=plots.SIN, linewidth=1.2)
            ax.plot(positions, -np.sin((positions + 0.5) * speed), "o", color=plots.SIN, markersize=4)
            ax.set(yticks=[], ylim=(-1.25, 1.25), xlim=(-0.5, num_positions - 0.5))
            ax.spines["left"].set_visible(False)
            ax.text(1.01, 0.5, f"{2 * np.pi / speed:.3g}", transform=ax.transAxes, va="center", fontsize=9)
        digit.set_ylabel(f"digit {i}", rotation=0, ha="right", va="center")
    for ax, title in zip(axes[0], ("Binary digits and their waves", "The same waves, slower"), strict=True):
        ax.set_title(title)
        ax.text(1.01, 1.12, "period", transform=ax.transAxes, fontsize=8, color=plots.GREY)
    for ax in axes[-1]:
        ax.set(xlabel="position (tokens)", xticks=positions[::2])
    return plots.describe(
        fig,
        alt=(
            "Left: grey bars show binary digits 0 to 3 of the positions 0 to 15, with a sine wave through each. At the "
            "whole positions, marked by dots, the wave of digit 0 is at its top or its bottom, like the digit. Right: "
            "the same four waves slowed down; the dots of the fastest now pass through heights in between."
        ),
        caption=(
            "A digit is a wave with corners. A code is read at whole positions, the dots. On the left, digit 0 is "
            "still only up or down. On the right the fastest wave repeats after 2π = 6.28 tokens, and its dots glide."
        ),
    )


def hand(omega: float, marked: tuple[int, int], num_positions: int = 17) -> Figure:
    """Draw a hand whose height traces the cosine to the right and whose sideways place traces the sine downwards.

    Args:
        omega: How far the hand turns per token, in rad.
        marked: Two positions to mark on the dial and on both waves.
        num_positions: How many positions the waves show.
    """
    fig = Figure(figsize=(7.2, 5.0), layout="none")  # places by hand, so that dial and waves line up
    dial, right, below, words = (fig.add_axes(place) for place in HAND_PLACES)
    positions = np.arange(num_positions)
    fine = np.linspace(0, num_positions - 1, 400)
    hands.ring(dial)
    right.plot(fine, np.cos(omega * fine), color=plots.COS)
    right.plot(positions, np.cos(omega * positions), "o", color=plots.COS, markersize=3)
    below.plot(np.sin(omega * fine), fine, color=plots.SIN)
    below.plot(np.sin(omega * positions), positions, "o", color=plots.SIN, markersize=3)
    for p, color in zip(marked, (plots.GREEN, plots.PINK), strict=True):
        tip = np.array([np.sin(omega * p), np.cos(omega * p)])
        dial.plot(*zip((0, 0), tip, strict=True), color=color, linewidth=3.5)
        dial.annotate(f"{p}", (0.3, 0.72) * tip, ha="center", va="center", weight="bold", color=plots.ink(color))
        for ax, point, aside in ((right, (p, tip[1]), (9, 4)), (below, (tip[0], p), (-12, 6))):
            ax.plot(*point, "o", color=color, markersize=8)
            ax.annotate(f"{p}", point, aside, textcoords="offset points", weight="bold", color=plots.ink(color))
            trace = ConnectionPatch(tip, point, dial.transData, ax.transData, color=color, linestyle=":", linewidth=1.2)
            fig.add_artist(trace)
    limits = (-1.36, 1.36)
    right.set(ylim=limits, xlim=(-0.3, num_positions - 1), xlabel="position (tokens)", yticks=[-1, 0, 1])
    right.set_title("cosine: how high", color=plots.ink(plots.COS))
    below.set(xlim=limits, ylim=(num_positions - 1, -0.3), xticks=[-1, 0, 1])
    below.set(ylabel="position (tokens)", yticks=positions[::4])
    below.set_xlabel("sine: how far right", color=plots.ink(plots.SIN), weight="bold", fontsize=11)
    words.axis("off")
    first, second = marked
    told = (
        f"Positions {first} and {second} share one sine: {np.sin(omega * first):.3f}.\n"
        f"Their cosines differ: {np.cos(omega * first):+.3f} and {np.cos(omega * second):+.3f}.\n\n"
        f"Each token turns the hand by the same angle,\nω = {omega:.3f} rad, wherever it is."
    ).replace("-", "−")
    words.text(0, 0.5, told, va="center", fontsize=10, linespacing=1.6)
    return plots.describe(
        fig,
        alt=(
            f"A dial with two hands, at positions {first} and {second}. To its right the cosine wave that their "
            f"heights trace, below it the sine wave that their distances to the right trace. {first} and {second} have "
            "the same sine and opposite cosines."
        ),
        caption=(
            f"One hand draws both waves. The sine alone cannot tell {first} from {second}, because it does not say "
            "whether the wave is rising or falling. The point on the dial can."
        ),
    )


def paths(codes: Mapping[str, np.ndarray], *, start: int) -> Figure:
    """Draw the first two numbers of each code, step by step, the way back from `start` apart from the way on.

    Args:
        codes: For each name the codes (seq_len, 2 or more) of consecutive positions.
        start: The row from which one walks in both directions.
    """
    fig, axes = plots.figure(cols=len(codes))
    fig.set_figheight(2.6)
    for ax, (name, table) in zip(axes, codes.items(), strict=True):
        x, y = np.asarray(table, float)[:, :2].T
        ax.plot(x[: start + 1], y[: start + 1], ".-", color=plots.PINK, linewidth=0.6, markersize=7)
        ax.plot(x[start:], y[start:], ".-", color=plots.GREEN, linewidth=0.6, markersize=3)
        ax.plot(x[start], y[start], "o", color=plots.INK, markersize=6)
        ax.set_title(name, loc="center", fontsize=10)
        size = 1.1 * max(np.abs(x).max(), np.abs(y).max())
        ax.set(xlim=(-size, size), ylim=(-size, size), xticks=[], yticks=[], aspect="equal")
        ax.spines[:].set_visible(False)
        ax.axhline(0, color=plots.LINE, linewidth=0.8, zorder=0)
        ax.axvline(0, color=plots.LINE, linewidth=0.8, zorder=0)
    fig.supxlabel("● position 0     green: forwards     pink: backwards", fontsize=9, color=plots.GREY)
    return plots.describe(
        fig,
        alt=(
            f"{len(codes)} walks of a code through its plane, forwards and backwards from position 0: "
            + "; ".join(codes)
            + ". Only the turning one stays on one circle in both directions."
        ),
        caption=(
            "Each walk repeats one matrix. Fading runs into the origin forwards and away from it backwards. The index "
            "leaves along a straight line. Turning keeps its distance both ways."
        ),
    )


def spacings(speeds: Mapping[str, np.ndarray], gaps: Mapping[str, np.ndarray]) -> Figure:
    """Draw, one row a choice of speeds, where the speeds lie and how far apart the codes are that they give.

    Args:
        speeds: For each name the speeds in rad per token.
        gaps: For each name the distance of two codes that are 1, 2, … tokens apart.
    """
    fig, axes = plots.figure(rows=len(speeds), cols=2, width_ratios=[1, 1.9], sharex="col")
    fig.set_figheight(1.45 * len(speeds) + 0.5)
    for (left, right), (name, inv_freq) in zip(axes, speeds.items(), strict=True):
        inv_freq = np.sort(np.asarray(inv_freq, float))[::-1]
        left.vlines(inv_freq, 0, 1, colors=plots.hand_colors(len(inv_freq)), linewidth=3)
        left.set(xscale="log", xlim=(1.4, 1.5e-4), ylim=(0, 1.25), yticks=[])
        left.spines["left"].set_visible(False)
        left.set_title(name)
        gap = np.asarray(gaps[name], float)
        worst = gap[1:].argmin() + 2
        right.plot(np.arange(1, len(gap) + 1), gap, color=plots.GREY, linewidth=0.6)
        right.axhline(gap[0], color=plots.GREEN, linewidth=1, linestyle="--")
        right.set(xscale="log", xlim=(1, len(gap)), ylim=(0, 6), yticks=[0, 2, 4])
        if gap[worst - 1] < gap[0] / 2:
            right.plot(worst, gap[worst - 1], "o", color=plots.COS, markersize=7)
            told = f"{worst} tokens apart: {gap[worst - 1]:.3f} "
            right.annotate(told, (0.85 * worst, 0.15), ha="right", fontsize=9, color=plots.ink(plots.COS))
        right.text(1.08, gap[0] - 0.1, f"neighbours: {gap[0]:.2f}", fontsize=8, va="top", color=plots.ink(plots.GREEN))
    axes[0, 1].set_title("distance between two codes")
    axes[-1, 0].set_xlabel("speed of each hand (rad a token)")
    axes[-1, 1].set_xlabel("tokens between the two positions")
    return plots.describe(
        fig,
        alt=(
            "For each choice of speeds, the speeds as marks on a logarithmic axis and the distance of two codes over "
            "the number of tokens between them. Evenly spaced speeds crowd at the fast end, and their distance drops "
            "to almost nothing at 44 tokens. Random speeds give a flat curve. Geometric speeds climb at every scale."
        ),
        caption=(
            "Left: one line a hand. Right: how far apart two codes are. Evenly spaced hands all meet again. With "
            "random speeds, 5 tokens look as far as 5,000. With one factor from hand to hand, distance keeps growing."
        ),
    )


def table(codes, *, columns: str = "dimension") -> Figure:
    """Draw a table of codes as the papers do: one row a position, one column a number."""
    fig, ax = plots.figure()
    plots.heat_map(ax, codes, xlabel=columns, ylabel="position (tokens)", label="value", limit=1)
    positions, width = np.asarray(codes).shape
    return plots.describe(
        fig,
        alt=f"Heat map of {positions} positions by {width} numbers: stripes on the left, even columns on the right.",
        caption=(
            "The usual picture. Red is +1, blue −1. Sines and cosines take turns, so the resting hands on the right "
            "appear as white and red columns."
        ),
    )


def phases(speeds: Mapping[str, np.ndarray], num_positions: int, *, resting: Mapping[str, int] | None = None) -> Figure:
    """Draw tables of codes by the direction of their hands: one row a position, one column a hand.

    Args:
        speeds: For each title the speeds of the hands, in rad per token.
        num_positions: Rows of each table.
        resting: For a title, the number of hands at the right end to bracket.
    """
    widths = [len(inv_freq) ** 0.3 for inv_freq in speeds.values()]  # wide tables get more room, narrow ones enough
    fig, axes = plots.figure(cols=len(speeds) + 1, width_ratios=[*widths, 0.36 * max(widths)])
    told = ""
    for ax, (title, inv_freq) in zip(axes, speeds.items(), strict=False):
        hands.phases(ax, inv_freq, np.arange(num_positions))
        ax.set(title=title, ylabel="")
        count = (resting or {}).get(title)
        if count:
            last = len(inv_freq) - 1
            told += f" {count} of {len(inv_freq)} hands of {title} turn by less than 0.1 rad."
            ax.plot([last - count + 1, last], [3, 3], color=plots.INK, linewidth=1.5)
            ax.text(
                last - (count - 1) / 2, 4, f"{count} hands turn\nless than 0.1 rad", ha="center", va="top", fontsize=8
            )
    axes[0].set_ylabel("position (tokens)")
    hands.ring(axes[-1])
    axes[-1].text(0, 0, "where\na hand\npoints", ha="center", va="center", fontsize=8)
    return plots.describe(
        fig,
        alt=(
            "Tables of codes with one column a hand and the direction of the hand as colour: "
            + "; ".join(speeds)
            + ". The left columns run through all colours again and again, further right the colours change ever more "
            "slowly, and the rightmost columns keep one colour." + told
        ),
        caption=(
            "Each column is one hand, coloured by where it points. Going down a column, the hand turns: fast on the "
            "left, hardly at all on the right."
        ),
    )


def learning(losses: Mapping[str, np.ndarray], *, chance: float) -> Figure:
    """Draw the loss of every seed over the training steps, one colour a set-up, against guessing.

    Args:
        losses: For each name the losses (steps, seeds) in nats per answer.
        chance: The share of right answers of a model that guesses.
    """
    fig, ax = plots.figure()
    for (name, table), color in zip(losses.items(), (plots.GREY, plots.SIN), strict=True):
        lines = ax.plot(np.asarray(table, float), color=color, linewidth=1)
        plots.label_line(ax, lines[0], name)
        steps = len(table)
    ax.axhline(-np.log(chance), color=plots.PINK, linestyle="--", linewidth=1)
    ax.text(steps, 0.04 - np.log(chance), "guessing", ha="right", fontsize=9, color=plots.ink(plots.PINK))
    ax.set(xlabel="training step", ylabel="loss (nats an answer)", xlim=(0, steps), ylim=(0, None))
    return plots.describe(
        fig,
        alt="Loss over the steps. Without a code each seed stays near the loss of guessing, with it all fall to 0.",
        caption="The same model, the same data, three seeds each. Only the code of the position is added.",
    )
