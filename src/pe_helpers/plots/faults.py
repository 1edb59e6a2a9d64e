"""Draw lesson 10: which test sees which fault, and how little the loss says."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from pe_helpers import plots


def grid(ax: Axes, seen, faults: list[str], tests: list[str], *, chosen: int | None = None) -> None:
    """Draw a cross wherever a test (column) sees a fault (row).

    Args:
        ax: where to draw.
        seen: truth values, (faults, tests).
        faults: names of the rows.
        tests: names of the columns.
        chosen: the row to highlight.
    """
    seen = np.asarray(seen, dtype=bool)
    rows, columns = np.nonzero(~seen)
    ax.plot(columns, rows, "o", color=plots.FAINT, markersize=2)
    rows, columns = np.nonzero(seen)
    ax.plot(columns, rows, "X", color=plots.COS, markersize=7)
    if chosen is not None:
        ax.axhspan(chosen - 0.5, chosen + 0.5, color=plots.RAISED, zorder=0)
    ax.set_xticks(range(len(tests)), tests, rotation=50, ha="left", rotation_mode="anchor")
    ax.set_yticks(range(len(faults)), faults)
    ax.set(xlim=(-0.6, len(tests) - 0.4), ylim=(len(faults) - 0.4, -0.6))
    ax.xaxis.tick_top()
    ax.tick_params(length=0, labelsize=8)
    ax.spines[:].set_visible(False)


def curves(ax: Axes, losses: dict[str, np.ndarray], *, sound: str, named: str = "", window: int = 10) -> None:
    """Draw losses, (steps, seeds) in nats, each as its mean over seeds and `window` steps.

    The loss of the `sound` encoding is blue; it and the one that is `named` are labelled.
    """
    for name, loss in losses.items():
        mean = np.asarray(loss).mean(-1)
        smooth = np.convolve(mean, np.ones(window) / window, "valid")
        right = name == sound
        (line,) = ax.plot(
            np.arange(window, len(mean) + 1),
            smooth,
            color=plots.SIN if right else plots.GREY,
            linewidth=2.5 if right else 0.8,
            alpha=1 if right else 0.7,
            zorder=3 if right else 2,
        )
        if right or name == named:
            plots.label_line(ax, line, name)
    ax.set(xlabel="training step", ylabel="loss (nats per byte)")
