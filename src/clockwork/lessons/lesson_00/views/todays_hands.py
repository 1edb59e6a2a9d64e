"""Where the clocks are today: the hands of three published models, and a text that grows past the length they know."""

import numpy as np
from matplotlib.figure import Figure

from clockwork.kit import configurations, plots
from clockwork.kit.plots import arcs
from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.data import Data
from clockwork.kit.widgets.hands import TURN

MODELS = ("GPT-NeoX-20B", "ModernBERT-base", "SmolLM3-3B")  # their hands turn at the speeds of training
LENGTHS = [round(2 ** (power / 4)) for power in range(28, 81)]  # tokens: 128 to 1,048,576
DIALS = 8
SLACK = 1 + 1e-9


class TodaysHands(View):
    """Draw eight hands of each of three models: the angles of training, and around them those of a text of any length.

    These hands turn queries and keys (rotary encoding, RoPE). Of each model we take the layers that see the whole text.
    """

    files = (*View.files, "hands", "arcs")
    static = "todays_hands"
    length = Slider(512, LENGTHS, "length of the text (tokens)")
    todo = "Make the text longer, past the length that each model was made for."
    caption = (
        "Eight hands of each model, from the fastest to the slowest. Shaded: the angles that a text of the model's own "
        "length shows, as its configuration names it. Band: the angles of the text that you set; vermilion: new ones."
    )

    def __init__(self, cursor=None, **keywords):
        found = [configurations.find(name) for name in MODELS]
        self.years = [model.year for model in found]
        self.trained = [model.reach(model.full) for model in found]
        self.speeds = [model.full.inv_freq[model.full.inv_freq > 0].numpy() for model in found]
        self.shown = [np.round(np.linspace(0, len(speeds) - 1, DIALS)).astype(int) for speeds in self.speeds]
        data = Data(
            years=np.array(self.years),
            trained=np.array(self.trained),
            count=np.array([len(speeds) for speeds in self.speeds]),
            shown=np.stack(self.shown),
            met=np.stack([self.swept(m, trained) for m, trained in enumerate(self.trained)]),
            swept=np.array([[self.swept(m, length) for length in LENGTHS] for m in range(len(MODELS))]),
            fresh=np.array([[self.fresh(m, length) for length in LENGTHS] for m in range(len(MODELS))]),
        )
        super().__init__(cursor, data=data, **keywords)

    def swept(self, m: int, length: int) -> np.ndarray:
        """Return how far the shown hands of model `m` turn in a text, (8,), in rad: a whole turn at most."""
        return np.minimum(length * self.speeds[m][self.shown[m]], TURN)

    def fresh(self, m: int, length: int) -> int:
        """Return how many of the hands of model `m` come to angles that no text of its own length shows."""
        speeds = self.speeds[m]
        return int(((self.trained[m] * speeds < TURN) & (length > self.trained[m] * SLACK)).sum())

    def numbers(self) -> dict:
        """Return how many hands of each model come to new angles, and how far the shown ones turn."""
        models = range(len(MODELS))
        return {
            "fresh": [self.fresh(m, self.length) for m in models],
            "swept": np.concatenate([self.swept(m, self.length) for m in models]),
        }

    def said(self):
        """Say how many hands of each model come to new angles."""
        return {f"fresh{m}": str(count) for m, count in enumerate(self.numbers()["fresh"])}

    def describe(self) -> str:
        """Say for each model how many of its hands come to new angles."""
        counts = [
            f"{self.fresh(m, self.length)} of {len(self.speeds[m])} hands of {name}" for m, name in enumerate(MODELS)
        ]
        return f"text of {self.length} tokens: {', '.join(counts)} come to angles that training did not show"

    def picture(self) -> Figure:
        """Draw a row of dials for each model."""
        fig, axes = plots.figure(rows=len(MODELS), cols=DIALS)
        fig.set_figheight(3.6)
        for m, (name, row) in enumerate(zip(MODELS, axes, strict=True)):
            colors = plots.hand_colors(len(self.speeds[m]))
            met = self.swept(m, self.trained[m])
            for ax, i, known, now in zip(row, self.shown[m], met, self.swept(m, self.length), strict=True):
                arcs.dial(ax, known, now, colors[i], both_ways=False)
            row[0].set_title(
                f"{name}, {self.trained[m]:,} tokens: new angles in {self.fresh(m, self.length)} of "
                f"{len(self.speeds[m])} hands",
                loc="left",
                fontsize=9.5,
            )
        return fig
