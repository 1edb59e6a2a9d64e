"""Draw lesson 06: sums of words and codes, and positions on their way up through the layers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap, to_rgb
from matplotlib.figure import Figure

from clockwork.kit import plots, tasks

WORD_COLORS = (plots.SIN, plots.COS, plots.GREEN)
PARTS = {  # of data/adding.json, and the titles of their panels
    "who_came_first/quiet": "who came first?, quiet tokens",
    "who_came_first/loud": "who came first?, loud tokens",
    "three_back/quiet": "3 back, quiet tokens",
}
ALIKE = ("sinusoid", "drifting rows")  # neighbours
PALE = 0.13  # how much of a word's colour its region has
SIDES = 0.8  # half a panel, in mean distances between two of three words, where these are furthest apart


def wreaths(parts: Mapping[int, tuple], three: slice = slice(3)) -> Figure:
    """Draw three words and their sums with every position, in the plane through the three words, a panel a width.

    Args:
        parts: for each width, all words (words, d_model) and the codes of the positions (positions, d_model).
        three: which three of the words are drawn.
    """
    fig, axes = plots.panels(len(parts), 2.65)
    shares = {}
    among = {}
    given = {width: (np.asarray(words, float), np.asarray(codes, float)) for width, (words, codes) in parts.items()}
    apart = {width: sides(words[three]).mean() for width, (words, _) in given.items()}
    reach = SIDES * max(apart.values())
    for ax, (width, (every, codes)) in zip(axes, given.items(), strict=True):
        words = every[three]
        corners, sums = (apart[width] * points for points in in_their_plane(words, codes))
        regions(ax, corners, reach)
        for color, dots in zip(WORD_COLORS, sums, strict=True):
            ax.plot(*dots.T, color=color, linewidth=0.6, alpha=0.45)
            ax.plot(*dots.T, "o", color=color, markersize=2.5, markeredgewidth=0)
        ax.plot(*corners.T, "P", color=plots.INK, markersize=7, markeredgecolor=plots.PAPER)
        owners = ((sums[:, :, None] - corners) ** 2).sum(-1).argmin(-1)
        shares[width] = (owners == np.arange(3)[:, None]).mean()
        matches = (words[:, None] + codes) @ every.T - (every**2).sum(-1) / 2
        among[width] = (matches.argmax(-1) == np.arange(len(every))[three, None]).mean()
        ruler(ax, reach)
        ax.set_title(f"d_model {width}: {shares[width]:.0%}", fontsize=10)
        ax.text(0.95 * reach, -0.93 * reach, f"among all words: {among[width]:.0%}", fontsize=9, ha="right")
        ax.set(xticks=[], yticks=[], xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
        ax.spines[:].set_visible(False)
    said = ", ".join(
        f"{share:.0%} at d_model {width} ({among[width]:.0%} if all words compete)" for width, share in shares.items()
    )
    return plots.describe(
        fig,
        alt=(
            "Three crosses, each with dots of its own colour around it, in regions of pale colour. All panels have one "
            "scale: from panel to panel the dots stay as near to their cross, and the crosses move apart. Dots in the "
            f"region of their colour: {said}."
        ),
        caption=(
            "The plane through three words, the crosses. Dots: a word plus each of the positions 0 to 127, one after "
            "another. Shaded: which of these three words is nearest. A dot on a foreign colour is a word misread. In "
            "the title: how many dots are on their own colour; below: how many are nearest to their word of all 1,000. "
            "One scale: the dots stay near their cross, and the crosses move apart."
        ),
        numbers=[
            ("d_model", "dots on their own colour", "nearest of all words", "mean distance of two words"),
            *((str(n), f"{share:.0%}", f"{among[n]:.0%}", f"{apart[n]:.1f}") for n, share in shares.items()),
        ],
    )


def distances(parts: Mapping[int, tuple]) -> Figure:
    """Draw how far a typical sum is from its own word and from all others, a row a width, on one scale.

    Typical is the sum whose mean distance from the others is nearest to what that is on average.

    Args:
        parts: for each width, the words (words, d_model), the codes (positions, d_model), and the numbers of the word
            and of the position in each sum, (sums,) each.
    """
    fig, axes = plots.narrow(1.25 * len(parts) + 0.4, rows=len(parts), sharex=True)
    numbers = [("d_model", "own word", "mean of the others", "spread of the others")]
    for ax, (width, given) in zip(np.atleast_1d(axes), parts.items(), strict=True):
        words, codes, own, places = map(np.asarray, given)
        far = np.stack([np.linalg.norm(words - z, axis=1) for z in words[own] + codes[places]])
        others = np.array([np.delete(row, word) for row, word in zip(far, own, strict=True)])
        means = others.mean(1)
        typical = np.abs(means - means.mean()).argmin()
        near, mean, spread = far[typical, own[typical]], means[typical], others[typical].std()
        ax.hist(others[typical], bins=30, color=plots.GREY, linewidth=0)
        ax.axvline(near, color=plots.SIN, linewidth=3)
        top = ax.get_ylim()[1]
        ax.set(ylim=(0, 1.45 * top), yticks=[])
        ax.spines[["left", "top", "right"]].set_visible(False)
        ax.text(near, 1.35 * top, f" own word: {near:.1f}", fontsize=9, color=plots.ink(plots.SIN), va="center")
        ax.text(mean, 1.1 * top, f"others: {mean:.1f} ± {spread:.1f}", fontsize=9, ha="center", va="center")
        ax.set_title(f"d_model {width}", loc="left", fontsize=9.5)
        numbers.append((str(width), f"{near:.1f}", f"{mean:.1f}", f"{spread:.1f}"))
    ax.set(xlim=(0, None), xlabel="distance from the sum")
    said = "; ".join(f"d_model {n}: {near} and {mean} ± {spread}" for n, near, mean, spread in numbers[1:])
    return plots.describe(
        fig,
        alt=f"A line at the distance from the own word, and a hill of distances from all others. {said}.",
        caption=(
            f"How far a typical sum is from its own word (line) and from each of the {others.shape[1]} others (hill). "
            "In a sum whose hill reaches past the line, the word is misread."
        ),
        numbers=numbers,
    )


def sides(corners: np.ndarray) -> np.ndarray:
    """Return the three distances between three points."""
    return np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1)


def in_their_plane(words: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return three words (3, 2) and their sums with the codes (3, positions, 2), seen in the words' plane.

    The mean distance between two of the words becomes 1, and the first word is above the middle.
    """
    middle = words.mean(0)
    axes = np.linalg.svd(words - middle, full_matrices=False)[2][:2].T  # (d_model, 2), orthonormal
    x, y = (words[0] - middle) @ axes
    axes = axes @ np.array([[y, x], [-x, y]]) / np.hypot(x, y)
    corners = (words - middle) @ axes
    if corners[1, 0] > corners[2, 0]:
        axes = axes * [-1, 1]
        corners = corners * [-1, 1]
    side = sides(corners).mean()
    return corners / side, (corners[:, None] + codes @ axes) / side


