"""Draw it, then see it: the reader sketches a curve, then the true one appears and the gap is named."""

import numpy as np
import traitlets
from traitlets import TraitError

from clockwork.kit import plots
from clockwork.kit.numbers import say
from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.data import Data
from clockwork.kit.widgets.words import inline

STEPS = 80  # heights that a point can take


class Sketch(View):
    """Ask for a curve, drawn by mouse or finger or set point by point, and show the true one over it.

    `Sketch(k, kernel(k, 16), ask="Draw K(k).", ylim=(-2, 8), xlabel="offset k (tokens)", ylabel="K(k)")`.

    Args:
        x: Where the true curve is known, increasing.
        y: The true curve.
        ask: What to draw.
        because: One or two sentences that are shown with the true curve.
        ylim: The least and the largest height that can be drawn.
        xlabel: Name of the axis with its unit.
        ylabel: Name of the height with its unit.
        points: How many points the reader sets.

    Raises:
        TraitError: The curve does not lie within `ylim`, or `x` does not increase.
    """

    static = "sketch"
    caption = "Your curve first, then the true one."

    ask = traitlets.Unicode().tag(sync=True)
    because = traitlets.Unicode().tag(sync=True)
    xlabel = traitlets.Unicode().tag(sync=True)
    ylabel = traitlets.Unicode().tag(sync=True)
    limits = traitlets.List(help="The least and the largest height.").tag(sync=True)
    points = traitlets.List(help="Where the points stand.").tag(sync=True)
    drawn = traitlets.Bool(False, help="Whether the reader has moved a point.").tag(sync=True)
    shown = traitlets.Bool(False, help="Whether the true curve is shown.").tag(sync=True)

    def __init__(self, x, y, *, ask: str, ylim, because: str = "", points: int = 9, **traits):
        self.x = np.asarray(x, float)
        self.y = np.asarray(y, float)
        low, high = map(float, ylim)
        if not (low <= self.y.min() and self.y.max() <= high):
            raise TraitError(f"ylim must hold the curve (it will be shown), got {tuple(ylim)}")
        if not (np.diff(self.x) > 0).all():
            raise TraitError(f"x must increase (the points stand along it), got {x!r}")
        places = [float(f"{place:.6g}") for place in np.linspace(self.x[0], self.x[-1], points)]
        heights = [float(f"{height:.6g}") for height in np.linspace(low, high, STEPS + 1)]
        middle = heights[STEPS // 2]
        name = traits.get("ylabel") or "height"
        sliders = {f"point_{n}": Slider(middle, heights, f"{name} at {place:g}") for n, place in enumerate(places)}
        self.add_traits(**sliders)
        super().__init__(
            data=Data(x=self.x, y=self.y),
            ask=inline(ask),
            because=inline(because),
            limits=[low, high],
            points=places,
            **traits,
        )

    def sketched(self) -> np.ndarray:
        """Return the heights of the reader's points."""
        return np.array([getattr(self, f"point_{n}") for n in range(len(self.points))])

    def gap(self) -> np.ndarray:
        """Return how far the reader's curve lies above the true one at each x."""
        return np.interp(self.x, self.points, self.sketched()) - self.y

    def describe(self):
        """Say what was drawn, or how far it is from the truth."""
        if not self.shown:
            pairs = zip(self.sketched(), self.points, strict=True)
            return "Your curve: " + ", ".join(f"{say(height)} at {say(place)}" for height, place in pairs)
        gap = self.gap()
        worst = int(np.abs(gap).argmax())
        told = f"Your curve is off by {np.abs(gap).mean():.2f} on average, most at {say(self.x[worst], 2)}: "
        told += f"you drew {self.y[worst] + gap[worst]:.2f}, it is {self.y[worst]:.2f}."
        return told.replace("-", "−")

    def numbers(self):
        """Return the reader's points and the mean distance from the truth."""
        return {"sketch": self.sketched(), "mean": np.abs(self.gap()).mean()}

    def _repr_mimebundle_(self, **keywords):
        live, metadata = super()._repr_mimebundle_(**keywords)
        folded = ""
        if not self.shown:
            fig, ax = plots.figure()
            ax.plot(self.x, self.y, color=plots.INK)
            ax.set(ylim=self.limits, xlabel=self.xlabel, ylabel=self.ylabel)
            curve = ", ".join(f"{say(height)} at {say(place)}" for place, height in self._few())
            truth, _ = plots.bundle(
                plots.png(fig), alt=f"The true curve: {curve}", caption="The true curve.", width=690
            )
            folded = truth["text/html"]
        answer = f"<details><summary>Draw first, then open</summary>{folded}<p>{self.because}</p></details>"
        live["text/html"] = f"<p><strong>{self.ask}</strong></p>" + live["text/html"] + answer
        return live, metadata

    def _few(self) -> list[tuple[float, float]]:
        """Return the true curve at the reader's points."""
        return list(zip(self.points, np.interp(self.points, self.x, self.y), strict=True))
