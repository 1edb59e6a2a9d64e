"""Compare trained models: every seed is a dot or a line of its own, so that the figure shows the spread.

Blue starts as a sinusoid, vermilion as random rows; a hollow dot is a table that stays as it is, a full one a trained
table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyBboxPatch, Rectangle

from clockwork.kit import plots

TITLES = {"three_back": "3 back", "who_came_first": "who came first?"}
CHANCE = {"three_back": 1 / 16, "who_came_first": 1 / 2}
LOOKS = {  # colour: what the table starts as; full: it is trained
    "sinusoid": (plots.SIN, False),
    "trained sinusoid": (plots.SIN, True),
    "learned": (plots.KEY, True),
    "random table": (plots.KEY, False),
    "index": (plots.GREY, False),
}
LABELS = {
    "sinusoid": "sinusoid",
    "learned": "learned table",
    "trained sinusoid": "sinusoid, then trained",
    "random table": "random, not trained",
    "index": "index, one number",
}
FIRST = {"learned": (0.02, 0.005), "sinusoid": (1.0, 0.005)}  # scale and learning rate of the untuned comparison
BESIDE = (0, 1, 2, 3, 100, 221, 222, 223, 224, 225, 226, 300, 446)  # positions whose cosine is in the table of numbers
SEAMS = (0, 224)  # positions of Whisper's decoder whose rows are unlike their neighbours


def tuning(grid: Mapping, scales: Mapping, rates: Sequence[float], *, tuned_on: int) -> Figure:
    """Draw the mean accuracy over learning rate and scale, one row of panels a task, one panel a side.

    Args:
        grid: for each task and scheme the accuracies, (scales, rates, seeds), NaN where there was no run.
        scales: for each task and scheme its scales, from quiet to loud.
        rates: the learning rates.
        tuned_on: how many of the seeds, the first ones, the means are taken over.
    """
    heights = [max(len(options) for options in sides.values()) for sides in scales.values()]
    fig, axes = plots.panels(2, 5.1, rows=len(grid), height_ratios=heights)
    axes = np.atleast_2d(axes)
    best = []
    numbers = [("mean accuracy", *(f"learning rate {rate:g}" for rate in rates))]
    for row, (task, sides) in zip(axes, grid.items(), strict=True):
        for ax, (scheme, results) in zip(row, sides.items(), strict=True):
            means = np.asarray(results, dtype=float)[..., :tuned_on].mean(-1)
            options = list(scales[task][scheme])
            tiles(ax, means, [f"{scale:g}" for scale in options], [f"{rate:g}" for rate in rates], chance=CHANCE[task])
            ax.set_title(f"{TITLES[task]}: {LABELS[scheme]}")
            size = "drawn at std" if scheme == "learned" else "multiplied by"
            ax.set_ylabel(size)
            for scale, tested in zip(options, means, strict=True):
                shown = ("not run" if np.isnan(mean) else f"{mean:.2f}" for mean in tested)
                numbers.append((f"{TITLES[task]}, {LABELS[scheme]}, {size} {scale:g}", *shown))
            scale, rate = divmod(np.nanargmax(means), len(rates))
            best.append(f"{LABELS[scheme]} at {options[scale]:g} and {rates[rate]:g}: {np.nanmax(means):.2f}")
            if task == "three_back":
                corner = (list(rates).index(FIRST[scheme][1]) - 0.5, options[::-1].index(FIRST[scheme][0]) - 0.5)
                ax.add_patch(Rectangle(corner, 1, 1, fill=False, edgecolor=plots.PINK, linewidth=3.5, clip_on=False))
    for ax in axes[-1]:
        ax.set_xlabel("learning rate")
    return plots.describe(
        fig,
        alt=(
            "Four heat maps of accuracy over learning rate and scale. On 3 back, the learned table is dark where it "
            "starts quiet and the learning rate is small, and bright everywhere else; the sinusoid is bright at full "
            "size and dark when multiplied by 0.1 or 0.3. On who came first, both are dark where they are quiet; the "
            "sinusoid is bright from 1 up and brightest at 2 and 4, the learned table, less bright, at 1. Best on "
            f"3 back: {best[0]}, {best[1]}. On who came first: {best[2]}, {best[3]}."
        ),
        caption=(
            "Whether a table “works” depends on where you stand on this map. Each tile is the mean accuracy of "
            f"{tuned_on} seeds, dark for a guess and yellow for 1; blank tiles were not run. Pink frames: the "
            "settings of our first comparison. White rings: the best tile of each panel on these seeds (of equal "
            "ones, the first)."
        ),
        numbers=numbers,
    )


def tiles(ax: Axes, means, scales: Sequence[str], rates: Sequence[str], *, chance: float) -> None:
    """Draw a tile with its number for each scale (the loudest at the top) and rate; ring the best, leave out NaN."""
    means = np.asarray(means)[::-1]
    ax.imshow(means, cmap=plots.MAGNITUDE, vmin=chance, vmax=1, aspect="auto")
    for (row, column), mean in np.ndenumerate(means):
        if np.isnan(mean):
            continue
        tone = plots.INK if mean > chance + 0.6 * (1 - chance) else plots.PAPER
        ax.text(column, row, f"{mean:.2f}", ha="center", va="center", color=tone, fontsize=10)
    from_quiet, column = divmod(np.nanargmax(means[::-1]), means.shape[1])  # of equal ones the first, as in the lesson
    corner = (column - 0.36, len(means) - 1 - from_quiet - 0.36)
    ring = FancyBboxPatch(corner, 0.72, 0.72, fill=False, edgecolor=plots.PAPER, linewidth=2.5)
    ring.set_boxstyle("round", pad=0, rounding_size=0.25)
    ax.add_patch(ring)
    ax.set_xticks(range(len(rates)), rates)
    ax.set_yticks(range(len(scales)), scales[::-1])
    ax.set_xticks(np.arange(len(rates) - 1) + 0.5, minor=True)
    ax.set_yticks(np.arange(len(scales) - 1) + 0.5, minor=True)
    ax.grid(which="minor", color=plots.PAPER, linewidth=2)
    ax.tick_params(which="both", length=0)
    ax.spines[:].set_visible(False)


def verdict(fresh: Mapping[str, Mapping[str, Sequence]]) -> Figure:
    """Draw every fresh seed as a dot and each side's mean as a bar, one panel for each task."""
    crossed = any(scheme in sides for sides in fresh.values() for scheme in ("trained sinusoid", "random table"))
    fig, axes = plots.panels(len(fresh), 4.1 if crossed else 3.6)
    alone = len(fresh) == 1  # then each row's name stands above it
    numbers = [("accuracy of the fresh seeds", "mean", "lowest", "highest")]
    for ax, (task, sides) in zip(axes, fresh.items(), strict=True):
        schemes = [scheme for scheme in LOOKS if scheme in sides]
        for row, scheme in enumerate(schemes):
            results = np.sort(np.asarray(sides[scheme], dtype=float))
            color, full = LOOKS[scheme]
            heights = row + 0.16 * np.resize([-1.0, 0.0, 1.0], len(results))
            ax.plot(results, heights, "o", color=color, markersize=7, mfc=color if full else "none", mew=1.6)
            mean = results.mean()
            ax.plot([mean] * 2, [row - 0.28, row + 0.28], color=color, linewidth=3)
            if alone:
                ax.text(0.51, row - 0.33, LABELS[scheme], va="bottom", color=plots.ink(color))
            place = {"x": 1.02, "ha": "right"} if alone else {"x": mean, "ha": "center"}
            ax.text(y=row - 0.33, s=f"{mean:.2f}", va="bottom", color=plots.ink(color), weight="bold", **place)
            shown = (f"{value:.2f}" for value in (mean, results.min(), results.max()))
            numbers.append((f"{TITLES[task]}, {LABELS[scheme]}", *shown))
        ax.axvline(CHANCE[task], color=plots.GREY, linestyle=":", linewidth=1)
        ax.text(CHANCE[task] + 0.01, len(sides) - 0.45, "a guess", color=plots.GREY, fontsize=9, va="bottom")
        ax.set(xlim=(0.45 if alone else 0.0, 1.03), ylim=(len(sides) - 0.4, -0.75), xlabel="accuracy")
        ax.set_title(TITLES[task])
        ax.set_yticks(range(len(schemes)), ["" if alone else LABELS[name].replace(", ", ",\n") for name in schemes])
        ax.tick_params(axis="y", length=0)
    if crossed:
        for ax in axes:
            marks(ax)
    return plots.describe(
        fig,
        alt="Accuracies of eight fresh seeds a row; means: "
        + "; ".join(f"{name}, {mean}" for name, mean, *_ in numbers[1:])
        + ".",
        caption=(
            "Each dot is one fresh seed at its side's tuned setting, each bar their mean. "
            + ("Grey: the position itself, on one number." * any("index" in sides for sides in fresh.values()))
        ).strip(),
        numbers=numbers,
    )


