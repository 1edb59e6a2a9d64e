"""Compare trained models: every seed is a dot or a line of its own, so that the figure shows the spread.

Blue starts as a sinusoid, vermilion as random rows; a hollow dot is a table that stays as it is, a full one a trained
table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Rectangle

from clockwork.kit import plots
from clockwork.kit.plots import hands

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
PALE = 0.3  # of the colour of a trained row: rows that are as they were drawn
BESIDE = (0, 1, 2, 3, 100, 221, 222, 223, 224, 225, 226, 300, 446)  # positions whose cosine is in the table of numbers
STRONGEST = 2.5  # standard deviations
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
    fig, axes = plots.figure(rows=len(grid), cols=2, squeeze=False, height_ratios=heights)
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


def referee(means, scales: Sequence[Sequence[float]], rates: Sequence[float], compared: Sequence) -> Figure:
    """Draw the tiles of two sides, those below 0 face down, and the runs that are compared.

    Args:
        means: accuracies, (side, scale, rate), −1 where a tile lies face down.
        scales: of each side, from quiet to loud.
        rates: the learning rates.
        compared: the accuracies of the sinusoid's and of the table's contestant, and of the index where it takes part.
    """
    fig, axes = plots.figure(cols=2)
    fig.set_figheight(3.4)
    schemes = ("sinusoid", "learned", "index")
    for ax, scheme, results, options, runs in zip(axes, schemes, means, scales, compared, strict=False):
        shown = np.where(results < 0, np.nan, results)[::-1]
        ax.set_facecolor(plots.LINE)
        ax.imshow(shown, cmap=plots.MAGNITUDE, vmin=0.5, vmax=1, aspect="auto")
        for (row, column), mean in np.ndenumerate(shown):
            tone = plots.SOFT if np.isnan(mean) else plots.INK if mean > 0.8 else plots.PAPER
            told = "?" if np.isnan(mean) else f"{mean:.2f}"
            ax.text(column, row, told, ha="center", va="center", color=tone, fontsize=10)
        ax.set_xticks(range(len(rates)), [f"{rate:g}" for rate in rates])
        ax.set_yticks(range(len(options)), [f"{scale:g}" for scale in options[::-1]])
        ax.set(xlabel="learning rate", ylabel="drawn at std" if scheme == "learned" else "multiplied by")
        mean = f": {np.mean(runs):.2f}" if len(runs) else ""
        ax.set_title(LABELS[scheme] + mean)
    return fig


def verdict(fresh: Mapping[str, Mapping[str, Sequence]]) -> Figure:
    """Draw every fresh seed as a dot and each side's mean as a bar, one panel for each task."""
    fig, axes = plots.figure(cols=len(fresh), squeeze=False)
    alone = len(fresh) == 1
    if alone:  # narrow enough for a phone: each row's name stands above it
        fig.set_size_inches(3.3, 3.6)
    numbers = [("accuracy of the fresh seeds", "mean", "lowest", "highest")]
    for ax, (task, sides) in zip(axes[0], fresh.items(), strict=True):
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
        named = ax is axes[0][0] and not alone
        ax.set_yticks(range(len(schemes)), [LABELS[scheme] if named else "" for scheme in schemes])
        ax.tick_params(axis="y", length=0)
    crossed = any(scheme in sides for sides in fresh.values() for scheme in ("trained sinusoid", "random table"))
    return plots.describe(
        fig,
        alt="Accuracies of eight fresh seeds a row; means: "
        + "; ".join(f"{name}, {mean}" for name, mean, *_ in numbers[1:])
        + ".",
        caption=(
            "Each dot is one fresh seed at its side's tuned setting, each bar their mean. "
            + ("Blue starts as a sinusoid, orange as random rows. Full dots: the table is trained. " * crossed)
            + ("Grey: the position itself, on one number." * any("index" in sides for sides in fresh.values()))
        ).strip(),
        numbers=numbers,
    )


