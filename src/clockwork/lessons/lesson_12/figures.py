"""Draw lesson 12: the hands of published models along their wavelengths, results at long lengths, places on a grid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Wedge
from torch import Tensor

from clockwork.kit import configurations, glyphs, plots
from clockwork.lessons.lesson_12 import todays_models
from pe_helpers import rotary, rotary_axes, sinusoidal

ROW = 0.185  # inches
NAMED = 0.95  # rows that a model's name takes
SHORTEST = 4.5  # tokens
LONGEST = 8e7
TICKS = {10: "10", 1e3: "1,000", 1e5: "100,000", 1e7: "10 million"}  # tokens
ROWS = COLUMNS = 9  # of the grid of glyphs
NEAR = {"here": (0, 0), "1 right": (0, 1), "1 below": (1, 0), "2 right": (0, 2), "2 below": (2, 0)}
ARMS = (plots.SIN, plots.GREEN, plots.COS, plots.PINK, plots.GREY)
TRAINED = 32  # tokens of the texts of training
AXES = ("time", "rows", "columns")
AXIS_COLORS = (plots.GREY, plots.SIN, plots.COS)


def one_line(name: str) -> Figure:
    """Draw the hands of one model, and say what is marked and what is filled."""
    model = configurations.find(name)
    fig, ax = plots.narrow(1.3)
    reach, waves = model.reach(model.full), first_turns(model.full)
    ladder(ax, 0, model, model.full)
    ax.set(xscale="log", xlim=(SHORTEST, 2 * waves.max()), ylim=(0.9, -1.1), yticks=[])
    ax.set_xlabel("tokens for a whole turn, before slowing", fontsize=9)
    ax.set_xticks(list(TICKS)[:3], list(TICKS.values())[:3])
    ax.spines["left"].set_visible(False)
    ax.text(reach, -0.6, "reach before slowing", ha="center", fontsize=9, color=plots.ink(plots.COS))
    for words, low, high in (("came round", waves.min(), reach), ("did not", reach, waves.max())):
        ax.text(np.sqrt(low * high), 0.65, words, ha="center", fontsize=9)
    return plots.describe(
        fig,
        alt=(
            f"A line of {model.full.turning} dots along a logarithmic axis, from {ends(waves)} tokens a turn. Up to "
            f"the orange mark at {reach:,} tokens they are filled: these hands came round. Beyond it they are hollow."
        ),
        caption=(
            f"The {model.full.turning} hands of a head of {name}, fast to slow. Each dot is a hand, at the tokens of a "
            "whole turn before any was slowed. Filled dots came round within the reach before slowing, hollow ones did "
            "not."
        ),
    )


def models() -> Figure:
    """Draw the hands of every model of the table, one line for each kind of layer."""
    ordered = sorted(configurations.load(), key=lambda model: not model.turns_everything)  # the oldest first in both
    kinds = [(model, kind) for model in ordered for kind in model.attention]
    numbers = [("layers", "hands that turn", "came round", "stand still", "reach (tokens)", "one turn takes (tokens)")]
    fig, ax = plots.narrow(ROW * (len(kinds) + NAMED * len(ordered)) + 0.9)
    tinted = {model.name: i % 2 for i, model in enumerate(ordered)}
    row = -1.0
    for model, kind in kinds:
        above = NAMED if model.attention[0] is kind else 0
        row += 1 + above
        if tinted[model.name]:
            ax.axhspan(row - 0.5 - above, row + 0.5, color=plots.LINE, alpha=0.5, linewidth=0, zorder=0)
        if above:
            weight = "bold" if model.turns_everything else "normal"
            ax.text(0.01, row - 0.95, model.name, transform=beside(ax), va="center", fontsize=9, fontweight=weight)
        ladder(ax, row, model, kind)
        still = len(kind.inv_freq) - kind.turning
        ax.text(-0.015, row, f"{kind.layers}", transform=beside(ax), ha="right", va="center", fontsize=9)
        if kind.rope and still:
            told = {"transform": beside(ax), "ha": "right", "va": "center", "fontsize": 8.5, "color": plots.SOFT}
            ax.text(0.99, row, f"+ {still} still", **told)
        numbers.append((f"{model.name}, {kind.layers}", *counted(model, kind)))
    ax.set(xscale="log", xlim=(SHORTEST, LONGEST), ylim=(row + 0.5, -0.5))
    ax.set_yticks([])
    ax.set_xlabel("tokens for a whole turn, before slowing", fontsize=9)
    ax.set_xticks(list(TICKS), TICKS.values())
    ax.text(-0.015, -0.9, "layers", transform=beside(ax), fontsize=8.5, color=plots.SOFT, ha="right", va="bottom")
    ax.spines[["left", "right"]].set_visible(False)
    ax.xaxis.grid(True, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.set_title("Hands of sixteen models", loc="left", pad=46)
    dot = {"marker": "o", "linestyle": "", "markersize": 4.5}
    key = (
        Line2D([], [], color=plots.SIN, **dot, label="came round"),
        Line2D([], [], color=plots.SIN, markerfacecolor=plots.PAPER, **dot, label="did not"),
        Line2D([], [], color=plots.GREY, **dot, label="window"),
        Line2D([], [], color=plots.COS, marker="|", linestyle="", ms=9, mew=2.2, label="reach before slowing"),
    )
    ax.legend(handles=key, ncols=2, loc="lower left", bbox_to_anchor=(-0.02, 1.0), handletextpad=0.1, columnspacing=0.7)
    return plots.describe(
        fig,
        alt=(
            "One line of dots for each kind of attention layer of sixteen models, along a logarithmic axis from 6 to "
            "45 million tokens a turn. In nearly all lines the dots run far past the orange mark of the reach before "
            "slowing, and are hollow there. In the five full layers of Gemma 4 they end at 188 tokens, and 192 hands "
            "stand still. Six models have layers without any dots. Six names are bold: these models turn everything."
        ),
        caption=(
            "A line for each kind of attention layer, and a dot for each hand, at the tokens of a whole turn before "
            "any hand was slowed. Filled dots came round within the reach before slowing. Grey: layers with a window, "
            "or that cut the text into pieces; a query there sees no key further back, so it meets nothing new. Bold: "
            "models that turn every hand in every layer. On the left: layers of this kind; on the right: hands that "
            "stand still. Gemma 3 names no original length: its hands are drawn as slowed, and its dotted mark is the "
            "longest text it allows."
        ),
        numbers=numbers,
    )


def counted(model: configurations.Model, kind: configurations.Attention) -> tuple[str, ...]:
    """Return what a line of `models` shows: hands that turn, that came round, that stand still, reach, turns."""
    still = f"{len(kind.inv_freq) - kind.turning}"
    if not kind.rope:
        return "0", "0", still, "–", "–"
    finished = kind.turning - int(model.unfinished(kind).sum())
    return f"{kind.turning}", f"{finished}", still, f"{model.reach(kind):,}", ends(first_turns(kind))


def ends(waves: Sequence[float] | Tensor) -> str:
    """Return the shortest and the longest of some wavelengths, for a table."""
    return f"{min(waves):,.1f} to {max(waves):,.0f}"


def first_turns(kind: configurations.Attention) -> np.ndarray:
    """Return how many tokens each turning hand needed for a whole turn before any was slowed."""
    return (2 * np.pi / kind.inv_freq_before[kind.inv_freq > 0]).numpy()


def beside(ax: Axes):
    """Return the transform whose x counts in widths of the axes and whose y in data."""
    return ax.get_yaxis_transform()


def ladder(ax: Axes, row: float, model: configurations.Model, kind: configurations.Attention) -> None:
    """Draw one line: a dot for each turning hand, hollow if it made no whole turn within the reach before slowing."""
    if not kind.rope:
        ax.text(60, row, "no positions", fontsize=8.5, color=plots.SOFT, va="center")
    else:
        reach = model.reach(kind)
        unfinished = model.unfinished(kind)[kind.inv_freq > 0].numpy()
        colors = [plots.GREY] * kind.turning if kind.window else plots.hand_colors(kind.turning)
        waves = first_turns(kind)
        faces = [
            to_rgba(plots.PAPER) if open_ else to_rgba(color) for open_, color in zip(unfinished, colors, strict=True)
        ]
        ax.scatter(waves, np.full(len(waves), row), s=15, facecolors=faces, edgecolors=colors, linewidths=0.9, zorder=3)
        style = "-" if kind.names_reach else (0, (1.2, 0.8))
        ax.plot([reach, reach], [row - 0.42, row + 0.42], linestyle=style, color=plots.COS, linewidth=2.2, zorder=4)


def two_quarters() -> Figure:
    """Draw the hands of GPT-NeoX and of Gemma 4's full layers, both with partial_rotary_factor 0.25."""
    fig, axes = plots.narrow(3.2, rows=2, sharex=True)
    chosen = (("GPT-NeoX-20B", 0, "default, 0.25"), ("Gemma 4 26B", 1, "proportional, 0.25"))
    numbers = [
        ("model", "hands that turn", "came round", "stand still", "longest text (tokens)", "one turn takes (tokens)")
    ]
    for ax, (name, which, rule) in zip(axes, chosen, strict=True):
        model = configurations.find(name)
        kind = model.attention[which]
        colors = plots.hand_colors(kind.turning)
        waves = kind.wavelengths().numpy()
        ax.vlines(waves, 0, 1, color=colors, linewidth=1.6)
        ax.axvline(model.reach(kind), color=plots.COS, linewidth=2.5)
        ax.annotate(
            "longest text",
            (model.reach(kind), 1.1),
            (6, 0),
            textcoords="offset points",
            fontsize=9,
            color=plots.ink(plots.COS),
        )
        still = len(kind.inv_freq) - kind.turning
        numbers.append((name, *counted(model, kind)))
        short = name.removesuffix("-20B").removesuffix(" 26B")
        ax.set_title(f"{short}, {rule}:\n{kind.turning} turn, {still} still", fontsize=9.5)
        ax.set(xscale="log", xlim=(SHORTEST, 3e6), ylim=(0, 1.3), yticks=[])
        ax.set_xticks(list(TICKS)[:3], list(TICKS.values())[:3])
        ax.spines["left"].set_visible(False)
    axes[-1].set_xlabel("tokens for a whole turn")
    return plots.describe(
        fig,
        alt=(
            "Two rows of lines on a logarithmic axis. GPT-NeoX: 12 hands spread from 6 to 29,000 tokens a turn, four "
            "of them beyond its longest text, 2,048. Gemma 4: 64 hands between 6 and 188 tokens, none beyond."
        ),
        caption=(
            "The same factor, two rules. “Default” keeps the whole range of speeds in a quarter of the features. "
            "“Proportional” keeps the fastest quarter of all hands. Orange: the longest text allowed (in neither was a "
            "hand slowed)."
        ),
        numbers=numbers,
    )


