"""A batch of two prompts: drag the pads of the shorter one, and count its tokens in the row and in its own text."""

import numpy as np
import torch
import traitlets

from clockwork.kit.widgets.base import Slider, View
from pe_helpers import positions

LONGER = ("we", "saw", "that", "the", "dog", "ran", "home")
SHORTER = ("the", "dog", "ran", "home")
PADS = len(LONGER) - len(SHORTER)


class Numbered(View):
    """Where the pads stand in the shorter of two prompts: which number has each token, counted in two ways?"""

    static = "numbered"
    before = Slider(0, range(len(SHORTER) + 1), "tokens before the pads")
    todo = "Drag the pads through the row. Which numbers change?"
    caption = (
        "Two prompts in one batch. A mask hides the pads. Below, two ways to number the tokens of the second prompt."
    )

    longer = traitlets.List(LONGER, help="The words of the first prompt.").tag(sync=True)
    shorter = traitlets.List(SHORTER, help="The words of the second prompt.").tag(sync=True)

    def mask(self) -> np.ndarray:
        """Return 1 for a token of the second prompt and 0 for a pad, (7,)."""
        behind = len(SHORTER) - self.before
        return np.array([1] * self.before + [0] * PADS + [1] * behind)

    def ids(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the numbers of the tokens, counted in the row and in the text, (4,) each."""
        mask = self.mask()
        in_text = positions.from_mask(torch.from_numpy(mask)[None])[0].numpy()
        return np.flatnonzero(mask), in_text[mask == 1]

    def describe(self) -> str:
        """Say where the pads stand, and the numbers of the tokens in both counts."""
        in_row, in_text = (", ".join(str(number) for number in ids) for ids in self.ids())
        return f"{PADS} pads behind {self.before} tokens: counted in the row {in_row}, counted in the text {in_text}"

    def numbers(self) -> dict:
        """Return the numbers of the tokens, (4,) each."""
        in_row, in_text = self.ids()
        return {"row": in_row, "text": in_text}
