"""A knob in a trained model: its heads' matrices times M_k, where they look then, and what the model answers."""

import numpy as np
import torch
import traitlets

from clockwork.kit import heads
from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.data import Data
from pe_helpers import sinusoidal

LENGTH = 24  # tokens of the text that is shown
TRAINED = 3  # tokens back
TURNS = tuple(range(-2, 18))  # tokens
CUTS = {"turning part": heads.turning_part, "all of W": lambda W: W}
HANDS = 4
LETTERS = "abcdefghijklmnop"


class Knob(View):
    """Turn the matrices of a trained model's first layer on by M_k, and see its sharpest head and its answers.

    Args:
        model: a trained model with a sinusoid, that answers *three back*.
        tokens: a text, (24,).
    """

    static = "knob"
    turned_on = Slider(0, TURNS, "turned on by k (tokens)")
    letter = Slider(LENGTH - 1, range(LENGTH), "letter (position)")
    cut = Slider("turning part", tuple(CUTS), "scores from")
    todo = "Turn the knob: drag its longest hand, the slider, or the arc."
    caption = (
        "Below each letter is what the model answers, right (green) or wrong. Left, where its sharpest head looks: a "
        "row for each letter that asks, framed for the one with the arc. Right, by how much the turning part turns "
        "hands 0 to 3, and faint, as it was trained. A hand is longer the more of the turning part it holds."
    )

    tokens = traitlets.List(help="The text.").tag(sync=True)

    def __init__(self, model, tokens, cursor=None, **keywords):
        tokens = torch.as_tensor(tokens)
        if tokens.shape != (LENGTH,):
            raise traitlets.TraitError(f"tokens must be one text of {LENGTH}, got shape {tuple(tokens.shape)}")
        matrices = heads.score_matrices(model)
        head = heads.sharpest(model, tokens[None])
        self.answers, self.maps = self.answered(model, matrices, head, tokens)
        part = heads.turning_part(matrices[head])
        turn = torch.complex(part[0::2, 0::2].diagonal(), part[0::2, 1::2].diagonal())
        self.angles = turn.angle()[:HANDS].numpy()
        self.lengths = (turn.abs() / turn.abs().square().sum().sqrt())[:HANDS].numpy()
        self.speeds = sinusoidal.inv_freq(matrices.shape[-1])[:HANDS].numpy()
        data = Data(answers=self.answers, maps=self.maps, hands=np.stack([self.angles, self.lengths, self.speeds]))
        super().__init__(cursor, data=data, tokens=tokens.tolist(), **keywords)

    @torch.no_grad()
    def answered(self, model, matrices, head: int, tokens) -> tuple[np.ndarray, np.ndarray]:
        """Return the answers (2, 20, 24) and the weights of the head (2, 20, 24, 24) for each cut and each turn."""
        answers = []
        maps = []
        for cut in CUTS.values():
            for by in TURNS:
                shift = sinusoidal.shift_matrix(by, matrices.shape[-1]).float()
                changed = heads.rescored(model, cut(matrices) @ shift)
                answers.append(changed(tokens).argmax(-1).numpy())
                maps.append(changed.trace(tokens).weights[0][head].numpy())
        shape = (len(CUTS), len(TURNS), LENGTH)
        return np.reshape(answers, shape), np.reshape(maps, (*shape, LENGTH))

    @property
    def back(self) -> int:
        """Return how many tokens back the turned heads should look."""
        return TRAINED + self.at("turned_on")

    def here(self) -> tuple[int, int]:
        """Return the places of the cut and of the turn in the tables."""
        return list(CUTS).index(self.at("cut")), TURNS.index(self.at("turned_on"))

    def right(self) -> int:
        """Return how many answers name the letter so many places back."""
        said = self.answers[self.here()]
        return int((said[self.back :] == np.array(self.tokens[: LENGTH - self.back])).sum())

    def numbers(self) -> dict:
        """Return how many answers are right, and where the framed letter looks, (24,)."""
        return {"right": self.right(), "weights": self.maps[self.here()][self.at("letter")]}

    def said(self) -> dict[str, str]:
        """Say how many answers are right."""
        return {"right": str(self.right())}

    def describe(self) -> str:
        """Say what is turned, by how much, how many answers are right, and what the framed letter's is."""
        letter = self.at("letter")
        named = LETTERS[self.answers[self.here()][letter]]
        return (
            f"{self.at('cut')}, turned on by {fixed(self.at('turned_on'), 0)}: {self.right()} of {LENGTH - self.back} "
            f"answers {self.back} back are right; at position {letter} it answers {named}"
        )
