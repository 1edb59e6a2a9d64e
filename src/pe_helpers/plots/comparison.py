"""Compare trained models. Every seed is a dot or a line of its own, so that the figure shows the spread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Rectangle

from pe_helpers import plots


def seeds(live: Mapping[str, Sequence], data: Mapping[str, Sequence], *, chance: float, title: str) -> Figure:
    """Draw one row for each encoding: dots for the models trained in the lesson, rings for those of the sweep."""
    names = list(dict.fromkeys([*live, *data]))
    fig, ax = plots.figure()
    for row, name in enumerate(names):
        there, here = (np.asarray(results.get(name, ()), dtype=float) for results in (data, live))
        ax.plot(there, row - 0.16 * _spread(there), "o", mfc="none", mec=plots.GREY, ms=7)
        ax.plot(here, np.full(len(here), row + 0.26), "o", color=plots.SIN, ms=7)
    ax.axvline(chance, color=plots.GREY, linestyle=":", linewidth=1)
    ax.set(xlim=(-0.02, 1.03), ylim=(len(names) - 0.4, -0.6), xlabel="accuracy (share of right answers)", title=title)
    ax.set_yticks(range(len(names)), names)
    return fig


def scales(
    stds: Sequence[float], results: Mapping[str, Sequence[Sequence[float]]], levels: Mapping[str, float]
) -> Figure:
    """Draw accuracy against the initial scale of a learned table, one panel for each task; a line is the sinusoid's."""
    fig, axes = plots.figure(cols=len(results), sharey=True, squeeze=False)
    for ax, (task, rows) in zip(axes[0], results.items(), strict=True):
        for std, row in zip(stds, rows, strict=True):
            ax.plot(np.full(len(row), std) * 1.06 ** _spread(row), row, "o", mfc="none", mec=plots.KEY, ms=6)
        ax.plot(stds, np.median(rows, axis=1), color=plots.KEY)
        ax.axhline(levels[task], color=plots.SIN, linestyle="--", linewidth=1)
        ax.text(stds[0], levels[task] + 0.02, "sinusoid, median", color=plots.ink(plots.SIN), fontsize=9)
        ax.set(xscale="log", xlabel="initial std of the learned table", title=task, ylim=(0, 1.08))
        ax.set_xticks(stds, [f"{std:g}" for std in stds])
        ax.minorticks_off()
    axes[0][0].set_ylabel("accuracy")
    return fig


def tuning(grid: Mapping, scales: Mapping[str, Sequence[float]], rates: Sequence[float], *, tuned_on: int) -> Figure:
    """Draw the mean accuracy over learning rate and scale, one row of panels a task, one panel an encoding.

    Args:
        grid: for each task and encoding the accuracies, (scales, rates, seeds).
        scales: of each encoding, from quiet to loud.
        rates: the learning rates.
        tuned_on: how many of the seeds, the first ones, the means are taken over.
    """
    schemes = list(scales)
    fig, axes = plots.figure(rows=len(grid), cols=len(schemes), squeeze=False)
    for row, (task, sides) in zip(axes, grid.items(), strict=True):
        for ax, scheme in zip(row, schemes, strict=True):
            means = np.asarray(sides[scheme], dtype=float)[..., :tuned_on].mean(-1)
            tiles(ax, means, [f"{scale:g}" for scale in scales[scheme]], [f"{rate:g}" for rate in rates])
            ax.set_title(f"{task}: {scheme}")
            if row is axes[-1]:
                ax.set_xlabel("learning rate")
    axes[0][0].set_ylabel("drawn at std")
    axes[-1][0].set_ylabel("drawn at std")
    for row in axes:
        row[1].set_ylabel("multiplied by")
    start = axes[0][0]
    left, bottom = 1 - 0.5, len(scales[schemes[0]]) - 1.5
    start.add_patch(Rectangle((left, bottom), 1, 1, fill=False, edgecolor=plots.KEY, linewidth=3))
    return plots.describe(
        fig,
        alt=(
            "Four heat maps of accuracy over learning rate and scale. On 3 back, the learned table is dark only where "
            "it starts quiet and the learning rate is small, and bright everywhere else; the sinusoid is bright at "
            "full size and dark when multiplied by 0.1 or 0.3. On who came first, both are best at the loudest start "
            "and at learning rate 0.01, and no cell reaches 1."
        ),
        caption=(
            f"Whether a table “works” depends on where you stand on this map. Each tile is the mean accuracy of "
            f"{tuned_on} seeds. Orange frame: our first comparison. White ring: the best tile of its panel, which is "
            "the one to compare."
        ),
    )


