"""Draw lesson 07: scores, biases and weights of attention, maps of trained heads, and the two rotary layouts."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from pe_helpers import plots

DOORS = (("score q·k", plots.QUERY), ("bias", plots.PINK), ("weight", plots.GREEN))


def query(score, bias, weight, *, position: int, weights, title: str) -> Figure:
    """Draw one query's scores, biases and weights over the keys, next to the map of all weights.

    Args:
        score: of each visible key, before the bias.
        bias: added to each score.
        weight: of each visible key, after the softmax.
        position: of the query.
        weights: of all queries, (seq_len, seq_len).
        title: names the scheme and the head.
    """
    fig, axes = plots.figure(rows=3, cols=2, width_ratios=[1, 1.5], sharex="col")
    fig.set_figheight(4.4)
    grid = axes[0, 0].get_gridspec()
    for ax in axes[:, 0]:
        ax.remove()
    whole = fig.add_subplot(grid[:, 0])
    weight_map(whole, weights, title)
    whole.axhline(position - 0.5, color="white", linewidth=0.8)
    whole.axhline(position + 0.5, color="white", linewidth=0.8)
    for ax, values, (name, color) in zip(axes[:, 1], (score, bias, weight), DOORS, strict=True):
        ax.bar(range(len(values)), values, color=color)
        ax.axhline(0, color=plots.SOFT, linewidth=0.8)
        ax.set_title(name, fontsize=10)
        if not np.any(values):
            ax.set_ylim(-1, 1)
    axes[2, 1].set(xlabel="key (position, tokens)", ylim=(0, 1.02), xlim=(-0.6, len(weights) - 0.4))
    return fig


def weight_map(ax: Axes, weights, title: str = "") -> None:
    """Draw attention weights, (queries, keys), from 0 (violet) to 1 (yellow)."""
    plots.heat_map(ax, weights, signed=False, limit=1.0, colorbar=False)
    ax.set(aspect="equal", xlabel="key", ylabel="query")
    ax.set_title(title, fontsize=10)


def maps(named: dict[str, object], *, marked: int | None = None) -> Figure:
    """Draw maps of attention weights, three in a row, with a dotted line where a query looks `marked` tokens back."""
    rows = -(-len(named) // 3)
    fig, axes = plots.figure(rows=rows, cols=3, sharex=True, sharey=True)
    fig.set_figheight(2.75 * rows)
    for ax, (name, weights) in zip(axes.flat, named.items(), strict=True):
        weight_map(ax, weights, name)
        if marked is not None:
            n = len(weights)
            ax.plot([-0.5, n - 1 - marked + 0.5], [marked - 0.5, n - 0.5], ":", color="white", linewidth=0.8, alpha=0.6)
    for ax in axes[:-1].flat:
        ax.set_xlabel("")
    for ax in axes[:, 1:].flat:
        ax.set_ylabel("")
    return fig


def scores(ax: Axes, groups: dict[str, dict[str, object]], *, chance: dict[str, float]) -> None:
    """Draw accuracies: a row for each scheme, a colour for each task, a dot for each seed."""
    names = list(next(iter(groups.values())))
    for (task, by_scheme), color, lift in zip(groups.items(), (plots.SIN, plots.COS), (-0.14, 0.14), strict=False):
        for row, name in enumerate(names):
            values = np.asarray(by_scheme[name], float)
            ax.plot(
                values, np.full(len(values), row + lift), "o", color=color, alpha=0.75, label=task if row == 0 else None
            )
        ax.axvline(chance[task], color=color, linestyle=":", linewidth=1)
    ax.set(
        yticks=range(len(names)), yticklabels=names, xlabel="share of right answers (dotted: guessing)", xlim=(0, 1.03)
    )
    ax.invert_yaxis()
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2)


def layouts(head_dim: int = 8) -> Figure:
    """Draw which features turn together in the two rotary layouts."""
    fig, axes = plots.figure(cols=2)
    fig.set_figheight(1.5)
    colors = (plots.SIN, plots.COS, plots.GREEN, plots.PINK)
    for ax, name in zip(axes, ("interleaved", "half"), strict=True):
        for i in range(head_dim):
            pair = i // 2 if name == "interleaved" else i % (head_dim // 2)
            ax.add_patch(Rectangle((i + 0.06, 0), 0.88, 0.8, color=colors[pair % 4]))
            ax.text(i + 0.5, 0.4, f"{i}", ha="center", va="center", color="white", weight="bold")
        ax.set(xlim=(0, head_dim), ylim=(0, 0.85), xticks=[], yticks=[])
        ax.set_title(f'layout="{name}"', fontsize=10)
        ax.spines[:].set_visible(False)
    return fig


def ranges(ax: Axes, named: dict[str, object]) -> None:
    """Draw the score of query p and key p − 3 against p, from p = 3 on, one line for each scheme."""
    for (name, values), color in zip(named.items(), (plots.COS, plots.SIN, plots.GREEN), strict=False):
        plots.label_line(ax, ax.plot(np.arange(3, 3 + len(values)), np.asarray(values, float), color=color)[0], name)
    ax.set(xlabel="position of the query p (tokens)", ylabel="score of (p, p − 3)")
