"""Draw lesson 02: digits as waves, one wave and its partner, heat maps of the table, distances between codes."""

import numpy as np
from matplotlib.figure import Figure

from pe_helpers import plots


def digits(num_positions: int, num_digits: int) -> Figure:
    """Draw each binary digit over the positions, and the wave whose sign it is."""
    fig, axes = plots.figure(rows=num_digits, sharex=True)
    fig.set_figheight(0.95 * num_digits + 0.6)
    positions, fine = np.arange(num_positions), np.linspace(-0.5, num_positions - 0.5, 40 * num_positions)
    for i, ax in enumerate(axes):
        period = 2 ** (i + 1)
        ax.bar(positions, positions >> i & 1, width=1, color="#D9D9D9")
        ax.plot(fine, 0.5 - 0.5 * np.sin(2 * np.pi * (fine + 0.5) / period), color=plots.SIN, linewidth=1.5)
        ax.set(yticks=[0, 1], ylim=(-0.12, 1.12), xlim=(-0.5, num_positions - 0.5))
        ax.set_ylabel(f"digit {i}", rotation=0, ha="right", va="center")
        ax.text(num_positions - 0.2, 0.5, f"repeats\nafter {period}", fontsize=9, va="center", color=plots.GREY)
    axes[-1].set(xlabel="position (tokens)", xticks=positions[::2])
    return fig


def pair(period: float, marked: list[int], num_positions: int) -> Figure:
    """Draw one sine with marked positions on it, and the same positions on the circle of (sine, cosine)."""
    fig, (left, right) = plots.figure(cols=2, width_ratios=[1.9, 1])
    omega, fine = 2 * np.pi / period, np.linspace(0, num_positions - 1, 400)
    (sine,) = left.plot(fine, np.sin(omega * fine), color=plots.SIN)
    (cosine,) = left.plot(fine, np.cos(omega * fine), color=plots.COS, linewidth=1.2, alpha=0.8)
    plots.label_line(left, sine, "sine")
    plots.label_line(left, cosine, "cosine")
    turn = np.linspace(0, 2 * np.pi, 200)
    right.plot(np.sin(turn), np.cos(turn), color="#CCCCCC", linewidth=1.2)
    height = np.sin(omega * marked[0])
    left.axhline(height, color=plots.GREY, linewidth=0.8, linestyle=":")
    for p in marked:
        x, y = np.sin(omega * p), np.cos(omega * p)
        left.plot(p, x, "o", color=plots.SIN, zorder=3)
        left.annotate(f"{p}", (p, x), (0, 7), textcoords="offset points", ha="center", fontsize=9)
        right.plot([0, x], [0, y], color=plots.GREY, linewidth=1.2)
        right.plot(x, y, "o", color=plots.PINK)
        right.annotate(f"{p}", (x, y), (6, 4 if y > 0 else -10), textcoords="offset points", fontsize=9)
    left.set(xlabel="position (tokens)", ylabel="value", title="One height, two positions", ylim=(-1.15, 1.3))
    right.set(xlabel="sine", ylabel="cosine", title="Two points", aspect="equal", xlim=(-1.3, 1.5), ylim=(-1.3, 1.3))
    return fig


def table(codes, *, size: str = "wide", title: str = "") -> Figure:
    """Draw a table of codes as a heat map: one row a position, one column a dimension."""
    fig, ax = plots.figure(size=size)
    plots.heat_map(ax, codes, xlabel="dimension", ylabel="position (tokens)", label="value", limit=1)
    ax.set_title(title)
    return fig


def relative_distances(d_models: list[int], ratios, limit: float) -> Figure:
    """Draw the distance of neighbours over √d_model against d_model, and the limit that it falls to."""
    fig, ax = plots.figure()
    ax.plot(d_models, ratios, "o-", color=plots.SIN)
    ax.axhline(limit, color=plots.GREY, linewidth=1, linestyle=":")
    ax.annotate(f"limit {limit:.3f}", (d_models[0], limit), (0, 5), textcoords="offset points", color=plots.GREY)
    for d_model, ratio in list(zip(d_models, ratios, strict=True))[:4]:
        ax.annotate(f"{ratio:.3f}", (d_model, ratio), (8, 4), textcoords="offset points", color=plots.ink(plots.SIN))
    ax.set_xscale("log", base=2)
    ax.set(xticks=d_models, xticklabels=d_models, ylim=(0, None))
    ax.set(xlabel="d_model (numbers in a code)", ylabel="distance of neighbours / √d_model")
    return fig


def tables(codes: dict[float, object]) -> Figure:
    """Draw tables of several bases side by side."""
    fig, axes = plots.figure(cols=len(codes), sharey=True)
    for ax, (base, table) in zip(axes, codes.items(), strict=True):
        plots.heat_map(ax, table, xlabel="dimension", limit=1, colorbar=False)
        ax.set_title(f"base {base:,}")
    axes[0].set_ylabel("position (tokens)")
    return fig
