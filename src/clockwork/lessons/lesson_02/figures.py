"""Draw lesson 02: digits as waves, a hand and its waves, codes that step by a matrix, speeds, the table by phase."""

import math
from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Circle, ConnectionPatch

from clockwork.kit import plots
from clockwork.kit.plots import hands

LEARNERS = {"no code": plots.GREY, "random table": plots.GREEN, "sinusoid": plots.SIN}  # the colour of each
EVERY = 50  # steps from one column to the next in the table of losses
POSITIONS, DIGITS = 16, 4  # of the counter


def counter() -> Figure:
    """Draw binary digits with their waves, and the same waves slowed down until the fastest turns 1 rad per token."""
    fig, axes = plots.panels(2, 0.8 * DIGITS + 0.9, rows=DIGITS, sharex=True, sharey=True)
    positions = np.arange(POSITIONS)
    fine = np.linspace(-0.5, POSITIONS - 0.5, 40 * POSITIONS)
    for i, (digit, slower) in enumerate(axes):
        digit.bar(positions, 2 * (positions >> i & 1) - 1, width=1, color=plots.LINE)
        for ax, speed in ((digit, np.pi / 2**i), (slower, 1 / 2**i)):
            ax.plot(fine, -np.sin((fine + 0.5) * speed), color=plots.SIN, linewidth=1.2)
            ax.plot(positions, -np.sin((positions + 0.5) * speed), "o", color=plots.SIN, markersize=4)
            ax.set(yticks=[], ylim=(-1.25, 1.25), xlim=(-0.5, POSITIONS - 0.5))
            ax.spines["left"].set_visible(False)
            period = "period\n" * (i == 0) + f"{2 * np.pi / speed:.3g}"
            ax.text(1.01, 0.5, period, transform=ax.transAxes, va="center", fontsize=9)
        for value, height in enumerate((-1, 1)):
            digit.text(-0.01, height, value, transform=digit.get_yaxis_transform(), ha="right", va="center", fontsize=8)
        digit.set_ylabel(f"digit {i}", rotation=0, ha="right", va="center", labelpad=12)
        slower.set_ylabel(f"wave {i}", rotation=0, ha="right", va="center")
    for ax, title in zip(axes[0], ("Digits and their waves", "The same waves, slower"), strict=True):
        ax.set_title(title)
    for ax in axes[-1]:
        ax.set(xlabel="position (tokens)", xticks=positions[::3])
    return plots.describe(
        fig,
        alt=(
            "Left: grey bars show binary digits 0 to 3 of the positions 0 to 15, with a sine wave through each. At the "
            "whole positions, marked by dots, waves 0 and 1 take only two heights each, like their digits. Right: "
            "the same four waves slowed down; the dots of the fastest now pass through heights in between."
        ),
        caption=(
            "A code is read at whole positions, the dots. On the left, waves 0 and 1 take only two heights each. On "
            "the right the fastest wave repeats after 2π ≈ 6.28 tokens, and its dots move in smaller steps."
        ),
    )


