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
NAMES = [name for _, name in figures.METHODS.values()]
TURN = 2 * np.pi
# The model's first training, before its base and its length were raised: config_smollm2_135M.yaml in
# github.com/huggingface/smollm (text/pretraining/smollm2).
FIRST_LEN = 2_048  # tokens
FIRST_BASE = 10_000.0


class Gap(View):
    """Show the loss of SmolLM2-135M after a gap of so many tokens, and how far its slowest twelve hands come."""

    static = "gap"

    gap = Slider(0, pretrained.GAPS, "gap (tokens)")
    method = Slider(METHODS[0], METHODS, "method", names=NAMES)
    text = Slider("Alice", tuple(figures.TEXTS.values()), "text")
    main = ("gap", "method")
    names = traitlets.List(traitlets.Unicode(), help="The methods as the page calls them.").tag(sync=True)
    trained_len = traitlets.Int(help="The longest text of training.").tag(sync=True)
    todo = "Open the gap: drag to the right. Then try another method."
    caption = (
        "{Left}: the loss after the gap. 0 is the model as trained, without the text before the gap. Small dots: more "
        "gaps, as trained; the bump at 8,000 is narrow. {Right}: a ring for each of the slowest twelve hands. "
        "Grey: how far it came in training: in 8,192 tokens, or in an earlier training on "
        "2,048 with base 10,000. Blue: how far the gap takes it. "
        "Vermilion: angles that it never met. Interpolation slows all hands; NTK-aware and YaRN mostly the "
        "slowest (lesson 08)."
    )

    def __init__(self, **traits):
        results = pretrained.results()
        inv_freq = np.array(results["inv_freq"])
        self.trained_len = results["trained_len"]
        slow = inv_freq * self.trained_len < TURN
        self.seen = seen_in_training(inv_freq, self.trained_len)[slow]
        speeds = np.stack([speeds_of(method, inv_freq, results)[slow] for method in METHODS])
        self.losses = np.array([[results["gaps"][method][text] for text in figures.TEXTS] for method in METHODS])
        self.alone = np.array([results["gaps"]["alone"][text] for text in figures.TEXTS])
        self.change = self.losses - self.alone[:, None]
        self.reach = np.array(results["gap_lengths"])[:, None, None] * speeds / TURN
        self.results = results
        between = results["gaps_between"]
        self.more = np.array([[rise for rise, _ in between[text]] for text in figures.TEXTS])  # as trained
        more_gaps = np.array(between["gaps"], dtype=float)
        data = Data(
            change=self.change, alone=self.alone, seen=self.seen, reach=self.reach, more=self.more, more_gaps=more_gaps
        )
        super().__init__(data=data, names=NAMES, trained_len=self.trained_len, **traits)

    def now(self) -> tuple[int, int, int]:
        """Return the places of the method, of the text and of the gap."""
        return METHODS.index(self.method), self.values("text").index(self.text), pretrained.GAPS.index(self.gap)

    def beyond(self) -> int:
        """Count the hands that reach angles which training never did."""
        method, _, gap = self.now()
        return int(((self.seen < 1) & (self.reach[gap, method] > self.seen + 1e-9)).sum())

    def describe(self) -> str:
        """Say the loss, and how many hands leave what training saw."""
        method, _, _ = self.now()
        return (
            f"gap {self.gap}, method {NAMES[method]}, {self.text}: "
            f"loss after the gap {fixed(self.losses[self.now()])}, "
            f"a change of {fixed(self.change[self.now()])} against the second half alone; "
            f"{self.beyond()} of {len(self.seen)} hands beyond training"
        )

    def numbers(self) -> dict:
        """Return how the loss changes, and the turns of the slowest twelve hands."""
        method, _, gap = self.now()
        return {"change": [self.change[self.now()]], "reach": self.reach[gap, method]}

    def said(self):
        """Say the loss."""
        return {"loss": fixed(self.losses[self.now()])}


def seen_in_training(inv_freq: np.ndarray, trained_len: int) -> np.ndarray:
    """Return the turns that each hand made at most in one of the two trainings; one turn is all angles."""
    before = FIRST_LEN * FIRST_BASE ** (-np.arange(len(inv_freq)) / len(inv_freq))
    return np.minimum(np.maximum(before, inv_freq * trained_len) / TURN, 1)


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
