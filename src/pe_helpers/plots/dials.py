"""Draw positions as dials: each pair (sin, cos) of a code is the tip of a hand, from fast (dark, thin) to slow."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pe_helpers import plots
from pe_helpers.plots.hands import SHORTEST

WORDS = (plots.GREEN, plots.PINK, plots.GREY)  # neither sine nor cosine, query nor key


def rim(ax: Axes, title: str = "", *, hours: bool = True) -> None:
    """Draw an empty dial: a unit circle with its ticks, x to the right and y upwards, both from -1 to 1."""
    around = np.linspace(0, 2 * np.pi, 181)
    ax.plot(np.sin(around), np.cos(around), color=plots.SOFT, linewidth=1)
    for hour in range(12):
        angle = hour * np.pi / 6
        tick = np.array([0.9 if hour % 3 == 0 else 0.95, 1])
        ax.plot(tick * np.sin(angle), tick * np.cos(angle), color=plots.SOFT, linewidth=1)
        if hours and hour % 3 == 0:
            ax.text(1.16 * np.sin(angle), 1.16 * np.cos(angle), f"{hour or 12}", ha="center", va="center", fontsize=8)
    ax.set(xlim=(-1.3, 1.3), ylim=(-1.3, 1.3), aspect="equal", xticks=[], yticks=[], title=title)
    ax.spines[:].set_visible(False)


def dial(ax: Axes, code, title: str = "", *, hours: bool = True) -> None:
    """Draw one position's code (d_model,) as a dial: hand i points to x = sin(p·ω_i), y = cos(p·ω_i).

    The slower a hand, the shorter it is drawn, so that hands on the same spot stay apart. Up to
    eight hands carry their numbers, once they have left 12 o'clock.
    """
    code = np.asarray(code, float)
    tips = code.reshape(-1, 2)
    rim(ax, title, hours=hours)
    for i, (tip, color) in reversed(list(enumerate(zip(tips, plots.hand_colors(len(tips)), strict=True)))):
        slow = i / max(len(tips) - 1, 1)
        x, y = tip * (1 - (1 - SHORTEST) * slow)
        ax.plot([0, x], [0, y], color=color, linewidth=1.4 + 2.6 * slow, solid_capstyle="round", zorder=3 - slow)
        if len(tips) <= 8 and (i == 0 or abs(x) > 0.05 or y < 0):
            ax.text(0.7 * x, 0.7 * y, f"{i}", ha="center", va="center", fontsize=8, zorder=4, bbox=_halo())
    ax.plot(0, 0, "o", color=plots.INK, markersize=3.5, zorder=5)


def row(codes, titles: list[str]) -> Figure:
    """Draw several codes (count, d_model) as dials side by side."""
    fig, axes = plots.figure(cols=len(titles))
    fig.set_figheight(2.4)
    for ax, code, title in zip(np.atleast_1d(axes), np.asarray(codes, float), titles, strict=True):
        dial(ax, code, hours=len(titles) <= 3)
        ax.set_title(title, loc="center", fontsize=10)
    return fig


def trails(codes) -> Figure:
    """Draw each hand of consecutive positions' codes (seq_len, d_model) on a dial of its own, with its earlier tips."""
    tips = np.asarray(codes, float).reshape(len(codes), -1, 2)
    fig, axes = plots.figure(cols=tips.shape[1])
    fig.set_figheight(2.3)
    for i, (ax, color) in enumerate(zip(np.atleast_1d(axes), plots.hand_colors(tips.shape[1]), strict=True)):
        dotted(ax, tips[:, i], f"hand {i}", color)
    return fig


def dotted(ax: Axes, tips, title: str = "", color=plots.GREY) -> None:
    """Draw one hand's tips (seq_len, 2) as growing, numbered dots, and the hand at the last one."""
    tips = np.asarray(tips, float)
    rim(ax, hours=False)
    ax.set_title(title, loc="center", fontsize=10)
    ax.scatter(*tips.T, s=np.linspace(8, 34, len(tips)), color=color, zorder=3)
    ax.plot([0, tips[-1, 0]], [0, tips[-1, 1]], color=color, zorder=2)
    named = []
    for p in (0, len(tips) - 1, *range(1, len(tips) - 1)):  # the first and the last before any other
        if all(np.abs(tips[p] - tips[q]).max() > 0.15 for q in named):
            named.append(p)
            ax.text(*(1.19 * tips[p]), f"{p}", ha="center", va="center", fontsize=8)


