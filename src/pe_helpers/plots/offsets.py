"""Draw lesson 04: two positions k tokens apart, what each pair adds to their score, and the score K(k)."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Wedge

from pe_helpers import plots, sinusoidal
from pe_helpers.plots import dials

DIALS = 6  # at most
REACH = 64  # offsets on each side of the curve, in tokens


def shown(d_model: int) -> list[int]:
    """Return the pairs that get a dial: all of them up to six, otherwise six from the fastest to the slowest."""
    pairs = d_model // 2
    if pairs <= DIALS:
        return list(range(pairs))
    return sorted({round(i * (pairs - 1) / (DIALS - 1)) for i in range(DIALS)})


def picture(position: int, offset: int, d_model: int) -> Figure:
    """Draw positions p and p + k on one dial for each pair, and below them K(k) with the current offset marked."""
    inv_freq = sinusoidal.inv_freq(d_model).numpy()
    pairs = shown(d_model)
    fig, axes = plots.figure(rows=2, cols=max(len(pairs), 2))
    for ax, i in zip(axes[0], pairs, strict=False):
        two_hands(ax, position * inv_freq[i], (position + offset) * inv_freq[i])
        ax.set_title(f"pair {i}", loc="center", fontsize=10)
        ax.set_xlabel(f"{_signed(np.cos(offset * inv_freq[i]))}")
    for ax in [*axes[0][len(pairs) :], *axes[1]]:
        ax.remove()
    below = axes[1, 0].get_gridspec()[1, :].subgridspec(1, 2)
    arrows(fig.add_subplot(below[0]), inv_freq, offset)
    below = fig.add_subplot(below[1])
    curve(below, d_model, offset)
    there = _signed(position + offset, 0)
    whole = f"All {len(inv_freq)} pairs: " if len(pairs) < len(inv_freq) else ""
    below.set_title(f"{whole}PE({position}) · PE({there}) = {below.get_title(loc='left')}")
    hands = [f"hand of position {position}", f"hand of position {there}"]
    fig.legend(axes[0, 0].lines[-2:], hands, loc="outside upper right", ncols=2, frameon=False, fontsize=9)
    return fig


def two_hands(ax: Axes, query: float, key: float) -> None:
    """Draw the hands of a query (blue) and a key (vermilion) at two angles, in rad clockwise from 12, and their gap."""
    dials.rim(ax, hours=False)
    ax.set(xlim=(-1.08, 1.08), ylim=(-1.08, 1.08))
    gap = np.degrees((key - query + np.pi) % (2 * np.pi) - np.pi)
    from_query = 90 - np.degrees(query)
    ax.add_patch(
        Wedge((0, 0), 0.55, *sorted((from_query, from_query - gap)), color=plots.GREY, alpha=0.25, linewidth=0)
    )
    for angle, color, width in ((query, plots.QUERY, 3), (key, plots.KEY, 2)):
        ax.plot([0, np.sin(angle)], [0, np.cos(angle)], color=color, linewidth=width)


def arrows(ax: Axes, inv_freq, offset: int) -> None:
    """Draw one unit arrow a hand, turned by k · ω_i, tip to tail, slowest first: they end K(k) to the right."""
    angles = offset * np.asarray(inv_freq)[::-1]
    steps = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    ends = np.concatenate([np.zeros((1, 2)), steps.cumsum(0)])
    count = len(angles)
    look = {"angles": "xy", "scale_units": "xy", "scale": 1, "width": 0.008}
    ax.quiver(*ends[:-1].T, *steps.T, color=plots.hand_colors(count)[::-1], **look)
    x, y = ends[-1]
    ax.plot([x, x], [0, y], ":", color=plots.KEY)
    ax.plot([0, x], [0, 0], color=plots.KEY, linewidth=3)
    ax.set(xlim=(-0.3 * count, 1.05 * count), ylim=(-0.6 * count, 0.6 * count), aspect="equal")
    ax.set_title(f"{count} arrows, tip to tail")
    ax.axis("off")


def curve(ax: Axes, d_model: int, offset: int | None = None, reach: int = REACH) -> None:
    """Draw K(k) for the offsets from -reach to reach, and mark `offset`."""
    reach = max(reach, abs(offset or 0))
    k = np.arange(-reach, reach + 1)
    scores = sinusoidal.kernel(k, d_model).numpy()
    ax.plot(k, scores, ".-", color=plots.GREY, linewidth=1, markersize=3)
    ax.set(xlabel="offset k (tokens)", ylabel="K(k)")
    if offset is not None:
        here = scores[offset + reach]
        ax.plot(offset, here, "o", color=plots.KEY, markersize=8)
        ax.set_title(f"K({_signed(offset, 0)}) = {_signed(here, 4)}")


def _signed(value: float, digits: int = 2) -> str:
    return f"{value:.{digits}f}".replace("-", "−")


def matrices(named: dict) -> Figure:
    """Draw square matrices side by side on one signed scale."""
    fig, axes = plots.figure(cols=len(named))
    for ax, (name, matrix) in zip(np.atleast_1d(axes), named.items(), strict=True):
        plots.heat_map(ax, matrix, limit=1, colorbar=ax is axes[-1], label="entry")
        ax.set(title=name, aspect="equal", xlabel="coordinate before", ylabel="coordinate after")
    return fig


def gram(scores) -> Figure:
    """Draw the dot product of every code with every code (seq_len, seq_len)."""
    fig, ax = plots.figure(size="square")
    plots.heat_map(ax, scores, xlabel="position q (tokens)", ylabel="position p (tokens)", label="PE(p) · PE(q)")
    ax.set(title="Constant along every diagonal", aspect="equal")
    return fig


def kernels(named: dict) -> Figure:
    """Draw K(0), K(1), … divided by K(0), one line for each d_model."""
    fig, ax = plots.figure()
    for (d_model, values), color, at in zip(named.items(), (plots.GREEN, plots.PINK), (57, None), strict=False):
        values = np.asarray(values, float)
        (line,) = ax.plot(values / values[0], ".-", color=color, linewidth=1.2, markersize=3)
        plots.label_line(ax, line, f"d_model {d_model}", at=at)
    ax.set(xlabel="offset k (tokens)", ylabel="K(k) / K(0)", title="It falls on the whole, not step by step")
    return fig


def along(scores, level: float) -> Figure:
    """Draw the scores at one offset along the positions (count,), and the `level` they have without projections."""
    fig, ax = plots.figure()
    (line,) = ax.plot(np.asarray(scores, float), color=plots.GREY, linewidth=1)
    plots.label_line(ax, line, "projected")
    (line,) = ax.plot([0, len(scores) - 1], [level, level], color=plots.GREEN)
    plots.label_line(ax, line, "codes alone")
    ax.set(xlabel="position p (tokens)", ylabel="score of p and p + 1", title="One offset, many scores")
    return fig


def agreement(apart, values) -> Figure:
    """Draw cos(k·ω_i) for some offsets, (count, pairs): how well each pair agrees with itself k tokens later."""
    fig, ax = plots.figure()
    fig.set_figheight(2.1)
    plots.heat_map(ax, values, limit=1, xlabel="pair i", ylabel="offset (tokens)", label="cos(k·ω_i)")
    ax.set(yticks=range(len(apart)), yticklabels=[f"{k}" for k in apart], xticks=[0, 3, *range(10, len(values[0]), 10)])
    return fig
