"""A knob in a trained model: its heads' matrices times M_k, where they look then, and what the model answers."""

import numpy as np
import torch
import traitlets

from clockwork.kit import heads
from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.data import Data
from pe_helpers import sinusoidal

SHORTEST = 24  # tokens of the text that is shown, so that every distance has an answer
LONGEST = 64
TRAINED = 3  # tokens back
TURNS = tuple(range(-2, 18))  # tokens
CUTS = {"turning part": heads.turning_part, "all of W": lambda W: W}
HANDS = 4
LETTERS = "abcdefghijklmnop"
MICRO = 1_000_000  # scores travel as whole numbers, so that weights can be made of them


def clock(part) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return by how much a turning part turns hands 0 to 3 (rad), its share in each (root), and their speeds.

    Args:
        part: the turning part of one head, (d_model, d_model).
    """
    turn = torch.complex(part[0::2, 0::2].diagonal(), part[0::2, 1::2].diagonal())[:HANDS]
    lengths = turn.abs() / (part.square().sum() / 2).sqrt()
    return turn.angle().numpy(), lengths.numpy(), sinusoidal.inv_freq(len(part))[:HANDS].numpy()


class Knob(View):
    """Turn the matrices of a trained model's first layer further by M_k, and see its sharpest head and its answers.

    Args:
        model: a trained model with a sinusoid, that answers *three back*.
        tokens: one text of 24 to 64 tokens.
    """

    static = "knob"
    turned_on = Slider(0, TURNS, "turned further by k (tokens)")
    todo = "Turn the knob: drag its longest hand, or the slider. Then let all of $W$ score."
    caption = (
        "The text is a row of squares: a full green one is answered right, a low orange one wrong. The arc goes from a "
        "letter that asks to the key that its sharpest head weighs most, the tick is where it should look. {Left}, "
        "all its weights. {Right}, by how much the turning part turns hands 0 to 3, and faint, before you turn it."
    )

    tokens = traitlets.List(help="The text.").tag(sync=True)

    def __init__(self, model, tokens, cursor=None, **keywords):
        tokens = torch.as_tensor(tokens)
        if tokens.ndim != 1 or not SHORTEST <= len(tokens) <= LONGEST:
            raise traitlets.TraitError(
                f"tokens must be one text of {SHORTEST} to {LONGEST} tokens, got shape {tuple(tokens.shape)}"
            )
        self.add_traits(
            letter=Slider(len(tokens) - 1, range(len(tokens)), "letter that asks (position)"),
            cut=Slider("turning part", tuple(CUTS), "scores from"),
        )
        matrices = heads.score_matrices(model)
        head = heads.sharpest(model, tokens[None])
        self.answers = self.answered(model, matrices, tokens)
        self.scores = self.scored(matrices, head, len(tokens))
        self.angles, self.lengths, self.speeds = clock(heads.turning_part(matrices[head]))
        data = Data(
            answers=self.answers,
            scores=np.rint(MICRO * self.scores).astype(int),
            hands=np.stack([self.angles, self.lengths, self.speeds]),
        )
        super().__init__(cursor, data=data, tokens=tokens.tolist(), **keywords)

    @torch.no_grad()
    def answered(self, model, matrices, tokens) -> np.ndarray:
        """Return the answers by cut and turn, (2, 20, seq_len)."""
        answers = []
        for cut in CUTS.values():
            for by in TURNS:
                shift = sinusoidal.shift_matrix(by, matrices.shape[-1]).float()
                answers.append(heads.rescored(model, cut(matrices) @ shift)(tokens).argmax(-1).numpy())
        return np.reshape(answers, (len(CUTS), len(TURNS), len(tokens)))

    def scored(self, matrices, head: int, count: int) -> np.ndarray:
        """Return the head's scores by cut, (2, seq_len, seq_len + 19): turned by k, key q scores as key q + k."""
        width = matrices.shape[-1]
        codes = sinusoidal.table(count + len(TURNS) - 1, width, dtype=torch.float64)
        keys = codes @ sinusoidal.shift_matrix(TURNS[0], width).T  # from position -2 on
        return np.stack([(codes[:count] @ cut(matrices)[head].double() @ keys.T).numpy() for cut in CUTS.values()])

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
        return int((said[self.back :] == np.array(self.tokens[: len(self.tokens) - self.back])).sum())

    def weights(self) -> np.ndarray:
        """Return the weights of the letter that asks, (seq_len,)."""
        cut, turn = self.here()
        scores = self.scores[cut, self.at("letter"), turn : turn + len(self.tokens)]
        return torch.from_numpy(scores).softmax(0).numpy()

    def numbers(self) -> dict:
        """Return how many answers are right, and where the framed letter looks, (seq_len,)."""
        return {"right": self.right(), "weights": self.weights()}

    def said(self) -> dict[str, str]:
        """Say how many answers are right."""
        return {"right": str(self.right())}

    def describe(self) -> str:
        """Say what is turned, by how much, how many answers are right, and where the letter that asks looks."""
        letter = self.at("letter")
        named = LETTERS[self.answers[self.here()][letter]]
        key = int(self.weights().argmax())
        return (
            f"{self.at('cut')}, turned further by {fixed(self.at('turned_on'), 0)}: {self.right()} of "
            f"{len(self.tokens) - self.back} answers {self.back} back are right; position {letter} looks most at "
            f"{key}, {LETTERS[self.tokens[key]]}, and answers {named}"
        )