def tiles(ax: Axes, means, scales: Sequence[str], rates: Sequence[str]) -> None:
    """Draw one tile for each scale (the loudest at the top) and rate with its number in it, and ring the best."""
    means = np.asarray(means)[::-1]
    ax.imshow(means, cmap=plots.MAGNITUDE, vmin=0, vmax=1, aspect="auto")
    for (row, column), mean in np.ndenumerate(means):
        tone = plots.INK if mean > 0.6 else plots.PAPER
        ax.text(column, row, f"{mean:.2f}", ha="center", va="center", color=tone, fontsize=10)
    from_quiet, column = divmod(means[::-1].argmax(), means.shape[1])  # of equal ones the first, as in the lesson
    corner = (column - 0.36, len(means) - 1 - from_quiet - 0.3)
    ring = FancyBboxPatch(corner, 0.72, 0.6, fill=False, edgecolor=plots.PAPER, linewidth=2.5)
    ring.set_boxstyle("round", pad=0, rounding_size=0.25)
    ax.add_patch(ring)
    ax.set_xticks(range(len(rates)), rates)
    ax.set_yticks(range(len(scales)), scales[::-1])
    ax.set_xticks(np.arange(len(rates) - 1) + 0.5, minor=True)
    ax.set_yticks(np.arange(len(scales) - 1) + 0.5, minor=True)
    ax.grid(which="minor", color=plots.PAPER, linewidth=2)
    ax.tick_params(which="both", length=0)
    ax.spines[:].set_visible(False)


def lengths(results: Mapping[str, tuple], *, trained_to: int, chance: float, ylabel: str = "accuracy") -> Figure:
    """Draw every seed against the test length, one panel for each encoding.

    Args:
        results: for each encoding the lengths and the accuracies, (num_seeds, num_lengths).
        trained_to: the longest training sequence, in tokens.
        chance: accuracy of guessing.
        ylabel: what is drawn.
    """
    fig, axes = plots.figure(cols=len(results), sharey=True)
    for ax, (name, (where, rows)) in zip(axes, results.items(), strict=True):
        ax.plot(where, np.transpose(rows), ".-", color=plots.SIN, linewidth=0.8, markersize=4, alpha=0.8)
        ax.axvline(trained_to, color=plots.GREY, linestyle=":", linewidth=1)
        ax.axhline(chance, color=plots.GREY, linestyle=":", linewidth=1)
        ax.set(title=name, xlabel="test length (tokens)")
        ax.set_xticks([trained_to * k for k in (1, 2, 4)])
    axes[0].set_ylabel(ylabel)
    return fig


def model(
    names: Sequence[str], where: Sequence[int], curves, chosen: tuple[int, int, int], window, head: str
) -> Figure:
    """Draw the accuracy of every model with one highlighted, and the attention map of that one.

    Args:
        names: of the encodings.
        where: the test lengths, in tokens.
        curves: accuracies, (encodings, seeds, lengths).
        chosen: indices of the encoding, the seed and the length.
        window: attention weights of the last tokens, (queries, keys).
        head: names the layer and head.
    """
    encoding, seed, length = chosen
    fig, (left, right) = plots.figure(cols=2, gridspec_kw={"width_ratios": (1.3, 1)})
    left.plot(where, np.reshape(curves, (-1, len(where))).T, color=plots.FAINT, linewidth=0.8)
    left.plot(where, curves[encoding].T, color=plots.SIN, linewidth=0.9)
    left.plot(where, curves[encoding][seed], color=plots.SIN, linewidth=2.4)
    left.plot(where[length], curves[encoding][seed][length], "o", color=plots.PINK, ms=8)
    left.set(xlabel="test length (tokens)", ylabel="accuracy", ylim=(0, 1.04), title=f"{names[encoding]}, seed {seed}")
    attention_map(right, window, head)
    right.set(xlabel=f"key: the last {len(window)} tokens", xticks=[], yticks=[])
    return fig


def attention_map(ax: Axes, window, title: str) -> None:
    """Draw attention weights, one row for each query, from 0 (dark) to 1 (bright)."""
    plots.heat_map(ax, window, signed=False, xlabel="key", ylabel="query", limit=1.0, colorbar=False)
    ax.set_title(title)


def _spread(values: Sequence[float]) -> np.ndarray:
    return np.linspace(-1, 1, len(values)) if len(values) > 1 else np.zeros(len(values))
