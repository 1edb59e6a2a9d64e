"""Draw lesson 07: the three doors of attention, what comes through them, and what one head makes of a falling bias."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, PathPatch, Polygon, Rectangle
from matplotlib.path import Path

from clockwork.kit import plots
from pe_helpers import relative, sinusoidal

PARTS = (("score q·k", plots.QUERY), ("bias", plots.PINK), ("weight", plots.GREEN))
NAMES = ("input", "query and key", "score")
LIGHT = plots.PINK  # what comes in through a door, as the bias in the pictures of scores
BEAM = "beam"  # the light of an open door
CARRIED = "carried"  # what knows positions behind an open door
AT = (19.0, 49.0, 73.0)  # where the doors are
TO_SOFTMAX = [(65.8, 19.6), (81, 19.6)]
TO_OUT = [(85, 17), (85, 4), (98, 4)]
ALONG = (  # for each door the lines behind it that carry positions
    (
        [(19, 15.6), (28, 15.6), (28, 23.5), (54, 23.5), (60, 19.6)],
        [(28, 15.6), (54, 15.6), (60, 19.6)],
        [(28, 15.6), (28, 4), (81, 4)],
        TO_SOFTMAX,
        TO_OUT,
    ),
    ([(49, 23.5), (54, 23.5), (60, 19.6)], [(49, 15.6), (54, 15.6), (60, 19.6)], TO_SOFTMAX, TO_OUT),
    ([(73, 19.6), (81, 19.6)], TO_OUT),
)
REACHED = ("queries, keys, values and weights", "scores and weights, and not the values", "weights, and not the values")
LOUD = 2.0  # a score, less its row's mean, that has the strongest colour
WORDS = ("tom", "bit", "a", "dog")
DOOR_OF = {  # scheme of the race: its door
    "none": "no door",
    "sinusoid": "door 1",
    "learned table": "door 1",
    "rotary": "door 2",
    "ALiBi, slope 1/256": "door 3",
    "ALiBi, slope 1/2": "door 3",
    "T5": "door 3",
}
LINEAGE = (  # who, when, by which door
    ("Shaw et al.", 2018, "score"),
    ("Transformer-XL", 2019, "score"),
    ("GPT-2", 2019, "input"),
    ("T5", 2019, "score"),
    ("RoPE", 2021, "q and k"),
    ("ALiBi", 2021, "score"),
    ("NoPE", 2022, "none"),
    ("p-RoPE", 2024, "q and k"),
)
STRIP = 24  # tokens in each picture of the strip
TASKS = {  # task of the race: its name in the table of numbers
    "three_back": "3 back",
    "who_came_first": "who came first?",
}
GUESSED = 1 / 16  # of the answers of 3 back


def block(lit: int | None = None) -> Figure:
    """Draw one attention block with its three doors for positions.

    Args:
        lit: the door that is open, 1 to 3; None opens all.
    """
    fig, ax = plots.figure()
    fig.set_figheight(3.3)
    opened = (1, 2, 3) if lit is None else (lit,)
    _wall(ax, opened)
    _inside(ax, opened)
    ax.set(xlim=(0, 100), ylim=(0, 46))
    ax.axis("off")
    ax.set_position([0, 0, 1, 1])
    if lit is None:
        shown = "All three doors are open."
    else:
        _carried(ax, ALONG[lit - 1])
        shown = (
            f"Only door {lit}, {NAMES[lit - 1]}, is open; light falls through it, and pink lines lead on to "
            f"{REACHED[lit - 1]}."
        )
    told = (
        "Positions wait behind the wall at the top. Door 1 leads to the token vectors, before anything is computed; "
        "door 2 to the queries and keys; door 3 to the scores.",
        "Door 1 is open: a code is added to each word's vector. Queries, keys and values are all made from the sum. "
        "Follow the pink: it marks all that now depends on positions.",
        "Door 2 is open: queries and keys are turned by their positions. The values stay as they are: no pink.",
        "Door 3 is open: a number is added to each score. Queries, keys and values know nothing of positions.",
    )
    return plots.describe(
        fig,
        alt=(
            "One attention block from left to right: words, queries, keys and values, scores, softmax, output. "
            f"Above it a wall with three doors, named input, query and key, and score. {shown}"
        ),
        caption=told[lit or 0],
    )


def _wall(ax: Axes, opened: Sequence[int]) -> None:
    """Draw the wall with its doors, and the light that falls through those that are open."""
    ax.add_patch(Rectangle((0, 30), 100, 16, facecolor=plots.LINE, edgecolor="none", alpha=0.55))
    ax.plot([0, 100], [30, 30], color=plots.SOFT, linewidth=1.2)
    ax.text(98, 41, "behind the wall:\npositions 0, 1, 2, …", fontsize=9, color=plots.SOFT, va="center", ha="right")
    enters = ("$+\\,\\mathbf{a}_p$", "$M_p$", "$+\\,b_{p,q}$")
    ends = ((15.5, 22.5, 13.2), (43.5, 54.5, 11), (69, 77, 16.4))
    for door, (x, (left, right, low)) in enumerate(zip(AT, ends, strict=True), 1):
        lit = door in opened
        if lit:
            _beam(ax, [(x - 3.4, 29.8), (x + 3.4, 29.8), (right, low), (left, low)])
            doorway = Rectangle((x - 3.4, 31), 6.8, 12, facecolor=to_rgba(LIGHT, 0.55), linewidth=1.4)
            doorway.set_edgecolor(plots.INK)
            ax.add_patch(doorway)
            leaf = Polygon([(x + 3.4, 31), (x + 6.6, 29.2), (x + 6.6, 44.8), (x + 3.4, 43)])
            leaf.set(facecolor=plots.FAINT, linewidth=1.4, edgecolor=plots.INK)
            ax.add_patch(leaf)
            ax.plot(x + 5.9, 37, "o", color=plots.INK, markersize=2.6)
            ax.text(x, 37, enters[door - 1], ha="center", va="center", fontsize=11, color=plots.INK)
        else:
            ax.add_patch(Rectangle((x - 3.4, 31), 6.8, 12, facecolor=plots.FAINT, linewidth=1.2, edgecolor=plots.SOFT))
            ax.plot(x + 2.3, 37, "o", color=plots.SOFT, markersize=2.6)
        style = {"color": plots.INK, "weight": "bold"} if lit else {"color": plots.SOFT}
        ax.text(x - 4.6, 40.6, f"door {door}\n{NAMES[door - 1]}", ha="right", va="center", fontsize=9, **style)


def _beam(ax: Axes, corners: list[tuple[float, float]]) -> None:
    """Let light fall from a door."""
    ax.add_patch(Polygon(corners, facecolor=to_rgba(LIGHT, 0.25), edgecolor="none", zorder=0.5, gid=BEAM))


def _carried(ax: Axes, lines: Sequence[Sequence[tuple[float, float]]]) -> None:
    """Draw a pink band under lines, as one shape: where two of them meet it is no darker."""
    band = Path.make_compound_path(*(Path(line) for line in lines))
    style = {"edgecolor": to_rgba(LIGHT, 0.4), "linewidth": 6, "capstyle": "butt", "joinstyle": "round"}
    ax.add_patch(PathPatch(band, fill=False, zorder=0.6, gid=CARRIED, **style))


def _inside(ax: Axes, opened: Sequence[int]) -> None:
    """Draw the block below the wall: words, queries, keys and values, scores, softmax, output."""
    for i, word in enumerate(WORDS):
        _box(ax, 5, 22.5 - 4.6 * i, 8, 3.6, word)
    _arrow(ax, (9.6, 15.6), (28, 15.6))
    ax.plot(19, 15.6, "o", color=plots.PAPER, markersize=13, markeredgecolor=_edge(1 in opened), markeredgewidth=1.5)
    ax.text(19, 15.4, "+", ha="center", va="center", fontsize=13, color=_edge(1 in opened))
    rows = ((23.5, "$W_Q$", "q", plots.QUERY), (15.6, "$W_K$", "k", plots.KEY), (4, "$W_V$", "v", plots.GREY))
    for y, name, small, color in rows:
        ax.plot([28, 28, 30.5], [15.6, y, y], color=plots.SOFT, linewidth=1.2)
        _box(ax, 33, y, 5.4, 4.6, name, color)
        ax.text(38.2, y + 1.9, small, fontsize=10, color=plots.ink(color), style="italic", ha="center")
    for y, color in ((23.5, plots.QUERY), (15.6, plots.KEY)):
        _arrow(ax, (36, y), (60, 19.6), color, bend=[(54, y)])
        _turning(ax, 49, y, color, 2 in opened)
    _box(ax, 63, 19.6, 5.2, 4.6, "q·k", plots.INK)
    _arrow(ax, (65.8, 19.6), (80.4, 19.6))
    ax.plot(73, 19.6, "o", color=plots.PAPER, markersize=13, markeredgecolor=_edge(3 in opened), markeredgewidth=1.5)
    ax.text(73, 19.4, "+", ha="center", va="center", fontsize=13, color=_edge(3 in opened))
    _box(ax, 85, 19.6, 8.6, 4.6, "softmax", plots.INK)
    _arrow(ax, (85, 17), (85, 6.6))
    ax.text(86, 11.6, "weights", fontsize=9, color=plots.ink(plots.GREEN), va="center")
    _arrow(ax, (36, 4), (80.6, 4), plots.GREY)
    _box(ax, 85, 4, 8.6, 4.6, "average", plots.INK)
    _arrow(ax, (89.6, 4), (98, 4))
    ax.text(94, 6.2, "out", fontsize=9, color=plots.SOFT, ha="center")


def _edge(lit: bool) -> str:
    return plots.INK if lit else plots.FAINT


def _box(ax: Axes, x: float, y: float, wide: float, high: float, text: str, color: str = plots.SOFT) -> None:
    box = FancyBboxPatch((x - wide / 2, y - high / 2), wide, high, boxstyle="round,pad=0,rounding_size=0.8")
    box.set(facecolor=plots.PAPER, edgecolor=color, linewidth=1.3)
    ax.add_patch(box)
    ax.text(x, y - 0.1, text, ha="center", va="center", fontsize=9.5, color=plots.INK)


def _arrow(ax: Axes, start, stop, color: str = plots.SOFT, bend=()) -> None:
    points = [start, *bend]
    ax.plot([x for x, _ in points], [y for _, y in points], color=color, linewidth=1.2)
    ax.add_patch(
        FancyArrowPatch(
            points[-1], stop, arrowstyle="-|>", mutation_scale=9, color=color, linewidth=1.2, shrinkA=0, shrinkB=0
        )
    )


def _turning(ax: Axes, x: float, y: float, color: str, turning: bool) -> None:
    """Draw the small dial at which a query or a key is turned; at rest its hand points to 12."""
    tone = color if turning else plots.FAINT
    ax.plot(x, y, "o", color=plots.PAPER, markersize=17, markeredgecolor=tone, markeredgewidth=1.5)
    angle = (0.9 if y > 20 else 2.2) if turning else 0.0
    ax.annotate(
        "",
        (x + 1.75 * np.sin(angle), y + 2.5 * np.cos(angle)),
        (x, y),
        arrowprops={
            "arrowstyle": "-|>",
            "color": tone,
            "linewidth": 1.5,
            "shrinkA": 0,
            "shrinkB": 0,
            "mutation_scale": 7,
        },
    )


def ranges(named: Mapping[str, object]) -> Figure:
    """Draw the score of query p and key p − 3, less its mean over p, for each door; from p = 3 on."""
    fig, ax = plots.narrow(3.4)
    told = []
    numbers = [("score − its mean", "lowest", "highest", "highest − lowest")]
    styles = ((plots.INK, "-", 1.6), (plots.QUERY, "-", 3.2), (plots.PINK, "--", 1.6))
    for door, ((name, values), (color, dash, wide)) in enumerate(zip(named.items(), styles, strict=True), 1):
        values = np.asarray(values, float)
        label = f"door {door}: {name}"
        at = np.arange(3, 3 + len(values))
        ax.plot(at, values - values.mean(), dash, color=color, linewidth=wide, label=label)
        told.append(f"{name} {np.ptp(values):.2f}")
        ends = (values.min() - values.mean(), values.max() - values.mean(), np.ptp(values))
        numbers.append((f"{name}  (door {door})", *(f"{end:z.2f}" for end in ends)))
    ax.set(xlabel="position of the query", ylabel="score − its mean")
    ax.legend(frameon=False, fontsize=9, loc="lower left", bbox_to_anchor=(0, 1))
    return plots.describe(
        fig,
        alt=(
            "The score of the same word three back, over the place in the text. "
            f"From its lowest to its highest: {', '.join(told)}."
        ),
        numbers=numbers,
        caption=(
            "The same word everywhere, and the score of the key three back. Only with a code added at door 1 does it "
            "depend on where in the text the two stand."
        ),
    )


def origins(parts: Mapping[str, tuple], *, marked: int = 3) -> Figure:
    """Draw scores, biases and weights of one head a row, one trained model below the other.

    Args:
        parts: for each model its scores, its biases and its weights, each (1, queries, keys): one head.
        marked: a dotted line marks the keys so many steps back.
    """
    fig, axes = plots.narrow(0.97 * len(parts) + 0.5, len(parts), 3, sharex=True, sharey=True, squeeze=False)
    share = {}
    numbers = [(f"{marked} back, mean over the queries", "score − its row's mean", "bias − its row's mean", "weight")]
    for row, (name, values) in zip(axes, parts.items(), strict=True):
        means = []
        for part, (ax, value) in enumerate(zip(row, values, strict=True)):
            array = np.asarray(value, float)[0]
            n = len(array)
            array = np.where(np.tri(n, dtype=bool), array, np.nan)
            if part < 2:
                array = array - np.nanmean(array, axis=1, keepdims=True)
                plots.heat_map(ax, array, limit=LOUD, colorbar=False)
                ax.set_facecolor(plots.LINE)
            else:
                plots.heat_map(ax, array, signed=False, limit=1.0, colorbar=False)
                ends = [-0.5, n - marked - 0.5], [marked - 0.5, n - 0.5]
                ax.plot(*ends, ":", color=plots.PAPER, linewidth=0.8, alpha=0.7)
            means.append(np.diagonal(array, -marked).mean())
            ax.set(xticks=[], yticks=[], aspect="equal")
        share[name] = means[-1]
        numbers.append((name, *(f"{mean:z.2f}" for mean in means)))
        row[0].set_ylabel(name.replace(", ", "\n"), fontsize=9)
    for ax, (label, color) in zip(axes[0], PARTS, strict=True):
        ax.set_title(label, fontsize=10, loc="center", color=plots.ink(color))
    told = ", ".join(f"{name} {value:.2f}" for name, value in share.items())
    return plots.describe(
        fig,
        alt=f"For each trained model its scores, biases and weights. Mean weight on the key {marked} back: {told}.",
        numbers=numbers,
        caption=(
            "Where the diagonal comes from. One text; a row is a query, a column a key. Dotted, three back. Scores "
            "and biases are shown less their mean over each row, which the softmax ignores: red is more, blue less. "
            "Weights run from dark, 0, to yellow, 1."
        ),
    )


def lineage_scores(seed: int = 3) -> dict[str, np.ndarray]:
    """Return what each scheme of the strip makes of one word, repeated: its score for 0, 1, … 23 steps back.

    GPT-2's table at the input gives a score for each query and key. What would be learned is random here.
    Scores of rotary schemes are those of a query that equals its key.
    """
    draw = torch.Generator().manual_seed(seed)
    back = torch.arange(STRIP, dtype=torch.float64)
    word = torch.randn(16, generator=draw, dtype=torch.float64)
    vectors = torch.randn(STRIP, 16, generator=draw, dtype=torch.float64)
    matrix = torch.randn(16, 16, generator=draw, dtype=torch.float64)
    table = torch.randn(32, generator=draw, dtype=torch.float64)
    turned = torch.cos(back[:, None] * sinusoidal.inv_freq(16))
    kept = torch.cos(back[:, None] * sinusoidal.inv_freq(16)[:4])
    rows = torch.randn(STRIP, 16, generator=draw, dtype=torch.float64)
    scores = (
        vectors @ word,
        sinusoidal.table(back, 16).double() @ matrix @ word,
        (word + rows) @ matrix @ (word + rows).T,
        table[relative.bucket(-back.long(), bidirectional=False)],
        turned.sum(1),
        -0.25 * back,
        0 * back,
        kept.sum(1) + 4,
    )
    return {name: own.numpy() for (name, *_), own in zip(LINEAGE, scores, strict=True)}


def lineage() -> Figure:
    """Draw a map for each scheme from 2018 to 2024: the scores of one word, repeated, under a causal mask."""
    fig, axes = plots.narrow(6.9, rows=4, cols=2)
    back = np.subtract.outer(np.arange(STRIP), np.arange(STRIP))
    for ax, (name, year, door), own in zip(axes.flat, LINEAGE, lineage_scores().values(), strict=True):
        own = (own - own.mean()) / (np.abs(own - own.mean()).max() or 1)
        shown = np.where(back >= 0, (1 + (own if own.ndim == 2 else own[np.abs(back)])) / 2, np.nan)
        plots.heat_map(ax, shown, signed=False, limit=1.0, colorbar=False)
        ax.set_facecolor(plots.LINE)
        ax.set(xticks=[], yticks=[], aspect="equal", xlabel=f"door: {door}")
        ax.set_title(f"{year} {name}", fontsize=9, fontweight="normal", loc="left")
    told = "; ".join(f"{name}, {year}, door: {door}" for name, year, door in LINEAGE)
    return plots.describe(
        fig,
        alt=(
            f"Eight maps of scores under a causal mask. {told}. In GPT-2's map no diagonal has one colour, in each "
            "other map every diagonal has; ALiBi's fall evenly, T5's are alike from sixteen steps on in groups, NoPE's "
            "are all equal."
        ),
        caption=(
            "One word, repeated: its score for each query (rows) and key (columns); yellow is more, blue less. In "
            "all maps but GPT-2's, each diagonal has one colour: these scores depend on the offset alone. What is "
            "learned is random here. Within 24 tokens slow hands hardly turn, so p-RoPE looks like RoPE."
        ),
    )


def race(runs: Sequence[Mapping]) -> Figure:
    """Draw the accuracy of every seed on *3 back*, a row for each scheme, and list the other task's beside it."""
    fig, ax = plots.narrow(4)
    found = {(run["task"], run["scheme"]): np.sort(run["accuracy"]) for run in runs}
    names = [f"{scheme}  ({door})" for scheme, door in DOOR_OF.items()]
    for row, (scheme, door) in enumerate(DOOR_OF.items()):
        if door in ("door 1", "door 3"):
            ax.axhspan(row - 0.5, row + 0.5, color=plots.LINE, alpha=0.5, linewidth=0, zorder=0)
        values = found["three_back", scheme]
        lift = np.linspace(-0.27, 0.27, len(values))
        color = plots.PINK if door == "door 3" else plots.GREY
        ax.plot(values, row + lift, "o", color=color, markersize=5, alpha=0.85, clip_on=False)
    ax.axvline(GUESSED, color=plots.GREY, linestyle=":", linewidth=1)
    ax.text(GUESSED + 0.01, len(names) - 0.7, "a guess", fontsize=8.5, color=plots.SOFT)
    ax.set(xlim=(0, 1.02), ylim=(len(names) - 0.5, -0.5), xlabel="share right on 3 back")
    ax.set_yticks(range(len(names)), [name.replace("  (", "\n(") for name in names])
    ax.tick_params(axis="y", length=0)
    columns = []
    for task, title in TASKS.items():
        lists = [found[task, scheme] for scheme in DOOR_OF]
        columns.append((title, *(f"{values.min():.2f} to {values.max():.2f}" for values in lists)))
    title, *said = columns[0]
    first = {scheme: found["who_came_first", scheme].mean() for scheme in ("sinusoid", "rotary")}
    return plots.describe(
        fig,
        alt=f"Accuracy of each seed. {title}: {'; '.join(map(': '.join, zip(DOOR_OF, said, strict=True)))}.",
        numbers=list(zip(("lowest to highest seed", *names), *columns, strict=True)),
        caption=(
            "One layer, one head, 250 steps; each dot is a seed. Behind door 3, in pink, ALiBi fails and T5 does not. "
            "On another task, *who came first?* without a mask, door 1 is behind: after 1,000 steps the sinusoid is "
            f"right in {first['sinusoid']:.2f} of the cases, rotary in {first['rotary']:.2f}; ALiBi guesses."
        ),
    )


