"""Draw lesson 11: where real heads look, which hands a model needs, and what a gap in its text does."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Wedge

from clockwork.kit import plots
from clockwork.kit.plots import dials

TEXTS = {"alice": "Alice", "course": "this course"}
METHODS = {  # colour and name of each
    "none": (plots.KEY, "as trained"),
    "interpolation": (plots.GREY, "interpolation"),
    "ntk": (plots.PINK, "NTK-aware"),
    "yarn": (plots.GREEN, "YaRN"),
    "slow hands stopped": (plots.QUERY, "slow hands stopped"),
}


def maps(weights: Mapping[str, np.ndarray]) -> Figure:
    """Draw the attention weights of some heads for one text, side by side, each (queries, keys) under its title."""
    fig, axes = plots.figure(cols=len(weights))
    fig.set_figheight(2.9)
    for ax, (title, part) in zip(np.atleast_1d(axes), weights.items(), strict=True):
        part = np.asarray(part, float)
        plots.heat_map(ax, np.where(np.tri(len(part)), part, np.nan), signed=False, limit=1, colorbar=False)
        ax.set(title=title, xlabel="key (token)")
        for axis in (ax.xaxis, ax.yaxis):
            axis.get_major_locator().set_params(integer=True)
    np.atleast_1d(axes)[0].set_ylabel("query (token)")
    return plots.describe(
        fig,
        alt=f"Attention weights over {len(part)} tokens, queries downwards, keys to the right: {', '.join(weights)}.",
        caption=(
            "Each row is a token that looks, each column a token that it can look at. Bright is a weight of 1; the "
            "corner of later tokens is empty."
        ),
    )


def verse(weights: Mapping[str, np.ndarray]) -> Figure:
    """Draw the three recorded heads' weights."""
    fig = maps(weights)
    return plots.describe(
        fig,
        alt=(
            f"{fig.alt} The first has a bright line right below the diagonal, the second a bright column at the first "
            "token, the third bright lines parallel to the diagonal, as far from it as a verse is long."
        ),
        caption=f"The House That Jack Built, up to the dog. {fig.caption}",
    )


def travelled(ax: Axes, turns: float, color: str) -> None:
    """Draw a dial whose hand has come this far, in turns from 12 o'clock."""
    dials.rim(ax, hours=False)
    ax.set(xlim=(-1.1, 1.1), ylim=(-1.1, 1.1))
    ax.add_patch(Wedge((0, 0), 1, 90 - 360 * min(turns, 1), 90, color=color, linewidth=0))


