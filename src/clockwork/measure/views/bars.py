"""Rows of bars with their intervals, for one choice at a time, and a line for their control."""

import numpy as np
import traitlets

from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import View
from clockwork.kit.widgets.data import Data
from clockwork.measure.views.chosen import numbers, sent, spread, with_slider


class Bars(View):
    """Show one bar for each name: its mean, its interval, and the control beside it."""

    static = "bars"

    names = traitlets.List(traitlets.Unicode(), help="Of the rows.").tag(sync=True)
    hands = traitlets.Bool(help="Whether the rows are hands from the fastest to the slowest.").tag(sync=True)
    control_name = traitlets.Unicode(help="What the dashed line is.").tag(sync=True)

    def describe(self) -> str:
        """Say every row."""
        rows = ", ".join(f"{name} {fixed(value)}" for name, value in zip(self.names, self._shown(), strict=True))
        return f"{self.chosen}: {rows} nats"

    def numbers(self) -> dict:
        """Return the means that are drawn."""
        return {"mean": self._shown()}

    def _shown(self) -> np.ndarray:
        return self.mean[self.values("chosen").index(self.chosen)]


def bars(rows: dict[str, list[dict]], names: list[str], *, control=None, label="", **words) -> Bars:
    """Return bars of means with intervals: for each choice by name, one mean for each of `names`.

    Args:
        rows: by what the slider chooses.
        names: of the bars.
        control: its name, and one mean for each choice.
        label: of the slider.
        words: `todo`, `caption`, `hands`, as for every view.
    """
    ends = spread(list(rows.values()))
    name, values = control or ("", [{"mean": float("nan")}] * len(rows))
    made = with_slider(Bars, "chosen", list(rows), label or "choice")
    lines = numbers([one["mean"] for one in values])
    picture = made(
        data=Data(**ends, control=lines),
        names=names,
        control_name=name,
        chosen=list(rows)[-1],
        **words,
    )
    picture.mean = sent(picture.data, "mean", ends["mean"])
    return picture