def stopped(results: Mapping[str, Mapping]) -> Figure:
    """Draw the accuracy of 3 back against the test length for models whose hands turn in part.

    Args:
        results: for each arm `lengths` and `accuracy`, (num_seeds, num_lengths), as `layers.recorded` returns them.
    """
    fig, ax = plots.narrow(3.4)
    lengths = next(iter(results.values()))["lengths"]
    for (name, run), color in zip(results.items(), ARMS, strict=False):
        rows = np.asarray(run["accuracy"], dtype=float)
        ax.plot(lengths, rows.T, color=color, linewidth=0.7, alpha=0.35)
        ax.plot(lengths, rows.mean(0), "o-", color=color, linewidth=2.2, markersize=5, label=name)
    ax.axvspan(lengths[0] * 1.06, lengths[-1] * 1.05, color=plots.LINE, alpha=0.5, linewidth=0, zorder=0)
    ax.axhline(1 / 16, color=plots.SOFT, linestyle=":", linewidth=1)
    ax.set(xscale="log", xlabel="length (tokens)", ylabel="accuracy", ylim=(0, 1.05))
    ax.set_xlim(lengths[0] * 0.9, lengths[-1] * 1.1)
    ax.set_xticks(lengths, [str(length) for length in lengths])
    ax.minorticks_off()
    ax.legend(fontsize=9, loc="lower left", bbox_to_anchor=(0, 0.1))
    means = {name: [f"{mean:.2f}" for mean in np.asarray(run["accuracy"]).mean(0)] for name, run in results.items()}
    said = "; ".join(f"{name}: {row[0]} at {lengths[0]}, {row[-1]} at {lengths[-1]}" for name, row in means.items())
    return plots.describe(
        fig,
        alt=f"Accuracy of 3 back against the length of the text, means of eight seeds. {said}.",
        caption=(
            "Trained on 32 tokens, tested up to eight times as long, base 64. Eight seeds (thin) and their mean. "
            "Shaded: longer than in training. Dotted: guessing."
        ),
        numbers=[
            ("mean accuracy", *(f"{length} tokens" for length in lengths)),
            *((name, *row) for name, row in means.items()),
        ],
    )