def ruler(ax: Axes, reach: float) -> None:
    """Draw a bar of length 1 in the lower left corner of a panel that reaches so far from its middle, and write 1."""
    left = -0.95 * reach
    ax.plot([left, left + 1], [left, left], color=plots.INK, linewidth=2, solid_capstyle="butt")
    ax.text(left, left + 0.05 * reach, "1", fontsize=9, color=plots.INK)


def regions(ax: Axes, corners: np.ndarray, reach: float) -> None:
    """Shade which of the corners (3, 2) is nearest."""
    ticks = np.linspace(-reach, reach, 480)
    points = np.stack(np.meshgrid(ticks, ticks), -1)
    nearest = ((points[:, :, None] - corners) ** 2).sum(-1).argmin(-1)
    tints = [[1 - PALE * (1 - part) for part in to_rgb(color)] for color in WORD_COLORS]
    ax.imshow(nearest, cmap=ListedColormap(tints), extent=(-reach, reach) * 2, origin="lower", interpolation="nearest")


def rings(rows: Mapping[str, Sequence], target) -> Figure:
    """Draw a hand as a linear map reads it after each layer, a column a model, coloured by where it should point.

    Args:
        rows: for each model, the hand's (sine, cosine) after each layer, (sequences, positions, 2).
        target: the hand's sine and cosine at each position, (positions, 2).
    """
    count = len(next(iter(rows.values())))
    target = np.asarray(target, float)
    hue = np.arctan2(*target.T) / (2 * np.pi) % 1
    variance = ((target - target.mean(0)) ** 2).sum(-1).mean()
    fig, axes = plots.narrow(1.3 * count + 0.3, rows=count, cols=len(rows))
    turn = np.linspace(0, 2 * np.pi, 100)
    stages = ["the sum", *(f"after layer {layer}" for layer in range(1, count))]
    said = []
    numbers = [("R² of hand 6", *stages)]
    for row, (name, layers) in enumerate(rows.items()):
        explained = []
        for layer, (ax, hand) in enumerate(zip(axes[:, row], layers, strict=True)):
            hand = np.asarray(hand, float)
            explained.append(1 - ((hand - target) ** 2).sum(-1).mean() / variance)
            ax.plot(np.sin(turn), np.cos(turn), color=plots.LINE, linewidth=1, zorder=1)
            colors = np.broadcast_to(hue, hand.shape[:2]).ravel()
            points = hand.reshape(-1, 2).T
            ax.scatter(
                *points, c=colors, cmap=plots.ANGLE, vmin=0, vmax=1, s=3.5, linewidths=0, zorder=2, clip_on=False
            )
            ax.set(xticks=[], yticks=[], xlim=(-1.8, 1.8), ylim=(-1.8, 1.8), aspect="equal")
            ax.spines[:].set_visible(False)
            ax.text(0.5, -0.1, f"R² {abs(explained[-1]):.2f}", transform=ax.transAxes, ha="center", fontsize=9)
            if row == 0:
                ax.set_ylabel(stages[layer], fontsize=9.5)
        axes[0, row].set_title(name.replace(", ", ",\n"), loc="center", fontsize=9)
        shares = [f"{abs(share):.2f}" for share in explained]
        said.append(f"{name}: " + ", ".join(shares))
        numbers.append((" ".join(name.split()), *shares))
    return plots.describe(
        fig,
        alt=(
            "Columns of five clouds, from the sum to the fourth layer, each dot a token coloured by where its "
            "hand should point. A ring means that the map reads the position, a point that it finds next to nothing. "
            "R²: "
            f"{'; '.join(said)}."
        ),
        caption=(
            "Each dot is a token of a text that the map was not fitted on, placed where the map says that hand 6 "
            "points, and coloured by where it does point (pale 12, red 3, dark 6, blue 9 o'clock). R² is the share of "
            "the hand's variance that the map explains. A ring: the position is there. A point: next to nothing is "
            "found."
        ),
        numbers=numbers,
    )


