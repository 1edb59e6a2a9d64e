"""Draw lesson 13: the shift in trained heads, and where these look."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from clockwork.kit import plots
from clockwork.kit.numbers import fixed
from clockwork.kit.plots import dials
from pe_helpers import sinusoidal

SHOWN = 3  # hands that get a dial


def turns(matrices, k: int) -> Figure:
    """Draw by how much heads turn each hand, beside the turn of a shift by k tokens, one row of dials for each head.

    Args:
        matrices: One head's W for each model, (models, d_model, d_model).
        k: The shift to compare with, in tokens.
    """
    matrices = np.stack([np.asarray(matrix, float) for matrix in matrices])
    pairs = np.arange(0, matrices.shape[1], 2)
    own = (matrices[:, pairs, pairs], matrices[:, pairs + 1, pairs + 1])
    crossed = (matrices[:, pairs, pairs + 1], matrices[:, pairs + 1, pairs])
    turning = (own[0] + own[1] + 1j * (crossed[0] - crossed[1])) / 2  # strength · exp(i · angle), (models, hands)
    strengths = np.abs(turning) ** 2 / (np.abs(turning) ** 2).sum(1, keepdims=True)
    angles = np.angle(turning)
    inv_freq = sinusoidal.inv_freq(matrices.shape[1]).numpy()
    colors = plots.hand_colors(SHOWN)
    fig, axes = plots.narrow(1.3 * len(angles) + 0.5, rows=len(angles), cols=SHOWN, squeeze=False)
    for (model, i), ax in np.ndenumerate(axes):
        dials.rim(ax, hours=False)
        ax.plot(0, 0, "o", color=plots.INK, markersize=3)
        ax.set(xlim=(-1.2, 1.2), ylim=(-1.2, 1.2))
        wanted = k * inv_freq[i]
        ax.plot([0, 1.15 * np.sin(wanted)], [0, 1.15 * np.cos(wanted)], "--", color=plots.KEY, linewidth=1.5)
        turned = angles[model, i]
        share = strengths[model, i]
        style = {"alpha": 0.25 + 0.75 * np.sqrt(share), "linewidth": 1.5 + 5 * share}
        ax.plot([0, np.sin(turned)], [0, np.cos(turned)], color=colors[i], **style)
        ax.set_xlabel(f"{turned:.2f} rad\n{100 * strengths[model, i]:.0f}%", fontsize=9)
        if model == 0:
            ax.set_title(f"hand {i}:\n{fixed(wanted)} rad", loc="center", fontsize=9, color=plots.ink(plots.KEY))
        if i == 0:
            ax.set_ylabel(f"model {model}", fontsize=9)
    return plots.describe(
        fig,
        alt=(
            f"A row of {SHOWN} dials for each of {len(angles)} trained heads, an orange dashed line at {k} times the "
            "hand's speed. On hand 0 the turn of each head is dark and thick and lies along it. On the other hands the "
            "turns are paler and thinner, and point roughly the same way."
        ),
        caption=(
            f"By how much the sharpest head of {len(angles)} trained models turns each hand. The thinner and paler a "
            "line, the less of the turning part is in that hand: the percentages are shares of its squared size. "
            f"Dashed, and above the dials: the turn of $M_{{{k}}}$."
        ),
        numbers=[
            ("hand", f"turn of M{k} (rad)", *(f"model {model}" for model in range(len(angles)))),
            *(
                (
                    f"{i}",
                    fixed(k * inv_freq[i]),
                    *(
                        f"{fixed(turn)} rad, {100 * strength:.0f}%"
                        for turn, strength in zip(angles[:, i], strengths[:, i], strict=True)
                    ),
                )
                for i in range(SHOWN)
            ),
        ],
    )


def maps(named: dict, trained_to: int, k: int) -> Figure:
    """Draw attention maps, one column for each title and one row for each model, with the trained lengths framed.

    Args:
        named: For each title the weights (models, seq_len, seq_len), a query per row.
        trained_to: How many positions training had.
        k: How many tokens back the heads should look.
    """
    maps = np.stack([np.asarray(weights, float) for weights in named.values()])
    seq_len = maps.shape[-1]
    edge = trained_to - 0.5
    models = maps.shape[1]
    fig, axes = plots.narrow(1.6 * models + 0.8, models, len(maps), sharex=True, sharey=True, squeeze=False)
    for (model, which), ax in np.ndenumerate(axes):
        image = ax.imshow(maps[which, model], cmap=plots.MAGNITUDE, vmin=0, vmax=1, interpolation="nearest")
        ax.plot([-0.5, edge, edge], [edge, edge, -0.5], color=plots.PAPER, linewidth=1.2, linestyle="--")
        ax.text(edge - 1, 1.5, "trained", ha="right", va="top", color=plots.PAPER, fontsize=8.5)
        ax.set(aspect="equal", xticks=[0, trained_to, seq_len - 1], yticks=[0, trained_to, seq_len - 1])
    for ax, title in zip(axes[0], named, strict=True):
        ax.set_title(title, loc="center", fontsize=10)
    for ax in axes[-1]:
        ax.set_xlabel("key (position)", fontsize=9)
    for model, ax in enumerate(axes[:, 0]):
        ax.set_ylabel(f"model {model}\nquery (position)", fontsize=9)
    scale = fig.colorbar(image, ax=axes, label="weight", location="bottom", pad=0.02, fraction=0.03)
    scale.outline.set_visible(False)
    return plots.describe(
        fig,
        alt=(
            f"Attention maps of {seq_len} queries and keys, {maps.shape[1]} models: {'; '.join(named)}. In the first "
            f"column a bright line {k} tokens left of the diagonal breaks up beyond position {trained_to}, where "
            "training ended. In the second it goes on."
        ),
        caption=(
            "Where the sharpest head looks, averaged over texts twice as long as in training (the dashed frame). "
            f"As trained, the line {k} back breaks up outside the frame, and keys out there take "
            "weight from queries inside. By the turning parts alone, the same line goes on."
        ),
        numbers=_weight_by_position(dict(zip(named, maps, strict=True)), trained_to, k),
    )


def _weight_by_position(named: dict, trained_to: int, k: int) -> list[tuple]:
    """Return the mean weight on the key k back, a row for each quarter of the trained length."""
    step = trained_to // 4
    columns = [weights.diagonal(-k) for models in named.values() for weights in models]
    header = [f"{name}, model {model}" for name, models in named.items() for model in range(len(models))]
    rows = []
    for first in range(k // step * step, len(columns[0]) + k, step):
        inside = slice(max(first - k, 0), first + step - k)
        means = [f"{weights[inside].mean():.2f}" for weights in columns]
        rows.append((f"{max(first, k)} to {first + step - 1}", *means))
    return [(f"queries, weight on {k} back", *header), *rows]