def needed(results: Mapping) -> Figure:
    """Draw what stopping each octave of hands costs in a short text, how far they turn there, and how long keys are.

    Args:
        results: as `pretrained.results` returns them.
    """
    inv_freq = np.asarray(results["inv_freq"])
    octaves = len(inv_freq) // 2
    colors = plots.hand_colors(octaves)
    costs = np.array([[rise for rise, _ in results["octaves"][text]] for text in TEXTS])
    fig = plots.figure()[0]
    fig.clear()
    fig.set_figheight(5.0)
    grid = fig.add_gridspec(3, octaves, height_ratios=[2.2, 0.62, 1.3], hspace=0.06, wspace=0.08)
    above = fig.add_subplot(grid[0, :])
    below = fig.add_subplot(grid[2, :])
    at = np.arange(octaves)
    above.bar(at, costs.mean(0), color=colors, width=0.72)
    for mark, cost, name in zip("ov", costs, TEXTS.values(), strict=True):
        above.plot(at, cost, mark, color=plots.INK, markersize=4, markerfacecolor=plots.PAPER, label=name)
    above.axhline(0, color=plots.SOFT, linewidth=0.8)
    above.set(ylabel="loss rises by (nats)", xticks=[], xlim=(-0.5, octaves - 0.5))
    above.set_title("stop two hands: what it costs", loc="left")
    above.legend(frameon=False, fontsize=9, loc="upper right")
    turns = inv_freq * results["short"] / (2 * np.pi)
    for i, color in enumerate(colors):
        ax = fig.add_subplot(grid[1, i])
        travelled(ax, turns[2 * i : 2 * i + 2].mean(), color)
    for name, color, label, place in (("q", plots.QUERY, "queries", (9.7, 0.5)), ("k", plots.KEY, "keys", (11.8, 4.7))):
        lengths = np.mean([results["norms"][name][text] for text in TEXTS], axis=0)
        below.plot((np.arange(2 * octaves) - 0.5) / 2, lengths, ".-", color=color, markersize=4, linewidth=1.5)
        below.text(*place, label, color=color)
    below.set(xlim=(-0.5, octaves - 0.5), ylim=(0, None), ylabel="mean length")
    marks = np.arange(0, 2 * octaves, 4)
    periods = 2 * np.pi / inv_freq
    names = [f"{i}\n{round(periods[i], -int(np.log10(periods[i])) + 1):,.0f}" for i in marks]
    below.set_xticks((marks - 0.5) / 2, names)
    below.set_xlabel("hand, and tokens for its turn")
    for length, height in ((results["short"], 0.62), (results["trained_len"], 0.5)):
        never = np.argmax(inv_freq * length < 2 * np.pi) / 2 - 0.5
        for ax in (above, below):
            ax.axvline(never, color=plots.SOFT, linewidth=1, linestyle="--")
        above.annotate(
            f"no full turn in {length:,} tokens",
            (never, height),
            (6, 0),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            fontsize=9,
            color=plots.SOFT,
        )
    dearest = costs.mean(0)
    return plots.describe(
        fig,
        alt=(
            "Sixteen bars, one for each two of 32 hands from fast to slow: stopping the fastest two raises the loss by "
            f"{dearest[0]:.2f}, the slowest two by {abs(dearest[-1]):.2f}. Below each bar a dial shows how far the "
            f"hand turns in these {results['short']} tokens: all the way round for the fast ones, a sliver for the "
            "slowest. Below the dials, the mean length of queries and keys in each hand; it is largest among the slow "
            "hands."
        ),
        caption=(
            "What it costs to stop two neighbouring hands in every layer, from the fastest on the left to the slowest "
            "on the right: bars are the mean of two texts, the marks are each text. The texts have "
            f"{results['short']} tokens, and the dials show how far a hand comes in so many. Each bar stops one pair "
            "and leaves the rest running; several pairs together may cost more than the sum. Below, how long queries "
            "and keys are in each hand, on average over all layers, heads and tokens: they are long in hands that are "
            "not needed as a clock here."
        ),
        numbers=[
            ("stopped hands", *(f"loss rises, {name} (nats)" for name in TEXTS.values()), "turns in the text"),
            *(
                (
                    f"{2 * i} and {2 * i + 1}",
                    *(f"{cost:.2f}" for cost in costs[:, i].round(2) + 0),
                    f"{turns[2 * i : 2 * i + 2].mean():,.2f}",
                )
                for i in range(octaves)
            ),
        ],
    )


