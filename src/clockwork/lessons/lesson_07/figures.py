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

PARTS = (("query · key", plots.QUERY), ("bias", plots.PINK), ("weight", plots.GREEN))
NAMES = ("input", "query and key", "score")
LIGHT = plots.PINK  # what comes in through a door, as the bias in the pictures of scores
BEAM = "beam"  # the light of an open door
CARRIED = "carried"  # what knows positions behind an open door
AT = (95.0, 63.0, 36.0)  # where the doors are
EDGE = 31.0  # of the wall
TO_SOFTMAX = [(56, 43.5), (56, 27.5)]
TO_AVERAGE = [(56, 18.5), (56, 7)]
TO_OUT = [(56, 7), (56, -5)]
TO_PRODUCT = ([(48, 63), (48, 56), (53, 52.5)], [(68, 63), (68, 56), (59, 52.5)])  # from the dials
ALONG = (  # for each door the lines behind it that carry positions, if all words are alike
    (
        [(68, 95), (68, 89), (48, 89), (48, 63)],
        [(68, 89), (68, 63)],
        [(68, 89), (86, 89), (86, 7), (67.5, 7)],
        *TO_PRODUCT,
        TO_SOFTMAX,
        TO_AVERAGE,
        TO_OUT,
    ),
    (*TO_PRODUCT, TO_SOFTMAX, TO_AVERAGE),
    ([(56, 36), (56, 27.5)], TO_AVERAGE),
)
REACHED = ("queries, keys, values and weights", "scores and weights, and not the values", "weights, and not the values")
LOUD = 2.0  # a score, less its row's mean, that has the strongest colour
WORDS = ("tom", "bit", "a", "dog")
SAME = ("a", "a", "a", "a")  # what is read while one door is open
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
    ("Shaw et al.", 2018, "door 3"),
    ("BERT", 2018, "door 1"),
    ("Transformer-XL", 2019, "door 3"),
    ("GPT-2", 2019, "door 1"),
    ("T5", 2019, "door 3"),
    ("RoPE", 2021, "door 2"),
    ("ALiBi", 2021, "door 3"),
    ("NoPE", 2022, "no door"),
    ("p-RoPE", 2024, "door 2"),
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
    fig, ax = plots.narrow(3.95)
    opened = (1, 2, 3) if lit is None else (lit,)
    _wall(ax, opened)
    _inside(ax, opened, WORDS if lit is None else SAME)
    ax.set(xlim=(0, 100), ylim=(-7, 119.4))
    ax.axis("off")
    ax.set_position([0, 0, 1, 1])
    if lit is None:
        shown = "All three doors are open."
    else:
        _carried(ax, ALONG[lit - 1])
        shown = (
            f"Only door {lit}, {NAMES[lit - 1]}, is open; light falls through it, and pink lines lead on to "
            f"{REACHED[lit - 1]}. Values and outputs {'differ' if lit == 1 else 'are alike'}."
        )
    told = (
        "Positions wait behind the wall on the left. Door 1 leads to the token vectors, before anything is computed; "
        "door 2 to the queries and keys; door 3 to the scores.",
        "Door 1 is open. Pink marks all that depends on positions: the values, too.",
        "Door 2 is open. Pink marks all that depends on positions: not the values.",
        "Door 3 is open. Pink marks all that depends on positions: not the values.",
    )
    words = " ".join(WORDS if lit is None else SAME)
    return plots.describe(
        fig,
        alt=(
            f"One attention block from top to bottom: the words {words}, queries, keys and values, scores, softmax, "
            f"output. On its left a wall with three doors, named input, query and key, and score. {shown}"
        ),
        caption=told[lit or 0],
    )


