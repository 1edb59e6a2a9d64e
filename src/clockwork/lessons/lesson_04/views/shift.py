"""A matrix between two clocks: what it makes of a position's hands, and what in it depends on the position."""

import numpy as np
import traitlets

from clockwork.kit.numbers import amount, fixed
from clockwork.kit.widgets.base import Slider
from clockwork.kit.widgets.hands import Hands
from pe_helpers import sinusoidal


class Shift(Hands):
    """Show the hands of position p, the matrix M_k, and the hands of p + k."""

    static = "shift"
    position = Slider(10, range(128), "position p (tokens)")
    k = Slider(3, range(-20, 21), "shift k (tokens)")
    d_model = Slider(8, (2, 4, 8, 16, 32), "d_model")
    todo = (
        "Drag a hand of the left clock: p moves. Then one of the right clock: k. Which of the two changes the matrix?"
    )
    idea = "So the matrix is made of $k$ and the speeds alone: there is no $p$ in it."
    caption = (
        "Left, the hands at position $p$; {in the middle} $M_k$, with a frame round the 2 × 2 block of each hand, in "
        "the hand's colour; right, the hands that $M_k$ makes of those on the left. White is 0, red above, blue "
        "below."
    )

    def matrix(self) -> np.ndarray:
        """Return M_k, (d_model, d_model)."""
        return sinusoidal.shift_matrix(self.k, self.d_model).numpy()

    def numbers(self) -> dict:
        """Return the matrix, and the hands that it makes, as sine and cosine for each."""
        return {"matrix": self.matrix().ravel(), "there": self.matrix() @ self.codes(self.position)}

    def said(self) -> dict[str, str]:
        """Say to which position the hands go."""
        return {"there": fixed(self.position + self.k, 0)}

    def describe(self) -> str:
        """Say where the hands come from and go to, and by how much hand 0 and the slowest are turned."""
        slowest = self.d_model // 2 - 1
        turns = f"hand 0 by {fixed(self.k)} rad"
        if slowest:
            turns += f", hand {slowest} by {amount(self.k * self.speeds()[-1])} rad"
        there = fixed(self.position + self.k, 0)
        k = fixed(self.k, 0)
        where = f"position {self.position}, k {k}, d_model {self.d_model}"
        return f"{where}: the matrix turns {turns}, and the hands of {self.position} become those of {there}"


class Riddle(Shift):
    """Show the hands of p and of p + k, and between them an empty frame: which matrix belongs there?"""

    covered = traitlets.Bool(True).tag(sync=True)
    main = ("position", "d_model")
    todo = "Drag a hand of the left clock: both clocks go on. Is there one matrix that fits into the frame all the way?"
    idea = ""
    caption = (
        "Left, the code of position $p$ as hands; right, the code of the position $k$ tokens on. Find the "
        "matrix that turns the left code into the right one."
    )

    def numbers(self) -> dict:
        """Return the hands of the later position, as sine and cosine for each."""
        return {"there": self.codes(self.position + self.k)}

    def describe(self) -> str:
        """Say whose hands are shown."""
        there = fixed(self.position + self.k, 0)
        where = f"position {self.position}, k {fixed(self.k, 0)}, d_model {self.d_model}"
        return f"{where}: the hands of {self.position}, an empty frame, and the hands of {there}"
