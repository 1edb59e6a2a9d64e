"""Draw lesson 08: what becomes of two tasks in longer texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from clockwork.kit import plots
from clockwork.kit.plots import arcs

TURN = 2 * np.pi
STARTS = {  # of further training: the colour of each, and where its name is
    "hands as trained": (plots.COS, (1.05, 0.42)),
    "NTK-aware": (plots.SIN, (0.05, 0.97)),
    "base 500,000": (plots.INK, (0.25, 0.72)),
    "interpolation": (plots.GREY, (1.05, 0.09)),
}
TRAINED = 24  # tokens of who came first in training
AWAY = (66, 91)  # tokens after which hand 0 points nearly where it does after three; after 66 hand 1 does too


def across_gaps(apart: Sequence[int], results: Mapping[str, np.ndarray], speed: float) -> Figure:
    """Draw how often models are right about who came first in short texts, against the tokens between A and B.

    Args:
        apart: tokens from A to B.
        results: for the trained hands and for a remedy, the accuracies, (distances, seeds).
        speed: of hand 1 in training, in rad a token; its dials stand above the curves.
    """
    fig = Figure(figsize=(plots.NARROW, 4.3), layout="constrained")
    places = (16, 47, 79)
    axes = fig.subplots(2, len(places), height_ratios=[1, 2.3])
    color = plots.hand_colors(4)[1]
    for ax, tokens in zip(axes[0], places, strict=True):
        angle = tokens * speed
        arcs.arc_dial(ax, TRAINED * speed, 0, color, both_ways=True, mark=(angle, angle))
        side = "right" if np.sin(angle) > 0 else "left"
        ax.set_title(f"{tokens} tokens:\nto the {side}", loc="center", fontsize=9)
    for ax in axes[1]:
        ax.remove()
    ax = fig.add_subplot(axes[0, 0].get_gridspec()[1, :])
    ax.axvspan(0, TRAINED - 1, color=plots.FAINT, alpha=0.4, linewidth=0)
    ax.text(1, 0.06, "in training", fontsize=8.5, color=plots.SOFT)
    places = ((65.5, 0.04), (30, 1.06))  # of the curves' names, beside or above them
    for (name, rows), tone, place in zip(results.items(), (plots.COS, plots.SIN), places, strict=True):
        rows = np.asarray(rows, float)
        ax.plot(apart, rows, color=tone, linewidth=0.6, alpha=0.35)
        ax.plot(apart, rows.mean(1), "o-", color=tone, linewidth=2.2, markersize=4)
        ax.text(*place, name.replace(" as ", "\nas "), fontsize=9, weight="bold", color=plots.ink(tone))
    ax.axhline(0.5, color=plots.FAINT, linestyle=":")
    for tokens, words in ((np.pi / speed, "half a turn\nof hand 1"), (TURN / speed, "a whole\nturn")):
        ax.vlines(tokens, -0.04, 1.04, color=plots.SOFT, linewidth=1, linestyle="--")
        ax.text(tokens + 2.5, 0.57, words, fontsize=8, color=plots.SOFT)
    ax.set(xlim=(0, 96), ylim=(-0.04, 1.16), xlabel="tokens from A to B, in texts of 24", ylabel="right answers")
    return plots.describe(
        fig,
        alt=(
            "Right answers about who came first against the tokens from A to B. As trained, the curve stays at 1, "
            "falls through one half where hand 1 makes half a turn, stays at 0, is back at 1 after the whole turn, "
            "and falls again towards one turn and a half. With hand 1 slowed it stays at 1."
        ),
        numbers=_means("tokens from A to B", apart, results),
        caption=(
            "Where hand 1 has crossed to the left, at angles that training showed there, nearly all answers are wrong; "
            "after a whole turn they are right again for a while. Above: hand 1 between two tokens so far apart; grey, "
            "the angles of training. Thin: eight models, which tip over one by one. Dotted: guessing."
        ),
    )


def gaps(shifts: Sequence[int], results: Mapping[str, np.ndarray]) -> Figure:
    """Draw how often 3 back is right in texts of 32 tokens whose second half is moved on, and hands 0 and 1 there.

    Args:
        shifts: the position of the first token of the second half.
        results: for the trained hands and for two changes, the accuracies, (shifts, seeds).
    """
    fig = Figure(figsize=(plots.NARROW, 4.1), layout="constrained")
    axes = fig.subplots(2, 2 * len(AWAY), height_ratios=[1, 2.4])
    colors = plots.hand_colors(4)
    for j, tokens in enumerate(AWAY):
        for i, ax in enumerate(axes[0, 2 * j : 2 * j + 2]):
            speed = 0.1**i
            arcs.arc_dial(ax, 32 * speed, 0, colors[i], both_ways=True, mark=(3 * speed, tokens * speed))
            ax.set_title(f"hand {i}", loc="center", fontsize=9, color=plots.ink(colors[i]))
            ax.set_xlabel(f"{tokens} tokens", fontsize=9)
    for ax in axes[1]:
        ax.remove()
    ax = fig.add_subplot(axes[0, 0].get_gridspec()[1, :])
    for (name, rows), tone, y in zip(
        results.items(), (plots.COS, plots.SIN, plots.INK), (1.04, 0.85, 0.75), strict=True
    ):
        rows = np.asarray(rows, float)
        ax.plot(shifts, rows, color=tone, linewidth=0.6, alpha=0.3)
        ax.plot(shifts, rows.mean(1), "o-", color=tone, linewidth=2.2, markersize=4)
        ax.text(shifts[0], y, name, fontsize=9, weight="bold", color=plots.ink(tone))
    ax.axhline(1 / 16, color=plots.FAINT, linestyle=":")
    ax.axvline(63, color=plots.SOFT, linewidth=1, linestyle="--")
    ax.text(63.8, 0.16, "63: ten turns of hand 0,\none turn of hand 1", fontsize=8.5, color=plots.SOFT)
    ax.set(ylim=(0, 1.16), xlabel="position at which the second half begins", ylabel="3 back, 32 tokens")
    lowest = {name: np.asarray(rows, float).mean(1) for name, rows in results.items()}
    said = "; ".join(f"{name}, {means.min():.2f} at {shifts[means.argmin()]}" for name, means in lowest.items())
    return plots.describe(
        fig,
        alt=(
            "Right answers of 3 back against the position at which the second half of the text begins: one dip in the "
            f"curve of the hands as trained. The lowest means: {said}."
        ),
        numbers=_means("position of the second half", shifts, results),
        caption=(
            "Above: where two hands point after so many tokens (solid) and after 3 (dotted). After 66 both are nearly "
            "there again; after 91 only hand 0 is. Below: texts of 32 tokens, eight models (thin) and their mean. If "
            "the second half begins at 63, each of its tokens has one 66 back; if at 88, one 91 back. As trained, only "
            "one place is bad, about 63. With hand 1 slowed there is a shallower one, where that hand ends its turn "
            "now (100 tokens). Dotted: guessing."
        ),
    )


def further(steps: Sequence[int], results: Mapping[str, np.ndarray]) -> Figure:
    """Draw the accuracy of 3 back at 128 tokens while models train on at that length.

    Args:
        steps: of further training.
        results: for each start the accuracies, (steps, seeds).
    """
    fig, ax = plots.narrow(3.3)
    places = range(len(steps))
    for name, (color, (x, y)) in STARTS.items():
        rows = np.asarray(results[name], float)
        ax.plot(places, rows, color=color, linewidth=0.7, alpha=0.35)
        ax.plot(places, rows.mean(1), "o-", color=color, linewidth=2.2, markersize=5)
        ax.text(x, y, name, fontsize=9, weight="bold", color=plots.ink(color))
    ax.axhline(1 / 16, color=plots.FAINT, linestyle=":")
    ax.set_xticks(places, [str(step) for step in steps])
    ax.set(ylim=(0, 1.04), xlabel="steps of training at 128 tokens", ylabel="3 back at 128 tokens")
    ends = {name: np.asarray(rows, float).mean(1)[[0, -1]] for name, rows in results.items()}
    said = "; ".join(f"{name}, {first:.2f} and {last:.2f}" for name, (first, last) in ends.items())
    return plots.describe(
        fig,
        alt=(
            "Accuracy of 3 back at 128 tokens while the models train on at that length. Means before the first and "
            f"after the last step: {said}."
        ),
        numbers=_means("steps at 128 tokens", steps, results),
        caption=(
            "Models that knew 3 back at 32 tokens train on at 128. Eight models each (thin) and their mean. At each "
            "mark the optimizer starts afresh. Dotted: guessing."
        ),
    )


def _means(places: str, values: Sequence[int], results: Mapping[str, np.ndarray]) -> list[tuple[str, ...]]:
    """Return the table of the means of `results`: one row for each of the values, named together by `places`."""
    columns = [[f"{mean:.2f}" for mean in np.asarray(rows, float).mean(1)] for rows in results.values()]
    return [(places, *results), *zip(map(str, values), *columns, strict=True)]