def _wall(ax: Axes, opened: Sequence[int]) -> None:
    """Draw the wall with its doors, and the light that falls through those that are open."""
    ax.add_patch(Rectangle((0, -7), EDGE, 127, facecolor=plots.LINE, edgecolor="none", alpha=0.55))
    ax.plot([EDGE, EDGE], [-7, 120], color=plots.SOFT, linewidth=1.2)
    ax.text(
        EDGE / 2, 2, "behind the wall:\npositions\n0, 1, 2, …", fontsize=8, color=plots.SOFT, va="center", ha="center"
    )
    enters = ("$+\\,\\mathbf{a}_i$", "$M_i$", "$+\\,b_{i,j}$")
    reach = (74, 75, 62)
    for door, (y, right) in enumerate(zip(AT, reach, strict=True), 1):
        lit = door in opened
        if lit:
            _beam(ax, [(EDGE, y + 6), (EDGE, y - 6), (right, y - 5), (right, y + 5)])
            doorway = Rectangle((8, y - 6), 14, 12, facecolor=to_rgba(LIGHT, 0.55), linewidth=1.4)
            doorway.set_edgecolor(plots.INK)
            ax.add_patch(doorway)
            leaf = Polygon([(22, y - 6), (27, y - 7.5), (27, y + 7.5), (22, y + 6)])
            leaf.set(facecolor=plots.FAINT, linewidth=1.4, edgecolor=plots.INK)
            ax.add_patch(leaf)
            ax.plot(25.8, y, "o", color=plots.INK, markersize=2.6)
            ax.text(15, y, enters[door - 1], ha="center", va="center", fontsize=10, color=plots.INK)
        else:
            ax.add_patch(Rectangle((8, y - 6), 14, 12, facecolor=plots.FAINT, linewidth=1.2, edgecolor=plots.SOFT))
            ax.plot(19.6, y, "o", color=plots.SOFT, markersize=2.6)
        style = {"color": plots.INK, "weight": "bold"} if lit else {"color": plots.SOFT}
        ax.text(EDGE / 2, y + 12.6, f"door {door}\n{NAMES[door - 1]}", ha="center", va="center", fontsize=8, **style)


def _beam(ax: Axes, corners: list[tuple[float, float]]) -> None:
    """Let light fall from a door."""
    ax.add_patch(Polygon(corners, facecolor=to_rgba(LIGHT, 0.25), edgecolor="none", zorder=0.5, gid=BEAM))


def _carried(ax: Axes, lines: Sequence[Sequence[tuple[float, float]]]) -> None:
    """Draw a pink band under lines, as one shape: where two of them meet it is no darker."""
    band = Path.make_compound_path(*(Path(line) for line in lines))
    style = {"edgecolor": to_rgba(LIGHT, 0.4), "linewidth": 6, "capstyle": "butt", "joinstyle": "round"}
    ax.add_patch(PathPatch(band, fill=False, zorder=0.6, gid=CARRIED, **style))


def _inside(ax: Axes, opened: Sequence[int], words: Sequence[str]) -> None:
    """Draw the block beside the wall: words, queries, keys and values, scores, softmax, output."""
    for i, word in enumerate(words):
        _box(ax, 44 + 16 * i, 112.5, 13, 9, word)
    _arrow(ax, (68, 108), (68, 99))
    ax.plot([68, 68], [91, 89], color=plots.SOFT, linewidth=1.2)
    _plus(ax, 68, 95, 1 in opened)
    columns = ((48, "$W_Q$", "query", plots.QUERY), (68, "$W_K$", "key", plots.KEY), (86, "$W_V$", "value", plots.GREY))
    for x, name, made, color in columns:
        ax.plot([68, x, x], [89, 89, 85], color=plots.SOFT, linewidth=1.2)
        _box(ax, x, 80, 13, 10, name, color)
        ax.text(x + 1.5, 71.5, made, fontsize=9, color=plots.ink(color), va="center")
    for x, end, color in ((48, 53, plots.QUERY), (68, 59, plots.KEY)):
        _arrow(ax, (x, 75), (end, 52.5), color, bend=[(x, 56)])
        _turning(ax, x, 63, color, 2 in opened)
    _box(ax, 56, 48, 27, 9, "query · key", plots.INK)
    _arrow(ax, (56, 43.5), (56, 27.5))
    _plus(ax, 56, 36, 3 in opened)
    _box(ax, 56, 23, 22, 9, "softmax", plots.INK)
    _arrow(ax, (56, 18.5), (56, 11.5))
    _arrow(ax, (86, 75), (67.5, 7), plots.GREY, bend=[(86, 7)])
    _box(ax, 56, 7, 22, 9, "average", plots.INK)
    _arrow(ax, (56, 2.5), (56, -6))
    same = "" if len(opened) > 1 else " differ" if 1 in opened else " alike"
    ax.text(57.8, 15, "weights differ" if same else "weights", fontsize=8.5, color=plots.ink(plots.GREEN), va="center")
    ax.text(57.8, -2.5, f"outputs{same}", fontsize=8.5, color=plots.INK if same else plots.SOFT, va="center")
    if same:
        ax.text(83.8, 32, f"values\n{same.strip()}", fontsize=8.5, color=plots.INK, va="center", ha="right")


