"""Draw lesson 01: one attention layer over a sentence, and how far its outputs move when the words do."""

import numpy as np
from matplotlib.figure import Figure

from pe_helpers import plots


def layer(words: list[str], weights, outputs, *, title: str = "", limit: float | None = None) -> Figure:
    """Draw attention weights (word, word), outputs (word, d_model) and the mean output of one layer."""
    weights = np.asarray(weights)
    outputs = np.asarray(outputs)
    fig, ax = plots.figure()
    ax.remove()
    grid = fig.subplot_mosaic([["weights", "outputs"]] * 4 + [[".", "mean"]], width_ratios=[1, 1.2])
    limit = limit or float(np.abs(outputs).max())
    for name, array, signed in (("weights", weights, False), ("outputs", outputs, True), ("mean", outputs, True)):
        shown = array.mean(0, keepdims=True) if name == "mean" else array
        plots.heat_map(grid[name], shown, signed=signed, limit=limit if signed else 1, colorbar=False)
        grid[name].set(xticks=[], yticks=[])
    for (i, j), value in np.ndenumerate(weights):
        grid["weights"].text(j, i, f"{value:.2f}", ha="center", va="center", color="black" if value > 0.55 else "white")
    grid["weights"].set_xticks(range(len(words)), words)
    grid["weights"].set_yticks(range(len(words)), words)
    grid["weights"].set(xlabel="seen", ylabel="looks", title="Attention weights")
    grid["outputs"].set_yticks(range(len(words)), words)
    grid["outputs"].set_title("Outputs" + f", {title}" * bool(title))
    grid["mean"].set_yticks([0], ["mean"])
    grid["mean"].set_xlabel("coordinate")
    for ax in grid.values():
        ax.tick_params(length=0)
    return fig


def movement(moved: dict[str, np.ndarray], *, xlabel: str) -> Figure:
    """Draw one row of dots for each name: how far each rearrangement moves it."""
    fig, ax = plots.figure()
    colors = [plots.SIN, plots.COS, plots.GREEN]
    for row, distances in enumerate(moved.values()):
        ax.plot(distances, np.full(len(distances), -row), "o", color=colors[row], alpha=0.55, markeredgewidth=0)
    ax.set_yticks([-row for row in range(len(moved))], list(moved))
    ax.set(xlabel=xlabel, ylim=(0.6 - len(moved), 0.4))
    ax.grid(axis="x")
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    return fig


def depth(moved: dict[str, np.ndarray], layers: list[int]) -> Figure:
    """Draw how far a shuffled prefix moves the last output: by depth, a dot for each draw, a colour for each mask."""
    fig, ax = plots.figure()
    for shift, color, (name, values) in zip((-0.07, 0.07), (plots.GREY, plots.COS), moved.items(), strict=True):
        for draw in np.asarray(values):
            ax.plot(np.array(layers) + shift, draw, "o", color=color, alpha=0.6, markeredgewidth=0)
        last = np.median(np.asarray(values)[:, -1])
        ax.annotate(name, (layers[-1] + 0.15, last), color=plots.ink(color), va="center", annotation_clip=False)
    ax.set(yscale="log", ylim=(1e-8, 2), xlim=(layers[0] - 0.4, layers[-1] + 1.1))
    ax.set(xticks=layers, xlabel="depth (layers)", ylabel="last output moves by")
    return fig
