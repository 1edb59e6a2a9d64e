"""The wall of strangers: twelve faults lie face down, and the reader says which test sees each of them."""

from __future__ import annotations

import numpy as np
import traitlets
from traitlets import TraitError

from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.data import Data
from clockwork.lessons.lesson_10 import figures
from clockwork.lessons.lesson_10.strangers import ASKED, ESCAPED, MENDED, WALL
from clockwork.lessons.lesson_10.views.faults import FIRST, FURTHER

NONE, ELEVEN = "no test", "one of the eleven"
GUESSES = (NONE, ELEVEN, *FURTHER)
OPEN = "not chosen yet"
WHEN = ("as they were", "as they are now")
TILES = list(WALL)


class Wall(View):
    """Twelve faults by a reader of the tests, each a tile that turns over when the reader has said which test sees it.

    Recorded in `data/strangers.json`: what the nineteen tests saw at first, and what they see since four of them have a
    line more.

    Args:
        guesses: What was said of each tile, as an index into `GUESSES`; −1 where it lies face down.

    Raises:
        TraitError: `guesses` has not twelve such numbers.
    """

    static = "wall"
    todo = "Choose who saw a fault; you are told what that test asked. Then click the tile of the fault."
    main = ("says", "tests")
    caption = (
        "Green: seen, and by whom. Orange: no test saw it. ✓: you said so. "
        "The tests are those of that day, until you choose *as they are now*."
    )
    idea = "Of twelve faults by somebody who had read them, the tests saw eight."

    fault = Slider(TILES[0], TILES, "tile")
    says = Slider(OPEN, (OPEN, *GUESSES), "you say")
    tests = Slider(WHEN[0], WHEN, "tests")
    guesses = traitlets.List(traitlets.Int(), [-1] * len(TILES), help="What was said of each tile.").tag(sync=True)
    about = traitlets.List(help="What is wrong with each.").tag(sync=True)
    asked = traitlets.List(help="What each of `GUESSES` asked when the faults were written.").tag(sync=True)
    reasons = traitlets.List(help="Of each tile, why no test saw it and what was added; empty where one did.").tag(
        sync=True
    )

    def __init__(self, cursor=None, **traits):
        record = figures.strangers()
        self.seen = np.array([[grouped(record[name][when]) for name in TILES] for when in ("at_first", "now")])
        told = [[ESCAPED[name], MENDED[name]] if name in ESCAPED else [] for name in TILES]
        super().__init__(
            cursor,
            data=Data(seen=self.seen),
            about=[figures.plainly(kind) for kind in WALL.values()],
            asked=[ASKED[guess] for guess in GUESSES],
            reasons=told,
            **traits,
        )

    @traitlets.validate("guesses")
    def _of_every_tile(self, proposal):
        if len(proposal.value) != len(TILES) or not all(-1 <= guess < len(GUESSES) for guess in proposal.value):
            raise TraitError(
                f"guesses must be {len(TILES)} numbers from −1 to {len(GUESSES) - 1} (one a tile, −1 face down), "
                f"got {proposal.value}"
            )
        return proposal.value

    def seers(self, tile: int) -> list[str]:
        """Return who sees the fault of a tile, with the tests that are chosen."""
        row = self.seen[WHEN.index(self.at("tests")), tile]
        return [guess for guess, sees in zip(GUESSES, row, strict=True) if sees]

    def state(self, tile: int) -> str:
        """Say what a tile shows."""
        return f"seen by {', '.join(self.seers(tile))}" if self.guesses[tile] >= 0 else "face down"

    def describe(self) -> str:
        """Say what the chosen tile shows, and how many are turned over."""
        turned = sum(guess >= 0 for guess in self.guesses)
        return (
            f"{self.at('fault')}, {self.state(TILES.index(self.at('fault')))}; {turned} of {len(TILES)} turned over; "
            f"tests {self.at('tests')}; you say {self.at('says')}"
        )

    def numbers(self) -> dict:
        """Return who sees the chosen fault once its tile is turned over, and which tiles are."""
        tile = TILES.index(self.at("fault"))
        row = self.seen[WHEN.index(self.at("tests")), tile]
        return {
            "sees": row if self.guesses[tile] >= 0 else np.zeros(len(GUESSES)),
            "turned": np.array(self.guesses) >= 0,
        }


def grouped(tests: list[str]) -> list[bool]:
    """Return for each of `GUESSES` whether it is right of a fault that these tests see."""
    return [not tests, bool(set(tests) & set(FIRST)), *(test in tests for test in FURTHER)]
