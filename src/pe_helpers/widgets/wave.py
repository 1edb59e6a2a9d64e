"""The table as a heat map, one position's row of it, and one pair's wave through all positions."""

import numpy as np
import traitlets
from matplotlib.figure import Figure

from pe_helpers import plots
from pe_helpers.widgets.base import Slider, View
from pe_helpers.widgets.codes import codes, encode
from pe_helpers.widgets.cursor import Cursor

BASES = (10, 100, 1_000, 10_000)


class Wave(View):
    """The heat map for a width and a base, the row of the position, and the wave of the chosen pair."""

    static = "wave"
    needs = ("position", "d_model")
    caption = "One row of the table is a position's code, one pair of columns is a wave through all positions."

    base = Slider(10_000, BASES, "base")
    pair = Slider(6, range(256), "pair")
    periods = traitlets.List(help="Tokens a turn of the table's pairs, six digits.").tag(sync=True)

    def __init__(self, cursor: Cursor, **traits):
        pairs = len(BASES) * max(cursor.values("d_model")) // 2
        periods = [float(f"{2 * np.pi * BASES[-1] ** (i / pairs):.6g}") for i in range(pairs)]
        super().__init__(cursor, data=codes(cursor, len(BASES)), periods=periods, **traits)

    def chosen(self) -> int:
        """Return the pair whose wave is drawn: the chosen one, or the slowest that this width has."""
        return min(self.pair, self.at("d_model") // 2 - 1)

    def table(self) -> np.ndarray:
        """Return the codes of all positions, (positions, d_model)."""
        return encode(self.cursor.values("position"), self.at("d_model"), self.base)

    def describe(self):
        """Say which wave is drawn and where it stands."""
        position, width, i = self.at("position"), self.at("d_model"), self.chosen()
        sine, cosine = encode(position, width, self.base)[2 * i : 2 * i + 2]
        period = 2 * np.pi * self.base ** (2 * i / width)
        turn = f"pair {i} turns once in {period:.1f} tokens and stands at sin {sine:.2f}, cos {cosine:.2f}"
        return f"position {position}, d_model {width}, base {self.base}: {turn}".replace("-", "−")

    def numbers(self):
        """Return the row of the position and the wave of the pair."""
        i = self.chosen()
        return {
            "row": encode(self.at("position"), self.at("d_model"), self.base),
            "wave": self.table()[:, 2 * i : 2 * i + 2],
        }

    def picture(self) -> Figure:
        """Draw the heat map with its row and column marked, and the wave."""
        position, i = self.at("position"), self.chosen()
        fig, (left, right) = plots.figure(cols=2)
        plots.heat_map(left, self.table(), xlabel="dimension", ylabel="position (tokens)", label="value", limit=1)
        left.axhline(position, color="black", linewidth=1)
        left.set_title(f"d_model {self.at('d_model')}, base {self.base}")
        for column, (color, name) in enumerate([(plots.SIN, "sin"), (plots.COS, "cos")]):
            (line,) = right.plot(self.cursor.values("position"), self.table()[:, 2 * i + column], color=color)
            plots.label_line(right, line, name)
        right.axvline(position, color=plots.GREY, linewidth=1)
        right.set(xlabel="position (tokens)", ylabel="value", ylim=(-1.1, 1.1), title=f"pair {i}")
        return fig
