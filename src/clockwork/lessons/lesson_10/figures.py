"""Draw lesson 10: which test sees which fault, what training shows of them, and which features turn together."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import torch
from matplotlib import transforms
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from clockwork.kit import datafiles, plots
from clockwork.lessons.lesson_10 import faulty_encodings

ENOUGH = 0.95  # of the answers to 3 back
WORSE = 0.05  # a loss that is higher by this share would be looked into
QUARTER = {  # what stands above a ring: whose step it shows, with which settings, and what is seen
    "Gemma 4: a quarter turns": ("SoundRotary", {"share": 0.25}, "two fast lines cross the ring, twelve are hollow"),
    "fault: paired inside": ("PairedInside", {"share": 0.25}, "two short lines join features 0 to 3"),
    "fault: wrong denominator": ("WrongDenominator", {"share": 0.25}, "the two right lines, one too slow"),
}
RINGS = {
    "the promise: halves": ("SoundRotary", {}, "each feature is joined to the one opposite, eight lines, fast to slow"),
    "another promise: neighbours": ("Neighbours", {}, "each to the one beside it"),
    "fault: split neighbours": ("SplitNeighbours", {}, "the lines of halves, but their two ends differ in speed"),
    **QUARTER,
}
NAMES = 86  # points, the width of the longest name
FEATURES = 16
SHADES = 32  # of lines, from the fastest hand to the slowest


def runs() -> dict[str, dict]:
    """Return what models trained with each encoding reached: `accuracy`, `loss`, and whether the fault was `asleep`."""
    return datafiles.read("faults.json")["runs"]


def strangers() -> dict[str, dict]:
    """Return the faults of readers of the tests: the `round`, and the tests that saw it at first, and see it now."""
    return datafiles.read("strangers.json")["faults"]


def rounds() -> dict[int, list[dict]]:
    """Return the faults of `strangers`, by the round in which they were written."""
    faults = strangers().values()
    numbers = sorted({fault["round"] for fault in faults})
    return {number: [fault for fault in faults if fault["round"] == number] for number in numbers}


def named(kind: str) -> str:
    """Return a class's name as words: `BatchAxis` is "batch axis"."""
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in kind).strip()


def plainly(kind: type[faulty_encodings.Sound]) -> str:
    """Return the line that says what is wrong in the code of a fault."""
    return kind.__doc__.splitlines()[0]


def trained() -> Figure:
    """Draw what training shows of each fault that was awake on 3 back, in two groups: enough right, or too little."""
    found = {name: np.array(run["accuracy"]) for name, run in runs().items() if not run["asleep"]}
    sound = [name for name in found if name in ("Sound", "SoundRotary")]
    faults = sorted(set(found) - set(sound), key=lambda name: (-found[name].mean(), name))
    high = [name for name in faults if found[name].mean() >= ENOUGH]
    low = faults[len(high) :]
    groups = {
        "without a fault": (sound, plots.SIN),
        f"{len(high)} faults, {ENOUGH} or more": (high, plots.GREY),
        f"{len(low)} faults, less": (low, plots.COS),
    }
    fig = Figure(figsize=(plots.NARROW, 0.34 * len(found) + 0.24 * len(groups) + 0.7))
    ax = fig.add_subplot()
    across = transforms.blended_transform_factory(fig.transFigure, ax.transData)
    row, rows = 0.0, {}
    paper = {"facecolor": plots.PAPER, "edgecolor": "none", "pad": 1}
    for title, (names, color) in groups.items():
        ax.text(0, row, title, color=plots.ink(color), fontweight="bold", fontsize=9, va="center", bbox=paper)
        for name in names:
            row += 1 if name == names[0] else 1.4
            dotted(ax, row, found[name], color)
            rows[row] = name
            if name not in sound:
                line = {"transform": across, "color": plots.SOFT, "fontsize": 7, "va": "center", "bbox": paper}
                ax.text(0.015, row + 0.6, plainly(getattr(faulty_encodings, name)), **line)
        row += 1.6
    ax.axvline(1 / 16, color=plots.FAINT, linestyle=":", zorder=0)
    ax.axvline(ENOUGH, color=plots.FAINT, linewidth=1, zorder=0)
    ax.set(xlim=(0, 1.04), xlabel="3 back: share right", ylim=(row - 0.3, -0.7))
    name_rows(ax, rows)
    ax.tick_params(axis="y", pad=NAMES)
    for label in ax.get_yticklabels():
        label.set_ha("left")  # above its line
    order = [*sound, *faults]
    means = ", ".join(f"{named(name)} {found[name].mean():.2f}" for name in order)
    return plots.describe(
        fig,
        alt=f"Dots for {len(faults)} faults and the two sound encodings. Share right on 3 back: {means}.",
        caption=(
            f"Eight models each, after 150 steps; a bar is their mean. {len(high)} of {len(faults)} faults reach "
            f"{ENOUGH} (thin line); dotted: guessing one of 16. Below each name: what is wrong in its code."
        ),
        numbers=[("encoding", "3 back: share right"), *((named(name), f"{found[name].mean():.2f}") for name in order)],
    )


