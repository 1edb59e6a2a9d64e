"""The leading directions of position tables: how each runs along the positions, and of which waves it is made."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from traitlets import List, TraitError

from pe_helpers.plots import tables as drawn
from pe_helpers.widgets.base import Slider, View
from pe_helpers.widgets.cursor import Cursor
from pe_helpers.widgets.data import Data

CYCLES = 129  # waves of 0 … 128 cycles over the table


class Directions(View):
    """Walk through the directions that hold most of each table's variance, strongest first.

    Args:
        tables: Tables of equally many rows, (max_len, d_model), by name.
        count: How many directions of each.

    Raises:
        TraitError: The tables have different numbers of rows, or fewer than `count` directions.
    """

    static = "directions"
    needs = ("table", "direction")
    caption = (
        "Left: how far each position's row points along the chosen direction. Right: the waves that the curve is made "
        "of. A sinusoid's directions are each mostly one wave; a trained table's are mixtures, and some run fast."
    )

    names = List(help="The tables' names.").tag(sync=True)

    def __init__(self, tables: Mapping[str, torch.Tensor], count: int = 16):
        lengths = {len(table) for table in tables.values()}
        if len(lengths) != 1 or min(min(table.shape) for table in tables.values()) < count:
            shapes = [tuple(table.shape) for table in tables.values()]
            raise TraitError(f"tables must have one length and at least {count} directions (to compare), got {shapes}")
        parts = [torch.linalg.svd(t.double() - t.double().mean(0), full_matrices=False) for t in tables.values()]
        self.curves = torch.stack([u[:, :count].T for u, _, _ in parts])
        power = torch.fft.rfft(self.curves, dim=-1).abs().square()[..., :CYCLES]
        self.spectra = power / power.sum(-1, keepdim=True)
        self.shares = torch.stack([(s**2 / (s**2).sum())[:count] for _, s, _ in parts])
        names = list(tables)
        cursor = Cursor(
            table=Slider(names[0], names, "table"), direction=Slider(0, range(count), "direction (strongest first)")
        )
        data = Data(curves=self.curves, spectra=self.spectra, shares=self.shares)
        super().__init__(cursor, data=data, names=names)

    def _now(self) -> tuple[int, int]:
        return self.names.index(self.at("table")), self.at("direction")

    def describe(self) -> str:
        """Say how much the direction holds and which wave is strongest in it."""
        spectrum = self.spectra[self._now()]
        return (
            f"table {self.at('table')}, direction {self.at('direction')}: "
            f"{100 * self.shares[self._now()].item():.1f}% of the variance; "
            f"its strongest wave makes {spectrum.argmax().item()} cycles over the table"
        )

    def numbers(self) -> dict:
        """Return the curve and its spectrum."""
        return {"curve": self.curves[self._now()], "spectrum": self.spectra[self._now()]}

    def picture(self):
        """Draw the direction and its spectrum."""
        title = f"{self.at('table')}, direction {self.at('direction')}"
        return drawn.direction(self.curves[self._now()], self.spectra[self._now()], title=title)
