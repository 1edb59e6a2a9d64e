"""The leading directions of position tables: how each runs along the positions, and of which waves it is made."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from traitlets import TraitError

from pe_helpers.plots import tables as drawn
from pe_helpers.widgets.base import Slider, View
from pe_helpers.widgets.data import Data
from pe_helpers.widgets.hands import fixed

CYCLES = 129  # waves of 0 … 128 cycles over the table


class Directions(View):
    """Walk through the directions that hold most of each table's variance, and through the waves of each.

    `cycles` chooses one wave, which is drawn over the direction; at first it is the strongest one.

    Args:
        tables: Tables of equally many rows, (max_len, d_model), by name.
        count: How many directions of each.

    Raises:
        TraitError: The tables have different numbers of rows, or fewer than `count` directions.
    """

    static = "directions"
    caption = (
        "Above: how much each direction holds. Left: how far each position's row points along the chosen direction. "
        "Right: the waves that the curve is made of; drag to lay one over it. A sinusoid's directions are each mostly "
        "one wave; a trained table's are mixtures, and some run fast."
    )

    def __init__(self, tables: Mapping[str, torch.Tensor], count: int = 16, **traits):
        lengths = {len(table) for table in tables.values()}
        if len(lengths) != 1 or min(min(table.shape) for table in tables.values()) < count:
            shapes = [tuple(table.shape) for table in tables.values()]
            raise TraitError(f"tables must have one length and at least {count} directions (to compare), got {shapes}")
        parts = [torch.linalg.svd(t.double() - t.double().mean(0), full_matrices=False) for t in tables.values()]
        self.names = list(tables)
        self.curves = torch.stack([u[:, :count].T for u, _, _ in parts])
        self.waves = torch.fft.rfft(self.curves, dim=-1)[..., :CYCLES]
        power = self.waves.abs().square()
        self.spectra = power / power.sum(-1, keepdim=True)
        self.shares = torch.stack([(s**2 / (s**2).sum())[:count] for _, s, _ in parts])
        self.add_traits(
            table=Slider(self.names[0], self.names, "table"),
            direction=Slider(0, range(count), "direction (strongest first)"),
            cycles=Slider(int(self.spectra[0, 0].argmax()), range(self.spectra.shape[-1]), "wave (cycles)"),
        )
        rows = self.curves.shape[-1]
        alone = torch.tensor([cycles in (0, rows / 2) for cycles in range(self.waves.shape[-1])])  # no conjugate wave
        scaled = torch.where(alone, 1, 2) * self.waves / rows
        waves = {"cosines": scaled.real, "sines": -scaled.imag}
        super().__init__(data=Data(curves=self.curves, spectra=self.spectra, shares=self.shares, **waves), **traits)

    def _now(self) -> tuple[int, int]:
        return self.names.index(self.at("table")), self.at("direction")

    def wave(self) -> torch.Tensor:
        """Return the chosen wave as it is in the direction, (max_len,)."""
        kept = torch.zeros(self.curves.shape[-1] // 2 + 1, dtype=self.waves.dtype)
        cycles = self.at("cycles")
        kept[cycles] = self.waves[self._now()][cycles]
        return torch.fft.irfft(kept, self.curves.shape[-1])

    def describe(self) -> str:
        """Say how much the direction holds, which wave is strongest in it, and how much the chosen one has."""
        spectrum = self.spectra[self._now()]
        cycles = self.at("cycles")
        return (
            f"table {self.at('table')}, direction {self.at('direction')}: "
            f"{fixed(100 * self.shares[self._now()].item(), 1)}% of the variance; "
            f"its strongest wave makes {spectrum.argmax().item()} cycles over the table; "
            f"the wave of {cycles} has {fixed(100 * spectrum[cycles].item(), 1)}% of the power"
        )

    def numbers(self) -> dict:
        """Return the curve, its spectrum and the chosen wave."""
        return {"curve": self.curves[self._now()], "spectrum": self.spectra[self._now()], "wave": self.wave()}

    def picture(self):
        """Draw the direction with the chosen wave, and its spectrum."""
        title = f"{self.at('table')}, direction {self.at('direction')}"
        return drawn.direction(*self.numbers().values(), cycles=self.at("cycles"), title=title)
