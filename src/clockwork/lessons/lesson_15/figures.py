"""Draw lesson 15: what networks learn from t over ranges of what goes in, four squares, and where heads look."""

from __future__ import annotations

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from clockwork.kit import plots
from clockwork.kit.numbers import fixed
from clockwork.lessons.lesson_15 import measure, pictures, readers

COLORS = {1: plots.SIN, 8: plots.COS, 32: plots.GREEN}
TITLES = {"axial": "rows and columns", "mixed": "diagonals, too"}
REACHES = [reach for reach in measure.RANGES if reach <= 1_000]  # beyond stands on the page of side paths
DRAWN = (1, 100)  # ranges whose answers are drawn, too
PART = 0.25  # of the range of t that is drawn
WEIGHTS = LinearSegmentedColormap.from_list("weights", [plots.PAPER, plots.SIN])  # from the page's white


def waves() -> Figure:
    """Draw the errors of networks that shall draw 1, 8 or 32 waves, and some of what they draw."""
    fig, axes = plots.panels(2, 3.1, rows=2)
    fig.subfigs[0].clear()
    ax, below = fig.subfigs[0].subplots(), axes[:, 1]
    numbers = [("range of what goes in", *(f"{count} wave{'s' * (count > 1)}" for count in measure.WAVES))]
    errors = {}
    for count in measure.WAVES:
        errors[count] = [readers.error("timestep", f"{count} waves, 0 to {reach}") for reach in REACHES]
        ax.plot(REACHES, errors[count], "o-", color=COLORS[count], label=f"{count} wave{'s' * (count > 1)}")
    for place, reach in enumerate(REACHES):
        numbers.append((f"0 to {reach:,}", *(fixed(errors[count][place]) for count in measure.WAVES)))
    ax.axhline(0.5**0.5, color=plots.FAINT, linewidth=1)
    ax.text(REACHES[-1], 0.75, "says 0 everywhere", fontsize=9, color=plots.SOFT, ha="right")
    ax.set(xscale="log", xlabel="what goes in runs from 0 to …", ylabel="error", ylim=(-0.03, 0.85))
    ax.set_xticks(REACHES, [f"{reach:,}" for reach in REACHES])
    ax.legend(frameon=False, fontsize=9, loc="center right", bbox_to_anchor=(1, 0.55))
    t = np.linspace(0, 1, 1001)
    shown = t <= PART
    for ax, reach in zip(below, DRAWN, strict=True):
        said = np.array(readers.recorded("timestep/controls")[f"32 waves, 0 to {reach}, drawn"])
        ax.plot(t[shown], np.sin(2 * np.pi * 32 * t[shown]), color=plots.FAINT, linewidth=3)
        ax.plot(t[shown], said[shown], color=COLORS[32], linewidth=1.3)
        ax.set(ylim=(-1.5, 1.5), xticks=[0, PART], yticks=[-1, 1])
        ax.set_title(f"32 waves, from 0 to {reach}", fontsize=9, loc="left")
    below[-1].set_xlabel("t, a quarter of its range")
    told = "; ".join(
        f"{count} wave{'s' * (count > 1)}: " + ", ".join(fixed(error) for error in found)
        for count, found in errors.items()
    )
    ranges = ", ".join(f"{reach:,}" for reach in REACHES)
    return plots.describe(
        fig,
        alt=(
            f"Errors of networks for inputs from 0 to {ranges}. {told}. Beside them, what one network draws of 32 "
            "waves: from 0 to 1 hardly anything, from 0 to 100 the waves."
        ),
        caption=(
            "Fine detail needs a range that is neither too small nor too large. Each point: eight networks that read "
            "$t$ from 16 hands at base 10,000, at the better of two learning rates. The waves: in grey those "
            "wanted, in green what the first of eight networks draws."
        ),
        numbers=numbers,
    )


def squares() -> Figure:
    """Draw four squares that touch, with three scores and a question mark."""
    fig, ax = plots.narrow(1.9)
    fig.set_figwidth(1.9)
    for row, column, score in ((0, 0, "3"), (0, 1, "1"), (1, 0, "?"), (1, 1, "3")):
        ax.fill(
            np.array([0, 1, 1, 0]) + column,
            np.array([0, 0, 1, 1]) - row,
            facecolor="none",
            edgecolor=plots.SOFT,
            linewidth=1,
        )
        ax.text(column + 0.5, 0.5 - row, score, fontsize=20, ha="center", va="center", color=plots.INK)
    ax.set(aspect="equal", xticks=[0.5, 1.5], yticks=[0.5, -0.5], xlim=(-0.02, 2.02), ylim=(-1.02, 1.02))
    ax.set_xticklabels(["column 1", "column 2"], fontsize=8.5)
    ax.set_yticklabels(["row 1", "row 2"], fontsize=8.5)
    ax.tick_params(length=0, labeltop=True, labelbottom=False)
    ax.spines[:].set_visible(False)
    return plots.describe(
        fig,
        alt="Four squares that touch. Scores: row 1: 3, 1; row 2: unknown, 3.",
        caption="The scores of one head for four keys that are alike.",
    )


def boards() -> Figure:
    """Draw the mean weight that a place of the board gives to all others, for two tasks and two sets of axes."""
    fig, axes = plots.narrow(4.9, rows=2, cols=2)
    kinds = [(task, kind) for task in ("diagonal", "row") for kind in TITLES]
    found = {both: readers.better("boards/{}, {}".format(*both))["looks"] for both in kinds}
    most = max(np.max(looks) for looks in found.values())
    told = []
    for ax, (task, kind) in zip(axes.flat, kinds, strict=True):
        right = fixed(readers.share(f"boards/{task}, {kind}"))
        shown = ax.imshow(found[task, kind], cmap=WEIGHTS, vmin=0, vmax=most)
        ax.plot([-0.5, 9.5], [-0.5, 9.5] if task == "diagonal" else [5, 5], ":", color=plots.COS, linewidth=1.2)
        ax.plot(5, 5, "s", markersize=9, markerfacecolor="none", color=plots.INK)
        ax.set(xticks=[], yticks=[])
        ax.set_xlabel(f"{right} right", fontsize=9)
        told.append(f"{task}, hands for {pictures.AXES[kind]}: {right} right")
    for ax, kind in zip(axes[0], TITLES, strict=True):
        ax.set_title(f"hands for\n{TITLES[kind]}", fontsize=9, loc="center")
    for ax, task in zip(axes[:, 0], ("diagonal", "row"), strict=True):
        ax.set_ylabel(f"my {task}", fontsize=9)
    bar = fig.colorbar(shown, ax=axes, orientation="horizontal", shrink=0.6, aspect=25, pad=0.02)
    bar.set_ticks([0, most], labels=["0", fixed(most)])
    bar.ax.tick_params(labelsize=8)
    bar.set_label("weight that it gets", fontsize=8.5)
    bar.outline.set_visible(False)
    return plots.describe(
        fig,
        alt="Where the framed square looks, on four boards. " + "; ".join(told) + ".",
        caption=(
            "The framed square must name the mark that is commoner on the dotted line. With hands for rows and columns "
            "alone, its weight spills beside the diagonal; with hands for diagonals, it stays there. Mean of two heads "
            "and eight models."
        ),
    )