def offers() -> Figure:
    """Draw a head of eight hands, and two changes of it, as rows of dials: what each hand meets in training."""
    rows = {
        "now: four came round, four did not": (4, 4),
        "stop the four that did not": (4, 0),
        "speed up two of them until they come round": (6, 2),
    }
    fig, ax = plots.narrow(1.85)
    numbers = [("hands", *(f"hand {i}, turns in training" for i in range(8)))]
    said = []
    for row, (told, counts) in enumerate(rows.items()):
        speeds = todays_models.counted(*counts).inv_freq.numpy()
        turns = speeds * TRAINED / (2 * np.pi)
        for i, turned in enumerate(turns):
            hand(ax, (2.5 * i, -4 * row), turned)
        ax.text(-1, 1.5 - 4 * row, told, fontsize=9)
        numbers.append((told, *(f"{turned:.2f}" for turned in turns)))
        said.append(f"{told}: {dials(turns)}")
    ax.set(xlim=(-1.1, 18.6), ylim=(-9.2, 2.4), aspect="equal")
    ax.axis("off")
    return plots.describe(
        fig,
        alt=f"Three rows of eight dials. {'. '.join(said)}.",
        caption=(
            f"Eight hands of a head, and the angles that each meets in the {TRAINED} tokens of training. Blue: all "
            "angles. Orange: a part of them. Grey: the hand stands still."
        ),
        numbers=numbers,
    )


