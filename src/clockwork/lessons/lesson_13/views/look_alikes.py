"""Keys that look like the right one: their scores by offset, and the answers with them hidden or with louder scores."""

import numpy as np
import torch
import traitlets

from clockwork.kit import heads
from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.data import Data
from pe_helpers import sinusoidal

LENGTH = 128  # tokens
BACK = 3  # tokens
NEAR = 2  # tokens from three back: never hidden
FIRST = 8 - LENGTH  # tokens back, so that none is hidden which hardly any query has
COUNTS = (0, 2, 4, 8, 12)  # offsets
LOUD = (1.0, 2.0, 3.0)
WHICH = ("the best", "at random")
MICRO = 1_000_000  # scores travel as whole numbers, so that weights can be made of them


class LookAlikes(View):
    """Hide offsets from the turning parts of a model's heads, or make them louder, and count its answers.

    Args:
        model: a trained model with a sinusoid, that answers *three back*.
        tokens: texts, (texts, 128).
        targets: the right answers, (texts, 128); those of the first three positions do not count.
    """

    static = "look_alikes"
    hidden = Slider(0, COUNTS, "hidden distances")
    louder = Slider(1.0, LOUD, "scores times")
    which = Slider(WHICH[0], WHICH, "hide")
    query = Slider(64, range(BACK, LENGTH), "query (position)")
    todo = "Get the answers back: hide the best distances, or make the scores louder. Which does more?"
    caption = (
        "Top, what the turning part of the sharpest head scores a key, by how far it stands from the query (pale: "
        "outside the text). Green is three back; orange are the twelve best of the others, on average about five of "
        "them in a text; hollow ones are hidden. Middle, the weights of the query's keys. Bottom, how many of the "
        "texts are right, by position."
    )

    def __init__(self, model, tokens, targets, cursor=None, **keywords):
        tokens, targets = torch.as_tensor(tokens), torch.as_tensor(targets)
        if tokens.ndim != 2 or tokens.shape[1] != LENGTH or tokens.shape != targets.shape:
            raise traitlets.TraitError(
                f"tokens and targets must be texts of {LENGTH} tokens, got shapes {tuple(tokens.shape)} and "
                f"{tuple(targets.shape)}"
            )
        parts = heads.turning_part(heads.score_matrices(model))
        head = heads.sharpest(model, tokens[:, : LENGTH // 4])
        self.offsets = np.arange(1 - LENGTH, LENGTH)
        self.scores = self.scored(parts[head])
        self.orders = self.ordered()
        self.shares = self.answered(model, parts, tokens, targets)
        data = Data(
            scores=np.rint(MICRO * self.scores).astype(int),
            offsets=np.stack([self.orders[name] for name in WHICH]),
            shares=self.shares,
        )
        super().__init__(cursor, data=data, **keywords)

    def scored(self, part) -> np.ndarray:
        """Return the score of a key 127 ahead to 127 back, (255,): a turning part knows the offset alone."""
        part = part.double().numpy()
        turn = part[0::2, 0::2].diagonal() + 1j * part[0::2, 1::2].diagonal()
        speeds = sinusoidal.inv_freq(len(part)).numpy()
        return (turn * np.exp(-1j * self.offsets[:, None] * speeds)).sum(1).real

    def ordered(self) -> dict:
        """Return twelve offsets each, none near three back: those that score best, and drawn from all others."""
        far = self.offsets[np.abs(self.offsets - BACK) > NEAR]
        far = far[(far >= FIRST) & (far < LENGTH - BACK)]
        best = far[np.argsort(-self.scores[far + LENGTH - 1], kind="stable")]
        drawn = np.random.default_rng(0).permutation(best[COUNTS[-1] :])
        return dict(zip(WHICH, (best[: COUNTS[-1]], drawn[: COUNTS[-1]]), strict=True))

    @torch.no_grad()
    def answered(self, model, parts, tokens, targets) -> np.ndarray:
        """Return the share of texts that are right at each position, (2, 5, 3, 125)."""
        found = np.zeros((len(WHICH), len(COUNTS), len(LOUD), LENGTH - BACK))
        for place in np.ndindex(found.shape[:3]):
            which, count, loud = WHICH[place[0]], COUNTS[place[1]], LOUD[place[2]]
            if count == 0 and place[0]:
                found[place] = found[0, *place[1:]]
                continue
            hidden = self.orders[which][:count].tolist()
            answers = heads.rescored(model, loud * parts, hidden=hidden)(tokens).argmax(-1)
            found[place] = (answers == targets)[:, BACK:].double().mean(0).numpy()
        return found

    def here(self) -> tuple[int, int, int]:
        """Return the places of the controls in the table of shares."""
        loud = LOUD.index(self.at("louder"))
        return WHICH.index(self.at("which")), COUNTS.index(self.at("hidden")), loud

    def right(self) -> float:
        """Return the share of all answers that are right."""
        return float(self.shares[self.here()].mean())

    def weights(self) -> np.ndarray:
        """Return the weights of the query's keys, (128,)."""
        back = self.at("query") - np.arange(LENGTH)
        scores = self.at("louder") * self.scores[back + LENGTH - 1]
        scores[np.isin(back, self.orders[self.at("which")][: self.at("hidden")])] = -np.inf
        return torch.from_numpy(scores).softmax(0).numpy()

    def numbers(self) -> dict:
        """Return the share of right answers, by position and in all, and the weights of the query's keys."""
        return {"right": self.right(), "positions": self.shares[self.here()], "weights": self.weights()}

    def describe(self) -> str:
        """Say what is hidden, how loud the scores are, and how much is right."""
        query = self.at("query")
        return (
            f"{self.at('hidden')} distances hidden ({self.at('which')}), scores times {fixed(self.at('louder'), 1)}: "
            f"{fixed(self.right())} of the answers are right; position {query} puts "
            f"{fixed(self.weights()[query - BACK])} of its weight three back"
        )
