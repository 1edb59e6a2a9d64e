"""The referee's game: recorded runs of two sides lie face down, and the reader has forty runs to spend on them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import traitlets
from traitlets import TraitError

from clockwork.kit import sweep
from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.data import Data

TASK = "who_came_first"
LENGTH = 24  # tokens, the longest trained
TEXTS = 256  # of each test: an accuracy is a whole number of them
RATES = (0.0025, 0.005, 0.01, 0.02)
SCALES = {"sinusoid": (0.1, 0.3, 1.0, 2.0, 4.0, 8.0), "learned": (0.02, 0.1, 0.3, 1.0, 2.0, 4.0)}
SIDES = {"sinusoid": "sinusoid", "learned table": "learned"}  # as the picture names them, and as the record does
COINS = 40
TUNED_ON = 4  # seeds: the first ones are for sale and choose a side's tile, the others judge it


def hits() -> np.ndarray:
    """Return how many of 256 answers each recorded run got right, (side, scale, rate, seed)."""
    found = [
        sweep.tiles(TASK, scheme, SCALES[scheme], RATES, seq_len=LENGTH).numpy().astype(float)
        for scheme in SIDES.values()
    ]
    return np.rint(TEXTS * np.stack(found)).astype(int)


def p_value(a: np.ndarray, b: np.ndarray) -> float:
    """Return the share of all splits of a and b together whose means differ at least as much as theirs."""
    both = [*a, *b]
    whole = sum(both)
    gaps = [
        abs(sum(chosen) * len(b) - (whole - sum(chosen)) * len(a)) for chosen in combinations(both, len(a))
    ]  # whole numbers: the first split is the one that was seen
    return sum(gap >= gaps[0] for gap in gaps) / len(gaps)


class Referee(View):
    """Let the reader buy runs of two sides, each a tile for every scale and learning rate, and compare the best tiles.

    A click on a tile buys its next seed, of the first four. Each side enters the comparison with its brightest tile.
    Once the question of `verdict` is answered, all tiles are turned over (means of four seeds), and the best two meet
    eight fresh seeds, with the index as a third contestant; the lesson names it later.

    Args:
        bought: The tiles of the runs that were bought, in that order: side · 24 + scale · 4 + rate.
        verdict: The question that names a winner.

    Raises:
        TraitError: `bought` has more than forty runs, or more than four of one tile, or no such tile.
    """

    static = "referee"
    todo = "Click a tile to run it with a new seed, up to four times. You have forty runs."
    caption = (
        "A tile is a learning rate and a scale. Its number is the mean accuracy on *who came first?* of the runs that "
        "you bought, and the small dots count them. Below, the brightest tile of each side, a dot for each run. Turned "
        "over, each tile shows the mean of its four runs, and below stand the fresh seeds."
    )

    side = Slider("sinusoid", tuple(SIDES), "side")
    scale = Slider(3, range(1, 7), "scale, from quiet to loud")
    rate = Slider(0.005, RATES, "learning rate")
    bought = traitlets.List(traitlets.Int(), help="The tiles of the runs bought so far.").tag(sync=True)
    opened = traitlets.Bool(False, help="Whether all tiles are turned over.").tag(sync=True)
    verdict = traitlets.Unicode("05/named", help="The question that names a winner.").tag(sync=True)

    def __init__(self, cursor=None, **traits):
        self.hits = hits()
        index = sweep.tiles(TASK, "index", (1.0,), (0.005, 0.01), seq_len=LENGTH)[0].numpy().astype(float)
        self.index = np.rint(TEXTS * index[index[:, :TUNED_ON].mean(1).argmax(), TUNED_ON:]).astype(int)
        scales = [SCALES[scheme] for scheme in SIDES.values()]
        super().__init__(cursor, data=Data(hits=self.hits, index=self.index, scales=scales), **traits)

    @traitlets.validate("bought")
    def _affordable(self, proposal):
        runs = np.bincount([tile for tile in proposal.value if tile >= 0], minlength=48)
        if len(proposal.value) > COINS or len(runs) > 48 or runs.max() > TUNED_ON or runs.sum() < len(proposal.value):
            raise TraitError(
                f"bought must name at most {COINS} runs of tiles 0 to 47, {TUNED_ON} of each, got {proposal.value}"
            )
        return proposal.value

    def runs(self, tile: int) -> np.ndarray:
        """Return the bought results of a tile."""
        return self.hits.reshape(48, -1)[tile, : self.bought.count(tile)]

    def means(self) -> np.ndarray:
        """Return what the tiles show, (48,): the mean of the bought runs, or of the tuning seeds; −1 face down."""
        if self.opened:
            return self.hits[..., :TUNED_ON].mean(-1).ravel() / TEXTS
        return np.array([self.runs(tile).mean() / TEXTS if tile in self.bought else -1 for tile in range(48)])

    def entered(self) -> list[int | None]:
        """Return the brightest bought tile of each side, of equal ones the first; None where nothing was bought."""
        found = []
        for side in range(2):
            tiles = [tile for tile in range(24 * side, 24 * side + 24) if tile in self.bought]
            found.append(max(tiles, key=lambda tile: (self.runs(tile).mean(), -tile)) if tiles else None)
        return found

    def fresh(self) -> list[np.ndarray]:
        """Return the fresh seeds' results of each side's best tile, and of the index."""
        best = self.hits[..., :TUNED_ON].sum(-1).reshape(2, 24).argmax(1)
        return [*(self.hits[side].reshape(24, -1)[tile, TUNED_ON:] for side, tile in enumerate(best)), self.index]

    def shown(self) -> list[np.ndarray]:
        """Return the results that are compared below the tiles, a row for each contestant."""
        if self.opened:
            return self.fresh()
        return [np.array([], int) if tile is None else self.runs(tile) for tile in self.entered()]

    def p(self) -> float:
        """Return the p of the two sides compared, −1 where one has no run."""
        a, b = self.shown()[:2]
        return p_value(a, b) if len(a) and len(b) else -1.0

    def numbers(self) -> dict:
        """Return what the tiles show, each contestant's mean, and p."""
        ahead = [row.mean() / TEXTS if len(row) else -1 for row in self.shown()]
        return {"means": self.means(), "compared": ahead, "p": [self.p()]}

    def describe(self) -> str:
        """Say what is left to spend and how the sides compare."""
        names = [*SIDES, "uninvited"]
        told = [
            f"{name} {fixed(row.mean() / TEXTS)} in {len(row)} run{'s' * (len(row) != 1)}"
            for name, row in zip(names, self.shown(), strict=False)
            if len(row)
        ]
        begun = "all tiles turned over" if self.opened else f"{COINS - len(self.bought)} runs left"
        p = f"; p = {fixed(self.p(), 4)}" if self.p() >= 0 else ""
        chosen = f"{self.at('side')}, scale {self.at('scale')}, learning rate {self.at('rate'):g}"
        return f"{begun}: {', '.join(told) or 'nothing was run'}{p}; the tile of {chosen}"
