"""Draw lesson 03: corkscrews and dials, dials that nearly agree, noise, a word's circle, a clock in a model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from clockwork.kit import plots
from clockwork.kit.plots import dials

WORDS = (plots.GREEN, plots.PINK, plots.GREY)  # neither sine nor cosine, query nor key
TOLD = (0.003, 0.01, 0.1, 0.32, 0.56, 0.75, 1, 2)  # speeds (rad per token) that the table of a spectrum has
ROUND = (6, 63, 628, 6283)  # tokens: at d_model 8, a hand is nearly round after each of them


def wandering(positions: Sequence[int], speeds) -> Figure:
    """Draw the dials of positions at which one hand after another has turned by 1 rad, marked on each of them."""
    angles = np.multiply.outer(positions, np.asarray(speeds, float))
    codes = np.stack([np.sin(angles), np.cos(angles)], -1).reshape(len(positions), -1)
    fig, axes = plots.narrow(1.65 * math.ceil(len(positions) / 2), rows=math.ceil(len(positions) / 2), cols=2)
    for ax, code, position in zip(axes.flat, codes, positions, strict=True):
        dials.dial(ax, code, hours=False)
        ax.set_title(f"position {position:,}", loc="center", fontsize=10)
        ax.plot([0, 1.25 * np.sin(1)], [0, 1.25 * np.cos(1)], color=plots.PINK, linewidth=7, alpha=0.3, zorder=0)
        ax.text(1.28 * np.sin(1), 1.28 * np.cos(1), "1 rad", fontsize=8, color=plots.ink(plots.PINK), va="bottom")
    whole, rest = divmod(angles[-1, 0], 2 * np.pi)
    return plots.describe(
        fig,
        alt=(
            f"Dials of positions {', '.join(map(str, positions))}: hands 0, 1, 2 and 3 in turn point to 1 rad, near "
            "2 o'clock."
        ),
        caption=(
            "The same angle, 1 rad, wanders from hand to hand. Slower hands are drawn shorter; those still at 12 carry "
            f"no number. At {positions[-1]:,} hand 0 happens to point there too: {whole:.0f} turns and {rest:.2f} rad."
        ),
    )


def confusable(gaps: Mapping[str, np.ndarray], *, marked: Sequence[int] = ROUND) -> Figure:
    """Draw, one panel a name, the distance of the dials k = 1, 2, … tokens apart (reach,), and that of neighbours.

    Args:
        gaps: For each name the distances.
        marked: Numbers of tokens that are named where the dials are nearer than neighbours.
    """
    fig, axes = plots.panels(len(gaps), 2.7)
    counts = {}
    for ax, (name, gap) in zip(axes, gaps.items(), strict=True):
        gap = np.asarray(gap, float)
        k = np.arange(1, len(gap) + 1)
        nearer = gap < gap[0] - 1e-9
        counts[name] = int(nearer.sum())
        some = np.unique(np.geomspace(1, len(gap), 1500).astype(int)) - 1
        ax.plot(k[some], gap[some], ".", color=plots.FAINT, markersize=2)
        ax.plot(k[nearer], gap[nearer], ".", color=plots.PINK, markersize=6)
        ax.axhline(gap[0], color=plots.GREEN, linewidth=1.2)
        for place in marked:
            if nearer[place - 1]:
                ax.annotate(
                    f"{place:,}",
                    (place, gap[place - 1]),
                    (-5, 0),
                    textcoords="offset points",
                    ha="right",
                    va="center",
                    fontsize=9,
                    color=plots.ink(plots.PINK),
                )
        ax.set(title=f"{name}: {counts[name] or 'none'} nearer", xlabel="tokens apart", xscale="log", xlim=(1, len(k)))
    axes[-1].text(1.15, gap[0] - 0.08, "neighbours", color=plots.ink(plots.GREEN), va="top", fontsize=9)
    top = 1.05 * max(float(np.max(np.asarray(gap))) for gap in gaps.values())
    for ax in axes:
        ax.set(ylabel="distance of the two dials", ylim=(0, top))
    return plots.describe(
        fig,
        alt=(
            "Distance of two dials over the tokens between them, with a line at the distance of neighbours. "
            + "; ".join(f"{name}: {count or 'none'} below the line" for name, count in counts.items())
            + "."
        ),
        caption=(
            "Pink: dials that are nearer to each other than two neighbours are (the green line), so easier to confuse. "
            "All of these are drawn, and in grey a sample of the rest."
        ),
        numbers=[
            ("distance", "1 token apart", *(f"{place:,} apart" for place in marked), "smallest", "nearer than 1 apart"),
            *(
                (name, *(f"{gap[place - 1]:.2f}" for place in (1, *marked)), f"{min(gap):.2f}", str(counts[name]))
                for name, gap in gaps.items()
            ),
        ],
    )


def read_right(noise, shares: Mapping[str, Sequence[float]]) -> Figure:
    """Draw the share of positions read right against the noise.

    Args:
        noise: The sizes of the noise.
        shares: For each name, such as "4 hands, all at once", the shares; lines are dashed unless it ends so.
    """
    fig, ax = plots.narrow(3.4)
    counts = list(dict.fromkeys(name.split(",")[0] for name in shares))
    lowest = 0.0
    heights = {}
    for name, share in sorted(shares.items(), key=lambda item: item[1][-1]):
        heights[name] = max(float(share[-1]), lowest)
        lowest = heights[name] + 0.09  # names do not overlap, and none is below the axis
    for name, share in shares.items():
        color = WORDS[counts.index(name.split(",")[0]) % len(WORDS)]
        style = "-" if name.endswith("all at once") else "--"
        ax.plot(noise, share, "o", linestyle=style, color=color, markersize=4)
        ax.annotate(
            name,
            (noise[-1], heights[name]),
            (7, 0),
            textcoords="offset points",
            va="center",
            fontsize=9,
            color=plots.ink(color),
            annotation_clip=False,
        )
    ax.set(xlabel="noise on every number\n(standard deviation)", ylabel="share read right", ylim=(0, 1.05))
    ax.set_title("Many hands survive noise,\nif you read them together", fontsize=10)
    return plots.describe(
        fig,
        alt=(
            "Share of positions read right over the noise. With 4 hands both ways of reading fall early and alike. "
            "With 256 hands read one by one it falls later; read all at once it stays at 1."
        ),
        caption=(
            "Dashed: from the slowest hand to the fastest, as above. Solid: the whole code compared with the code of "
            "every position. 1,000 random positions for each point."
        ),
        numbers=[
            ("share read right", *(f"noise {size:g}" for size in noise)),
            *((name, *(f"{value:.2f}" for value in share)) for name, share in shares.items()),
        ],
    )


def circles(words: Mapping[str, tuple[float, float]], tips) -> Figure:
    """Draw words at their first two numbers, and word + tip for each tip (count, 2) of one hand."""
    fig, ax = plots.narrow(3.0)
    tips = np.asarray(tips, float)
    around = np.linspace(0, 2 * np.pi, 181)
    for (word, place), color in zip(words.items(), WORDS, strict=False):
        centre = np.asarray(place, float)
        ax.plot(*(centre[:, None] + np.array([np.sin(around), np.cos(around)])), color=color, linewidth=1, alpha=0.6)
        ax.plot(*centre, "s", color=color, markersize=7)
        ax.annotate(word, centre, (7, 6), textcoords="offset points", color=plots.ink(color), weight="bold")
        for p, tip in enumerate(tips):
            ax.plot(*np.transpose([centre, centre + tip]), color=color, linewidth=1.2, alpha=0.3)
            ax.plot(*(centre + tip), "o", color=color, markersize=5)
            ax.annotate(f"{p}", centre + 1.13 * tip, ha="center", va="center", fontsize=8.5, color=plots.ink(color))
    ax.margins(0.1)
    ax.set(aspect="equal", xlabel="first number (the sine is added)", ylabel="second (the cosine)")
    return plots.describe(
        fig,
        alt=(
            f"The words {' and '.join(words)} as points, each at the centre of a circle with {len(tips)} numbered "
            "points: the sums with the codes of consecutive positions, clockwise. The two circles cross."
        ),
        caption=(
            "One word, seven positions: the sum walks round the word, the same way round every word. Where two circles "
            "cross, this pair of numbers alone cannot say which word it is."
        ),
    )


def spectrum(speeds, readings: Mapping[str, np.ndarray], codes: Mapping[str, np.ndarray]) -> Figure:
    """Draw, one panel a name, how well a hand can be read from models over the speed that is asked for.

    Args:
        speeds: The speeds (count,) asked for, in rad per token.
        readings: For each name the shares (num_seeds, count).
        codes: For each name the speeds of the code's own hands; 0 for those that are stopped.
    """
    fig, axes = plots.narrow(1.6 * len(readings) + 0.9, rows=len(readings), sharex=True, sharey=True)
    axes = np.atleast_1d(axes)
    for ax, (name, shares) in zip(axes, readings.items(), strict=True):
        own = np.asarray(codes[name], float)
        for i, (speed, color) in enumerate(zip(own, plots.hand_colors(len(own)), strict=True)):
            if speed >= speeds[0]:
                ax.axvline(speed, color=color, linewidth=6, alpha=0.35, zorder=0)
                ax.annotate(
                    f"{i}", (speed, 1.15), ha="center", fontsize=9, color=color, weight="bold", annotation_clip=False
                )
        for share in shares:
            ax.plot(speeds, share, color=plots.INK, linewidth=1.3)
        ax.set_title(name, pad=16, fontsize=10)
    axes[0].set(xscale="log", xlim=(speeds[0], np.pi), ylim=(-0.03, 1.12), yticks=[0, 0.5, 1])
    axes[-1].set_xlabel("speed asked for (rad per token)")
    axes[len(axes) // 2].set_ylabel("share read")
    ticks = [0.01, 0.03, 0.1, 0.3, 1, 3]
    axes[-1].set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes[-1].minorticks_off()
    told = [int(np.abs(np.log(np.asarray(speeds, float) / speed)).argmin()) for speed in TOLD]
    stopped = any(0 in codes[name] for name in readings)
    many = sum(map(len, readings.values())) > 1
    return plots.describe(
        fig,
        alt=(
            "Share that a probe reads, over the speed it is asked for, one panel per code: "
            + "; ".join(readings)
            + ". Each line peaks at hand 0 and at hand 1, where these turn, and falls to almost nothing between the "
            "two, less between slower ones. At slow speeds the lines stay high"
            + (", also where slow hands are stopped; a stopped hand 0 has no peak." if stopped else ".")
        ),
        caption=(
            "A probe tuned through all speeds, like a radio. Coloured bars: the hands of the code, with their numbers. "
            f"{'Each' if many else 'The'} line is one trained model. In 32 tokens, speeds much less than 2π/32 = 0.2 "
            "rad apart run into each other, so the share falls less between slower hands, which lie closer together."
        ),
        numbers=[
            ("share read, at the speed (rad per token)", *(f"{speeds[at]:.2g}" for at in told)),
            *(
                (name, *(f"{np.mean([share[at] for share in shares]):.2f}" for at in told))
                for name, shares in readings.items()
            ),
        ],
    )