def hand(ax: Axes, at: tuple[float, float], turned: float) -> None:
    """Draw what a hand meets that makes so many turns: a full disc, a slice, or a hand that stands still."""
    color = plots.SIN if turned >= 1 else plots.COS
    if turned:
        ax.add_patch(Wedge(at, 1, 90 - 360 * min(turned, 1), 90, color=color, alpha=0.45, linewidth=0))
    x, y = at
    ax.add_patch(Circle(at, 1, fill=False, edgecolor=plots.LINE, linewidth=1))
    ax.plot([x, x], [y, y + 0.85], color=color if turned else plots.GREY, linewidth=1.6)


def dials(turns: Sequence[float]) -> str:
    """Say how many of some hands came round, did not, or stand still, by their turns."""
    came, still = sum(turned >= 1 for turned in turns), sum(turned == 0 for turned in turns)
    return f"{came} came round, {len(turns) - came - still} did not, {still} stand still"


def without_positions(results: Mapping[str, Mapping[str, Sequence[float]]]) -> Figure:
    """Draw what models answer whose layers have positions or none, in bars that fit a phone.

    Args:
        results: for each task, by the model's name, its accuracy at the trained length and at four times that length.
    """
    names = list(next(iter(results.values())))
    fig = Figure(figsize=(plots.NARROW, 0.55 * len(names) + 0.6))
    axes = fig.subplots(1, len(results), sharey=True)
    numbers = [("model", *(f"{task}, {length}" for task in results for length in ("as trained", "four times")))]
    numbers += [(name, *(f"{share:.2f}" for rows in results.values() for share in rows[name])) for name in names]
    for ax, (task, rows) in zip(axes, results.items(), strict=True):
        for row, name in enumerate(names):
            for place, color in ((0, plots.SIN), (1, plots.COS)):
                share, height = rows[name][place], row + 0.28 * place
                ax.barh(height, share, 0.25, color=color)
                ax.text(share + 0.03, height, f"{share:.2f}", va="center", fontsize=8.5)
        ax.set(xlim=(0, 1.3), ylim=(len(names) - 0.45, -0.6), xticks=[], yticks=[])
        ax.spines[["bottom"]].set_visible(False)
        ax.set_title(task, fontsize=10)
    for row, name in enumerate(names):
        axes[0].text(0.02, row - 0.19, name, fontsize=8.5, color=plots.SOFT)
    fig.suptitle("blue: as long as in training; orange: four times", x=0.02, ha="left", fontsize=9, color=plots.SOFT)
    said = "; ".join(f"{name}: " + ", ".join(cells) for name, *cells in numbers[1:])
    return plots.describe(
        fig,
        alt=f"Bars for {len(names)} kinds of models. {', '.join(numbers[0][1:])}. {said}.",
        caption="Blue: at the trained length, 32 and 24 tokens. Orange: four times as many. Base 10,000, eight seeds.",
        numbers=numbers,
    )