def hand(omega: float, marked: tuple[int, int]) -> Figure:
    """Draw a hand whose height traces the cosine to the right and whose sideways place traces the sine downwards.

    Args:
        omega: How far the hand turns per token, in rad.
        marked: Two positions to mark on the dial and on both waves.
    """
    fig, (dial, right, below, words) = hands.dial_with_waves()
    positions = np.arange(17)
    fine = np.linspace(0, 16, 400)
    dial.add_patch(Circle((0, 0), 1, fill=False, edgecolor=plots.LINE, linewidth=1.5))
    dial.set(xlim=(-1.36, 1.36), ylim=(-1.36, 1.36), aspect="equal")
    dial.axis("off")
    right.plot(fine, np.cos(omega * fine), color=plots.COS)
    right.plot(positions, np.cos(omega * positions), "o", color=plots.COS, markersize=3)
    below.plot(np.sin(omega * fine), fine, color=plots.SIN)
    below.plot(np.sin(omega * positions), positions, "o", color=plots.SIN, markersize=3)
    for p, color in zip(marked, (plots.GREEN, plots.PINK), strict=True):
        tip = np.array([np.sin(omega * p), np.cos(omega * p)])
        dial.plot(*zip((0, 0), tip, strict=True), color=color, linewidth=3.5)
        aside = tip * (0.5, 0.6) - (0.42, 0)
        dial.annotate(f"p = {p}", aside, ha="center", va="center", weight="bold", color=plots.ink(color))
        rising = tip[1] > 0
        for ax, point, aside in ((right, (p, tip[1]), (9, 4)), (below, (tip[0], p), (9, 4 if rising else -12))):
            ax.plot(*point, "o", color=color, markersize=8)
            ax.annotate(f"p = {p}", point, aside, textcoords="offset points", weight="bold", color=plots.ink(color))
            trace = ConnectionPatch(tip, point, dial.transData, ax.transData, color=color, linestyle=":", linewidth=1.2)
            fig.add_artist(trace)
    limits = (-1.36, 1.36)
    right.set(ylim=limits, xlim=(-0.3, 16), xlabel="position (tokens)", yticks=[-1, 0, 1])
    right.set_title("cosine: how high", color=plots.ink(plots.COS))
    below.set(xlim=limits, ylim=(16, -0.3), xticks=[-1, 0, 1])
    below.set(ylabel="position (tokens)", yticks=positions[::4])
    below.set_xlabel("sine: how far right", color=plots.ink(plots.SIN), weight="bold", fontsize=11)
    words.axis("off")
    first, second = marked
    told = (
        f"Positions {first} and {second} share one sine: {np.sin(omega * first):.3f}.\n"
        f"Their cosines differ: {np.cos(omega * first):+.3f} and {np.cos(omega * second):+.3f}."
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
    fig, axes = plots.narrow(1.75 * math.ceil(len(codes) / 2), rows=math.ceil(len(codes) / 2), cols=2)
    axes = axes.flat[: len(codes)]
    for ax, (name, table) in zip(axes, codes.items(), strict=True):
        points = np.asarray(table, float)[:, :2]
        size = 1.1 * np.abs(points).max()
        longest_step = np.linalg.norm(np.diff(points, axis=0), axis=1).max()
        every = max(1, round(0.08 * size / longest_step))  # so that dots do not merge into a bar
        back = points[: start + 1]
        on = points[start:]
        for way, color, marker in (
            (back, plots.PINK, 6),
            (on, plots.GREEN, 3),
        ):  # the smaller dots lie on the larger ones
            ax.plot(*way.T, ".-", color=color, linewidth=0.6, markersize=marker, markevery=every)
        ax.plot(*points[start], "o", color=plots.INK, markersize=6)
        ends = {"backwards": (back[::-1], plots.PINK), "forwards": (on, plots.GREEN)}
        for direction, (way, color) in ends.items():
            arrow = {"arrowstyle": "-|>", "color": plots.ink(color), "mutation_scale": 13}
            middle = len(way) // 4
            ax.annotate("", way[middle], way[middle - 1], arrowprops=arrow)
            if name == list(codes)[-1]:
                ax.annotate(
                    direction, way[-1], (0, 12), textcoords="offset points", ha="center", color=plots.ink(color), size=9
                )
        ax.add_patch(Circle((0, 0), 1, fill=False, edgecolor=plots.GREY, linestyle="--", linewidth=0.9))
        ax.set_title(name, loc="center", fontsize=10)
        ax.set(xlim=(-size, size), ylim=(-size, size), xticks=[], yticks=[], aspect="equal")
        ax.set_xlabel(f"farthest: {np.linalg.norm(points, axis=1).max():.3g}\nfrom the centre", fontsize=9)
        ax.spines[:].set_visible(False)
        ax.axhline(0, color=plots.LINE, linewidth=0.8, zorder=0)
        ax.axvline(0, color=plots.LINE, linewidth=0.8, zorder=0)
    return plots.describe(
        fig,
        alt=(
            f"{len(codes)} walks of a code through its plane, forwards and backwards from position 0: "
            + "; ".join(codes)
            + ". Only the turning one stays on one circle in both directions."
        ),
        caption=(
            "50 tokens forwards (green, small) and backwards (pink, large) from position 0, the largest dot; arrows "
            "show the way. Each panel has its own scale; dashed, a circle of radius 1 (too small to see in the last). "
            "Fading shrinks forwards and grows backwards; growing does the reverse. The index leaves along a straight "
            "line. Only turning keeps its distance both ways."
        ),
    )


def powers(rules: Mapping[str, np.ndarray], *, steps: int = 40) -> Figure:
    """Draw each rule's eigenvalues in the complex plane, and the powers of one of them, beside the circle of size 1.

    Args:
        rules: For each name the matrix of one step, with a pair of complex eigenvalues.
        steps: How many powers, forwards and backwards.
    """
    fig, axes = plots.panels(len(rules), 2.9)
    rows = []
    for ax, (name, rule) in zip(axes, rules.items(), strict=True):
        pair = np.linalg.eigvals(rule)
        ax.add_patch(Circle((0, 0), 1, fill=False, edgecolor=plots.GREY, linestyle="--", linewidth=0.9))
        upper = pair[pair.imag.argmax()]
        for way, color, marker in ((-1, plots.PINK, 7), (1, plots.GREEN, 4)):  # the smaller dots lie on the larger ones
            points = upper ** (way * np.arange(steps + 1))
            ax.plot(points.real, points.imag, ".-", color=color, linewidth=0.6, markersize=marker)
        for eigenvalue, told, above in zip((upper, upper.conjugate()), ("λ", "its partner"), (1, -1), strict=True):
            ax.plot(eigenvalue.real, eigenvalue.imag, "o", color=plots.INK, markersize=7)
            line = {"arrowstyle": "-", "color": plots.INK, "linewidth": 0.7}
            at = (eigenvalue.real, eigenvalue.imag)
            ax.annotate(told, at, (1.5, above * 0.3), va="center", size=9, arrowprops=line)
        size = float(abs(pair[0]))
        rows.append([name, f"{size:.2f}", f"{size**steps:.2f}", f"{size**-steps:.2f}"])
        ax.set_title(f"{name}\n|λ| = {size:.2f}", fontsize=10)
        ax.set(aspect="equal", xlim=(-1.6, 2.5), ylim=(-1.6, 1.6), xticks=(-1, 0, 1), yticks=(-1, 0, 1))
        ax.set(xlabel="real part", ylabel="imaginary part")
    return plots.describe(
        fig,
        alt="Two circles of size 1, two black dots on or near each. In the first, the coloured dots of the powers stay "
        "on the circle. In the second, the green ones spiral inwards, the pink ones outwards.",
        caption=f"Black: the two eigenvalues of each rule. Green: the powers of the upper one, {steps} steps forwards; "
        f"pink (larger): {steps} steps backwards. Where |λ| is not 1, they shrink one way and grow the other.",
        numbers=[["rule", "|λ|", f"|λ| to the power {steps}", f"to the power −{steps}"], *rows],
    )


def spacings(speeds: Mapping[str, np.ndarray], gaps: Mapping[str, np.ndarray], *, exact: int = 100) -> Figure:
    """Draw, one panel per choice of speeds, where the speeds lie and how far apart the codes are that they give.

    Args:
        speeds: For each name the speeds in rad per token.
        gaps: For each name the distance of two codes that are 1, 2, … tokens apart.
        exact: Up to this many tokens each distance is drawn; beyond, the mean and the range of neighbouring ones.
    """
    fig, axes = plots.panels(len(speeds), 3.7, rows=2, height_ratios=[1, 2.1])
    for above, below, (name, inv_freq) in zip(*axes, speeds.items(), strict=True):
        inv_freq = np.sort(np.asarray(inv_freq, float))[::-1]
        above.vlines(inv_freq, 0, 1, colors=plots.hand_colors(len(inv_freq)), linewidth=3)
        above.set(xscale="log", xlim=(1.4, 1.5e-4), ylim=(0, 1.1), yticks=[], xlabel="speed (rad per token)")
        above.spines["left"].set_visible(False)
        above.set_title(name)
        gap = np.asarray(gaps[name], float)
        worst = gap[1:].argmin() + 2
        below.plot(np.arange(1, min(exact, len(gap)) + 1), gap[:exact], color=plots.GREY, linewidth=0.8)
        if len(gap) > exact:
            starts = np.unique(np.geomspace(exact, len(gap), 40).astype(int))[:-1]
            middle = starts * np.sqrt(starts[1] / starts[0])
            counts = np.diff([*starts, len(gap) + 1])
            low, high, total = (part.reduceat(gap, starts - 1) for part in (np.minimum, np.maximum, np.add))
            below.fill_between(middle, low, high, color=plots.LINE, linewidth=0)
            below.plot(middle, total / counts, color=plots.GREY, linewidth=1.2)
        below.axhline(gap[0], color=plots.GREEN, linewidth=1, linestyle="--")
        below.set(xscale="log", xlim=(1, len(gap)), ylim=(0, 6), yticks=[0, 2, 4])
        below.set(xlabel="tokens between the two positions", ylabel="distance")
        if gap[worst - 1] < gap[0] / 2:
            below.plot(worst, gap[worst - 1], "o", color=plots.PINK, markersize=7, clip_on=False, zorder=3)
            told = f"{worst} apart: {gap[worst - 1]:.2f}"
            below.annotate(told, (0.75 * worst, 0.12), ha="right", fontsize=9, color=plots.ink(plots.PINK))
        below.text(1.08, gap[0] - 0.1, f"neighbours: {gap[0]:.2f}", fontsize=8, va="top", color=plots.ink(plots.GREEN))
    return plots.describe(
        fig,
        alt=(
            "For each choice of speeds, the speeds as marks on a logarithmic axis and the distance of two codes over "
            "the number of tokens between them. Evenly spaced speeds crowd at the fast end, and their distance drops "
            "to almost nothing at 44 tokens. With geometric speeds the mean distance grows up to 10,000 tokens."
        ),
        caption=(
            "Above: one line per hand, the fastest on the left. The axis is logarithmic, so seven of the eight even "
            "speeds crowd between 0.1 and 1. Below: how far apart two codes are; beyond 100 tokens, the mean on a "
            "band from smallest to largest. Dashed green: the distance of neighbours. Where a curve dips below it, "
            "strangers look more alike than neighbours (pink: the closest)."
        ),
    )


def table(codes, *, columns: str = "dimension") -> Figure:
    """Draw a table of codes as the papers do: one row per position, one column per number."""
    fig, ax = plots.narrow(2.6)
    plots.heat_map(ax, codes, xlabel=columns, ylabel="position (tokens)", label="value", limit=1)
    positions, width = np.asarray(codes).shape
    return plots.describe(
        fig,
        alt=f"Heat map of {positions} positions by {width} numbers: stripes on the left, uniform columns on the right.",
        caption=(
            "The usual picture. Red is +1, blue −1. Sines and cosines take turns, so the resting hands on the right "
            "appear as white and red columns."
        ),
    )


def phases(speeds: Mapping[str, np.ndarray], num_positions: int, *, resting: Mapping[str, int] | None = None) -> Figure:
    """Draw tables of codes by the direction of their hands: one row per position, one column per hand.

    Args:
        speeds: For each title the speeds of the hands, in rad per token.
        num_positions: Rows of each table.
        resting: For a title, the number of hands at the right end to bracket.
    """
    fig, axes = plots.panels(len(speeds) + 1)
    told = ""
    for ax, (title, inv_freq) in zip(axes, speeds.items(), strict=False):
        hands.phases(ax, inv_freq, np.arange(num_positions))
        ax.set_title(title)
        count = (resting or {}).get(title)
        if count:
            last = len(inv_freq) - 1
            told += f" {count} of {len(inv_freq)} hands of {title} turn by less than 0.1 rad."
            ax.plot([last - count + 1, last], [3, 3], color=plots.INK, linewidth=1.5)
            ax.text(last, 4, f"{count} hands turn\nless than 0.1 rad", ha="right", va="top", fontsize=8)
    hands.ring(axes[-1])
    axes[-1].set(xlim=(-2, 2), ylim=(-2, 2))
    axes[-1].text(0, 0, "where\na hand\npoints", ha="center", va="center", fontsize=8)
    return plots.describe(
        fig,
        alt=(
            "Tables of codes with one column per hand and the direction of the hand as colour: "
            + "; ".join(speeds)
            + ". The left columns run through all colours again and again, further right the colours change ever more "
            "slowly, and the rightmost columns keep one colour." + told
        ),
        caption=(
            "Each column is one hand, coloured by where it points. Going down a column, the hand turns: fast on the "
            "left, hardly at all on the right. The strip above a table gives each hand the colour that it has on a "
            "dial."
        ),
    )


def learning(losses: Mapping[str, np.ndarray], *, chance: float) -> Figure:
    """Draw the loss of every seed over the training steps, one colour per set-up, against guessing.

    Args:
        losses: For each name, one of `LEARNERS`, the losses (steps, seeds) in nats per answer.
        chance: The share of right answers of a model that guesses.
    """
    losses = {name: np.asarray(table, float) for name, table in losses.items()}
    steps, seeds = next(iter(losses.values())).shape
    fig, ax = plots.narrow(3)
    for name, table in losses.items():
        color = LEARNERS[name]
        lines = ax.plot(table, color=color, linewidth=1)
        if table[-1].min() > 1.2:
            plots.label_line(ax, lines[0], name)
        else:  # beside the fall, since all falling lines end at the same height; the last one on its right
            right = name == list(losses)[-1]
            height = 1.2 if right else 0.5
            falls = (table > height).any(1).sum() if right else (table > height).all(1).sum()
            words = {"textcoords": "offset points", "color": plots.ink(color), "size": 9, "va": "center"}
            words["ha"] = "left" if right else "right"
            ax.annotate(name.replace(" ", "\n"), (falls, height), (5 if right else -5, 0), **words)
    ax.axhline(-np.log(chance), color=plots.PINK, linestyle="--", linewidth=1)
    ax.text(steps, 0.04 - np.log(chance), "guessing", ha="right", fontsize=9, color=plots.ink(plots.PINK))
    ax.set(xlabel="training step", ylabel="loss (nats per answer)", xlim=(0, steps), ylim=(0, None))
    return plots.describe(
        fig,
        alt=f"Loss over the steps: {', '.join(losses)}. Without a code each seed stays a little below the loss of "
        "guessing; with a code each waits there, then falls to nearly 0 in a few dozen steps.",
        caption=f"The same model and data, {seeds} seeds each. Only the code that is added differs. Dashed: the loss "
        f"of guessing, {-np.log(chance):.2f}.",
        numbers=[
            ("loss, mean of the seeds (nats)", *(f"step {step}" for step in range(0, steps, EVERY))),
            *((name, *(f"{loss:.2f}" for loss in table.mean(1)[::EVERY])) for name, table in losses.items()),
        ],
    )
