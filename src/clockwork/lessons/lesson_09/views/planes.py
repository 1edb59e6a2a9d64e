"""Two directions of a position table against each other: do the rows go round, and how fast?"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from traitlets import TraitError

from clockwork.kit import probes
from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.data import Data

DIRECTIONS = 8  # the strongest of each table


class Planes(View):
    """Show the rows of tables in the plane of two neighbouring directions, and the turn from each row to the next.

    The directions of a table are its principal ones, strongest first. `pair` is the first of the two that are shown.

    Args:
        tables: Tables (max_len, d_model) by name; they may differ in length and width.

    Raises:
        TraitError: There is no table, or one has fewer than `DIRECTIONS` or holds something that is not finite.
    """

    static = "planes"
    caption = (
        "{Left}: each dot is a row of the table, seen in the plane of two of its directions. The line joins the last "
        "twelve rows, and the hand points to the row of this position. (A row further out than the frame is left "
        "out.) {Right}: by how much the hand turns from each row to the next; dashed, the sinusoid's fastest hand. "
        "Drag the hand, or drag along the positions."
    )

    def __init__(self, tables: Mapping[str, torch.Tensor], **traits):
        if not tables:
            raise TraitError("tables must hold at least one table (it is drawn), got none")
        for name, table in tables.items():
            if table.ndim != 2 or min(table.shape) < DIRECTIONS or not table.isfinite().all():
                shape = tuple(table.shape)
                raise TraitError(
                    f"table {name!r} must be finite and have {DIRECTIONS} directions or more, got shape {shape}"
                )
        self.names = list(tables)
        self.lengths = [len(table) for table in tables.values()]
        longest = max(self.lengths)
        self.points = np.full((len(tables), DIRECTIONS - 1, longest, 2), np.nan)
        self.turns = np.full((len(tables), DIRECTIONS - 1, longest), np.nan)  # from the row before, 0 for the first row
        for t, table in enumerate(tables.values()):
            along = probes.leading(table, DIRECTIONS)
            for pair in range(DIRECTIONS - 1):
                points, turns = probes.going_round(along[:, pair : pair + 2])
                self.points[t, pair, : len(table)] = points
                self.turns[t, pair, : len(table)] = [0.0, *turns]
        self.add_traits(
            table=Slider(self.names[0], self.names, "table"),
            pair=Slider(0, range(DIRECTIONS - 1), "first of two directions (strongest: 0)"),
            position=Slider(min(20, longest - 1), range(longest), "position (tokens)", play=True),
        )
        # One scale for each plane, so that 16 bits are enough for the faintest.
        sizes = np.nanmax(np.abs(self.points), axis=(2, 3))
        data = Data(points=self.points / sizes[..., None, None], turns=self.turns, lengths=np.array(self.lengths))
        super().__init__(data=data, **traits)

    def _now(self) -> tuple[int, int, int]:
        """Return the places of the table and of the pair, and the row: the last one where the table has ended."""
        table = self.names.index(self.at("table"))
        return table, self.at("pair"), min(self.at("position"), self.lengths[table] - 1)

    def mean_turn(self) -> float:
        """Return the mean turn from row to row, in rad."""
        table, pair, _ = self._now()
        return float(np.nanmean(self.turns[table, pair, 1:]))

    def describe(self) -> str:
        """Say which plane is shown, where the hand is, and how it turns."""
        table, pair, row = self._now()
        turn = self.turns[table, pair, row]
        came = "the first row" if row == 0 else f"it has turned {fixed(turn)} rad from the row before"
        return (
            f"table {self.at('table')}, directions {pair} and {pair + 1}, row {row}: {came}; "
            f"on average {fixed(self.mean_turn())} rad"
        )

    def numbers(self) -> dict:
        """Return the hand's angle from 12 o'clock, clockwise, its turn from the row before and the mean turn."""
        table, pair, row = self._now()
        x, y = self.points[table, pair, row]
        return {"angle": np.arctan2(x, y), "turn": self.turns[table, pair, row], "mean": self.mean_turn()}

    def said(self) -> dict[str, str]:
        """Say the turn and its mean."""
        table, pair, row = self._now()
        return {"turn": fixed(self.turns[table, pair, row]), "mean": fixed(self.mean_turn())}
