"""Draw lesson 15: what networks learn from t over ranges of what goes in, and where heads look on a board."""

from __future__ import annotations

from matplotlib.figure import Figure

from clockwork.kit import plots
from clockwork.kit.numbers import fixed
from clockwork.lessons.lesson_15 import measure, pictures, readers

COLORS = {1: plots.SIN, 8: plots.COS, 32: plots.GREEN}
TITLES = {"axial": "rows and columns", "mixed": "and both diagonals"}


def waves() -> Figure:
    """Draw the errors of networks that shall draw 1, 8 or 32 waves, by the range of what goes in."""
    fig, ax = plots.figure()
    fig.set_figheight(3)
    numbers = [("range of what goes in", *(f"{count} wave{'s' * (count > 1)}" for count in measure.WAVES))]
    errors = {}
    for count in measure.WAVES:
        errors[count] = [readers.error("timestep", f"{count} waves, 0 to {reach}") for reach in measure.RANGES]
        label = f"{count} wave{'s' * (count > 1)} over the range of t"
        ax.plot(measure.RANGES, errors[count], "o-", color=COLORS[count], label=label)
    for place, reach in enumerate(measure.RANGES):
        numbers.append((f"0 to {reach:,}", *(fixed(errors[count][place]) for count in measure.WAVES)))
    ax.axhline(0.5**0.5, color=plots.FAINT, linewidth=1)
    ax.text(measure.RANGES[0], 0.73, "says 0 everywhere", fontsize=8, color=plots.SOFT)
    ax.set(xscale="log", xlabel="what goes in runs from 0 to …", ylabel="error", ylim=(0, 1.1))
    ax.legend(frameon=False, fontsize=8.5)
    told = "; ".join(
        f"{count} wave{'s' * (count > 1)}: " + ", ".join(fixed(error) for error in found)
        for count, found in errors.items()
    )
    ranges = ", ".join(f"{reach:,}" for reach in measure.RANGES)
    return plots.describe(
        fig,
        alt=f"Errors of networks for inputs from 0 to {ranges}. {told}.",
        caption=(
            "Each point: eight networks that read $t$ from 16 hands at base 10,000, learned from 256 points and asked "
            "between them, at the better of two learning rates."
        ),
        numbers=numbers,
    )


def boards() -> Figure:
    """Draw the mean weight that a place of the board gives to all others, for two tasks and two sets of axes."""
    fig, axes = plots.figure(cols=4)
    fig.set_figheight(2.3)
    told = []
    for ax, (task, kind) in zip(axes, ((task, kind) for task in ("row", "diagonal") for kind in TITLES), strict=True):
        found = readers.better(f"boards/{task}, {kind}")
        right = fixed(readers.share(f"boards/{task}, {kind}"))
        ax.imshow(found["looks"], cmap="Blues", vmin=0)
        ax.plot(5, 5, "s", markersize=10, markerfacecolor="none", color=plots.INK)
        ax.set_title(f"{task}: {right} right", fontsize=9, loc="center")
        ax.set(xticks=[], yticks=[], xlabel=TITLES[kind])
        told.append(f"{task}, hands for {pictures.AXES[kind]}: {right} right")
    return plots.describe(
        fig,
        alt="Where the framed square looks, on four boards. " + "; ".join(told) + ".",
        caption=(
            "Is the majority on my row, or on my diagonal, marked? The framed square asks; the darker, the more "
            "weight, each board on a scale of its own, in the mean of two heads and eight models."
        ),
    )
