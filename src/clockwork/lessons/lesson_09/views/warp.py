"""Undo the warp: a table read at even times of its own fast hand, and what becomes of its other waves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clockwork.kit import probes
from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.data import Data
from clockwork.lessons.lesson_09 import retiming

if TYPE_CHECKING:
    from torch import Tensor

AMOUNTS = (-1.0, -0.5, 0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0)  # times the hand's own wander
DIRECTIONS = 14  # of the table: the hand's two, and the others
FARTHEST = 40  # tokens between two rows, and how far one matrix carries a row
COLUMNS = 48  # of each map: so many stretches of the table
PANELS = ("the fast hand, whose time is used", "the other 12 directions")


class Warp(View):
    """Read a table at even times of its own fast hand, by any amount of that hand's wander.

    The hand is in the table's two strongest directions. The twelve next ones had no part in its time.

    Args:
        rows: The table, (positions, d_model), without special rows.
        first: The position of its first row.
    """

    static = "warp"
    amount = Slider(0.0, AMOUNTS, "undo so many times the hand's wander")
    todo = "Drag a bent stripe until it lies straight."
    idea = "Undone once, the other stripes lie straightest, too. Undone twice, they bend the other way."
    caption = (
        "How alike two rows are: to the right, the position of the first, upwards, how far away the second is. Red is "
        "alike, blue unlike. On an even clock every stripe is straight. Below: how well one matrix carries the other "
        "twelve directions 40 tokens, for the amount that is set (orange) and those that you have tried (blue)."
    )

    def __init__(self, rows: Tensor, *, first: int = 0, **traits):
        along = probes.leading(rows, DIRECTIONS)
        ahead = retiming.ahead(along[:, :2])
        self.first = first
        self.last = first + len(rows) - 1
        self.maps = np.empty((len(AMOUNTS), len(PANELS), FARTHEST, COLUMNS))
        self.carried = np.empty(len(AMOUNTS))
        for i, amount in enumerate(AMOUNTS):
            table = probes.retimed(along, amount * ahead)
            self.maps[i] = [retiming.stripes(part, FARTHEST, COLUMNS) for part in (table[:, :2], table[:, 2:])]
            self.carried[i] = probes.shift_fit(table[:, 2:], FARTHEST, directions=DIRECTIONS - 2)
        span = np.array([self.first, self.last])
        super().__init__(data=Data(maps=self.maps, carried=self.carried, span=span), **traits)

    def now(self) -> int:
        """Return the place of the amount."""
        return AMOUNTS.index(self.at("amount"))

    def describe(self) -> str:
        """Say the amount and how well one matrix carries the other directions."""
        return (
            f"{fixed(self.at('amount'))} times the hand's wander undone: one matrix carries the other 12 directions "
            f"{FARTHEST} tokens with R² {self.said()['carried']}"
        )

    def numbers(self) -> dict:
        """Return how well one matrix carries the other directions."""
        return {"carried": [self.carried[self.now()]]}

    def said(self) -> dict[str, str]:
        """Say it."""
        return {"carried": fixed(self.carried[self.now()])}
