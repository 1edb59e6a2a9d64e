"""Draw lesson 14: how far moved keys and values of each layer are off, and losses of texts read through a window."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from clockwork.kit import plots
from clockwork.kit.numbers import fixed
from clockwork.lessons.lesson_14 import serving

TEXTS = {"alice": "Alice", "course": "this course"}
COLORS = {"alice": plots.SIN, "course": plots.COS}
WINDOWS = {  # names of the record, and of the picture
    "whole text": "the whole text",
    "window": "the last 192 tokens",
    "window and four others": "the last 188, and tokens 50 to 53",
    "window and first, places in the text": "the last 188, and the first four",
    "window and token 0": "the last 191, and the first one",
    "window and tokens 1 to 4": "the last 188, and tokens 1 to 4",
}
LEVELS = {  # names of the picture, and of the record; how the line is drawn
    "counted in the cache": ("window and first, places in the cache", "--"),
    "without them": ("window", ":"),
}
TRAINED = 8192  # tokens of the texts from which SmolLM2 learned


def layers() -> Figure:
    """Draw for SmolLM2 how far each layer's moved keys and values are from those of the shorter text read anew."""
    found = serving.recorded("smollm2/shift")
    fig, axes = plots.panels(2, 3.3)
    ways = {
        "turned further": (plots.COS, "piece cut, keys turned further"),
        "turned further, never read": (plots.GREY, "control: piece never read"),
    }
    numbers = [("", "keys, first layer", "second", "last", "values, first layer", "second", "last")]
    for way, (color, label) in ways.items():
        row = [label]
        for ax, part in zip(axes, ("keys", "values"), strict=True):
            errors = np.array([text[f"{way}: {part}"] for text in found.values()])
            ax.plot(range(1, 31), errors.T, "o-", color=color, markersize=3, linewidth=1.2)
            ax.plot([], [], "o-", color=color, label=label)
            row += [said(errors.mean(0)[layer]) for layer in (0, 1, -1)]
            ax.set(xlabel="layer", ylabel="share of their length", xticks=[1, 10, 20, 30], ylim=(-0.02, 0.56))
            ax.set_title(f"how far {part} are off", fontsize=10)
        numbers.append(tuple(row))
    axes[0].legend(frameon=False, fontsize=9)
    errors = {
        part: np.mean([text[f"turned further: {part}"] for text in found.values()], 0) for part in ("keys", "values")
    }
    return plots.describe(
        fig,
        alt=(
            "How far the keys and values of 30 layers are from those of the shorter text read anew. Moved: nothing in "
            f"the first layer, keys {fixed(errors['keys'][1])} and values {fixed(errors['values'][1])} in the second, "
            f"{fixed(errors['keys'][-1])} and {fixed(errors['values'][-1])} in the last."
        ),
        caption=(
            "How far a cache is from that of the shorter text, read anew, layer by layer. Orange: of 512 tokens, 256 "
            "behind the first four were cut, and the keys behind them turned back by 256. Grey: the "
            "piece was hidden from the start, so nobody read it; these tokens only stood 256 places further from the "
            "first four. SmolLM2, a line for each of two texts."
        ),
        numbers=numbers,
    )


def said(value: float) -> str:
    """Return an error with two digits, or as rounding."""
    return "rounding" if value < 1e-4 else fixed(value)


def windows() -> Figure:
    """Draw the losses of two texts that SmolLM2 reads through a window."""
    found = serving.recorded("smollm2/sinks")
    fig, ax = plots.narrow(3.2)
    rows = list(WINDOWS)
    for i, (text, losses) in enumerate(found.items()):
        places = np.arange(len(rows)) + 0.28 * (i - 0.5)
        ax.barh(places, [losses[row] for row in rows], height=0.26, color=COLORS[text], label=TEXTS[text])
        for place, row in zip(places, rows, strict=True):
            ax.text(losses[row] + 0.06, place, fixed(losses[row]), va="center", fontsize=8.5, color=plots.SOFT)
    for place, row in enumerate(rows):
        ax.text(0.08, place - 0.3, WINDOWS[row], va="bottom", fontsize=9)
    ax.set(yticks=[], xlim=(0, 6.4), xlabel="loss (nats a token)")
    ax.invert_yaxis()
    ax.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2)
    means = {row: fixed(np.mean([losses[row] for losses in found.values()])) for row in rows}
    return plots.describe(
        fig,
        alt="Loss of SmolLM2, mean of two texts. " + "; ".join(f"{WINDOWS[row]}: {means[row]}" for row in rows) + ".",
        caption=(
            "Which tokens are needed? The loss of SmolLM2 in the second half of two texts of 768 tokens, by what each "
            "token may look at."
        ),
        numbers=[
            ("a token looks at", *TEXTS.values()),
            *((WINDOWS[row], *(fixed(losses[row]) for losses in found.values())) for row in rows),
        ],
    )


def behind() -> Figure:
    """Draw the loss of a window and the first four tokens, by how far these have fallen behind."""
    later = serving.recorded("smollm2/later")
    sinks = serving.recorded("smollm2/sinks")
    fig, ax = plots.narrow(3.6)
    for text, losses in later.items():
        color = COLORS[text]
        by = [int(on) for on in losses]
        ax.plot(by, list(losses.values()), "o-", color=color, markersize=4, label=TEXTS[text])
        for way, style in LEVELS.values():
            ax.axhline(sinks[text][way], color=color, ls=style, lw=1.4)
    ax.axvspan(TRAINED, 21_000, color=plots.LINE, alpha=0.5, linewidth=0)
    ax.text(20_600, 2.55, "longer than in training", ha="right", va="bottom", fontsize=9, color=plots.SOFT)
    ax.set(
        xticks=range(0, 20_001, 5000),
        xlabel="how far the text has gone on (tokens)",
        ylabel="loss (nats a token)",
        xlim=(-600, 21_000),
        ylim=(2.5, 8),
    )
    ax.xaxis.set_major_formatter("{x:,.0f}")
    ax.plot([], [], "-", color=plots.SOFT, label="counted in the text")
    for told, (_, style) in LEVELS.items():
        ax.plot([], [], style, color=plots.SOFT, label=told)
    ax.legend(frameon=False, loc="upper left", fontsize=9)
    shown = [(f"{int(on):,}", on) for on in later["alice"]]
    return plots.describe(
        fig,
        alt=(
            "Loss by how far the text has gone on, mean of two texts. First four tokens counted in the text: "
            + "; ".join(f"{told}: {fixed(np.mean([text[on] for text in later.values()]))}" for told, on in shown)
            + "".join(
                f". {told.capitalize()}: {fixed(np.mean([text[way] for text in sinks.values()]))}"
                for told, (way, _) in LEVELS.items()
            )
            + "."
        ),
        caption=(
            "A token sees the last 188 and the first four. Counted in the text, the first four fall behind. Counted in "
            "the cache, they stay near."
        ),
        numbers=[
            ("the text has gone on by", *TEXTS.values()),
            *((told, *(fixed(text[on]) for text in later.values())) for told, on in shown),
            *((told, *(fixed(sinks[text][way]) for text in later)) for told, (way, _) in LEVELS.items()),
        ],
    )
