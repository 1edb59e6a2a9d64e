"""The phases of all positions, one hand's wave through them, and one position's row of numbers."""

from clockwork.kit.widgets.cursor import USUAL
from clockwork.kit.widgets.hands import Hands


class Wave(Hands):
    """The table of codes as phases, the row of the position, and the wave of the chosen hand.

    Args:
        cursor: Its `position` and `d_model` are followed, and its `hand` or `base` if it has one.
    """

    static = "wave"
    needs = ("position", "d_model")

    hand = USUAL["hand"]()
    base = USUAL["base"]()
    caption = (
        "{Left}, all positions: one column per hand, coloured by where it points (pale 12, red 3, dark 6, blue 9 "
        "o'clock). Read down a column to follow one hand, its sine in blue and its cosine in orange. Read along a row "
        "for the code of one position."
    )

    def describe(self):
        """Say which wave is drawn and where it stands."""
        said = self.said()
        where = f"position {self.at('position')}, d_model {self.at('d_model')}, base {self.at('base')}"
        turn = f"hand {self.chosen()} turns once in {said['period']} tokens"
        return f"{where}: {turn} and stands at sin {said['sine']}, cos {said['cosine']}"

    def numbers(self):
        """Return the row of the position and the wave of the hand."""
        i = self.chosen()
        table = self.codes(self.cursor.values("position"))
        return {"row": self.codes(self.at("position")), "wave": table[:, 2 * i : 2 * i + 2]}