def slopes(measured: Mapping[float, Sequence[float]]) -> Figure:
    """Draw the accuracy of each seed over the slope of one ALiBi head, and the weight that it gives to three back."""
    fig, ax = plots.narrow(2.9)
    accuracies(ax, measured)
    best = max(measured, key=lambda slope: np.mean(measured[slope]))
    top = np.mean(measured[best])
    return plots.describe(
        fig,
        alt=(
            f"Accuracy of one ALiBi head over its slope: {np.mean(measured[min(measured)]):.2f} at slope "
            f"{min(measured):.3f}, rising to {top:.2f} at {best:g} and falling to "
            f"{np.mean(measured[max(measured)]):.2f} at {max(measured):g}. The weight on three back peaks at slope "
            "0.29, where it is 0.11."
        ),
        numbers=[
            ("slope", "right answers, mean", "lowest seed", "highest seed", "weight on three back"),
            *(
                (
                    f"1/{1 / slope:.0f}" if slope < 0.1 else f"{slope:g}",
                    *(f"{value:.2f}" for value in (np.mean(seeds), min(seeds), max(seeds))),
                    f"{three_back(slope):.3f}",
                )
                for slope, seeds in sorted(measured.items())
            ),
        ],
        caption=(
            "One head, one layer, 1,000 steps; each dot is one of four seeds. In pink, how much weight the last token "
            "gives to three back if the words say nothing."
        ),
    )