def turned(turns) -> Figure:
    """Draw how many turns each hand (count,) has made, on a logarithmic scale, against one full turn."""
    turns = np.asarray(turns, float)
    round_ = int((turns >= 1).sum())
    fig, ax = plots.figure()
    ax.semilogy(turns, color=plots.GREY)
    ax.axhline(1, color=plots.PINK, linestyle="--")
    ax.text(len(turns) - 1, 1.25, "one full turn", color=plots.ink(plots.PINK), ha="right")
    title = f"{round_} hands get round, {len(turns) - round_} do not"
    ax.set(xlabel="hand i", ylabel="turns made", title=title)
    return fig


def confusable(gaps: dict) -> Figure:
    """Draw, one panel a name, the distance of the dials k = 1, 2, … tokens apart (reach,), and that of neighbours."""
    fig, axes = plots.figure(cols=len(gaps), sharey=True)
    for ax, (name, gap) in zip(axes, gaps.items(), strict=True):
        gap = np.asarray(gap, float)
        nearer = gap < gap[0] - 1e-9
        ax.plot(np.arange(1, len(gap) + 1), gap, ",", color=plots.GREY)
        ax.plot(np.flatnonzero(nearer) + 1, gap[nearer], ".", color=plots.KEY, markersize=4)
        ax.axhline(gap[0], color=plots.PINK)
        ax.set(title=name, xlabel="offset (tokens)")
    ax.text(0, gap[0] - 0.1, "neighbours", color=plots.ink(plots.PINK), va="top", fontsize=9)
    ax.set_ylim(0, 1.05 * max(float(np.max(np.asarray(gap))) for gap in gaps.values()))
    axes[0].set_ylabel("distance of the two dials")
    return fig


def read_right(noise, shares: dict, ceiling) -> Figure:
    """Draw the share of positions read right against the noise, one line a name, and a dashed ceiling."""
    fig, ax = plots.figure()
    (line,) = ax.plot(noise, ceiling, "--", color=plots.GREY, linewidth=1)
    plots.label_line(ax, line, "ceiling of hand 0")
    for (name, share), color in zip(shares.items(), (*WORDS[::-1], plots.SIN), strict=False):
        (line,) = ax.plot(noise, share, "o-", color=color, markersize=4)
        plots.label_line(ax, line, name)
    ax.set(xlabel="noise on every number (standard deviation)", ylabel="share read right", ylim=(0, 1.05))
    ax.set_title("Up to noise 0.2, more than eight hands help only if read all at once")
    return fig


def circles(words: dict[str, tuple[float, float]], codes) -> Figure:
    """Draw words at their first two coordinates, and word + code for each of the codes (count, d_model)."""
    fig, ax = plots.figure()
    tips = np.asarray(codes, float)[:, :2]
    around = np.linspace(0, 2 * np.pi, 181)
    for (word, place), color in zip(words.items(), WORDS, strict=False):
        centre = np.asarray(place, float)
        ax.plot(*(centre[:, None] + np.array([np.sin(around), np.cos(around)])), color=color, linewidth=1, alpha=0.6)
        ax.plot(*centre, "s", color=color)
        ax.annotate(word, centre, xytext=(6, 5), textcoords="offset points", color=plots.ink(color), weight="bold")
        ax.plot(*(centre + tips).T, "o", color=color, markersize=4)
        for p, tip in enumerate(tips):
            ax.annotate(f"{p}", centre + 1.13 * tip, ha="center", va="center", fontsize=8, color=plots.ink(color))
    ax.margins(0.1)
    ax.set(aspect="equal", xlabel="coordinate 0 (sine)", ylabel="coordinate 1 (cosine)")
    return fig


def two_drawings(tips) -> Figure:
    """Draw one hand's tips (seq_len, 2), sine and cosine, with the one and then the other to the right."""
    tips = np.asarray(tips, float)
    fig, axes = plots.figure(cols=2)
    dotted(axes[0], tips, "x = sin, y = cos", plots.SIN)
    dotted(axes[1], tips[:, ::-1], "x = cos, y = sin", plots.COS)
    return fig


def _halo() -> dict:
    return {"boxstyle": "circle,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.85}