def _plus(ax: Axes, x: float, y: float, lit: bool) -> None:
    """Draw the place at which something can be added."""
    ax.plot(x, y, "o", color=plots.PAPER, markersize=13, markeredgecolor=_edge(lit), markeredgewidth=1.5)
    ax.text(x, y - 0.3, "+", ha="center", va="center", fontsize=13, color=_edge(lit))


def _edge(lit: bool) -> str:
    return plots.INK if lit else plots.FAINT


def _box(ax: Axes, x: float, y: float, wide: float, high: float, text: str, color: str = plots.SOFT) -> None:
    box = FancyBboxPatch((x - wide / 2, y - high / 2), wide, high, boxstyle="round,pad=0,rounding_size=2")
    box.set(facecolor=plots.PAPER, edgecolor=color, linewidth=1.3)
    ax.add_patch(box)
    ax.text(x, y - 0.2, text, ha="center", va="center", fontsize=9.5, color=plots.INK)


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
    angle = (0.9 if x < 60 else 2.2) if turning else 0.0
    ax.annotate(
        "",
        (x + 3.4 * np.sin(angle), y + 3.4 * np.cos(angle)),
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
    title = f"{marked} back, mean over the queries"
    numbers = [(title, "score − its row's mean", "bias − its row's mean", "weight", "largest bias at")]
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
        numbers.append((name, *(f"{mean:z.2f}" for mean in means), _largest(np.asarray(values[1], float)[0], marked)))
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


def _largest(bias: np.ndarray, first: int) -> str:
    """Say at how many steps back the bias is largest, for the queries from `first` on; a dash if that differs."""
    rows = [row[: query + 1][::-1] for query, row in enumerate(bias)][first:]
    steps = {int(row.argmax()) if np.ptp(row) else None for row in rows}
    at = steps.pop() if len(steps) == 1 else None
    return "–" if at is None else f"{at} back"


def lineage_scores(seed: int = 3) -> dict[str, np.ndarray]:
    """Return what each scheme of the strip makes of one word, repeated: its score for 0, 1, … 23 steps back.

    A table at the input, BERT's and GPT-2's, gives a score for each query and key. What would be learned is random
    here. Scores of rotary schemes are those of a query that equals its key.
    """
    draw = torch.Generator().manual_seed(seed)
    back = torch.arange(STRIP, dtype=torch.float64)
    word = torch.randn(16, generator=draw, dtype=torch.float64)
    vectors = torch.randn(STRIP, 16, generator=draw, dtype=torch.float64)
    matrix = torch.randn(16, 16, generator=draw, dtype=torch.float64)
    table = torch.randn(32, generator=draw, dtype=torch.float64)
    turned = torch.cos(back[:, None] * sinusoidal.inv_freq(16))
    kept = torch.cos(back[:, None] * sinusoidal.inv_freq(16)[:4])
    gpt_2, bert = (word + torch.randn(2, STRIP, 16, generator=draw, dtype=torch.float64)).unbind()
    scores = (
        vectors @ word,
        bert @ matrix @ bert.T,
        sinusoidal.table(back, 16).double() @ matrix @ word,
        gpt_2 @ matrix @ gpt_2.T,
        table[relative.bucket(-back.long(), bidirectional=False)],
        turned.sum(1),
        -0.25 * back,
        0 * back,
        kept.sum(1) + 4,
    )
    return {name: own.numpy() for (name, *_), own in zip(LINEAGE, scores, strict=True)}


def lineage() -> Figure:
    """Draw a map for each scheme from 2018 to 2024: the scores of one word, repeated; a causal mask but for BERT."""
    fig = Figure(figsize=(plots.NARROW, 4.65), layout="none")  # places by hand: a title may be as wide as its map
    wide, high = fig.get_size_inches()
    back = np.subtract.outer(np.arange(STRIP), np.arange(STRIP))
    for i, ((name, year, door), own) in enumerate(zip(LINEAGE, lineage_scores().values(), strict=True)):
        left, top = 0.2 + 0.98 * (i % 3), 0.36 + 1.34 * (i // 3)  # inches
        ax = fig.add_axes((left / wide, 1 - (top + 0.92) / high, 0.92 / wide, 0.92 / high))
        own = (own - own.mean()) / (np.abs(own - own.mean()).max() or 1)
        whole = (1 + (own if own.ndim == 2 else own[np.abs(back)])) / 2
        shown = whole if name == "BERT" else np.where(back >= 0, whole, np.nan)
        plots.heat_map(ax, shown, signed=False, limit=1.0, colorbar=False)
        ax.set_facecolor(plots.LINE)
        ax.set(xticks=[], yticks=[], aspect="equal")
        ax.set_title(f"{name}\n{year}, {door}", fontsize=8.5, fontweight="normal", loc="left", pad=4)
        if i == 6:
            ax.set_xlabel("key", fontsize=8.5, labelpad=3)
            ax.set_ylabel("query", fontsize=8.5, labelpad=3)
    key = fig.add_axes((1.18 / wide, 0.12 / high, 0.92 / wide, 0.12 / high))
    plots.heat_map(key, np.linspace(0, 1, 64)[None], signed=False, limit=1.0, colorbar=False)
    key.set(xticks=[], yticks=[], aspect="auto")
    for x, side, end in ((-0.06, "right", "low score"), (1.06, "left", "high score")):
        key.text(x, 0.5, end, transform=key.transAxes, fontsize=8.5, ha=side, va="center")
    told = "; ".join(f"{name}, {year}, {door}" for name, year, door in LINEAGE)
    return plots.describe(
        fig,
        alt=(
            f"Nine maps of scores; all but BERT's have a causal mask. {told}. In BERT's and GPT-2's maps no diagonal "
            "has one colour, in each other map every diagonal has; ALiBi's fall evenly, T5's are alike from sixteen "
            "steps on in groups, NoPE's are all equal."
        ),
        caption=(
            "One word, repeated: its score for each query (rows) and key (columns). In all maps but BERT's and "
            "GPT-2's, each diagonal has one colour: these scores depend on the offset alone. Grey: hidden by the "
            "causal mask, which BERT does not have. What is learned is random here. Within 24 tokens slow hands "
            "hardly turn, so p-RoPE looks like RoPE."
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
    first = {scheme: found["who_came_first", scheme] for scheme in ("sinusoid", "rotary")}
    lowest, *others = first["sinusoid"]
    return plots.describe(
        fig,
        alt=f"Accuracy of each seed. {title}: {'; '.join(map(': '.join, zip(DOOR_OF, said, strict=True)))}.",
        numbers=list(zip(("lowest to highest seed", *names), *columns, strict=True)),
        caption=(
            "One layer, one head, 250 steps; each dot is a seed. Behind door 3, in pink, ALiBi at slope 1/256 is no "
            "better than no code, at 1/2 it is right in nearly half, and T5 makes hardly an error. On lesson 01's "
            "“who came first?”, without a mask, door 1 is behind: after 1,000 steps the sinusoid is "
            f"right in {first['sinusoid'].mean():.2f} of the cases (one seed of four in {lowest:.2f}, the others in "
            f"{min(others):.2f} or more; no rate is tuned), rotary in {first['rotary'].mean():.2f}. "
            "ALiBi guesses: without a mask its bias is the same to both sides."
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