def texts() -> Figure:
    """Draw by how much the loss of a text is higher with each fault that is added and awake, seed by seed."""
    change = {name: 100 * higher(name) for name, run in runs().items() if not run["asleep"] and "loss" in run}
    order = sorted(set(change) - {"Sound"}, key=lambda name: (-change[name].mean(), name))
    fig = Figure(figsize=(plots.NARROW, 0.24 * len(order) + 0.8))
    ax = fig.add_subplot()
    for row, name in enumerate(order):
        dotted(ax, row, change[name], plots.GREY, alpha=0.6)
    ax.axvline(100 * WORSE, color=plots.FAINT, linestyle=":")
    ax.axvline(0, color=plots.FAINT, linewidth=1)
    ax.set(xlabel="a text: change of the loss (%)", ylim=(len(order) - 0.4, -0.6))
    name_rows(ax, dict(enumerate(order)))
    above = ", ".join(f"{named(name)} {change[name].mean():.1f}%" for name in order if flagged(name))
    lower = sum((change[name] < 0).all() for name in order)
    return plots.describe(
        fig,
        alt=f"Dots for {len(order)} faults. The loss is more than 5% higher for {above}; for {lower} it is lower.",
        caption=(
            "Three models each, after 600 steps, each against the sound one of its seed; a bar is their mean. Dotted: "
            f"5% worse. {lower} of {len(order)} have a lower loss in all three seeds."
        ),
        numbers=[
            ("fault", "change of the loss"),
            *((named(name), f"{change[name].mean():+.1f}%".replace("-", "−")) for name in order),
        ],
    )


def borrowed(accuracy: Mapping[str, float]) -> Figure:
    """Draw what the weights of a sound model get right with each fault, beside models trained with the fault.

    Args:
        accuracy: on 3 back, by the name of the class; faults that are asleep in training are left out.
    """
    found = {name: value for name, value in accuracy.items() if not runs()[name]["asleep"]}
    order = sorted(found, key=lambda name: -found[name])
    fig = Figure(figsize=(plots.NARROW, 0.24 * len(order) + 1))
    ax = fig.add_subplot()
    for row, name in enumerate(order):
        own = np.mean(runs()[name]["accuracy"])
        ax.plot([found[name], own], [row, row], color=plots.FAINT, linewidth=1, zorder=1)
        ax.plot(
            own,
            row,
            "o",
            color=plots.GREY,
            markersize=8.5,
            markeredgewidth=0,
            label="trained with the fault" * (row == 0),
        )
        ax.plot(
            found[name], row, "D", color=plots.COS, markersize=4.5, label="trained without it, run with it" * (row == 0)
        )
    ax.axvline(1 / 16, color=plots.FAINT, linestyle=":", zorder=0)
    ax.axvline(ENOUGH, color=plots.FAINT, linewidth=1, zorder=0)
    ax.set(xlim=(0, 1.04), ylim=(len(order) - 0.4, -0.6), xlabel="3 back: share right")
    name_rows(ax, dict(enumerate(order)))
    fig.legend(loc="outside upper center", ncols=1, frameon=False, fontsize=9)
    kept = sum(value >= ENOUGH for value in found.values())
    means = ", ".join(f"{named(name)} {value:.2f}" for name, value in found.items())
    return plots.describe(
        fig,
        alt=(
            f"Two dots for each of {len(found)} faults, joined by a line: trained with the fault, most are at the "
            f"right end; a sound model's weights run with the fault: {means}."
        ),
        caption=(
            "Grey: models trained with the fault, as above. Orange: weights that were trained without it, "
            f"one model for added codes and one for rotary. {kept} of {len(found)} still get {ENOUGH} or more right "
            "(thin line); dotted: guessing one of 16."
        ),
        numbers=[
            ("fault", "trained with it", "trained without it, run with it"),
            *((named(name), f"{np.mean(runs()[name]['accuracy']):.2f}", f"{found[name]:.2f}") for name in order),
        ],
    )


def dotted(ax: Axes, row: int, values: np.ndarray, color: str, *, alpha: float = 0.5) -> None:
    """Draw a row: a dot for each seed, and a bar at their mean."""
    ax.plot(values, np.full(len(values), row), "o", color=color, markersize=4, alpha=alpha, mew=0)
    ax.plot(values.mean(), row, "|", color=plots.ink(color), markersize=11, markeredgewidth=2.2)


