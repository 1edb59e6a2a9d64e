"""One query moves along a sequence: its scores, what joins them, and the weights, for each way to encode positions."""

import math

import numpy as np
import torch
from traitlets import Bool, Dict, Int, TraitError

from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.cursor import Cursor
from clockwork.kit.widgets.data import Data

STEPS = {"score": 100_000, "bias": 100_000, "weight": 10_000}  # steps of 1 in which each travels


@torch.no_grad()
def first_layer(model, tokens: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the scores, the bias and the weights of a `Transformer`'s first layer, each (num_heads, seq_len, seq_len).

    Args:
        model: an `attention.Transformer`.
        tokens: one sequence, (seq_len,).
    """
    trace = model.trace(tokens)
    q = trace.queries[0]
    scores = q @ trace.keys[0].mT / math.sqrt(q.shape[-1])
    bias = model.encoding.bias(len(q), torch.arange(len(tokens)))
    if bias is None:
        bias = torch.zeros_like(scores)
    return scores, bias, trace.weights[0]


class Query(View):
    """Move a query along a sequence and see score, bias and weight of every key, scheme by scheme and head by head.

    `Query(12, {"rotary": model, "ALiBi": other}, tokens)`: the query begins at position 12, or at the `position` of a
    cursor that is given in its place. The models are transformers with the same number of heads, and the picture shows
    their first layer. `key` is the key of which the weight is written out.

    Raises:
        TraitError: no model, models whose heads differ in number, or a position that the sequence does not reach.
    """

    static = "query"
    needs = ("position",)
    caption = (
        "The weights are the softmax of score + bias over the keys that the query may see. Drag along the map or the "
        "bars to choose a query and a key."
    )

    causal = Bool(True).tag(sync=True)
    steps = Dict(STEPS, read_only=True).tag(sync=True)

    def __init__(self, cursor: Cursor | int, models: dict, tokens: torch.Tensor, **traits):
        if isinstance(cursor, int):
            cursor = Cursor(position=Slider(cursor, range(len(tokens)), "position (tokens)"))
        if not models or len({model.blocks[0].num_heads for model in models.values()}) > 1:
            raise TraitError(f"models must be one or more with the same number of heads, got {list(models)!r}")
        if "position" in getattr(cursor, "sliders", {}) and max(cursor.values("position")) >= len(tokens):
            raise TraitError(
                f"position must stay below the sequence's length {len(tokens)} (a query is a token), "
                f"got {max(cursor.values('position'))}"
            )
        names = list(models)
        heads = models[names[0]].blocks[0].num_heads
        self.add_traits(
            scheme=Slider(names[0], names, "scheme"),
            head=Slider(0, range(heads), "head") if heads > 1 else Int(0, read_only=True).tag(sync=True),
            key=Slider(0, range(len(tokens)), "key (tokens)"),
        )
        layers = [first_layer(model, tokens) for model in models.values()]
        self.layers = dict(zip(names, layers, strict=True))
        sent = {}
        for name, parts in zip(STEPS, zip(*layers, strict=True), strict=True):
            stacked = np.stack([part.double().numpy() for part in parts])
            sent[name] = np.rint(stacked * STEPS[name]).astype(int)
        causal = all(model.causal for model in models.values())
        super().__init__(cursor, data=Data(**sent), causal=causal, **traits)

    def rows(self) -> list[np.ndarray]:
        """Return score, bias and weight of the keys that the present query may see."""
        here = self.at("position")
        seen = here + 1 if self.causal else None
        return [part[self.at("head"), here, :seen].double().numpy() for part in self.layers[self.at("scheme")]]

    def describe(self):
        """Say where the query looks, and how much of it the chosen key gets."""
        weight = self.rows()[2]
        best = int(np.rint(weight * STEPS["weight"]).argmax())
        key = min(self.at("key"), len(weight) - 1)
        return (
            f"position {self.at('position')}, scheme {self.at('scheme')}, head {self.at('head')}: "
            f"most weight, {weight[best]:.2f}, goes to position {best}; key {key} gets {weight[key]:.2f}"
        )

    def numbers(self):
        """Return score, bias and weight of every key shown."""
        return dict(zip(STEPS, self.rows(), strict=True))
