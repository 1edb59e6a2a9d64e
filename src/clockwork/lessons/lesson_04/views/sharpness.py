"""A head that looks k tokens back: the louder its scores, the sharper its attention."""

import numpy as np
import traitlets

from clockwork.kit.widgets.base import Slider
from clockwork.kit.widgets.cursor import Cursor
from clockwork.kit.widgets.hands import Hands, fixed

TOKENS = 64
LOUDNESS = (1, 2, 5, 10, 20, 50, 100)
USUAL = {"position": 32, "k": 3, "d_model": 16}


class Sharpness(Hands):
    """Show the attention weights softmax(s · PE(p)ᵀ M_k PE(q) / √d_model) of one query p over 64 keys q.

    The sliders are `position` (0 … 63), `k`, how many tokens back the head looks, `d_model`, and the loudness `s`,
    which is the view's own also where a cursor has the others.
    """

    static = "sharpness"
    needs = ("position", "k", "d_model")
    main = ("s", "k")
    todo = "Turn up s until three back has nearly all the weight. Then drag the query through the text."
    idea = "So a factor on the scores does not move their peak: it makes it sharper, wherever the query stands."
    s = Slider(1, LOUDNESS, "loudness s")
    tokens = traitlets.Int(TOKENS, help="How many keys there are.", read_only=True).tag(sync=True)
    caption = (
        "Above, the scores $s$ · PE(p)ᵀ $M_k$ PE(q) / √d_model of one query with 64 codes, without words and without a "
        "mask. Below, the weights that the softmax makes of them. In ochre, the key $k$ tokens back."
    )

    def own_cursor(self, traits: dict) -> Cursor:
        """Return a cursor whose positions are those of the 64 keys, at the values that it finds in `traits`."""
        start = {name: traits.pop(name, value) for name, value in USUAL.items()}
        return Cursor(
            position=Slider(start["position"], range(TOKENS), "position (tokens)"),
            k=Slider(start["k"], range(-8, 9), "k back (tokens)"),
            d_model=start["d_model"],
        )

    def weights(self, s: int | None = None) -> np.ndarray:
        """Return the weights of the query over the keys, (64,), at the slider's loudness or another."""
        offsets = np.arange(TOKENS) - self.at("position") + self.at("k")
        scores = np.cos(np.multiply.outer(offsets, self.speeds())).sum(-1) / np.sqrt(self.at("d_model"))
        grown = np.exp((s or self.s) * (scores - scores.max()))
        return grown / grown.sum()

    def target(self) -> float:
        """Return the weight of the key k tokens back, 0 where there is none."""
        there = self.at("position") - self.at("k")
        return float(self.weights()[there]) if 0 <= there < TOKENS else 0.0

    def numbers(self) -> dict:
        """Return the weights, and that of the key k tokens back."""
        return {"weights": self.weights(), "target": self.target()}

    def said(self):
        """Say the weight of the key k tokens back."""
        return {"weight": fixed(self.target(), 3)}

    def describe(self) -> str:
        """Say where the query stands, where it should look, and how much weight goes there."""
        there = self.at("position") - self.at("k")
        k = fixed(self.at("k"), 0)
        where = f"position {self.at('position')}, k {k}, d_model {self.at('d_model')}, s {self.s}"
        if not 0 <= there < TOKENS:
            return f"{where}: no token stands {k} back"
        return f"{where}: {fixed(self.target(), 3)} of the weight goes to position {there}"
