"""A formula and a learned table side by side: what each says of a position, and what the table costs."""

import numpy as np

from clockwork.kit.widgets.base import Slider
from clockwork.kit.widgets.cursor import POSITIONS, Cursor
from clockwork.kit.widgets.data import Data
from clockwork.kit.widgets.guide import Step
from clockwork.kit.widgets.hands import Hands

WIDTHS = (8, 16, 32, 64)
LENGTHS = (16, 32, 64, 96, 128)
TOUR = (
    Step("Training reached row 20: both sides have a code.", position=20, rows=96, texts=32),
    Step("No training text came as far as row 60: it is noise.", position=60, rows=96, texts=32),
    Step("There is no row 110. The sinusoid has a code for it.", position=110, rows=96, texts=32),
    Step("More rows cost more numbers; 32 rows are trained, as before.", position=110, rows=128, texts=32),
)


class TwoTables(Hands):
    """Show the sinusoid beside a learned table that ends, and of which training has reached only some rows.

    A tour of four states comes with it.

    Args:
        cursor: Its `position` and `d_model` (up to 64) are followed. Without it the picture has its own.
    """

    static = "two_tables"
    needs = ("position", "d_model")

    rows = Slider(96, LENGTHS, "rows of the learned table")
    texts = Slider(32, LENGTHS, "longest training text (tokens)")
    caption = (
        "Left, the sinusoid: one column per hand, coloured by where it points. Right, a sketch of a learned table "
        "(random numbers, no model was trained for it): one column per number. Pale rows are as they were drawn, "
        "because no training text reached them. Below the last row there is nothing. Drag up or down to move the "
        "position."
    )

    def __init__(self, cursor=None, **settings):
        noise = np.random.default_rng(0).normal(size=(len(POSITIONS), WIDTHS[-1]))
        super().__init__(cursor, data=Data(noise=noise), **{"steps": TOUR} | settings)
        self.noise = noise

    def own_cursor(self, traits):
        """Return a cursor with the widths that are drawn."""
        start = {"position": traits.pop("position", 0), "d_model": Slider(traits.pop("d_model", 32), WIDTHS)}
        return Cursor(**start)

    def learned(self) -> int:
        """Return how many rows of the table training has reached."""
        return min(self.at("rows"), self.at("texts"))

    def row(self) -> str:
        """Say what the learned table has for the position."""
        position = self.at("position")
        if position >= self.at("rows"):
            return f"there is no row {position}: an IndexError"
        if position >= self.learned():
            return f"row {position} is as it was drawn: no text reached it"
        return f"row {position} has been trained"

    def numbers(self) -> dict:
        """Return the sinusoid's code of the position, and how many numbers are in the table and trained."""
        width = self.at("d_model")
        return {
            "code": self.codes(self.at("position")),
            "numbers": self.at("rows") * width,
            "trained": self.learned() * width,
        }

    def said(self):
        """Say how many numbers the table has."""
        return {"numbers": f"{self.numbers()['numbers']:,}"}

    def describe(self) -> str:
        """Say what either side has for the position."""
        setting = f"{self.at('rows')} rows, texts of up to {self.at('texts')} tokens"
        return f"position {self.at('position')}, d_model {self.at('d_model')}, {setting}: {self.row()}"