def accuracies(ax: Axes, measured: Mapping[float, Sequence[float]]) -> None:
    """Draw accuracy and weight on three back over the slope; `measured` has for each slope each seed's accuracy."""
    at = np.array(sorted(measured))
    fine = np.geomspace(at[0], at[-1], 200)
    ax.plot(fine, three_back(fine), color=plots.PINK, linewidth=2)
    means = [np.mean(measured[slope]) for slope in at]
    ax.plot(at, means, color=plots.GREEN, linewidth=1.5)
    for slope in at:
        values = np.asarray(measured[slope], float)
        ax.plot(np.full(len(values), slope), values, "o", color=plots.GREEN, markersize=5, alpha=0.8)
    ax.text(0.03, 0.42, "right answers", color=plots.ink(plots.GREEN), fontsize=9.5, ha="center")
    ax.text(0.03, 0.12, "weight on three back", color=plots.ink(plots.PINK), fontsize=9.5, ha="center")
    ax.set(xscale="log", xlabel="slope of the head (log axis)", ylim=(0, 1.02), ylabel="share")
    ax.set_xticks([1 / 256, 1 / 16, 0.29, 0.7, 2], ["1/256", "1/16", "0.29", "0.7", "2"])
    ax.set_xticks([], minor=True)


def three_back(slope, keys: int = 24):
    """Return the weight of the key three back under the bias −slope · distance alone, among `keys` keys."""
    slope = np.asarray(slope, float)[..., None]
    weights = np.exp(-slope * np.arange(keys))
    return weights[..., 3] / weights.sum(-1)
