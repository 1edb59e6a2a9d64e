"""Hands of a published head in a longer text, under six rules: which reach new angles, and how much each is slowed."""

from __future__ import annotations

import functools
import math

import torch
import traitlets
from torch import Tensor

from clockwork.kit.numbers import fixed
from clockwork.kit.plots import arcs
from clockwork.kit.widgets.base import Slider, View
from pe_helpers import rope_scaling, sinusoidal

METHODS = ("none", "interpolation", "NTK-aware", "YaRN", "Llama 3", "LongRoPE")
FACTORS = (1, 2, 4, 8, 16, 32)
HEAD_DIM = 96
TRAINED = 4096  # tokens
TURN = 2 * math.pi
NEW = 1 + 1e-6  # by more than rounding
# Phi-3.5-mini-instruct, found by search: how much slower each hand becomes up to 4,096 tokens, and beyond. As copied in
# sdpython/experimental-experiment, _doc/recipes/plot_exporter_recipes_c_phi35.py, commit 99037c8.
SHORT = (1.0, 1.02, 1.03, 1.03, 1.05, 1.05, 1.05, 1.05, 1.05, 1.07, 1.1, 1.11, 1.16, 1.16, 1.17, 1.29)
SHORT += (1.34, 1.68, 1.79, 1.82, 1.85, 1.88, 1.91, 1.94, 1.99, 2.02, 2.02, 2.02, 2.02, 2.02, 2.02, 2.03)
SHORT += (2.03, 2.03, 2.03, 2.03, 2.03, 2.03, 2.03, 2.03, 2.08, 2.09, 2.19, 2.22, 2.59, 2.73, 2.75, 2.84)
LONG = (1.08, 1.11, 1.14, 1.34, 1.59, 1.6, 1.62, 2.62, 3.23, 3.23, 4.79, 7.4, 7.7, 9.09, 12.2, 17.67)
LONG += (24.46, 28.57, 30.42, 30.84, 32.59, 32.93, 42.32, 44.96, 50.34, 50.45, 57.55, 57.93, 58.21, 60.14, 62.61, 62.62)
LONG += (62.71, 63.14, 63.14, 63.77, 63.93, 63.96, 63.97, 64.03, 64.07, 64.08, 64.12, 64.41, 64.48, 64.51, 64.53, 64.84)


def speeds(method: str, factor: int, *, head_dim: int = HEAD_DIM, trained_len: int = TRAINED) -> Tensor:
    """Return the speed of each hand in a text `factor` times as long as in training, in rad a token.

    Args:
        method: one of METHODS; LongRoPE's lists are those of the 48 hands of Phi-3.5-mini, and fit no other head.
        factor: length of the text, divided by that of training.
        head_dim: features of a head, two a hand.
        trained_len: tokens in the longest text of training.
    """
    lengths = {"factor": float(factor), "original_max_position_embeddings": trained_len}
    if method == "LongRoPE":
        lists = {"short_factor": SHORT, "long_factor": LONG}
        return rope_scaling.longrope(head_dim, **lists, seq_len=factor * trained_len, **lengths)[0]
    if method == "none" or factor == 1:
        return sinusoidal.inv_freq(head_dim)
    if method == "interpolation":
        return rope_scaling.interpolation(head_dim, factor=factor)
    if method == "NTK-aware":
        return rope_scaling.ntk_aware(head_dim, factor=factor)
    if method == "YaRN":
        return rope_scaling.yarn(head_dim, **lengths)[0]
    return rope_scaling.llama3(head_dim, base=10_000.0, **lengths)


@functools.cache
def every_speed() -> Tensor:
    """Return the speeds by method, factor and hand."""
    return torch.stack([torch.stack([speeds(method, factor) for factor in FACTORS]) for method in METHODS])


class Stretch(View):
    """The 48 hands of Phi-3.5-mini, trained on 4,096 tokens, in a text `factor` times as long, under one of six rules.

    The model sees no later tokens, so angles run one way. A hand that came round in training has met every angle; one
    that did not is at new angles where it turns further than in training. The lists of LongRoPE are the model's own;
    the other rules are what they would make of its hands.
    """

    static = "stretch"
    idea = (
        "All the rules but *none* slow the hands that never came round. They differ in the faster ones: interpolation "
        "slows these as much, Llama 3's rule leaves most of them alone."
    )
    caption = (
        "Dials: eight of the hands; grey are the angles of training, the band is how far the hand gets now, vermilion "
        "where that is new. Curves: how many times slower every hand is than in training (LongRoPE's: than in plain "
        "rotary encoding), by the chosen rule and, pale, by the others. Right of the dashed line are the hands that "
        "did not come round in training. Drag across the curves to choose a hand."
    )

    method = Slider("none", METHODS, "rule")
    factor = Slider(4, FACTORS, "text (trained lengths)")
    hand = Slider(36, range(HEAD_DIM // 2), "hand")
    speeds = traitlets.List(help="Of each hand, in rad a token, by method and factor.").tag(sync=True)
    trained_len = traitlets.Int(TRAINED, help="The longest text of training, in tokens.").tag(sync=True)

    def __init__(self, cursor=None, **traits):
        super().__init__(cursor, speeds=every_speed().tolist(), **traits)

    def now(self) -> Tensor:
        """Return the speeds of this state."""
        return every_speed()[METHODS.index(self.at("method")), FACTORS.index(self.at("factor"))]

    def angles(self) -> tuple[Tensor, Tensor]:
        """Return how far each hand turned in the longest text of training, and how far it turns in this one, in rad."""
        return TRAINED * every_speed()[0, 0], self.at("factor") * TRAINED * self.now()

    def new(self) -> Tensor:
        """Return which hands reach new angles."""
        met, reach = self.angles()
        return (met < TURN) & (reach > met * NEW)

    def describe(self) -> str:
        """Say how many hands reach new angles, and how much the chosen one was slowed."""
        met, reach = self.angles()
        hand = self.at("hand")
        slower = fixed((every_speed()[0, 0] / self.now())[hand].item())
        pace = "keeps its speed" if slower == fixed(1.0) else f"is {slower} times slower"
        return (
            f"rule {self.at('method')}, text of {self.at('factor')} trained lengths: {int(self.new().sum())} of "
            f"{HEAD_DIM // 2} hands reach new angles; hand {hand} {pace} and makes "
            f"{fixed(reach[hand].item() / TURN, 3)} turns, {fixed(met[hand].item() / TURN, 3)} in training"
        )

    def numbers(self) -> dict:
        """Return how many times slower each hand is, and how far the hands with dials reach, in rad."""
        return {"slower": every_speed()[0, 0] / self.now(), "reach": self.angles()[1][arcs.sampled(HEAD_DIM // 2)]}

    def said(self) -> dict[str, str]:
        """Say how many hands reach new angles."""
        return {"new": f"{int(self.new().sum())}"}
