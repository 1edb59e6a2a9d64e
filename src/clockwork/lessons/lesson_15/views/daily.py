"""A daily rhythm folded on the dial of one hand: which wavelength makes all days lie on one another?"""

import numpy as np
import torch

from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.data import Data
from clockwork.lessons.lesson_15 import measure, readers

PERIODS = (20, 22, 23, 23.5, 23.8, 23.9, 24, 24.1, 24.2, 24.5, 25, 26, 28)  # hours
HARMONICS = 4  # hands: of the period, its half, its third and its fourth part
SHOWN = 48  # hours after the record that are drawn
LATER = measure.RECORD + 7 * measure.DAY  # where they begin
GRID = 97


class Daily(View):
    """Fold four weeks of measurements on the dial of one hand, fit them, and look at the days that follow.

    The fit is a least-squares one on four hands: of the chosen wavelength, its half, its third and its fourth part.
    """

    static = "daily"
    period = Slider(23, PERIODS, "wavelength of the hand (hours)")
    todo = "Change the wavelength until the dots on the dial lie on one line. Then look at the days that follow."
    caption = (
        "{Left}: 600 measurements from four weeks. Each lies in the direction of the hand at its time, the further "
        "out, the larger. Orange: the best sum of this hand and its half, third and quarter. {Right}: two "
        "days of the second week after the record; blue is what happens, orange what the fit says."
    )

    def __init__(self, cursor=None, **traits):
        draw = torch.Generator().manual_seed(1)
        count = measure.SAMPLES["hours"]
        times = measure.RECORD * torch.rand(count, generator=draw, dtype=torch.float64)
        values = measure.rhythm(times) + measure.NOISE * torch.randn(count, generator=draw)
        after = LATER + torch.linspace(0, SHOWN, GRID, dtype=torch.float64)
        shapes, later, errors = [], [], []
        for period in PERIODS:
            weights = torch.linalg.lstsq(self.hands(times, period), values[:, None]).solution

            def fit(hours, period=period, weights=weights):
                return (self.hands(hours, period) @ weights)[:, 0]

            shapes.append(fit(torch.linspace(0, period, GRID, dtype=torch.float64)).numpy())
            later.append(fit(after).numpy())
            weeks = torch.linspace(0, measure.RECORD, 4001, dtype=torch.float64)
            errors.append(
                [
                    (fit(hours) - measure.rhythm(hours)).square().mean().sqrt().item()
                    for hours in (weeks, weeks + measure.RECORD)
                ]
            )
        self.times, self.measured = times.numpy(), values.numpy()
        self.shapes, self.later, self.errors = map(np.array, (shapes, later, errors))
        self.truth = measure.rhythm(after).numpy()
        data = Data(
            times=self.times,
            values=self.measured,
            shapes=self.shapes,
            later=self.later,
            truth=self.truth,
            errors=self.errors,
        )
        super().__init__(cursor, data=data, **traits)

    @staticmethod
    def hands(hours, period: float) -> torch.Tensor:
        """Return the code of some hours on the four hands, and a one."""
        wavelengths = period / torch.arange(1, HARMONICS + 1, dtype=torch.float64)
        return torch.cat([readers.code(hours, wavelengths).double(), torch.ones(len(hours), 1).double()], -1)

    def which(self) -> int:
        """Return the place of the chosen wavelength."""
        return PERIODS.index(self.at("period"))

    def describe(self) -> str:
        """Say the wavelength and the errors."""
        before, after = map(fixed, self.errors[self.which()])
        return f"period {self.at('period')} h: off by {before} in the recorded weeks, by {after} in those that follow"

    def numbers(self) -> dict:
        """Return the fit in the days that follow, and the errors."""
        return {"later": self.later[self.which()], "errors": self.errors[self.which()]}

    def said(self) -> dict[str, str]:
        """Say the errors."""
        before, after = map(fixed, self.errors[self.which()])
        return {"before": before, "after": after}
