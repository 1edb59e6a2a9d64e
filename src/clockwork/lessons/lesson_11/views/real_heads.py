"""Three heads of a published model on a verse: their queries and keys are turned here, with some hands stopped."""

import numpy as np
import torch
import traitlets

from clockwork.kit import pretrained
from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.cursor import Cursor
from clockwork.kit.widgets.data import Data
from clockwork.lessons.lesson_11.views.stopped_hands import stops
from pe_helpers import rotary

NAMES = {"previous token": "previous", "first token": "first", "induction": "induction"}
TOKENS = 109


class RealHeads(View):
    """Show where a head of SmolLM2-135M looks in a verse, with some of its hands stopped.

    `RealHeads()` makes its own sliders `first` and `count`, which stop single hands; share them with `StoppedHands`
    by `stops()`.
    """

    static = "real_heads"
    needs = ("first", "count")

    kind = Slider("previous token", tuple(NAMES), "head")
    query = Slider(63, range(1, TOKENS), "query (token)")  # ' malt', which head C has met before
    tokens = traitlets.List(traitlets.Unicode(), help="The verse.").tag(sync=True)
    caption = (
        "The framed word is the query: the greener a word, the more weight it gets. Dashed: where most of it went with "
        "every hand turning. The bars are the mean over all queries. Queries and keys are the model's own. "
        "Click another word; drag the band to stop other hands."
    )

    def __init__(self, cursor: Cursor | None = None, **traits):
        self.heads, tokens = pretrained.heads()
        self.targets = {kind: pretrained.targets(kind, tokens).numpy() for kind in self.heads}
        sent = {}
        for name in NAMES.values():
            for part in "qk":
                halves = getattr(self.heads[name], part).numpy().astype("<f2")  # as recorded: nothing is lost
                sent[f"{name}_{part}"] = halves.view("<i2")
            sent[f"{name}_targets"] = self.targets[name].astype(int)
        super().__init__(cursor or stops(step=1), data=Data(**sent), tokens=tokens, **traits)

    def weights(self) -> np.ndarray:
        """Return the attention weights of the chosen head, (tokens, tokens), in float64."""
        head = self.heads[NAMES[self.kind]]
        first, count = self.at("first"), self.at("count")
        speeds = torch.tensor(pretrained.results()["inv_freq"], dtype=torch.float64)
        speeds[first : first + count] = 0
        positions = torch.arange(len(head.q))
        q, k = (rotary.rotate(part.double(), positions, inv_freq=speeds) for part in (head.q, head.k))
        future = torch.ones(len(q), len(q), dtype=torch.bool).triu(1)
        return (q @ k.T / 8).masked_fill(future, -torch.inf).softmax(-1).numpy()

    def share(self) -> float:
        """Return the weight on what such a head looks for, averaged over the queries that have it."""
        wanted = self.targets[NAMES[self.kind]]
        return float((self.weights() * wanted).sum() / wanted.any(1).sum())

    def describe(self) -> str:
        """Say where the query looks, and what the head does on average."""
        row = self.weights()[self.query]
        best = int(row.argmax())
        first = self.at("first")
        return (
            f"head {self.kind}, first stopped hand {first}, stopped hands {min(self.at('count'), 32 - first)}, "
            f"query {self.query} {quoted(self.tokens[self.query])}: most weight, {fixed(row[best])}, goes to token "
            f"{best} {quoted(self.tokens[best])}; share {fixed(self.share())}"
        )

    def numbers(self) -> dict:
        """Return the framed query's weights, and the head's share."""
        return {"row": self.weights()[self.query], "share": [self.share()]}

    def said(self):
        """Say the share."""
        return {"share": fixed(self.share())}


def quoted(token: str) -> str:
    """Return a token as a reader can see it."""
    return f"“{token.strip() or '↵'}”"
