"""Draw lesson 08: the hands, and the accuracy of models, beyond the trained length."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pe_helpers import plots


def stretched(seen, reach, outside, step, *, hand: int, title: str) -> Figure:
    """Draw how far every hand has turned at the end of the context, and its step relative to training.

    Args:
        seen: turns at the end of the training context, log10, for each hand.
        reach: turns at the end of this context, log10.
        outside: whether the hand reaches angles that training never saw.
        step: angle of one token, as a share of that in training.
        hand: the one to mark.
        title: of the left panel.
    """
    seen, reach, outside, step = (np.asarray(values) for values in (seen, reach, outside, step))
    fig, (left, right) = plots.figure(cols=2)
    hands = np.arange(len(seen))
    left.plot(hands, seen, color=plots.SIN)
    middle = len(hands) // 3
    left.annotate(
        "training", (middle, seen[middle]), (-4, -6), textcoords="offset points", ha="right", va="top", color=plots.SIN
    )
    slow = seen < 0
    left.fill_between(hands[slow], seen[slow], 0, color=plots.COS, alpha=0.13, linewidth=0)
    left.vlines(hands, seen, reach, color=plots.LINE, linewidth=1.5)
    left.plot(hands[~outside], reach[~outside], "o", color=plots.GREY, markersize=4, label="now")
    left.plot(hands[outside], reach[outside], "o", color=plots.COS, markersize=4, label="now, at angles never trained")
    left.plot(hand, reach[hand], "o", color=plots.COS if outside[hand] else plots.GREY, markersize=8)
    left.legend(loc="upper right", fontsize=8)
    left.axhline(0, color=plots.FAINT, linewidth=1)
    left.annotate("one full turn", (0, 0), ha="left", va="top", fontsize=8, color=plots.GREY)
    ticks = range(int(np.floor(min(seen.min(), reach.min()))), int(np.ceil(reach.max())) + 1)
    left.set_yticks(list(ticks), [f"{10.0**tick:g}" for tick in ticks])
    left.set(xlabel="hand (fast to slow)", ylabel="turns at the end of the context", title=title)
    right.plot(hands, step, "o-", color=plots.GREEN, markersize=4)
    right.plot(hand, step[hand], "o", color=plots.GREEN, markersize=8)
    right.set(ylim=(0, 1.08), xlabel="hand (fast to slow)", ylabel="step / step in training")
    return fig


def accuracies(ax: Axes, lengths, scores: Mapping[str, np.ndarray], *, trained: float, chance: float) -> None:
    """Draw accuracy against length: a thin line for each seed, a thick one for their mean, labelled at its end.

    Args:
        ax: where to draw.
        lengths: of the test sequences, in tokens.
        scores: for each encoding the accuracies, (lengths, seeds).
        trained: the longest training sequence, in tokens.
        chance: accuracy of guessing.
    """
    colors = [plots.SIN, plots.COS, plots.GREEN, plots.PINK, plots.GREY, plots.INK]
    ends = {name: np.asarray(score)[-1].mean() for name, score in scores.items()}
    heights = dict(zip(sorted(ends, key=ends.get), _apart(sorted(ends.values())), strict=True))
    for color, (name, score) in zip(colors, scores.items(), strict=False):
        ax.plot(lengths, np.asarray(score), color=color, linewidth=0.6, alpha=0.5)
        ax.plot(lengths, np.asarray(score).mean(-1), color=color)
        ax.annotate(
            name,
            (lengths[-1], heights[name]),
            (6, 0),
            textcoords="offset points",
            va="center",
            color=plots.ink(color),
            fontsize=9,
            annotation_clip=False,
        )
    ax.axvline(trained, color=plots.FAINT, linewidth=1)
    ax.annotate("trained to here", (trained, 1.04), fontsize=8, color=plots.GREY, ha="center", va="bottom")
    ax.axhline(chance, color=plots.FAINT, linewidth=1, linestyle="--")
    ax.set(ylim=(0, 1.04), xlabel="length of the sequence (tokens)", ylabel="accuracy")


def costs(ax: Axes, steps: Mapping[str, np.ndarray]) -> None:
    """Draw every hand's step relative to training for each method, (factors, hands), one line for each factor."""
    for color, at, (name, ratio) in zip((plots.COS, plots.GREEN), (16, 6), steps.items(), strict=True):
        lines = ax.plot(np.asarray(ratio).T, color=color, linewidth=1.2)
        plots.label_line(ax, lines[0], name, at=at)
    ax.set(xlabel="hand (fast to slow)", ylabel="step / step in training", ylim=(0, 1.08))


def _apart(heights: list[float], gap: float = 0.07) -> list[float]:
    """Move sorted heights up until labels at them do not overlap."""
    placed = []
    for height in heights:
        placed.append(max([height, *(low + gap for low in placed[-1:])]))
    return placed
