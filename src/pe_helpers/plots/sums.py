"""Draw lesson 06: a sum and its two parts, how well each candidate matches it, and how much parts overlap."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pe_helpers import plots


def take_apart(word, code, by_word, by_position, *, words: list[str], chosen: tuple[int, int]) -> Figure:
    """Draw a word's vector, a position's code and their sum as strips, and the match of every word and position.

    Args:
        word: the vector of the chosen word, (d_model,).
        code: the code of the chosen position, (d_model,).
        by_word: how well the sum matches each word.
        by_position: how well the sum matches each position.
        words: the words' names.
        chosen: number of the chosen word and the chosen position.
    """
    strips = np.stack([word, code, np.add(word, code)])
    fig, axes = plots.figure(rows=2, cols=2, height_ratios=[1, 1.7])
    top = fig.add_subplot(axes[0, 0].get_gridspec()[0, :])
    for ax in axes[0]:
        ax.remove()
    plots.heat_map(top, strips, colorbar=False, xlabel="coordinate")
    top.set(yticks=range(3), yticklabels=[words[chosen[0]], f"position {chosen[1]}", "their sum"])
    bars(axes[1, 0], by_word, right=chosen[0], color=plots.PINK, label="word")
    axes[1, 0].set_xticks(range(len(words)), words, rotation=90)
    bars(axes[1, 1], by_position, right=chosen[1], color=plots.GREEN, label="position (tokens)")
    return fig


def bars(ax: Axes, match, *, right: int, color: str, label: str) -> None:
    """Draw the match of each candidate as a bar; the right one is coloured, the best one has a ring."""
    match = np.asarray(match, float)
    best = int(match.argmax())
    ax.bar(range(len(match)), match, color=[color if i == right else plots.FAINT for i in range(len(match))])
    ax.plot(best, match[best], "o", markersize=9, markerfacecolor="none", markeredgecolor=plots.INK)
    ax.axhline(0, color=plots.SOFT, linewidth=0.8)
    verdict = "found" if best == right else "another fits better"
    ax.set(xlabel=label, ylabel="match", title=f"{label.split()[0]}: {verdict}")


def energy(ax: Axes, counts: dict[str, object], *, level: float = 0.999) -> None:
    """Draw, for each table, the share of its squared length in its leading directions, and where it reaches `level`."""
    for (name, table), color in zip(counts.items(), (plots.SIN, plots.COS, plots.GREY), strict=False):
        share = np.cumsum(np.linalg.svd(np.asarray(table, float), compute_uv=False) ** 2)
        share = share / share[-1]
        line = ax.plot(np.arange(1, len(share) + 1), share, color=color)[0]
        needed = int((share < level).sum()) + 1
        ax.plot(needed, share[needed - 1], "o", color=color)
        where = {"xytext": (8, -14), "textcoords": "offset points", "color": plots.ink(color)}
        ax.annotate(f"{name}: {needed}", (needed, share[needed - 1]), **where)
        line.set_clip_on(False)
    ax.set(xscale="log", xlabel="leading directions kept", ylabel="share of squared length", ylim=(0, 1.03))
    ax.xaxis.set_major_formatter("{x:g}")


def curves(ax: Axes, x, rows: dict[str, object], *, xlabel: str, ylabel: str, chance: float | None = None) -> None:
    """Draw each curve's mean over its repeats, (repeats, len(x)), their range as a band, and the level of guessing."""
    ends = []
    for (name, repeats), color in zip(rows.items(), (plots.SIN, plots.COS, plots.GREEN, plots.PINK), strict=False):
        repeats = np.atleast_2d(np.asarray(repeats, float))
        ax.fill_between(x, repeats.min(0), repeats.max(0), color=color, alpha=0.2, linewidth=0)
        ax.plot(x, repeats.mean(0), "o-", color=color, markersize=4)
        end = repeats.mean(0)[-1]
        beside = {"xytext": (7, -13 * sum(abs(end - other) < 0.05 for other in ends)), "textcoords": "offset points"}
        ax.annotate(
            name, (x[-1], end), va="center", color=plots.ink(color), fontsize=9, annotation_clip=False, **beside
        )
        ends.append(end)
    if chance is not None:
        ax.axhline(chance, color=plots.GREY, linestyle=":", linewidth=1)
        ax.annotate("guessing", (x[0], chance), xytext=(0, 3), textcoords="offset points", color=plots.GREY, fontsize=9)
    ax.set(xlabel=xlabel, ylabel=ylabel, ylim=(-0.03, 1.05), xticks=list(x))
    ax.margins(x=0.02)


def letters(pictures, titles: list[str]) -> Figure:
    """Draw pictures (count, pixels) of letters side by side."""
    pictures = np.asarray(pictures, float)
    side = round(pictures.shape[-1] ** 0.5)
    fig, axes = plots.figure(cols=len(titles))
    fig.set_figheight(1.7)
    for ax, picture, title in zip(axes, pictures, titles, strict=True):
        ax.imshow(picture.reshape(side, side), cmap="gray_r", vmin=0, vmax=1)
        ax.set(xticks=[], yticks=[])
        ax.set_title(title, loc="center", fontsize=10)
        ax.spines[:].set(visible=True, color=plots.FAINT)
    return fig


def overlaps(ax: Axes, groups: dict[str, object]) -> None:
    """Draw, for each group of vectors (count, d_model), the distribution of |cosine| between two of them."""
    bins = np.linspace(0, 1, 41)
    for (name, vectors), color in zip(groups.items(), (plots.COS, plots.SIN), strict=False):
        unit = np.asarray(vectors, float)
        unit = unit / np.linalg.norm(unit, axis=-1, keepdims=True)
        cosines = np.abs((unit @ unit.T)[~np.eye(len(unit), dtype=bool)])
        ax.hist(cosines, bins, weights=np.full(len(cosines), 1 / len(cosines)), color=color, alpha=0.75, label=name)
    ax.set(xlabel="|cosine| of two of them", ylabel="share of all pairs", xlim=(0, 1))
    ax.legend()
