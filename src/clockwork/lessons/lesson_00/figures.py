"""Draw the map of the course: one small picture a lesson, each made from what the lesson is about."""

import math
import textwrap
from collections.abc import Callable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from clockwork.kit import plots
from clockwork.kit.plots import hands

COLUMNS = 2
TITLE = 15  # letters in a line of a tile's title


def core() -> Figure:
    """Draw one picture for each of the lessons 01 to 05, a column an evening, and the self-test after them."""
    tiles = {
        "01 Why order matters": _order,
        "04b Turn the words": _turn,
        "02 Deriving the sinusoid": _waves,
        "05 Learned against fixed": _grid,
        "03 Clock hands": _hands,
        "05b Self-test": _test,
        "04 Relative offsets": _arrows,
    }
    alt = (
        "Seven pictures in two columns. First evening: words whose ribbons cross; three waves, each slower than the "
        "one before; a dial with four hands; arrows tip to tail that curl up. Second evening: two arrows that turn "
        "together; a grid of scores; dots."
    )
    return _tiles(
        tiles,
        ("first evening", "second evening"),
        alt,
        "The core, a column an evening. The pictures are sketches of what each lesson is about, not measurements.",
    )


def further() -> Figure:
    """Draw one picture for each of the lessons from 06 on."""
    tiles = {
        "06 Adding without losing": _clouds,
        "07 Three doors": _doors,
        "08 Beyond the training length": _beyond,
        "09 What tables learn": _ring,
        "10 Spot the bug": _bug,
        "11 Inside a model that ships": _needed,
        "12 What today's models do": _ladders,
        "13 Inside a trained head": _turned,
        "14 Positions at work": _packed,
        "15 Beyond words": _fitted,
    }
    alt = (
        "Ten small pictures: words with rings of positions around them; a block with three doors; a curve that falls "
        "past a shaded length; points on a ring; a grid of tests in which one cell is marked; bars that fall from fast "
        "hands to slow ones; four rows of dots, full on the left and hollow on the right; a square with a bright line "
        "beside its diagonal, and a dashed line further away; two documents in one row, each numbered from 0; "
        "dots that fall through a band from above it to below it."
    )
    return _tiles(
        tiles,
        ("further lessons, in any order",),
        alt,
        "The further lessons, in any order. These, too, are sketches.",
    )


def _tiles(tiles: dict[str, Callable[[Axes], None]], heads: tuple[str, ...], alt: str, caption: str) -> Figure:
    rows = math.ceil(len(tiles) / COLUMNS)
    fig, axes = plots.narrow(1.55 * rows + 0.25, rows=rows, cols=COLUMNS)
    for ax, (title, draw) in zip(axes.flat, tiles.items(), strict=False):
        draw(ax)
        ax.set_title(textwrap.fill(title, TITLE), loc="left", fontsize=9)
        ax.set(xticks=[], yticks=[], xlabel="", ylabel="")
    for ax in axes.flat[len(tiles) :]:
        ax.axis("off")
    for column, text in enumerate(heads):
        fig.text(0.02 + column / COLUMNS, 1, text, va="top", fontsize=9, color=plots.GREY)
    fig.get_layout_engine().set(rect=(0, 0, 1, 1 - 0.2 / fig.get_figheight()))
    return plots.describe(fig, alt=alt, caption=caption)


def _order(ax: Axes) -> None:
    along = np.linspace(0, 1, 80)
    eased = along**2 * (3 - 2 * along)
    words = ("tom", "bit", "a", "dog")
    colors = (plots.SIN, plots.GREEN, plots.PINK, plots.COS)
    for start, (word, stop, color) in enumerate(zip(words, (3, 2, 0, 1), colors, strict=True)):
        ax.plot(along, start + (stop - start) * eased, color=plots.PAPER, linewidth=11)
        ax.plot(along, start + (stop - start) * eased, color=color, linewidth=7, solid_capstyle="round")
        ax.text(-0.07, start, word, ha="right", va="center", fontsize=9)
        ax.text(1.07, stop, word, ha="left", va="center", fontsize=9)
    ax.set(xlim=(-0.35, 1.35), ylim=(3.6, -0.6))
    ax.axis("off")


