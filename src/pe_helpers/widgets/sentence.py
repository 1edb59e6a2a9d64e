"""A sentence to reorder: the attention matrix and the outputs of one layer move with its words."""

from __future__ import annotations

from itertools import permutations

import traitlets
from traitlets import TraitError

from pe_helpers.plots import order as drawn
from pe_helpers.widgets.base import Slider, View
from pe_helpers.widgets.cursor import Cursor
from pe_helpers.widgets.data import Data

SCHEMES = ("nothing added", "a causal mask", "position codes")
D_MODEL = 8


class Sentence(View):
    """Show one attention layer for every arrangement of a sentence's words; the arrangement selects.

    The cursor's `arrangement` counts the orders of the words as `itertools.permutations` does, 0 is the sentence as
    given; `scheme` is what the layer gets beside the words. Word vectors and weights are drawn once, from a fixed seed.

    Raises:
        TraitError: `sentence` has fewer than 2 or more than 5 words.
    """

    static = "sentence"
    needs = ("scheme", "arrangement")
    caption = (
        "One attention layer reads the sentence. Left, the weights: each row is a word that looks, each column a word "
        "that is seen. Right, what leaves the layer, one row a word, and the mean of the rows."
    )

    schemes = traitlets.List(list(SCHEMES), read_only=True, help="What the layer may get.").tag(sync=True)
    words = traitlets.List(traitlets.Unicode(), help="The words in the order given.").tag(sync=True)

    def __init__(self, sentence: str, *, scheme: str = SCHEMES[0], arrangement: int = 0):
        words = sentence.split() if isinstance(sentence, str) else []
        if not 2 <= len(words) <= 5:
            raise TraitError(f"sentence must have 2 to 5 words (every order of them is computed), got {sentence!r}")
        self.orders = list(permutations(range(len(words))))
        self.weights, self.outputs = layer(words, self.orders)
        self.pooled = self.outputs.mean(-2)
        self.moved = (100 * (self.pooled - self.pooled[:, :1]).norm(dim=-1)).round().long()
        cursor = Cursor(
            scheme=Slider(SCHEMES[0], SCHEMES, "the layer gets"),
            arrangement=Slider(0, range(len(self.orders)), "arrangement"),
        )
        cursor.scheme = scheme
        cursor.arrangement = arrangement
        data = Data(weights=self.weights, outputs=self.outputs, pooled=self.pooled, moved=self.moved)
        super().__init__(cursor, data=data, words=words)

    @property
    def sentence(self) -> str:
        """The words as they stand now."""
        return " ".join(self.words[i] for i in self.orders[self.at("arrangement")])

    def _now(self) -> tuple[int, int]:
        return SCHEMES.index(self.at("scheme")), self.at("arrangement")

    def describe(self) -> str:
        """Say the sentence and how far the mean output stands from where it was for the sentence as given."""
        moved = self.moved[self._now()].item()
        return (
            f'{self.at("scheme")}, arrangement {self.at("arrangement")}, "{self.sentence}": '
            f'the mean output is {moved // 100}.{moved % 100:02} away from that of "{" ".join(self.words)}"'
        )

    def numbers(self) -> dict:
        """Return the weights, the outputs and their mean."""
        now = self._now()
        return {"weights": self.weights[now], "outputs": self.outputs[now], "pooled": self.pooled[now]}

    def picture(self):
        """Draw the layer with matplotlib."""
        limit = self.outputs.abs().max().item()
        now = self._now()
        return drawn.layer(
            self.sentence.split(), self.weights[now], self.outputs[now], title=self.at("scheme"), limit=limit
        )


def layer(words: list[str], orders: list[tuple[int, ...]]) -> tuple:
    """Run one layer on every order under every scheme: weights (scheme, order, word, word), outputs (…, word, 8)."""
    import torch

    from pe_helpers import attention, sinusoidal

    generator = torch.Generator().manual_seed(4)
    vectors = {word: torch.randn(D_MODEL, generator=generator, dtype=torch.float64) for word in dict.fromkeys(words)}
    w_q, w_k, w_v = torch.randn(3, D_MODEL, D_MODEL, generator=generator, dtype=torch.float64) / D_MODEL**0.5
    x = torch.stack([vectors[word] for word in words])[torch.tensor(orders)]
    codes = sinusoidal.table(len(words), D_MODEL, dtype=torch.float64)
    runs = [
        attention.attend(given @ w_q, given @ w_k, given @ w_v, causal=causal)
        for given, causal in ((x, False), (x, True), (x + codes, False))
    ]
    return torch.stack([weights for _, weights in runs]), torch.stack([outputs for outputs, _ in runs])
