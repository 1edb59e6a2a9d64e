"""Two positions k tokens apart: the hands of both turn together, and their dot product K(k) stays."""

from clockwork.kit.widgets.hands import Hands, fixed


class Offsets(Hands):
    """Show the hands of positions p and p + k, what they add to the dot product as arrows tip to tail, and K(k).

    The cursor needs the sliders `position`, `d_model` and `k`, the offset: `Cursor(position=5, k=5, d_model=16)`.
    """

    static = "offsets"
    needs = ("k", "position", "d_model")
    todo = "Take the ring at the last tip and pull it: k changes. Then drag a hand of the clock *here*: p changes."
    idea = "So the dot product of two codes does not know where they are: it depends on $k$ alone."
    caption = (
        "Each hand makes an arrow of length 1, turned by the angle between the two clocks' hands: it gets the cosine "
        "of that angle to the right. In orange, how far all arrows get together: the dot product, K(k)."
    )

    def numbers(self) -> dict:
        """Return the two codes' dot product, and what each hand adds to it."""
        p = self.at("position")
        here, there = self.codes([p, p + self.at("k")])
        adds = (here * there).reshape(-1, 2).sum(-1)
        return {"score": adds.sum(), "adds": adds}

    def said(self):
        """Say the dot product and the second position."""
        there = self.at("position") + self.at("k")
        return {"score": fixed(self.numbers()["score"]), "there": fixed(there, 0)}

    def describe(self) -> str:
        """Say the positions, the offset and the dot product."""
        p = self.at("position")
        k = self.at("k")
        score = fixed(self.numbers()["score"], 3)
        where = f"position {p}, offset {fixed(k, 0)}, d_model {self.at('d_model')}"
        return f"{where}: the codes of {p} and {fixed(p + k, 0)} have the dot product {score}"