def shipped(encoder, decoder) -> Figure:
    """Draw Whisper's two position tables, and how alike each row of them is to the next."""
    fig, axes = plots.figure(cols=3, width_ratios=(1, 1, 1.6))
    shown = len(encoder)
    alike = {}
    for ax, name, table in zip(axes, ("encoder: a formula", "decoder: learned"), (encoder, decoder), strict=False):
        table = np.asarray(table, dtype=float)
        limit = np.quantile(np.abs(table), 0.99)
        image = ax.imshow(
            table[:shown], cmap=plots.SIGNED, vmin=-limit, vmax=limit, aspect="auto", interpolation="none"
        )
        image.set_rasterized(True)
        ax.set(xlabel="dimension", xticks=[0, 192, 383])
        ax.set_title(name)
        units = table / np.linalg.norm(table, axis=1, keepdims=True)
        alike[name] = (units[1:] * units[:-1]).sum(1)
    axes[0].set_ylabel("position")
    axes[1].set_yticks([])
    flat, rough = alike.values()
    steps = np.arange(len(rough)) + 0.5
    axes[2].plot(steps, np.full(len(rough), flat.mean()), color=plots.SIN, linewidth=2)
    axes[2].plot(steps, rough, color=plots.KEY, linewidth=1.4)
    axes[2].text(336, flat.mean() + 0.02, "formula", color=plots.ink(plots.SIN), ha="center", va="bottom", fontsize=10)
    axes[2].text(336, 0.76, "learned table", color=plots.ink(plots.KEY), ha="center", va="top", fontsize=10)
    for seam in SEAMS:
        beside = rough[max(seam - 1, 0) : seam + 1].min()
        axes[2].plot([seam + 2, seam + 26], [beside, beside], color=plots.SOFT, linewidth=0.8)
        axes[2].text(seam + 30, beside, f"position {seam}", color=plots.INK, va="center", fontsize=10)
    axes[2].set(xlabel="position", ylim=(0, 1.1), xlim=(-8, len(rough) + 8), xticks=[0, 112, 224, 336, 447])
    axes[2].set_title("a row and the next: cosine")
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
    fig, axes = plots.figure(cols=len(curves), sharey=True)
    chance = CHANCE["three_back"]
    said = []
    numbers = [("mean accuracy at new positions", *(f"{length} tokens" for length in none))]
    for ax, (scheme, (where, rows)) in zip(axes, curves.items(), strict=True):
        color, _ = LOOKS[scheme]
        ax.axvspan(trained_to, max(where), color=plots.LINE, alpha=0.5, linewidth=0)
        ax.axvline(trained_to, color=plots.FAINT, linewidth=1)
        ax.text(trained_to / 2, 0.55, "trained", color=plots.GREY, fontsize=9, ha="center", rotation=90, va="center")
        ax.text((trained_to + max(where)) / 2, 1.06, "never trained", color=plots.GREY, fontsize=9, ha="center")
        ax.plot(where, rows.T, ".-", color=color, linewidth=0.9, markersize=4.5, alpha=0.8)
        ax.plot(none, without.mean(0), color=plots.GREY, linewidth=1.6)
        ax.axhline(chance, color=plots.GREY, linestyle=":", linewidth=1)
        ax.text(max(where), chance - 0.015, "a guess", color=plots.GREY, fontsize=9, ha="right", va="top")
        ax.set(xlabel="test length (tokens)", ylim=(0, 1.12), xlim=(0, max(where)))
        ax.set_title(LABELS[scheme])
        ax.set_xticks([trained_to * k for k in range(5)])
        first, last = (rows[:, list(where).index(n)] for n in (trained_to + 1, max(where)))
        said.append(
            f"{LABELS[scheme]}: {first.min():.2f} to {first.max():.2f} at the first new position, "
            f"{last.min():.2f} to {last.max():.2f} at {max(where)} tokens"
        )
        means = dict(zip(where, rows.mean(0), strict=True))
        numbers.append((LABELS[scheme], *(f"{means[length]:.2f}" if length in means else "not run" for length in none)))
    numbers.append(("no code", *(f"{mean:.2f}" for mean in without.mean(0))))
    axes[0].set_ylabel("accuracy at new positions")
    axes[-1].text(none[-1], without.mean(0).max() + 0.02, "no code", color=plots.GREY, fontsize=9, ha="right")
    return plots.describe(
        fig,
        alt=f"3 back, the answers at positions that training never reached. {'; '.join(said)}. A model without a "
        f"code: {without[:, 0].mean():.2f} and {without[:, -1].mean():.2f}. A guess: {chance:.2f}.",
        caption=(
            "3 back, and only the answers at positions that training never reached, one line per seed. The learned "
            "table guesses from its first untrained row on. The sinusoid loses its way more slowly. Grey: a model "
            "that never had a code, the mean of its seeds."
        ),
        numbers=numbers,
    )