def marks(ax: Axes) -> None:
    """Draw the key above the rows: a full dot is a trained table, a colour is what the table starts as."""
    dot = {"marker": "o", "linestyle": "", "markersize": 7, "markeredgewidth": 1.6}
    key = [Line2D([], [], color=plots.GREY, mfc="none", **dot, label="not trained")]
    key.append(Line2D([], [], color=plots.GREY, **dot, label="trained"))
    for color, start in ((plots.SIN, "starts as sinusoid"), (plots.KEY, "starts at random")):
        key.append(Line2D([], [], color=color, linewidth=3, label=start))
    place = {"loc": "lower left", "bbox_to_anchor": (-0.03, 1.0)}
    ax.legend(handles=key, ncols=2, fontsize=9, frameon=False, handlelength=1.2, columnspacing=1.4, **place)
    ax.set_title(ax.get_title("left"), pad=46)


def shipped(encoder, decoder) -> Figure:
    """Draw Whisper's two position tables, and how alike each row of them is to the next."""
    fig, axes = plots.panels(3)
    shown = len(encoder)
    alike = {}
    for ax, name, table in zip(axes, ("encoder: a formula", "decoder: learned"), (encoder, decoder), strict=False):
        table = np.asarray(table, dtype=float)
        limit = np.quantile(np.abs(table), 0.99)
        image = ax.imshow(
            table[:shown], cmap=plots.SIGNED, vmin=-limit, vmax=limit, aspect="auto", interpolation="none"
        )
        image.set_rasterized(True)
        ax.set(xlabel="dimension", ylabel="position", xticks=[0, 192, 383])
        ax.set_title(name)
        units = table / np.linalg.norm(table, axis=1, keepdims=True)
        alike[name] = (units[1:] * units[:-1]).sum(1)
    flat, rough = alike.values()
    steps = np.arange(len(rough)) + 0.5
    axes[2].plot(steps, np.full(len(rough), flat.mean()), color=plots.SIN, linewidth=2)
    axes[2].plot(steps, rough, color=plots.KEY, linewidth=1.4)
    last = len(rough)
    axes[2].text(last, flat.mean() + 0.02, "formula", color=plots.ink(plots.SIN), ha="right", va="bottom", fontsize=9)
    axes[2].text(SEAMS[1] / 2, 0.77, "learned", color=plots.ink(plots.KEY), ha="center", va="top", fontsize=9)
    for seam in SEAMS:
        beside = rough[max(seam - 1, 0) : seam + 1].min()
        axes[2].plot([seam + 2, seam + 26], [beside, beside], color=plots.SOFT, linewidth=0.8)
        axes[2].text(seam + 30, beside, f"position {seam}", color=plots.INK, va="center", fontsize=10)
    axes[2].set(xlabel="position", ylim=(0, 1.1), xlim=(-8, len(rough) + 8), xticks=[0, 224, 447])
    axes[2].set(title="a row and the next", ylabel="cosine")
    return plots.describe(
        fig,
        alt=(
            "Two heat maps and a curve. The encoder's table shows waves in two halves, sines and cosines. The "
            "decoder's shows no waves, only vertical streaks. The cosine of each row and the next is "
            f"{flat.mean():.2f} everywhere for the formula. For the learned table it is about "
            f"{np.median(rough):.2f}, but {rough[0]:.2f} at position 0, and it drops to "
            f"{rough[SEAMS[1] - 1]:.2f} on both sides of position {SEAMS[1]}."
        ),
        caption=(
            f"Whisper's two tables: the first {shown} positions of each, and right, at all positions, how alike "
            "neighbouring rows are. A formula treats every position alike. The learned table has two scars, at "
            "position 0 and half-way, at 224."
        ),
        numbers=[
            ("cosine of a row and the next", "formula", "learned table"),
            ("median of all", f"{np.median(flat):.2f}", f"{np.median(rough):.2f}"),
            *((f"positions {p} and {p + 1}", f"{flat.mean():.2f}", f"{rough[p]:.2f}") for p in BESIDE),
        ],
    )