def _waves(ax: Axes) -> None:
    p = np.linspace(0, 24, 400)
    dots = np.arange(25)
    for row, color in enumerate(plots.hand_colors(3)):
        speed = 1 / 2.2**row
        ax.plot(p, np.sin(p * speed) - 2.6 * row, color=color, linewidth=1.6)
        ax.plot(dots, np.sin(dots * speed) - 2.6 * row, "o", color=color, markersize=2.6)
    ax.axis("off")


def _hands(ax: Axes) -> None:
    hands.dial(ax, 22 * 10.0 ** -np.arange(4))


def _arrows(ax: Axes) -> None:
    inv_freq = 10_000 ** (-np.arange(24) / 24)
    for level, k in ((0, 1), (-9, 12)):
        tips = np.cumsum(np.exp(1j * k * inv_freq))
        ends = np.concatenate([[0], tips]) + 1j * level
        for start, stop, color in zip(ends[:-1], ends[1:], plots.hand_colors(24), strict=True):
            ax.plot([start.real, stop.real], [start.imag, stop.imag], color=color, linewidth=2.4)
        ax.plot(ends[-1].real, ends[-1].imag, ">", color=plots.INK, markersize=6)
        ax.text(-2.5, level, f"k = {k}", ha="right", va="center", fontsize=8.5)
    ax.set_aspect("equal", adjustable="datalim")
    ax.axis("off")


def _turn(ax: Axes) -> None:
    for turned, alpha in ((0, 0.3), (1.1, 1)):
        for angle, color in ((0.35, plots.THERE), (1.0, plots.HERE)):
            tip = np.exp(1j * (angle + turned))
            ax.plot([0, tip.real], [0, tip.imag], color=color, linewidth=3, alpha=alpha)
            ax.plot(tip.real, tip.imag, "o", color=color, markersize=6, alpha=alpha)
    ax.set(xlim=(-1.2, 1.2), ylim=(-0.15, 1.15), aspect="equal")
    ax.axis("off")


def _grid(ax: Axes) -> None:
    rate, scale = np.meshgrid(np.linspace(-1, 1, 7), np.linspace(-1, 1, 5))
    ax.imshow(np.exp(-1.6 * (rate + 0.5 * scale) ** 2 - scale**2), cmap=plots.MAGNITUDE, aspect="auto")
    ax.text(0.5, -0.07, "learning rate", ha="center", va="top", fontsize=8.5, transform=ax.transAxes)
    ax.text(-0.04, 0.5, "scale", ha="right", va="center", rotation=90, fontsize=8.5, transform=ax.transAxes)
    ax.spines[:].set_visible(False)


