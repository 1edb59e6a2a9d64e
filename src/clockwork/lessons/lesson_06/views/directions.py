"""How many directions the codes of a text take, how many random rows take, and how far off one matrix is for both."""

import numpy as np
import torch

from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.data import Data
from clockwork.lessons.lesson_06 import adding

POSITIONS = (32, 64, 128, 256, 512)
LEVEL = 0.999  # the share of the squared length that the counted directions hold
FLOOR = 1e-6  # the smallest share that is drawn


def shares_of(table: torch.Tensor) -> np.ndarray:
    """Return the share of a table's squared length that each direction holds, the largest first."""
    energy = torch.linalg.svdvals(table.double()).numpy() ** 2
    return energy / energy.sum()


class Directions(View):
    """Show the share of squared length in each direction, of codes and of random rows, for texts of five lengths.

    Beside it, one matrix treats the directions that hold 99.9% of the codes as one map does, and all others as another.

    Args:
        codes: those of 512 positions or more, (positions, d_model); a shorter text has the first of them.
        words: vectors that should go where the other map takes them, (num_words, d_model).
    """

    static = "directions"
    positions = Slider(POSITIONS[0], POSITIONS, "positions in the text")
    todo = "Drag to the right: make the text longer."
    idea = (
        "The longer the text, the more directions its codes take, and the less one matrix can do for both: at 512 "
        "positions words are off by 68%."
    )
    caption = (
        "The share of a table's squared length that each direction holds, on a logarithmic axis. Blue: the sinusoid. "
        "Grey: random rows. Dashed: how many directions hold 99.9%. The one matrix treats the codes' directions as "
        "$W_p$ does and all others as $W_x$ does; its errors are shares of the length that is wanted."
    )

    def __init__(self, codes, words, cursor=None, **traits):
        self.logs = np.full((len(POSITIONS), 2, codes.shape[1]), np.nan)
        self.needed = np.zeros((len(POSITIONS), 2), int)
        self.off = np.zeros((len(POSITIONS), 2))
        for i, count in enumerate(POSITIONS):
            drawn = torch.randn(count, codes.shape[1], generator=torch.Generator().manual_seed(count))
            for j, table in enumerate((codes[:count], drawn)):
                shares = shares_of(table)
                self.logs[i, j, : len(shares)] = np.log10(shares.clip(FLOOR))
                self.needed[i, j] = (shares.cumsum() < LEVEL).sum() + 1
            self.off[i] = adding.one_matrix(codes[:count], words, int(self.needed[i, 0]))
        super().__init__(cursor, data=Data(logs=self.logs, needed=self.needed, off=self.off), **traits)

    def place(self) -> int:
        """Return which of the texts is shown."""
        return POSITIONS.index(self.at("positions"))

    def numbers(self) -> dict:
        """Return the logarithms of the codes' shares and of the random rows', how many are needed, and both errors."""
        at = self.place()
        return {"logs": self.logs[at][np.isfinite(self.logs[at])], "needed": self.needed[at], "off": self.off[at]}

    def describe(self) -> str:
        """Say the length of the text, how many directions are needed, and both errors."""
        at = self.place()
        codes, drawn = self.needed[at]
        codes_off, words_off = self.off[at]
        return (
            f"{self.at('positions')} positions: {codes} directions hold 99.9% of the sinusoid, {drawn} of random rows; "
            f"with one matrix for both maps, codes are off by {codes_off:.0%}, words by {words_off:.0%}"
        )
