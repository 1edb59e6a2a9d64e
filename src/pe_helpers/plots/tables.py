"""Draw lesson 09: the principal directions of a position table."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pe_helpers import plots


def direction(curve, spectrum, wave, *, cycles: int, title: str) -> Figure:
    """Draw one direction of a table along the positions with one of its waves, and its spectrum in cycles per table."""
    fig, (left, right) = plots.figure(cols=2)
    left.plot(np.asarray(curve), color=plots.SIN, linewidth=1, label="the table's rows")
    left.plot(np.asarray(wave), color=plots.COS, linewidth=2, label=f"the wave of {cycles} cycles")
    left.axhline(0, color=plots.FAINT, linewidth=0.8)
    left.legend(loc="lower left", bbox_to_anchor=(0, 1.08), ncols=2, fontsize=8)
    left.set(xlabel="position (tokens)", ylabel="along the direction", title=title)
    right.vlines(np.arange(len(spectrum)), 0, np.asarray(spectrum), color=plots.GREY, linewidth=1.2)
    right.vlines(cycles, 0, float(spectrum[cycles]), color=plots.COS, linewidth=2.5)
    right.set(xlabel="cycles over the table", ylabel="share of the power", ylim=(0, None))
    return fig


def falling(ax: Axes, curves: Mapping[str, np.ndarray], *, xlabel: str, ylabel: str) -> None:
    """Draw up to three curves over 1, 2, 3, … on a logarithmic axis, each labelled where there is room."""
    for color, at, (name, curve) in zip((plots.COS, plots.SIN, plots.GREY), (34, 20, 3), curves.items(), strict=False):
        (line,) = ax.plot(np.arange(1, len(curve) + 1), np.asarray(curve), color=color)
        plots.label_line(ax, line, name, at=at)
    ax.set(xscale="log", xlabel=xlabel, ylabel=ylabel)
    ax.xaxis.set_major_formatter("{x:g}")
    ax.axhline(0, color=plots.FAINT, linewidth=0.8)