def in_step(heads: Mapping[str, tuple[float, float]]) -> Figure:
    """Draw what heads get right in long texts against how nearly all their hands agree again.

    Args:
        heads: by the head's name, the largest mean cosine of its hands further on, and the share of right answers.
    """
    fig, ax = plots.narrow(3.2)
    named = {
        "6 hands, back after 50": ("six hands, far apart\nin speed, back after 50", plots.COS, (-4, 11), "right"),
        "6 crowded hands": ("six crowded hands, never back", plots.GREEN, (-8, -18), "right"),
    }
    for name, (alike, right) in heads.items():
        _, color, _, _ = named.get(name, ("", plots.GREY, None, None))
        ax.plot(alike, right, "o", color=color, markersize=8 if name in named else 6, alpha=0.9, markeredgewidth=0)
    for name, (words, color, offset, side) in named.items():
        ax.annotate(words, heads[name], offset, textcoords="offset points", ha=side, fontsize=9, color=plots.ink(color))
    ax.set(
        xlabel="best second agreement\n(mean cosine)",
        ylabel="right at 256 tokens",
        xlim=(0.6, 1.02),
        ylim=(0.4, 1.05),
    )
    rows = sorted(heads.items(), key=lambda head: head[1])
    told = "; ".join(f"{name}: {alike:.2f}, {right:.2f}" for name, (alike, right) in rows)
    return plots.describe(
        fig,
        alt=(
            "Where the hands of a head never nearly agree again, nearly all answers are right; where they do, the "
            f"share falls to a half. Mean cosine and share right of each head: {told}."
        ),
        caption=(
            f"{len(heads)} heads, all of whose moving hands came round in training, eight models each. Across: the "
            "largest mean cosine of the hands, 4 to 252 tokens on. It says how alike the best rival looks, not how "
            "many rivals there are: far to the right the heads differ for that."
        ),
        numbers=[
            ("head", "agree again", "right at 256 tokens"),
            *((name, f"{alike:.2f}", f"{right:.2f}") for name, (alike, right) in rows),
        ],
    )


def glyph_scores(places: Sequence[tuple[int, int]]) -> Figure:
    """Draw, for an A at each of two places, the score of another A at every place of a grid, by encoding.

    Args:
        places: row and column of each query.
    """
    draw = torch.Generator().manual_seed(1)
    picture = glyphs.draw(torch.tensor([0]), generator=draw, wobble=0)[0]
    vector = picture @ torch.randn(len(picture), 32, generator=draw) / 20
    mixed = torch.randn(32, 32, generator=draw) / 32**0.5
    maps = {"codes added": [], "one number a place": [], "row and column": []}
    for row, column in places:
        here = row * COLUMNS + column
        coded = vector + sinusoidal.table(ROWS * COLUMNS, 32)
        maps["codes added"].append(coded @ mixed @ coded[here])
        turned = rotary.rotate(vector.expand(ROWS * COLUMNS, -1), range(ROWS * COLUMNS), base=100.0)
        maps["one number a place"].append(turned @ turned[here])
        turned = on_grid(vector)
        maps["row and column"].append(turned @ turned[here])
    side = glyphs.SIZE
    scores = {name: torch.stack(own).unflatten(-1, (ROWS, COLUMNS)).numpy() for name, own in maps.items()}
    return _maps(scores, picture.reshape(side, side).numpy(), places)


def on_grid(vector: Tensor) -> Tensor:
    """Return a vector at each place of the grid, half of its hands turned by the row and half by the column."""
    inv_freq, axis_of_pair = rotary_axes.axial(len(vector), base=100.0)
    cos, sin = rotary_axes.cos_sin(rotary_axes.grid(ROWS, COLUMNS), axis_of_pair, inv_freq=inv_freq)
    return rotary.apply_rotary_emb(vector.expand(ROWS * COLUMNS, -1), cos, sin)


