"""Draw lesson 11: where real heads look, which hands a model needs, and what a gap in its text does."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle, Wedge

from clockwork.kit import plots
from clockwork.kit.plots import dials

TEXTS = {"alice": "Alice", "course": "this course"}
METHODS = {  # colour and name of each
    "none": (plots.KEY, "as trained"),
    "interpolation": (plots.GREY, "interpolation"),
    "ntk": (plots.PINK, "NTK-aware"),
    "yarn": (plots.GREEN, "YaRN"),
    "slow hands stopped": (plots.QUERY, "slowest 12 stopped"),
}
SHOWN = 65  # tokens of the verse: up to its second malt
MAGNIFIED = 8  # of these, the last, and as many keys
KEYS = (SHOWN - MAGNIFIED, 0, 30)  # of each head, the first magnified key: where it looks
GREENS = LinearSegmentedColormap.from_list("greens", ["#EEF1F4", plots.GREEN, "#00402F"])
OFF = {  # what is not turned, as results and as a figure name it
    "all turn": "nothing",
    "not 11": "layer 11",
    "not 17": "layer 17",
    "not 18": "layer 18, head C's",
    "not 16": "layer 16, head A's",
    "not head A": "head A alone",
    "not its 8 neighbours": "A's 8 neighbours",
    "not 0 to 17": "layers 0 to 17",
}


def verse(weights: Mapping[str, np.ndarray]) -> Figure:
    """Draw the recorded heads' weights for the first `SHOWN` tokens; beside each, where it looks last, magnified."""
    fig, axes = plots.narrow(1.9 * len(weights), rows=len(weights), cols=2)
    for (whole, near), (title, part), first in zip(axes, weights.items(), KEYS, strict=True):
        part = np.where(np.tri(SHOWN), np.asarray(part, float)[:SHOWN, :SHOWN], np.nan)
        frame = {"fill": False, "edgecolor": plots.INK, "linewidth": 0.9}
        for ax, row, column, size in ((whole, 0, 0, SHOWN), (near, SHOWN - MAGNIFIED, first, MAGNIFIED)):
            shown = part[row : row + size, column : column + size]
            image = plots.heat_map(ax, shown, signed=False, limit=1, colorbar=False)
            image.set_cmap(GREENS)
            image.set_extent((column - 0.5, column + size - 0.5, row + size - 0.5, row - 0.5))
            apart = max(1, size // 3)
            ax.set(
                aspect="equal",
                xticks=range(column, column + size, apart),
                yticks=range(row, row + size, apart),
            )
        for at in range(max(first, SHOWN - MAGNIFIED), first + MAGNIFIED):
            near.add_patch(Rectangle((at - 0.5, at - 0.5), 1, 1, **frame))
        whole.add_patch(Rectangle((first - 0.5, SHOWN - MAGNIFIED - 0.5), MAGNIFIED, MAGNIFIED, **frame))
        whole.set_title(title, fontsize=10)
        whole.set_ylabel("query (token)", fontsize=9)
    for ax in axes[-1]:
        ax.set_xlabel("key (token)", fontsize=9)
    return plots.describe(
        fig,
        alt=(
            f"Attention weights over {SHOWN} tokens, queries downwards, keys to the right: {', '.join(weights)}. The "
            "first has a line right below the diagonal, the second a column at the first token, the third slanted "
            "lines parallel to the diagonal, as far from it as a verse is long. Beside each, its frame, magnified."
        ),
        caption=(
            f"The House That Jack Built, the first {SHOWN} tokens. Each row is a token that looks, each column a token "
            "that it can look at: the greener, the more weight. Beside, the framed part, magnified: a framed cell is "
            "a token that looks at itself."
        ),
    )


def fed(shares: Mapping[str, list[float]]) -> Figure:
    """Draw what head C still finds when all hands of a layer or a head are stopped; beside it, a sketch of why.

    Args:
        shares: weight on what came next for each draw, by what is not turned, as `pretrained.results` names it.
    """
    fig, (ax, sketch) = plots.panels(2, 3.1)
    at = np.arange(len(OFF))[::-1]
    means = [np.mean(shares[name]) for name in OFF]
    ax.barh(at, means, height=0.62, color=[plots.LINE, *[plots.GREEN] * (len(OFF) - 1)])
    for y, mean, name in zip(at, means, OFF, strict=True):
        ax.plot(shares[name], [y] * len(shares[name]), ".", color=plots.INK, markersize=4)
        ax.text(max(shares[name]) + 0.03, y, f"{mean:.2f}", va="center", fontsize=9)
    ax.set_yticks(at, list(OFF.values()))
    ax.tick_params(axis="y", length=0)
    ax.set(xlim=(0, 1.1), xticks=[0, 0.5, 1], xlabel="head C's weight on\nwhat came next")
    ax.set_title("all hands stopped in", loc="left", fontsize=10)
    sketch.set(xlim=(0, 10), ylim=(0, 10), xticks=[], yticks=[])
    sketch.spines[:].set_visible(False)
    for word, x in (("malt", 1.2), ("↵", 3.4), ("…", 5.6), ("malt", 8.2)):
        sketch.text(x, 5, word, ha="center", va="center", fontsize=11)
    bow = {"arrowstyle": "-|>", "linewidth": 1.8, "mutation_scale": 12, "shrinkA": 0, "shrinkB": 0}
    for color, start, end, curve, label, place in (
        (plots.KEY, (3.2, 5.9), (1.4, 5.9), 0.6, "head A: what stands before me?", (0.2, 7.6)),
        (plots.GREEN, (8.0, 4.1), (3.6, 4.1), -0.45, "head C: what came after\nmy earlier copy?", (3.2, 1.2)),
    ):
        sketch.annotate("", end, start, arrowprops=bow | {"color": color, "connectionstyle": f"arc3,rad={curve}"})
        sketch.text(*place, label, color=plots.ink(color), fontsize=9, va="center")
    return plots.describe(
        fig,
        alt=(
            "Bars: the weight of head C on what came next. With every hand turning "
            f"{means[0]:.2f}, with layer 16's stopped {means[4]:.2f}, with head A's stopped {means[5]:.2f}, with "
            f"those of its eight neighbours stopped {means[6]:.2f}. Beside it a sketch: head A looks from a line "
            "break to the word before it; head C looks from the repeated word to what came after its earlier copy."
        ),
        caption=(
            "Bars are the mean of three draws of random tokens, dots each draw. The sketch is the account of Olsson "
            "et al.: each token learns which one stood before it, and head C looks for that. Our bars show only that "
            "head C needs head A's hands; what head A writes we did not read."
        ),
        numbers=[
            ("all hands stopped in", "draw 1", "draw 2", "draw 3"),
            *((told, *(f"{share:.2f}" for share in shares[name])) for name, told in OFF.items()),
        ],
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
    fig, axes = plots.narrow(4.6, rows=2, cols=2, sharex=True, sharey=True)
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

    `results` are as `pretrained.results` returns them. The slowest twelve stopped are left out.
    """
    fig, ax = plots.narrow(3.9)
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
    ax.set(xlabel="gap (tokens)", ylabel="change of the loss (nats)", ylim=(None, 3.5))
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    ax.legend(frameon=False, fontsize=8, loc="lower left", bbox_to_anchor=(-0.1, 1), ncols=2)
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
