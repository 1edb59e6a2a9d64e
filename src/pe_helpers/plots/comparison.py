"""Compare trained models. Every seed is a dot or a line of its own, so that the figure shows the spread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

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