def seeds(groups: Mapping[str, Mapping]) -> Figure:
    """Draw the accuracy of each seed as a dot: a panel for each part, a row for each code, a line a learning rate.

    Args:
        groups: for each part's name, the accuracies of each code, (learning rates, seeds).
    """
    names = sorted(next(iter(groups.values())), key=lambda name: name not in ALIKE)
    fig, axes = plots.panels(len(groups), 0.5 * len(names) + 1.1)
    numbers = [("mean accuracy", "learning rate 0.005", "0.01")]
    for ax, (part, codes) in zip(axes, groups.items(), strict=True):
        for row, name in enumerate(names):
            scores = codes[name]
            color = plots.SIN if name in ALIKE else plots.COS
            for rate, dots in enumerate(np.asarray(scores, float)):
                level = row + 0.17 * (2 * rate - len(scores) + 1)
                face = color if rate == 0 else plots.PAPER
                ax.plot(dots, np.full(len(dots), level), "o", markersize=4.5, color=color, markerfacecolor=face)
                ax.plot([dots.mean()] * 2, [level - 0.15, level + 0.15], color=plots.ink(color), linewidth=2)
            means = [f"{mean:.2f}" for mean in np.asarray(scores, float).mean(1)]
            numbers.append((f"{PARTS[part]}, {name}", *means, *["not run"] * (2 - len(means))))
        ax.axvline(tasks.TASKS[part.split("/")[0]].chance, color=plots.SOFT, linestyle=":", linewidth=1)
        ax.set(title=PARTS[part].replace(", ", "\n"), xlim=(0, 1.03), ylim=(len(names) - 0.5, -0.5), xlabel="accuracy")
        ax.set_yticks(range(len(names)), names)
        ax.xaxis.grid(True, linewidth=0.6)
    return plots.describe(
        fig,
        alt=(
            "Accuracies of eight seeds for six codes. Means at learning rate 0.005: "
            + "; ".join(f"{name}: {mean}" for name, mean, _ in numbers[1:])
            + "."
        ),
        numbers=numbers,
        caption=(
            "Codes 35 times as long as quiet tokens (std 0.02) and 0.7 times as long as loud ones (std 1). Eight "
            "seeds; lines are means. Full dots: learning rate 0.005; hollow ones: 0.01. Trained for 250 steps (who "
            "came first?) and 400 (3 back). Blue: codes whose neighbouring rows are more alike than any two. Orange: "
            "they are not. Dotted: guessing."
        ),
    )