def name_rows(ax: Axes, rows: Mapping[int, str]) -> None:
    """Write beside each row which encoding it shows, by the name of the class."""
    ax.set_yticks(list(rows), [named(name) for name in rows.values()], fontsize=9)
    ax.tick_params(axis="y", length=0)
    ax.spines[["left", "right", "top"]].set_visible(False)


def higher(name: str) -> np.ndarray:
    """Return by how much the loss on the text is higher than that of the sound sinusoid, seed by seed, as a share."""
    return np.array(runs()[name]["loss"]) / np.array(runs()["Sound"]["loss"]) - 1


def flagged(name: str) -> bool:
    """Return whether the loss on the text is so much higher that somebody would look."""
    return bool(higher(name).mean() > WORSE)


class Neighbours(faulty_encodings.SoundRotary):
    """Rotary in the other layout: features 2i and 2i + 1 are a pair."""

    def rotated(self, x, cos, sin):
        """Rotate neighbouring features."""
        return faulty_encodings.rotary.apply_rotary_emb(x, cos, sin)


def step(kind: type[faulty_encodings.SoundRotary], **settings) -> torch.Tensor:
    """Return what one step does to each feature of a key, as a matrix (features in, features out)."""
    features = torch.eye(FEATURES)[:, None].expand(2, FEATURES, 1, FEATURES)
    return kind().turn(features, torch.tensor([1]), **settings)[1, :, 0]


def rings(shown: Mapping[str, tuple[str, dict, str]] = RINGS) -> Figure:
    """Draw which features turn together, and how fast, for promises and faults: six in two columns, three in a row."""
    six = len(shown) > 3
    fig = Figure(figsize=(plots.NARROW, 6.2 if six else 1.5))
    places = fig.subplots(3, 2).T.flat if six else fig.subplots(1, 3)
    for ax, (title, (name, settings, _)) in zip(places, shown.items(), strict=True):
        kind = Neighbours if name == "Neighbours" else getattr(faulty_encodings, name)
        color = plots.COS if title.startswith("fault") else plots.GREEN
        ring(ax, step(kind, **settings))
        size = {"fontsize": 9.5} if six else {"fontsize": 7.5, "fontweight": "normal"}
        ax.set_title(title.replace(": ", ":\n"), **size, loc="center", color=plots.ink(color))
    return plots.describe(
        fig,
        alt=(
            f"Rings of {FEATURES} features. "
            + "; ".join(f"{title.replace(': ', ', ')}: {seen}" for title, (*_, seen) in shown.items())
            + "."
        ),
        caption=(
            "The sixteen features of a key, clockwise from 0 at the top. A line joins two features that turn together; "
            "each half shows its own feature's speed, by colour and width: thick is fast. "
            + ("Where the two speeds of a line differ, so do its halves: that is no rotation. " if six else "")
            + "Hollow features stand still. Green: a promise that some program makes."
        ),
    )


def ring(ax: Axes, matrix: torch.Tensor) -> None:
    """Draw the features on a circle and join those that mix; each end of a line shows its own feature's speed."""
    places = [(math.sin(2 * math.pi * j / FEATURES), math.cos(2 * math.pi * j / FEATURES)) for j in range(FEATURES)]
    shades = plots.hand_colors(SHADES)
    for k, j in (matrix.abs() > 1e-9).nonzero().tolist():
        if j == k:
            continue
        strength = max(0.0, 1 + math.log10(max(matrix[k, j].abs().item(), 1e-4)) / 4)  # 1 rad: 1, 0.0001 rad: 0
        middle = [(a + b) / 2 for a, b in zip(places[j], places[k], strict=True)]
        ax.plot(
            *zip(places[j], middle, strict=True),
            color=shades[round((1 - strength) * (SHADES - 1))],
            linewidth=0.7 + 1.7 * strength**1.5,
            solid_capstyle="butt",
            zorder=1 + strength,
        )
    still = (matrix - torch.eye(FEATURES)).abs().amax(-1) < 1e-9
    for place, resting in zip(places, still.tolist(), strict=True):
        fill = plots.PAPER if resting else plots.INK
        ax.plot(*place, "o", markersize=6, color=fill, markeredgecolor=plots.INK, zorder=3)
    ax.text(0, 1.14, "0", ha="center", va="bottom", fontsize=8, color=plots.SOFT)
    ax.text(0, -1.14, str(FEATURES // 2), ha="center", va="top", fontsize=8, color=plots.SOFT)
    ax.set(xlim=(-1.2, 1.2), ylim=(-1.38, 1.38), aspect="equal")
    ax.axis("off")
