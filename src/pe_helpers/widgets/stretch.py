"""A stretched context: which hands leave the range that training saw, and what each method does about it."""

from __future__ import annotations

import math

import torch
import traitlets

from pe_helpers import rope_scaling, sinusoidal
from pe_helpers.plots import contexts
from pe_helpers.widgets.base import Slider, View

METHODS = ("none", "interpolation", "ntk", "yarn")
FACTORS = range(1, 9)


class Stretch(View):
    """Every hand of a rotary head at the end of a context, `factor` times as long as the one trained on.

    A hand that went all the way round in training has seen every angle. A slower one has not, and leaves what training
    saw when the context grows, unless the method slows it down. What slowing costs is the smaller step between
    neighbours. `hand` is the one of which the turns are written out: at first the fastest that went not once round.

    Args:
        trained_len: The longest context of training, in tokens.
        head_dim: Width of a head, two features a hand.
    """

    static = "stretch"
    caption = (
        "Left: how far each hand has turned at the end of the context, in training (blue) and now; a hand that leaves "
        "what training saw is vermilion. Right: its step between neighbours, relative to training. Drag sideways to "
        "choose a hand, and its dot up to stretch the context."
    )

    method = Slider("none", METHODS, "method")
    factor = Slider(1, FACTORS, "context (trained lengths)")
    trained_len = traitlets.Int(help="The longest context of training, in tokens.").tag(sync=True)
    speeds = traitlets.List(help="Of each hand, in rad a token, by method and factor.").tag(sync=True)

    def __init__(self, trained_len: int = 2048, head_dim: int = 64, **traits):
        rows = [[speed(head_dim, m, f, trained_len) for f in FACTORS] for m in METHODS]
        speeds = torch.stack([torch.stack(row) for row in rows])
        lengths = torch.tensor([f * trained_len for f in FACTORS])
        self.seen = torch.log10((trained_len - 1) * speeds[0, 0] / (2 * math.pi))
        self.reach = torch.log10((lengths - 1)[:, None] * speeds / (2 * math.pi))
        self.step = speeds / speeds[0, 0]
        self.outside = (self.seen < 0) & (self.reach > self.seen + 1e-3)
        first = min(int((self.seen >= 0).sum()), len(self.seen) - 1)
        self.add_traits(hand=Slider(first, range(len(self.seen)), "hand"))
        super().__init__(trained_len=trained_len, speeds=speeds.tolist(), **traits)

    def _now(self) -> tuple[int, int]:
        return METHODS.index(self.at("method")), FACTORS.index(self.at("factor"))

    def describe(self) -> str:
        """Say how many hands leave the trained range, what became of the smallest step, and how far the hand turns."""
        outside = self.outside[self._now()]
        step = self.step[self._now()]
        hand = self.at("hand")
        turns = [three(10 ** log.item()) for log in (self.reach[self._now()][hand], self.seen[hand])]
        return (
            f"method {self.at('method')}, context {self.at('factor')} times the trained length: "
            f"{outside.sum().item()} of {len(outside)} hands leave the range that training saw; "
            f"the fastest hand's step is {100 * step[0].item():.1f}% of the trained one, "
            f"the slowest's {100 * step[-1].item():.1f}%; hand {hand} turns {turns[0]} times, {turns[1]} in training"
        )

    def numbers(self) -> dict:
        """Return how far each hand has turned (log10 of turns) and its step relative to training."""
        return {"reach": self.reach[self._now()], "step": self.step[self._now()]}

    def picture(self):
        """Draw both panels for this state."""
        now = self._now()
        title = f"method {self.at('method')}, {self.at('factor')} × {self.trained_len} tokens"
        parts = (self.seen, self.reach[now], self.outside[now], self.step[now])
        return contexts.stretched(*parts, hand=self.at("hand"), title=title)


def speed(head_dim: int, method: str, factor: int, trained_len: int) -> torch.Tensor:
    """Return the speed of each hand, (head_dim/2,), in rad a token."""
    if method == "none" or factor == 1:
        return sinusoidal.inv_freq(head_dim)
    if method == "interpolation":
        return rope_scaling.interpolation(head_dim, factor=factor)
    if method == "ntk":
        return rope_scaling.ntk_aware(head_dim, factor=factor)
    return rope_scaling.yarn(head_dim, factor=factor, original_max_position_embeddings=trained_len)[0]


def three(value: float) -> str:
    """Return a number with three digits."""
    return f"{float(f'{value:.3g}'):g}"
