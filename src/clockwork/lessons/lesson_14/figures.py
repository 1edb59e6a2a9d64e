"""Draw lesson 14: how far moved keys and values of each layer are off, and losses of texts read through a window."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from clockwork.kit import plots
from clockwork.kit.numbers import fixed
from clockwork.lessons.lesson_14 import serving

TEXTS = {"alice": "Alice", "course": "this course"}
WINDOWS = {  # names of the record, and of the picture
    "whole text": "the whole text",
    "window": "192 tokens",
    "window and four others": "188 + four others",
    "window and first, places in the text": "188 + first four",
    "8000": "… 8,000 later",
    "12000": "… 12,000 later",
    "16000": "… 16,000 later",
    "later: window and first, places in the text": "… 20,000 later",
    "window and first, places in the cache": "… by the cache",
}


def layers() -> Figure:
    """Draw for SmolLM2 how far each layer's moved keys and values are from those of the shorter text read anew."""
    found = serving.recorded("smollm2/shift")
    fig, axes = plots.figure(cols=2, sharey=True)
    fig.set_figheight(3.3)
    ways = {
        "turned further": (plots.COS, "moved keys and values"),
        "turned further, never read": (plots.GREY, "never read the piece"),
    }
    numbers = [("", "keys, first layer", "second", "last", "values, first layer", "second", "last")]
    for way, (color, label) in ways.items():
        row = [label]
        for ax, part in zip(axes, ("keys", "values"), strict=True):
            errors = np.array([text[f"{way}: {part}"] for text in found.values()])
            ax.plot(range(1, 31), errors.T, "o-", color=color, markersize=3, linewidth=1.2)
            ax.plot([], [], "o-", color=color, label=label)
            row += [said(errors.mean(0)[layer]) for layer in (0, 1, -1)]
            ax.set(xlabel="layer", title=part, xticks=[1, 10, 20, 30])
        numbers.append(tuple(row))
    axes[0].set(ylabel="off, as a share of their length", ylim=(-0.02, None))
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
            "SmolLM2, two texts of 512 tokens; 256 of them, behind the first four, were cut, and the keys behind the "
            "cut turned back by 256. Grey: the control, in which the piece was hidden from the start, so that nothing "
            "had read it."
        ),
        numbers=numbers,
    )


def said(value: float) -> str:
    """Return an error with two digits, or as rounding."""
    return "rounding" if value < 1e-4 else fixed(value)


def windows() -> Figure:
    """Draw the losses of two texts that SmolLM2 reads through a window."""
    later = serving.recorded("smollm2/later")
    found = {text: losses | later[text] for text, losses in serving.recorded("smollm2/sinks").items()}
    fig, ax = plots.figure()
    fig.set_figheight(5.6)
    colors = {"alice": plots.SIN, "course": plots.COS}
    rows = list(WINDOWS)
    for i, (text, losses) in enumerate(found.items()):
        places = np.arange(len(rows)) + 0.28 * (i - 0.5)
        ax.barh(places, [losses[row] for row in rows], height=0.26, color=colors[text], label=TEXTS[text])
        for place, row in zip(places, rows, strict=True):
            ax.text(losses[row] + 0.06, place, fixed(losses[row]), va="center", fontsize=8.5, color=plots.SOFT)
    for place, row in enumerate(rows):
        ax.text(0, place - 0.3, WINDOWS[row], va="bottom", fontsize=9)
    ax.set(yticks=[], xlabel="loss (nats a token)")
    ax.invert_yaxis()
    ax.legend(frameon=False, loc="lower right")
    means = {row: fixed(np.mean([losses[row] for losses in found.values()])) for row in rows}
    return plots.describe(
        fig,
        alt="Loss of SmolLM2, mean of two texts. " + "; ".join(f"{WINDOWS[row]}: {means[row]}" for row in rows) + ".",
        caption=(
            "SmolLM2 reads two texts of 768 tokens; the loss is that of the second half. Each bar names what a token "
            "may look at: the last 192 tokens, or 188 and tokens 50 to 53, or 188 and the first four of the text. They "
            "stand at their places in the text, then with the text that many tokens later, and last at their places in "
            "the cache, where they never fall behind."
        ),
        numbers=[
            ("a token looks at", *TEXTS.values()),
            *((WINDOWS[row], *(fixed(losses[row]) for losses in found.values())) for row in rows),
        ],
    )