def _maps(scores: Mapping[str, np.ndarray], picture: np.ndarray, places: Sequence[tuple[int, int]]) -> Figure:
    fig, axes = plots.narrow(1.65 * len(scores), rows=len(scores), cols=len(places), squeeze=False)
    for row_of_maps, (name, maps) in enumerate(scores.items()):
        lowest = float(maps.min())
        highest = float(maps.max())
        for ax, values, (row, col) in zip(axes[row_of_maps], maps, places, strict=True):
            ax.imshow(values, cmap=plots.MAGNITUDE, vmin=lowest, vmax=highest)
            ax.add_patch(Circle((col, row), 0.47, facecolor=plots.PAPER, edgecolor=plots.INK, linewidth=1, zorder=2))
            ink = np.zeros((*picture.shape, 4))
            ink[..., 3] = picture
            ax.imshow(ink, extent=(col - 0.42, col + 0.42, row + 0.42, row - 0.42), zorder=3)
            ax.set(xlim=(-0.5, COLUMNS - 0.5), ylim=(ROWS - 0.5, -0.5), xticks=[], yticks=[])
            ax.spines[:].set_visible(False)
        axes[row_of_maps, 0].set_title(name, fontsize=10)
    numbers = [("score of an A", *NEAR)]
    for name, maps in scores.items():
        for values, (row, col) in zip(maps, places, strict=True):
            found = (f"{values[row + down, col + right]:.2f}" for down, right in NEAR.values())
            numbers.append((f"{name}, from row {row}, column {col}", *found))
    return plots.describe(
        fig,
        alt=(
            "Score maps over a grid of 9 by 9 places, for the letter A at two places. Codes added: the second map is "
            "another pattern than the first. One number a place: horizontal stripes that move with the letter and go "
            "on in the next row. Row and column: a spot round the letter that moves with it."
        ),
        caption=(
            "Bright: where another A scores high with the A that is drawn. Above: codes are added, and the "
            "pattern changes when the A moves. Middle: hands turn by one number a place, and the pattern moves along, "
            "but to it the end of a row is next to the start of the one below. Below: half of the hands follow the "
            "row, half the column. (Hands of base 100, so that a grid of 9 shows them turning.)"
        ),
        numbers=numbers,
    )


def dealt_out() -> Figure:
    """Draw which axis each of 64 hands follows in Qwen2-VL and in Qwen3-VL."""
    sections = rotary_axes.sections
    encodings = {
        "consecutive sections: 16, 24 and 24 hands (Qwen2-VL)": (sections([16, 24, 24]), 1e6),
        "dealt out in turn: 24, 20 and 20 hands (Qwen3-VL)": (sections([24, 20, 20], interleaved=True), 5e6),
    }
    numbers = [("axis", "hands", "one turn takes (tokens or patches)")]
    fig, axes = plots.narrow(3.3, rows=len(encodings), sharex=True)
    for ax, (name, (axis_of_pair, base)) in zip(axes, encodings.items(), strict=True):
        waves = 2 * np.pi / sinusoidal.inv_freq(2 * len(axis_of_pair), base=base).numpy()
        for axis, color in enumerate(AXIS_COLORS):
            own = axis_of_pair.numpy() == axis
            ax.vlines(waves[own], axis - 0.42, axis + 0.42, color=color, linewidth=2)
            numbers.append((f"{AXES[axis]}, {name.partition(':')[0]}", f"{own.sum()}", ends(waves[own])))
        ax.set(xscale="log", ylim=(2.6, -0.6))
        ax.set_title(name.replace(": ", ":\n"), fontsize=9, fontweight="normal")
        ax.set_xticks(list(TICKS), TICKS.values())
        ax.set_yticks(range(3), AXES)
        ax.spines["left"].set_visible(False)
        ax.tick_params(left=False)
    axes[-1].set_xlabel("tokens or patches for a whole turn")
    return plots.describe(
        fig,
        alt=(
            "Which axis each of 64 hands follows. In consecutive sections time has all the fast hands, rows those in "
            "the middle, columns the slow ones. Dealt out in turn, each axis has hands of all speeds but the slowest, "
            "which are time's."
        ),
        caption=(
            "One ladder of 64 hands for three axes. In consecutive sections, a step to the next column moves only "
            "slow hands: none of them comes round within 30,000 columns. Dealt out in turn, every axis has fast hands "
            "and slow ones."
        ),
        numbers=numbers,
    )