def model(
    names: Sequence[str], where: Sequence[int], curves, chosen: tuple[int, int, int], window, edge: int, back: int
) -> Figure:
    """Draw the accuracy of every model with one highlighted, and the attention map of that one.

    Args:
        names: of the models.
        where: the test lengths, in tokens.
        curves: accuracies, (names, seeds, lengths).
        chosen: indices of the name, the seed and the length.
        window: attention weights of the last tokens, (queries, keys).
        edge: how many of the shown tokens, the first ones, are at positions that training reached.
        back: how many tokens back the task looks; its keys are between dotted lines.
    """
    name, seed, length = chosen
    fig, (left, right) = plots.figure(cols=2, gridspec_kw={"width_ratios": (1.3, 1)})
    for i, rows in enumerate(curves):
        left.plot(where, rows.T, color=plots.SIN if i == name else plots.FAINT, linewidth=0.9)
        if i != name:
            below = rows[:, -1].mean() < curves[name][:, -1].mean()
            end = rows[:, -1].min() - 0.03 if below else rows[:, -1].max() + 0.03
            side = "top" if below else "bottom"
            left.text(where[-1], end, names[i], color=plots.GREY, fontsize=9, ha="right", va=side)
    left.plot(where, curves[name][seed], color=plots.SIN, linewidth=2.4)
    left.plot(where[length], curves[name][seed][length], "o", color=plots.PINK, ms=8)
    chance = CHANCE["three_back"]
    left.axhline(chance, color=plots.GREY, linestyle=":", linewidth=1)
    left.text(where[-1], chance + 0.015, "a guess", color=plots.GREY, fontsize=9, ha="right", va="bottom")
    left.set(xlabel="test length (tokens)", ylabel="accuracy", ylim=(0, 1.04), xticks=[where[0], *where[2:]])
    left.set_title(names[name])
    first = where[length] - len(window)
    plots.heat_map(right, window, signed=False, xlabel="key", ylabel="query", limit=1.0, colorbar=False)
    ticks = np.arange(0, len(window), 8)
    right.set_xticks(ticks, ticks + first)
    right.set_yticks(ticks, ticks + first)
    for step in (back - 1, back + 1):
        right.plot(
            [-0.5, len(window) - step - 0.5], [step - 0.5, len(window) - 0.5], ":", color=plots.PAPER, linewidth=0.9
        )
    if edge < len(window):
        beyond = Rectangle((-0.5, edge - 0.5), len(window), len(window) - edge, fill=False)
        beyond.set(edgecolor=plots.PINK, linewidth=2, clip_on=False)
        right.add_patch(beyond)
    right.set_title("where its sharpest head looks")
    return fig


def two_tables(speeds, noise, rows: int, learned: int, position: int) -> Figure:
    """Draw the sinusoid as phases beside a learned table of random rows, with one position's row framed.

    Args:
        speeds: of the hands, in rad a token.
        noise: the learned table's numbers, (positions, d_model).
        rows: how many rows the table has.
        learned: how many of them training has reached.
        position: of the framed row.
    """
    fig, (left, right) = plots.figure(cols=2)
    noise = np.array(noise)
    count, width = noise.shape
    noise[learned:] *= PALE
    noise[rows:] = np.nan
    hands.phases(left, speeds, np.arange(count), position)
    extent = (-0.5, width - 0.5, count - 0.5, -0.5)
    right.imshow(noise, cmap=plots.SIGNED, vmin=-STRONGEST, vmax=STRONGEST, extent=extent, interpolation="nearest")
    for color, line in ((plots.PAPER, 3), (plots.INK, 1.3)):
        right.add_patch(Rectangle((-0.5, position - 0.5), width, 1, fill=False, edgecolor=color, linewidth=line))
    for first, last, said in ((0, learned, "trained"), (learned, rows, "as drawn"), (rows, count, "no row")):
        if last > first:
            right.text(width + 0.02 * width, (first + last) / 2, said, color=plots.SOFT, fontsize=9, va="center")
            right.axhline(last - 0.5, color=plots.SOFT, linewidth=0.8)
    left.set_xticks(range(0, width // 2, max(1, width // 16)))
    right.set(xlabel="number", yticks=[], xlim=(-0.5, width - 0.5), ylim=left.get_ylim())
    right.spines[:].set_visible(False)
    left.set_title("sinusoid")
    right.set_title("learned table")
    return fig
