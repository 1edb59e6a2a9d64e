"""The codes one would try first: a table of all places, and how far one place is from all others."""

import numpy as np

from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.cursor import Cursor
from clockwork.kit.widgets.hands import fixed

CODES = ("index", "index / length", "binary digits", "Gray code", "one-hot")
WIDTHS = (8, 16, 32)
LENGTHS = (16, 32, 64, 128)


class Places(View):
    """Show the codes of all places of a text, and the distances of one place's code to all others.

    Args:
        cursor: Its `position` and `d_model` are followed. Without it the picture has its own.
    """

    static = "places"
    needs = ("position", "d_model")
    main = ("position", "code", "d_model")

    code = Slider(CODES[0], CODES, "code")
    length = Slider(32, LENGTHS, "length of the text (tokens)")
    caption = (
        "{Left}, one row per position and one column per number (red above 0, blue below). {Right}, how far the code "
        "of the chosen position is from those of all others."
    )

    def own_cursor(self, traits):
        """Return a cursor whose widths suit the pictures."""
        start = {"position": traits.pop("position", 0), "d_model": Slider(traits.pop("d_model", 16), WIDTHS)}
        return Cursor(**start)

    def place(self) -> int:
        """Return the chosen place: the slider's, or the last that this text has."""
        return min(self.at("position"), self.at("length") - 1)

    def table(self) -> np.ndarray:
        """Return the codes of all places, (length, d_model)."""
        return table(self.at("code"), self.at("length"), self.at("d_model"))

    def distances(self) -> np.ndarray:
        """Return how far the chosen place's code is from the code of each place, (length,)."""
        codes = self.table()
        return np.linalg.norm(codes - codes[self.place()], axis=1)

    def describe(self) -> str:
        """Say where the place is and how far its neighbours are."""
        return (
            f"position {self.at('position')}, d_model {self.at('d_model')}, {self.at('code')}, length "
            f"{self.at('length')}: {self.neighbour()}"
        )

    def neighbour(self) -> str:
        """Say how far the next place is."""
        place = self.place()
        if place == self.at("length") - 1:
            return f"position {place} is the last"
        changed = int((np.diff(self.table()[place : place + 2], axis=0) != 0).sum())
        numbers = "number changes" if changed == 1 else "numbers change"
        return f"from {place} to {place + 1}, {changed} {numbers}, distance {fixed(self.distances()[place + 1])}"

    def numbers(self) -> dict:
        """Return the row of the place and its distances."""
        return {"row": self.table()[self.place()], "distances": self.distances()}


def table(code: str, length: int, d_model: int) -> np.ndarray:
    """Return the codes of all places, (length, d_model): numbers that a code does not need are 0."""
    places = np.arange(length)
    codes = np.zeros((length, d_model))
    if code == "one-hot":
        codes[places[:d_model], places[:d_model]] = 1
        return codes
    if code in ("binary digits", "Gray code"):
        counts = places ^ (places >> 1) if code == "Gray code" else places
        digits = int(length - 1).bit_length()  # as many as the text needs
        codes[:, :digits] = 2 * (counts[:, None] >> np.arange(digits) & 1) - 1
        return codes
    codes[:, 0] = places / (length - 1 if code == "index / length" else 1)
    return codes