def _test(ax: Axes) -> None:
    for i in range(15):
        ax.plot(i % 5, -(i // 5), "o", color=plots.GREEN, markersize=13, alpha=0.25 if i in (6, 13) else 1)
    ax.set(xlim=(-0.8, 4.8), ylim=(-2.8, 0.8))
    ax.axis("off")


def _clouds(ax: Axes) -> None:
    angle = np.arange(44)
    for x, y, color in ((0, 0, plots.SIN), (3.1, 0.9, plots.COS), (1.9, -1.7, plots.GREEN)):
        ax.plot(x + np.sin(angle), y + np.cos(angle), "o", color=color, markersize=2.4)
        ax.plot(x, y, "o", color=color, markersize=7)
    ax.set_aspect("equal", adjustable="datalim")
    ax.axis("off")


def _doors(ax: Axes) -> None:
    names = (("input", plots.GREY), ("query,\nkey", plots.SIN), ("score", plots.COS))
    for x, (name, color) in enumerate(names):
        ax.add_patch(Rectangle((x + 0.14, 0), 0.72, 1.5, facecolor=color, alpha=0.25, edgecolor=color, linewidth=1.5))
        ax.plot(x + 0.74, 0.75, "o", color=color, markersize=4)
        ax.text(x + 0.5, -0.14, name, ha="center", va="top", fontsize=8.5)
    ax.set(xlim=(0, 3), ylim=(-0.6, 1.7))
    ax.axis("off")


def _beyond(ax: Axes) -> None:
    length = np.linspace(0, 4, 200)
    ax.axvspan(1, 4, color=plots.LINE, alpha=0.5, linewidth=0)
    ax.plot(length, np.where(length < 1, 0.97, 0.1 + 0.87 * np.exp(-2.2 * (length - 1))), color=plots.COS, linewidth=2)
    ax.axvline(1, color=plots.SOFT, linewidth=1, linestyle="--")
    ax.text(1.08, 0.98, "never trained", fontsize=8.5, va="top")
    ax.set(xlim=(0, 4), ylim=(0, 1.08))
    ax.spines[["top", "right"]].set_visible(False)


def _ring(ax: Axes) -> None:
    draw = np.random.default_rng(0)
    p = np.arange(120)
    radius = 1 + 0.1 * draw.standard_normal(120)
    ax.scatter(radius * np.sin(p), radius * np.cos(p), c=p, cmap=plots.MAGNITUDE, s=9, linewidths=0)
    ax.set(aspect="equal")
    ax.axis("off")


def _bug(ax: Axes) -> None:
    caught = np.zeros((5, 8))
    caught[3, 5] = 1
    ax.pcolormesh(caught, cmap="Greys", vmin=0, vmax=8, edgecolors=plots.PAPER, linewidth=2)
    for row in range(5):
        for column in range(8):
            good = (row, column) != (3, 5)
            ax.text(
                column + 0.5,
                row + 0.5,
                "✓" if good else "✗",
                ha="center",
                va="center",
                color=plots.FAINT if good else plots.COS,
                fontsize=9 if good else 15,
            )
    ax.axis("off")


def _needed(ax: Axes) -> None:
    count = 12
    heights = 0.62 ** np.arange(count)
    ax.bar(np.arange(count), heights, color=plots.hand_colors(count), width=0.75)
    ax.axhline(0, color=plots.SOFT, linewidth=1)
    for i, color in enumerate(plots.hand_colors(count)):
        angle = 4 * 0.7**i
        ax.plot([i, i + 0.34 * np.sin(angle)], [-0.2, -0.2 + 0.11 * np.cos(angle)], color=color, linewidth=2)
    ax.set(xlim=(-0.7, count), ylim=(-0.4, 1.08))
    ax.axis("off")


def _ladders(ax: Axes) -> None:
    for row, (count, stretch, full) in enumerate(((8, 1.0, 5), (12, 0.62, 6), (9, 1.15, 4), (14, 0.3, 14))):
        for i, color in enumerate(plots.hand_colors(count)):
            face = color if i < full else plots.PAPER
            ax.plot(i * stretch, -row, "o", markerfacecolor=face, markeredgecolor=color, markersize=6)
        if full < count:
            ax.plot([(full - 0.5) * stretch] * 2, [-row - 0.35, -row + 0.35], color=plots.COS, linewidth=2.5)
    ax.set(xlim=(-0.7, 10), ylim=(-3.8, 0.8))
    ax.axis("off")


def _turned(ax: Axes) -> None:
    count = 16
    weights = np.eye(count, k=-3)
    ax.imshow(weights, cmap=plots.MAGNITUDE, vmin=0, vmax=1, interpolation="nearest")
    ax.plot([0, count - 9], [8, count - 1], "--", color=plots.PAPER, linewidth=1.5)
    ax.annotate("", (3, 11), (6, 8), arrowprops={"arrowstyle": "->", "color": plots.COS, "linewidth": 2})
    ax.axis("off")


def _packed(ax: Axes) -> None:
    for start, length, color in ((0, 4, plots.SIN), (4, 3, plots.COS)):
        for position in range(length):
            ax.add_patch(Rectangle((start + position, 0), 0.9, 0.9, color=color, alpha=0.25, linewidth=0))
            ax.text(start + position + 0.45, 0.45, position, ha="center", va="center", color=plots.ink(color))
    ax.set(xlim=(-0.2, 7.1), ylim=(-2.2, 3), aspect="equal")
    ax.axis("off")


def _fitted(ax: Axes) -> None:
    ax.axhspan(1.4, 3.4, color=plots.GREEN, alpha=0.15, linewidth=0)
    for hand in range(12):
        height = 4.6 - 0.38 * hand
        color = plots.PINK if height > 3.4 else plots.GREEN if height > 1.4 else plots.FAINT
        ax.plot(hand, height, "o", color=color, markersize=4)
    ax.set(xlim=(-0.8, 11.8), ylim=(-0.5, 5.5))
    ax.axis("off")
