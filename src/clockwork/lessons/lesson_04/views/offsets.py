"""Two positions k tokens apart: the hands of both turn together, and their score K(k) stays."""

from clockwork.kit.widgets.hands import Hands, fixed
from clockwork.lessons.lesson_04 import figures


class Offsets(Hands):
    """Show the hands of positions p and p + k, what they add to the score as arrows tip to tail, and K(k).

    The cursor needs the sliders `position`, `d_model` and `k`, the offset: `Cursor(position=5, k=5, d_model=16)`.
    """

    static = "offsets"
    needs = ("position", "k", "d_model")
    caption = (
        "Blue is the hand of position p, orange that of p + k. The number under a dial is the cosine of the angle "
        "between them: what this hand adds to the score. Moving p turns both hands and changes no angle. Moving k "
        "turns the arrows, one per hand, and walks along the curve. In orange, how far the arrows get: K(k)."
    )

    def numbers(self) -> dict:
        """Return the two codes' dot product, and what each drawn hand adds to it."""
        p = self.at("position")
        here, there = self.codes([p, p + self.at("k")])
        adds = (here * there).reshape(-1, 2).sum(-1)
        return {"score": adds.sum(), "adds": adds[figures.shown(self.at("d_model"))]}

    def said(self):
        """Say the score and the second position."""
        there = self.at("position") + self.at("k")
        return {"score": fixed(self.numbers()["score"]), "there": fixed(there, 0)}

    def describe(self) -> str:
        """Say the positions, the offset and the score."""
        p = self.at("position")
        k = self.at("k")
        score = fixed(self.numbers()["score"], 3)
        where = f"position {p}, offset {k}, d_model {self.at('d_model')}"
        text = f"{where}: the codes of {p} and {p + k} have the dot product {score}"
        return text.replace("offset -", "offset −").replace("and -", "and −")

    def picture(self):
        """Draw the same two positions with matplotlib."""
        return figures.picture(self.at("position"), self.at("k"), self.at("d_model"))
