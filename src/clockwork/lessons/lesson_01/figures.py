"""Draw lesson 01: outputs that travel with their words, and what codes for positions do in a trained model."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from clockwork.kit import datafiles, plots

FLAT = 0.16  # the share of a ribbon that is straight at either end
THICK = 0.64  # of a ribbon, in rows
MEAN_ROW = 0.5  # how far the mean lies below the last word, in rows
VIVID = 0.92  # the share of numbers that the colours tell apart
TASKS = {  # title, what is drawn (label, length in tokens, which answers), score of the best reader of bags
    "three_back": (
        "3 back",
        (("positions to 31", 32, "accuracy"), ("from 32 to 47", 48, "beyond")),
        0.152,  # of 32 random symbols out of 16
    ),
    "who_came_first": ("Who came first?", (("24 tokens", 24, "accuracy"), ("96 tokens", 96, "accuracy")), 1 / 2),
}
CODES = {  # scheme of the recorded runs, and the factor by which it was multiplied
    "nothing": ("none", 1.0),
    "index, on every number": ("index_everywhere", 1.0),
    "index, on one number": ("index", 1.0),
    "index / length": ("index_over_length", 1.0),
    "index / length, × 4": ("index_over_length", 4.0),
    "index / length, × 31": ("index_over_length", 31.0),
    "binary digits": ("binary", 1.0),
    "Gray code": ("gray", 1.0),
    "one-hot": ("one_hot", 1.0),
    "one-hot, × 4": ("one_hot", 4.0),
    "sinusoid (lesson 02)": ("sinusoid", 1.0),
}
HALVES = ("as typed", "reordered")
PANELS = {  # of the picture of single positions: scheme of the recorded runs, and its title
    "index": "index",
    "index_over_length": "index / length, × 31",
    "binary": "binary digits",
    "gray": "Gray code",
    "one_hot": "one-hot, × 4",
    "sinusoid": "sinusoid (lesson 02)",
}
SEEN = 32  # positions that training showed
BLIND = 0.13  # the best reader of bags of 48 symbols


def ribbons(
    ax: Axes, words: Sequence[str], order: Sequence[int], before, after, *, limit: float, size: float = 10
) -> None:
    """Draw each word's output as a ribbon from the order typed (left) to another one (right), and the mean below.

    Args:
        ax: Where to draw.
        words: The words as typed.
        order: Which of them stands at each place on the right.
        before: The outputs as typed, (words, d_model): the colours of the threads on the left.
        after: The same words' outputs in the new order: the colours on the right.
        limit: The value of the strongest colour.
        size: Of the words, in points.
    """
    before = np.asarray(before)
    after = np.asarray(after)
    places = [list(order).index(word) for word in range(len(words))]
    bottom = len(words) + MEAN_ROW
    rows = [(i, places[i], word, before[i], after[i]) for i, word in enumerate(words)]
    rows = sorted(rows, key=lambda row: row[1])
    rows.append((bottom, bottom, "mean", before.mean(0), after.mean(0)))
    for depth, (start, stop, word, old, new) in enumerate(rows):
        _ribbon(ax, start, stop, old, new, limit, zorder=3 * depth + 3)
        strong = {"weight": "bold"} if word == "mean" else {}
        moved = np.linalg.norm(new - old)
        ax.text(-0.04, start, word, ha="right", va="center", fontsize=size, **strong)
        ax.text(1.04, stop, word, ha="left", va="center", fontsize=size, **strong)
        ax.text(1.62, stop, f"{moved:.2f}", ha="right", va="center", fontsize=size, **strong)
    for x, text, side in ((0, HALVES[0], "left"), (1, HALVES[1], "right"), (1.62, "changed by", "right")):
        ax.text(x, -0.72, text, ha=side, va="center", fontsize=0.8 * size, color=plots.GREY)
    ax.set(xlim=(-0.3, 1.65), ylim=(bottom + 0.6, -1.0))
    ax.axis("off")


def _ribbon(ax: Axes, start: float, stop: float, before, after, limit: float, *, zorder: int) -> None:
    along = np.linspace(0, 1, 121)
    part = np.clip((along - FLAT) / (1 - 2 * FLAT), 0, 1)
    eased = part**2 * (3 - 2 * part)
    middle = start + (stop - start) * eased
    across = np.linspace(-THICK / 2, THICK / 2, len(before) + 1)
    centre = (part[1:] + part[:-1]) / 2
    colours = before[:, None] + (after - before)[:, None] * centre
    for edge in across[[0, -1]]:
        ax.plot(along, middle + edge, color=plots.PAPER, linewidth=4, zorder=zorder, solid_capstyle="butt")
    ax.pcolormesh(
        np.tile(along, (len(across), 1)),
        middle + across[:, None],
        colours,
        cmap=plots.SIGNED,
        vmin=-limit,
        vmax=limit,
        zorder=zorder + 1,
        rasterized=True,
    )
    outline = np.concatenate([middle + across[0], (middle + across[-1])[::-1], middle[:1] + across[0]])
    ax.plot(
        np.concatenate([along, along[::-1], along[:1]]), outline, color=plots.SOFT, linewidth=0.7, zorder=zorder + 2
    )


def braid(panels: Mapping[str, tuple], words: Sequence[str], order: Sequence[int]) -> Figure:
    """Draw what becomes of every word's output in another order, once for each layer.

    Args:
        panels: For each layer its outputs as typed and in the new order, both (words, d_model), the words as typed.
        words: The words as typed.
        order: Which of them stands at each place in the new order.
    """
    fig, axes = plots.panels(len(panels), 3.2)
    limit = _limit([part for pair in panels.values() for part in pair])
    told = []
    for ax, (title, (before, after)) in zip(axes, panels.items(), strict=True):
        ribbons(ax, words, order, before, after, limit=limit, size=9)
        ax.set_title(title, loc="left")
        told.append(f"{title}, the mean moves by {np.linalg.norm(np.mean(after, 0) - np.mean(before, 0)):.2f}")
    return plots.describe(
        fig,
        alt=(
            f"Ribbons of eight coloured threads lead from the words of “{' '.join(words)}” to the same words in the "
            f"order “{' '.join(words[i] for i in order)}”. {'; '.join(told)}."
        ),
        caption=(
            "A ribbon is one word's output: eight numbers, one thread each (red above 0, blue below). With nothing "
            "added, ribbons cross and keep their colours. With a causal mask a word changes if other words come before "
            "it now. With position codes all colours change on the way."
        ),
    )


def _limit(outputs) -> float:
    """Return the value of the strongest colour: few numbers are larger, and those would make all others pale."""
    return float(np.quantile(np.abs(np.concatenate([np.ravel(part) for part in outputs])), VIVID))


def by_position() -> Figure:
    """Draw at which positions models with each of the first codes get 3 back right, a line for each seed."""
    data = datafiles.read("accuracy_by_position.json")
    fig, axes = plots.narrow(4.8, rows=3, cols=2, sharex=True, sharey=True)
    positions = np.arange(data["first_position"], data["length"])
    numbers = [("mean share right", "positions 3 to 31", "from 32 on, not trained")]
    for ax, (scheme, title) in zip(axes.flat, PANELS.items(), strict=True):
        shares = np.asarray(data["by_position"][scheme])
        ax.axvspan(SEEN - 0.5, data["length"] - 0.5, color=plots.LINE, alpha=0.7, linewidth=0)
        ax.axhline(BLIND, color=plots.SOFT, linewidth=1, linestyle="--")
        ax.plot(positions, shares.T, color=plots.SIN, linewidth=0.7, alpha=0.35)
        ax.plot(positions, shares.mean(0), color=plots.SIN, linewidth=2.2)
        ax.set_title(title.replace(" / length, ×", "/length ×").removesuffix(" (lesson 02)"), fontsize=9)
        seen = positions < SEEN
        numbers.append((title, f"{shares[:, seen].mean():.2f}", f"{shares[:, ~seen].mean():.2f}"))
    axes[0, 0].set(xlim=(0, data["length"] - 0.5), ylim=(0, 1.04), xticks=[3, 16, 31, 47], yticks=[0, 0.5, 1])
    axes[1, 1].text(SEEN, 0.97, "not\ntrained", fontsize=8.5, va="top", color=plots.SOFT)
    for ax in axes[:, 0]:
        ax.set_ylabel("share right")
    for ax in axes[-1]:
        ax.set_xlabel("position (tokens)")
    return plots.describe(
        fig,
        alt=(
            "Share of right answers over the position in texts of 48 tokens, one panel for each code; mean up to "
            f"position 31 and from 32 on: {'; '.join(f'{name}, {near} and {far}' for name, near, far in numbers[1:])}."
        ),
        caption=(
            "3 back in texts of 48 tokens, position by position: eight models a panel (thin) and their mean. Shaded: "
            "positions that training never showed. Dashed: the best that a reader of bags can do."
        ),
        numbers=numbers,
    )


def trained(
    recorded: Callable[..., Sequence[float]],
    *,
    codes: Sequence[str] = tuple(CODES),
    compared: Sequence[str] = tuple(TASKS),
    beyond: bool = True,
) -> Figure:
    """Draw what models with each of the first codes score, a dot for each seed.

    Args:
        recorded: `recorded(task, scheme, length, part, gain=gain)` returns one score for each seed; `part` is
            "accuracy" (of all answers) or "beyond" (of those at positions that training never reached).
        codes: Which of `CODES` are drawn.
        compared: On which of `TASKS`.
        beyond: Whether positions and lengths are drawn, too, that training never showed.
    """
    fig, axes = plots.panels(len(compared), 0.42 * len(codes) + 1.3)
    columns = []
    for ax, task in zip(axes, compared, strict=True):
        title, parts, bag = TASKS[task]
        parts = parts if beyond else parts[:1]
        ax.axvline(bag, ymax=0.94, color=plots.SOFT, linewidth=1, linestyle="--")
        shifts = (-0.17, 0.17) if beyond else (0,)
        for shift, color, (label, length, part) in zip(shifts, (plots.SIN, plots.COS), parts, strict=False):
            means = []
            for row, name in enumerate(codes):
                scheme, gain = CODES[name]
                scores = np.asarray(recorded(task, scheme, length, part, gain=gain))
                place = np.full(len(scores), row + shift)
                ax.plot(scores, place, "o", color=color, alpha=0.5, markersize=4.5, markeredgewidth=0)
                ax.plot(scores.mean(), row + shift, "|", color=color, markersize=11, markeredgewidth=2)
                means.append(f"{scores.mean():.2f}")
            columns.append((f"{title}, {label}", *means))
        ax.set(xlim=(-0.02, 1.04), xticks=[0, 0.25, 0.5, 0.75, 1], ylim=(len(codes) - 0.5, -1.5))
        ax.set(xlabel="share of right answers", title=title)
        ax.grid(axis="y")
        ax.tick_params(axis="y", length=0)
        for y, color, (label, *_) in zip((-1.2, -0.75), (plots.SIN, plots.COS), parts, strict=False):
            ax.text(0, y, f"● {label}", color=plots.ink(color), fontsize=9, va="center")
        ax.set_yticks(range(len(codes)), [name.replace(", ", ",\n") for name in codes])
    told = "; ".join(
        f"{name}: {', '.join(means)}" for name, *means in zip(codes, *(c[1:] for c in columns), strict=True)
    )
    colors = "Blue: what training showed. Orange: what it never showed (on 3 back, the end of texts of 48 tokens). "
    where = "at positions or lengths that training showed and beyond" if beyond else "in texts as long as in training"
    return plots.describe(
        fig,
        alt=(
            f"Dots for the scores of eight models a row, {where}. "
            f"Means, in the order {', '.join(name for name, *_ in columns)}: {told}."
        ),
        caption=(
            "Eight models a row, one dot each (darker where dots overlap); the bar is their mean. "
            f"{colors if beyond else ''}The dashed line is the best that a reader of bags can do at the trained length."
        ),
        numbers=list(zip(("means of eight models", *codes), *columns, strict=True)),
    )