def lengths(runs: Mapping[str, Mapping], *, trained_to: int) -> Figure:
    """Draw every seed against the test length, one panel a side; what was never trained is grey.

    Args:
        runs: for each scheme its `lengths` and, in `beyond`, the accuracies at new positions, (num_seeds, num_lengths);
            "none", a model without a code, is a grey line in every panel, the mean of its seeds.
        trained_to: the longest training sequence, in tokens.
    """
    curves = {}
    for scheme, run in runs.items():
        longer = np.array(run["lengths"]) > trained_to
        curves[scheme] = np.array(run["lengths"])[longer], np.asarray(run["beyond"], dtype=float)[:, longer]
    none, without = curves.pop("none")
    fig, axes = plots.panels(len(curves), 2.9)
    chance = CHANCE["three_back"]
    start, end = 3 * trained_to // 4, 2 * trained_to  # close up: what is lost is lost by then
    said = []
    numbers = [("mean accuracy at new positions", *(f"{length} tokens" for length in none))]
    for ax, (scheme, (where, rows)) in zip(axes, curves.items(), strict=True):
        color, _ = LOOKS[scheme]
        ax.axvspan(trained_to, end, color=plots.LINE, alpha=0.5, linewidth=0)
        ax.axvline(trained_to, color=plots.FAINT, linewidth=1)
        ax.text(
            (start + trained_to) / 2,
            0.55,
            "trained",
            color=plots.GREY,
            fontsize=9,
            ha="center",
            rotation=90,
            va="center",
        )
        ax.text((trained_to + end) / 2, 1.06, "never trained", color=plots.GREY, fontsize=9, ha="center")
        ax.plot(where, rows.T, ".-", color=color, linewidth=0.9, markersize=4.5, alpha=0.8)
        ax.plot(none, without.mean(0), color=plots.GREY, linewidth=1.6)
        ax.axhline(chance, color=plots.GREY, linestyle=":", linewidth=1)
        ax.text(end, chance - 0.015, "a guess", color=plots.GREY, fontsize=9, ha="right", va="top")
        ax.set(xlabel="test length (tokens)", ylim=(0, 1.12), xlim=(start, end))
        ax.set_title(LABELS[scheme])
        ax.set_xticks([trained_to, 3 * trained_to // 2, end])
        first, last = (rows[:, list(where).index(n)] for n in (trained_to + 1, max(where)))
        said.append(
            f"{LABELS[scheme]}: {first.min():.2f} to {first.max():.2f} at the first new position, "
            f"{last.min():.2f} to {last.max():.2f} at {max(where)} tokens"
        )
        means = dict(zip(where, rows.mean(0), strict=True))
        numbers.append((LABELS[scheme], *(f"{means[length]:.2f}" if length in means else "not run" for length in none)))
    numbers.append(("no code", *(f"{mean:.2f}" for mean in without.mean(0))))
    for ax in axes:
        ax.set_ylabel("accuracy at new positions")
        ax.text(trained_to + 1, without.mean(0).max() + 0.02, "no code", color=plots.GREY, fontsize=9)
    return plots.describe(
        fig,
        alt=f"3 back, the answers at positions that training never reached. {'; '.join(said)}. A model without a "
        f"code: {without[:, 0].mean():.2f} and {without[:, -1].mean():.2f}. A guess: {chance:.2f}.",
        caption=(
            "3 back, and only the answers at positions that training never reached, one line per seed, up to twice "
            "the trained length. The learned table guesses from its first untrained row on. The sinusoid loses its way "
            "more slowly. Grey: a model that never had a code, the mean of its seeds. It ends between the two: the "
            "table's untrained rows are worse than no code."
        ),
        numbers=numbers,
    )