def costs(ax: Axes, rise, first: int, count: int) -> None:
    """Draw what it costs to stop `count` neighbouring hands, over the first of them, and mark this one.

    Args:
        ax: where to draw.
        rise: rise of the loss in nats, (texts, places of the first hand).
        first: the first stopped hand.
        count: how many are stopped.
    """
    rise = np.asarray(rise, float)
    places = np.arange(0, 32, 32 // rise.shape[1])
    for style, cost, name in zip((".-", ".--"), rise, TEXTS.values(), strict=True):
        (line,) = ax.plot(places, cost, style, color=plots.INK)
        ax.plot(first, cost[list(places).index(first)], "o", color=plots.INK, markersize=8)
        line.set_label(name)
    ax.axvspan(first - 0.5, first + count - 0.5, color=plots.LINE, alpha=0.5, zorder=0)
    ax.axhline(0, color=plots.SOFT, linewidth=0.8)
    ax.set(xlim=(-0.5, 31.5), xlabel="first stopped hand (fast to slow)", ylabel="loss rises by (nats)")
    ax.legend(frameon=False, fontsize=9)


def lengths(rise, inv_freq, ends, first: int) -> Figure:
    """Draw what it costs to stop all hands from one on, in texts of several lengths, each where a turn outgrows it.

    Args:
        rise: rise of the loss in nats, (texts, places of the first stopped hand, lengths).
        inv_freq: speed of each hand in radians per token.
        ends: the lengths in tokens.
        first: the first stopped hand, which is marked.
    """
    rise = np.asarray(rise, float)
    places = np.linspace(0, len(inv_freq), rise.shape[1])
    fig, axes = plots.figure(cols=2, rows=2, sharex=True, sharey=True)
    fig.set_figheight(4.6)
    for part, (ax, end) in enumerate(zip(axes.flat, ends, strict=True)):
        for style, cost, name in zip((".-", ".--"), rise[..., part], TEXTS.values(), strict=True):
            ax.plot(places, cost, style, color=plots.INK, label=name)
            ax.plot(first, cost[list(places).index(first)], "o", color=plots.INK, markersize=7)
        ax.axvspan(first, len(inv_freq), color=plots.LINE, alpha=0.5, zorder=0)
        ax.axhline(0, color=plots.SOFT, linewidth=0.8)
        ax.axvline(np.argmax(inv_freq * end < 2 * np.pi), color=plots.SOFT, linewidth=1, linestyle="--")
        ax.set_title(f"{end:,} tokens", loc="left")
        ax.set(xlim=(0, len(inv_freq)))
    axes[0, 0].legend(frameon=False, fontsize=9)
    for ax in axes[1]:
        ax.set_xlabel("first stopped hand")
    for ax in axes[:, 0]:
        ax.set_ylabel("loss rises by (nats)")
    return fig


def gaps(results: Mapping) -> Figure:
    """Draw what the text before a gap does to the loss after it, over the length of the gap; two texts, a line each.

    `results` are as `pretrained.results` returns them. The slow hands stopped are left out: they were asked for before.
    """
    fig, ax = plots.figure()
    shown = {method: told for method, told in METHODS.items() if method != "slow hands stopped"}
    lengths = np.asarray(results["gap_lengths"])
    means = {}
    for method, (color, name) in shown.items():
        changes = [np.asarray(results["gaps"][method][text]) - results["gaps"]["alone"][text] for text in TEXTS]
        means[method] = np.mean(changes, axis=0)
        for losses, style in zip(changes, (".-", ".--"), strict=True):
            strength = {"linewidth": 2.5, "alpha": 1} if method == "none" else {"linewidth": 1.2, "alpha": 0.8}
            (line,) = ax.plot(lengths, losses, style, color=color, **strength)
            if style == ".-":
                line.set_label(name)
    ax.axvline(results["trained_len"], color=plots.SOFT, linewidth=1, linestyle="--")
    ax.annotate(
        f"trained to {results['trained_len']:,}",
        (results["trained_len"], 0.97),
        (4, 0),
        xycoords=("data", "axes fraction"),
        textcoords="offset points",
        fontsize=9,
        color=plots.SOFT,
        va="top",
    )
    ax.axhline(0, color=plots.SOFT, linewidth=1)
    ax.set(xlabel="gap (tokens)", ylabel="change of the loss (nats)")
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    ax.legend(frameon=False, fontsize=8, loc="lower left", bbox_to_anchor=(0, 1), ncols=4)
    return plots.describe(
        fig,
        alt=(
            "Loss of the second half of a text, compared with reading it alone, over a gap before it. As trained, "
            "the first half helps without a gap, is worth nothing or harms a little near the trained length, and harms "
            "by two to three nats at 20,000 tokens. Interpolation is about a nat above reading alone at every gap; "
            "NTK-aware scaling and YaRN stay near it, but NTK-aware scaling rises by half a nat at 32,000."
        ),
        caption=(
            "The second half of a text, told that it stands so many tokens further on. Below 0 the first half helps, "
            "above 0 it harms. Solid lines: Alice; dashed lines: this course; points: the gaps that were run. The "
            "model never reads more than 512 tokens; only the positions say that they are far apart."
        ),
        numbers=[
            ("change of the loss, mean of the texts (nats)", *(f"{length:,} tokens" for length in lengths)),
            *((shown[method][1], *(f"{change:+.2f}" for change in changes)) for method, changes in means.items()),
        ],
    )
