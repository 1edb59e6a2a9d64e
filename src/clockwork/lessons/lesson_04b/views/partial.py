"""Four pairs of two words' numbers, of which the first ones turn: what the score owes to places, and what to words."""

import traitlets

from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View
from clockwork.lessons.lesson_04b.views.layouts import BASE, KEY, LAST, QUERY, WIDTH
from pe_helpers import rotary

PAIRS = WIDTH // 2


class Partial(View):
    """Draw a dial for each pair; `turning` says how many of them turn, the fast ones first, with four speeds."""

    static = "partial"
    position = Slider(6, range(LAST + 1), "both words (position of bit)")
    apart = Slider(2, range(1, 13), "dog alone (tokens after bit)")
    turning = Slider(2, range(PAIRS + 1), "pairs that turn")
    main = ("apart", "turning")
    todo = "Drag *dog* alone. Then let more of the pairs turn, or none."
    idea = "What turns asks *how far*. What stands still asks *which word*, from anywhere."
    caption = "Each dial: one pair of numbers of both words. The bars: what each pair adds to the score."
    query = traitlets.List(QUERY, read_only=True).tag(sync=True)
    key = traitlets.List(KEY, read_only=True).tag(sync=True)

    def numbers(self) -> dict:
        """Return what each pair adds to the score, and the score."""
        import torch

        words = torch.tensor([QUERY, KEY], dtype=torch.float64)
        turned = rotary.rotate(words, [self.position, self.position + self.apart], base=BASE)
        turned[:, 2 * self.turning :] = words[:, 2 * self.turning :]
        adds = (turned[0] * turned[1]).reshape(PAIRS, 2).sum(-1)
        return {"adds": adds.numpy(), "score": adds.sum().item()}

    def describe(self) -> str:
        """Say how many pairs turn, where the words stand, and the score."""
        where = f"bit at {self.position}, dog at {self.position + self.apart}"
        return f"{self.turning} of {PAIRS} pairs turn, {where}: score {fixed(self.numbers()['score'])}"
