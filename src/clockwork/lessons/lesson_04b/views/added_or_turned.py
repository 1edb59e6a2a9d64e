"""The same two words, with a code added and turned: what their angle and their score do as both move through a text."""

import math

import numpy as np
import traitlets

from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View
from pe_helpers import rotary, sinusoidal

WIDTH = 16  # d_model, which gives the hands their speeds
WORDS = {"bit": (1.2, 0.35), "dog": (0.3, 1.0)}  # a pair of each word's numbers: up, then to the right
LAST = 64  # the last position of the first word, in tokens


class AddedOrTurned(View):
    """Draw a pair of numbers of two words on two dials: on one a code is added to them, on the other they are turned.

    The second word is the key, `apart` tokens after the query. `hand` chooses the speed at which both dials turn.
    """

    static = "added_or_turned"
    position = Slider(5, range(LAST + 1), "both words (position of bit)")
    apart = Slider(2, range(1, 13), "dog alone (tokens after bit)")
    hand = Slider(1, range(4), "hand")
    main = ("position", "apart")
    todo = "Drag both words through the text. Then drag *dog* alone."
    idea = "Turned, two words that move together keep their angle, and so their score. Added, they keep neither."
    caption = (
        "Dashed: the word's own two numbers. Thin: the code that is added. Bold: what the score is made of. "
        "Below, the score wherever you have been."
    )
    words = traitlets.Dict(WORDS, read_only=True, help="Each word's two numbers.").tag(sync=True)

    def speed(self) -> float:
        """Return how far the chosen hand turns, in rad a token."""
        return sinusoidal.inv_freq(WIDTH)[self.hand].item()

    def pairs(self) -> dict[str, np.ndarray]:
        """Return the pairs of both words as they enter the score, (2, 2): with the code added, and turned."""
        import torch

        own = torch.tensor(list(WORDS.values()), dtype=torch.float64)
        places = [self.position, self.position + self.apart]
        angles = torch.tensor(places, dtype=torch.float64) * self.speed()
        codes = torch.stack([angles.cos(), angles.sin()], -1)
        turned = rotary.rotate(own, places, inv_freq=torch.tensor([self.speed()], dtype=torch.float64))
        return {"added": (own + codes).numpy(), "turned": turned.numpy()}

    def numbers(self) -> dict:
        """Return, for each dial, both pairs, their angle in rad, and their score; nothing before the guess."""
        if self.veiled:
            return {}
        pairs = self.pairs()
        return {
            "added": pairs["added"].ravel(),
            "turned": pairs["turned"].ravel(),
            "angles": [angle(*pairs[name]) for name in pairs],
            "scores": [two @ one for one, two in pairs.values()],
        }

    def describe(self) -> str:
        """Say where the words stand, and each dial's angle and score."""
        where = f"bit at {self.position}, dog at {self.position + self.apart}, hand {self.hand}"
        if self.veiled:
            return f"{where}: angles and scores are hidden until you have guessed"
        numbers = self.numbers()
        told = [
            f"{name}, {fixed(math.degrees(turn), 0)}° apart with score {fixed(score)}"
            for name, turn, score in zip(("added", "turned"), numbers["angles"], numbers["scores"], strict=True)
        ]
        return f"{where}: {'; '.join(told)}"


def angle(one, two) -> float:
    """Return the angle between two pairs, 0 to π."""
    return abs(math.atan2(one[0] * two[1] - one[1] * two[0], one @ two))
