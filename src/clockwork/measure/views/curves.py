"""Curves with their intervals over one axis, a place that is held, and marks on the axis."""

import numpy as np
import traitlets

from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import View
from clockwork.kit.widgets.data import Data
from clockwork.measure.views.chosen import sent, spread, with_slider


class Curves(View):
    """Show a curve for each name, and the numbers at the place that is held."""

    static = "curves"

    names = traitlets.List(traitlets.Unicode(), help="Of the curves.").tag(sync=True)
    xlabel = traitlets.Unicode(help="Below the axis.").tag(sync=True)
    ylabel = traitlets.Unicode(help="Above the axis.").tag(sync=True)
    places = traitlets.List(traitlets.Unicode(), help="What each place on the axis is called.").tag(sync=True)
    marks = traitlets.List(help="Lines across: where, and their words.").tag(sync=True)
    level = traitlets.List(help="Where a line lies along the axis, and its words; or nothing.").tag(sync=True)

    def describe(self) -> str:
        """Say every curve at the place that is held."""
        at = self.held - 1
        rows = ", ".join(f"{name} {fixed(self.mean[i, at])}" for i, name in enumerate(self.names))
        return f"{self.places[at]}: {rows}"

    def numbers(self) -> dict:
        """Return the numbers at the place that is held."""
        return {"held": self.mean[:, self.held - 1]}


def curves(rows: dict[str, list[dict]], at: list[float], places: list[str], *, label="", **words) -> Curves:
    """Return curves of means with intervals: by name, one mean for each place.

    Args:
        rows: by the name of each curve.
        at: where the places lie on the axis.
        places: what they are called.
        label: of the slider.
        words: `xlabel`, `ylabel`, `marks`, `level`, `todo`, `caption`.
    """
    ends = spread(list(rows.values()))
    made = with_slider(Curves, "held", range(1, len(at) + 1), label or "place")
    picture = made(
        data=Data(**ends, at=np.array(at, dtype=float)), names=list(rows), places=places, held=len(at), **words
    )
    picture.mean = sent(picture.data, "mean", ends["mean"])
    return picture
