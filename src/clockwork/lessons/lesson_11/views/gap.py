"""A gap in a text: what a published model loses past its trained length, and which hands come further than ever."""

import numpy as np
import traitlets

from clockwork.kit import pretrained
from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.data import Data
from clockwork.lessons.lesson_11 import figures
from pe_helpers import rope_scaling

METHODS = tuple(figures.METHODS)
TURN = 2 * np.pi


class Gap(View):
    """Show the loss of SmolLM2-135M after a gap of so many tokens, and how far its slow hands come over the gap."""

    static = "gap"

    gap = Slider(0, pretrained.GAPS, "gap (tokens)")
    method = Slider(METHODS[0], METHODS, "method")
    names = traitlets.List(traitlets.Unicode(), help="The methods as the page calls them.").tag(sync=True)
    trained_len = traitlets.Int(help="The longest text of training.").tag(sync=True)
    caption = (
        "{Left}: the loss after the gap, compared with no text before it: below 0 that text helps, above 0 it harms. "
        "{Right}: a ring for each of the twelve hands that finish no turn in 8,192 tokens. Grey is how far 8,192 "
        "tokens take a hand, blue how far the gap does; what lies beyond the grey is vermilion. Drag sideways to "
        "open the gap."
    )

    def __init__(self, **traits):
        results = pretrained.results()
        inv_freq = np.array(results["inv_freq"])
        self.trained_len = results["trained_len"]
        slow = inv_freq * self.trained_len < TURN
        self.seen = inv_freq[slow] * self.trained_len / TURN
        speeds = np.stack([speeds_of(method, inv_freq, results)[slow] for method in METHODS])
        self.losses = np.array([[results["gaps"][method][text] for text in figures.TEXTS] for method in METHODS])
        self.alone = np.array([results["gaps"]["alone"][text] for text in figures.TEXTS])
        self.change = self.losses - self.alone[:, None]
        self.reach = np.array(results["gap_lengths"])[:, None, None] * speeds / TURN
        self.results = results
        names = [name for _, name in figures.METHODS.values()]
        data = Data(change=self.change, alone=self.alone, seen=self.seen, reach=self.reach)
        super().__init__(data=data, names=names, trained_len=self.trained_len, **traits)

    def now(self) -> tuple[int, int]:
        """Return the places of the gap and of the method."""
        return pretrained.GAPS.index(self.gap), METHODS.index(self.method)

    def beyond(self) -> int:
        """Count the hands that come further than in training."""
        gap, method = self.now()
        return int((self.reach[gap, method] > self.seen + 1e-9).sum())

    def describe(self) -> str:
        """Say the losses, and how many hands leave what training saw."""
        gap, method = self.now()
        losses = " and ".join(fixed(loss) for loss in self.losses[method, :, gap])
        changes = " and ".join(fixed(change) for change in self.change[method, :, gap])
        return (
            f"gap {self.gap}, method {self.method}: loss after the gap {losses}, a change of {changes} against no text "
            f"before it; {self.beyond()} of {len(self.seen)} slow hands come further than in 8,192 tokens"
        )

    def numbers(self) -> dict:
        """Return how the two losses change, and the turns of the slow hands."""
        gap, method = self.now()
        return {"change": self.change[method, :, gap], "reach": self.reach[gap, method]}

    def said(self):
        """Say the two losses."""
        gap, method = self.now()
        return {text: fixed(loss) for text, loss in zip(figures.TEXTS, self.losses[method, :, gap], strict=True)}


def speeds_of(method: str, inv_freq: np.ndarray, results: dict) -> np.ndarray:
    """Return the speeds of all hands under a method."""
    head = {"head_dim": 2 * len(inv_freq), "base": pretrained.BASE, "factor": results["factor"]}
    if method == "interpolation":
        return rope_scaling.interpolation(**head).numpy()
    if method == "ntk":
        return rope_scaling.ntk_aware(**head).numpy()
    if method == "yarn":
        return rope_scaling.yarn(**head, original_max_position_embeddings=results["trained_len"])[0].numpy()
    if method == "slow hands stopped":
        return np.where(inv_freq * results["trained_len"] < TURN, 0, inv_freq)
    return inv_freq
