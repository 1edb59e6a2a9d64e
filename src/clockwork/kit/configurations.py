"""What published models do with positions, read from their configurations: data/models.toml, with its sources.

A model has one or more kinds of attention layer. In each kind, all pairs of features turn, some do, or none.
"""

from __future__ import annotations

import functools
import html
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

import torch

from clockwork.kit import datafiles
from pe_helpers import rope_scaling

if TYPE_CHECKING:
    from jaxtyping import Bool, Float64
    from torch import Tensor


@dataclass(frozen=True)
class Attention:
    """One kind of attention layer of a model.

    Attributes:
        kind: "full" (every key), "window" (the nearest keys), "chunk" (the keys of the same piece of text) or
            "sparse" (keys chosen by the layer).
        layers: how many layers are of this kind.
        features: of a query.
        head_dim: the features that `rope` counts on; 0 if none turn.
        rope: the rotary settings, in the names of transformers; empty if no pair turns.
        window: how many tokens back the layer sees at most; None for all.
        trained: the length before slowing in tokens, where `rope` does not say it.
        scaling: a rule that changes the speeds by numbers that `rope` does not hold; they are given before it.
        axes: the pairs that follow each axis of a position, if it has several.
    """

    kind: str
    layers: int
    features: int
    head_dim: int = 0
    rope: dict = field(default_factory=dict)
    window: int | None = None
    trained: int | None = None
    scaling: str = ""
    axes: Sequence[int] = ()

    @functools.cached_property
    def inv_freq(self) -> Float64[Tensor, "pairs"]:
        """The speed of each pair of features in radians per token: 0 for the pairs that do not turn."""
        return self._speeds(self.rope)

    @functools.cached_property
    def inv_freq_before(self) -> Float64[Tensor, "pairs"]:
        """The speeds before they were scaled for longer texts, where `rope` says which length was the original one."""
        if "original_max_position_embeddings" not in self.rope:
            return self.inv_freq
        kept = {key: self.rope[key] for key in ("rope_theta", "partial_rotary_factor") if key in self.rope}
        return self._speeds({"rope_type": "default", **kept})

    def _speeds(self, rope: dict) -> Tensor:
        speeds = torch.zeros(self.features // 2, dtype=torch.float64)
        if rope:
            turning, _ = rope_scaling.from_config(rope, head_dim=self.head_dim)
            speeds[: len(turning)] = turning
        return speeds

    @property
    def turning(self) -> int:
        """How many pairs turn."""
        return int((self.inv_freq > 0).sum())

    @property
    def rule(self) -> str:
        """What is done to the speeds, with the factor of `rope`, as in "yarn × 40"."""
        name = self.rope.get("rope_type", "none")
        factor = self.rope.get("factor")
        if not factor:
            return self.scaling or name
        return ", ".join(filter(None, (f"{name} × {factor:g}", self.scaling)))

    @property
    def names_reach(self) -> bool:
        """Whether it is known how far the layer reached before its speeds were slowed, if they were."""
        named = self.window or self.trained or self.rope.get("original_max_position_embeddings")
        return bool(named) or "factor" not in self.rope

    def wavelengths(self) -> Float64[Tensor, "turning"]:
        """Return how many tokens each turning pair needs for a whole turn, the fastest first."""
        return 2 * math.pi / self.inv_freq[self.inv_freq > 0]


@dataclass(frozen=True)
class Model:
    """A published model: how its layers treat positions, and where that was read."""

    name: str
    year: int
    layers: int
    longest: int
    attention: tuple[Attention, ...]
    sources: tuple[str, ...]
    also: str = ""

    @property
    def turns_everything(self) -> bool:
        """Whether every pair turns, in every attention layer."""
        return all(kind.turning == len(kind.inv_freq) for kind in self.attention)

    @property
    def full(self) -> Attention:
        """The kind of layer that turns and sees all keys, or chooses among all."""
        return next(kind for kind in self.attention if kind.rope and not kind.window)

    def config(self) -> dict:
        """Return what the model's config.json says of positions, in the names of transformers."""
        kinds = {f"{'full' if kind.kind == 'full' else 'sliding'}_attention": kind for kind in self.attention}
        settings = {name: kind.rope for name, kind in kinds.items()}
        window = next((kind.window for kind in self.attention if kind.window), None)
        alike = len(self.attention) == 1
        apart = self.full.head_dim < self.full.features  # what turns is kept apart, as in DeepSeek
        return {
            "qk_rope_head_dim" if apart else "head_dim": self.full.head_dim,
            "max_position_embeddings": self.longest,
            **({} if alike else {"sliding_window": window}),
            "rope_parameters": self.full.rope if alike else settings,
        }

    def reach(self, kind: Attention) -> int:
        """Return how far apart a query and a key of this kind of layer could be before slowing, in tokens.

        It is the window, or the length before slowing that the configuration names, or else the longest text allowed.
        """
        trained = kind.rope.get("original_max_position_embeddings") or kind.trained or self.longest
        return min(trained, kind.window or trained)

    def unfinished(self, kind: Attention) -> Bool[Tensor, "pairs"]:
        """Return which pairs of this kind of layer turn, but made no whole turn within `reach`."""
        turned = self.reach(kind) * kind.inv_freq_before
        return (turned > 0) & (turned < 2 * math.pi)

    def new_angles(self, kind: Attention, distance: float) -> Bool[Tensor, "pairs"]:
        """Return which pairs turn further between two tokens so far apart than they did within `reach`, before slowing.

        A pair that made a whole turn has met every angle. Keys beyond a window are never seen.
        """
        distance = min(distance, kind.window or distance)
        further = distance * kind.inv_freq > self.reach(kind) * kind.inv_freq_before * (1 + 1e-9)
        return self.unfinished(kind) & further


@functools.cache
def load() -> tuple[Model, ...]:
    """Return the models of data/models.toml, the oldest first.

    Example:
        >>> from clockwork.kit import configurations
        >>> gemma = configurations.find("Gemma 4 26B")
        >>> [(kind.turning, len(kind.inv_freq)) for kind in gemma.attention]
        [(128, 128), (64, 256)]
    """
    rows = datafiles.read("models.toml")["model"]
    return tuple(
        Model(
            **{key: value for key, value in row.items() if key not in ("attention", "sources")},
            attention=tuple(Attention(**kind) for kind in row["attention"]),
            sources=tuple(row["sources"]),
        )
        for row in rows
    )


def read_on() -> date:
    """Return the day on which the sources were read."""
    return datafiles.read("models.toml")["read"]


def find(name: str) -> Model:
    """Return the model of this name.

    Raises:
        ValueError: if data/models.toml has no such model.
    """
    for model in load():
        if model.name == name:
            return model
    raise ValueError(f"name must be one of {', '.join(model.name for model in load())}, got {name!r}")


HEADINGS = (
    "model",
    "layers",
    "see",
    "hands that turn",
    "base",
    "rule",
    "reach before slowing (tokens)",
    "slowest turn (tokens)",
)


class Table:
    """The table of all models, one line for each kind of attention layer; notebooks show it as a table."""

    def rows(self) -> list[tuple[str, ...]]:
        """Return the cells, in the order of `HEADINGS`."""
        return [cells(model, kind) for model in load() for kind in model.attention]

    def __repr__(self) -> str:
        """Return the table as text."""
        rows = [HEADINGS, *self.rows()]
        widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
        return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)

    def _repr_html_(self) -> str:
        head = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in HEADINGS)
        body = "".join(
            f'<tr><th scope="row">{html.escape(row[0])}</th>'
            + "".join(f"<td>{html.escape(cell)}</td>" for cell in row[1:])
            + "</tr>"
            for row in self.rows()
        )
        notes = "".join(
            f"<li>{html.escape(model.name)}: {html.escape(model.also)}.</li>" for model in load() if model.also
        )
        said = f"Read on {read_on():%d %B %Y} in the files that data/models.toml names, row by row."
        return (
            '<div style="overflow-x:auto" tabindex="0" role="region" aria-label="table of models"><table>'
            f"<caption>{said}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
            f"<details><summary>What the columns cannot say</summary><ul>{notes}</ul></details>"
        )


def cells(model: Model, kind: Attention) -> tuple[str, ...]:
    """Return one line of the table."""
    width = f"{kind.window or 0:,}"
    windows = {"window": f"window of {width}", "chunk": f"own {width}"}
    sees = ({"full": "all keys", "sparse": "chosen keys"} | windows)[kind.kind]
    start = (model.name, f"{kind.layers} of {model.layers}", sees)
    if not kind.rope:
        return (*start, f"0 of {len(kind.inv_freq)}", "–", "none", "–", "–")
    turning = f"{kind.turning} of {len(kind.inv_freq)}"
    base = f"{kind.rope['rope_theta']:,.0f}"
    reach = f"{model.reach(kind):,}" if kind.names_reach else "not named"
    slowest = f"{kind.wavelengths()[-1]:,.0f}"
    if kind.scaling:
        slowest += f", before {kind.scaling}"
    return (*start, turning, base, kind.rule, reach, slowest)
