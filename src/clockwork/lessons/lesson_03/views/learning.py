"""Training step by step: what a probe reads of every speed, how right the answers are, and what the block adds."""

import numpy as np

from clockwork.kit import datafiles
from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.data import Data

STEPS = range(0, 251, 10)
AWAY = ("nothing", "what differs", "what all texts share")
COMBS = dict(zip(AWAY, ("share_read", "without what differs", "without the mean"), strict=True))
AT_1 = dict(zip(AWAY, ("1 rad", "1 rad, without what differs", "1 rad, without the mean"), strict=True))
LENGTHS = ("length of the mean", "length by words")
LONGEST = 34  # the length of a full bar


class Learning(View):
    """Scrub through the training of models, and take away a part of what their first block adds.

    The record is `data/clock_while_training.json`: eight seeds, three of them with all speeds.
    """

    static = "learning"
    step = Slider(0, STEPS, "training step", play=True)
    away = Slider("nothing", AWAY, "take away, of what the block adds")
    todo = "Drag through training, from step 0 to 250. Then go back, take a part away, and drag again."
    caption = (
        "Above, the share that a probe reads after the first block, over the speed it is asked for: three models, and "
        "dots for all eight at 1 rad. The bars are the hands of the code. Below, means of the eight models."
    )

    def __init__(self, cursor=None, **traits):
        record = datafiles.read("clock_while_training.json")
        frames = record["frames"]
        self.speeds = np.array(record["speeds"])
        self.combs = np.array([[frame[name] for frame in frames] for name in COMBS.values()])
        self.read = np.array([[frame[name] for frame in frames] for name in AT_1.values()])
        self.right = np.mean([frame["right"] for frame in frames], 1)
        self.lengths = np.array([[np.mean(frame[name]) for name in LENGTHS] for frame in frames])
        data = Data(speeds=self.speeds, combs=self.combs, read=self.read, right=self.right, lengths=self.lengths)
        super().__init__(cursor, data=data, **traits)

    def place(self) -> tuple[int, int]:
        """Return which part is away and which frame is shown."""
        return AWAY.index(self.at("away")), STEPS.index(self.at("step"))

    def numbers(self) -> dict:
        """Return the combs (3, speeds), the shares at 1 rad (8,), the share of right answers and both bars."""
        away, frame = self.place()
        return {
            "combs": self.combs[away, frame],
            "read": self.read[away, frame],
            "right": [self.right[frame]],
            "bars": self.lengths[frame] / LONGEST,
        }

    def said(self) -> dict[str, str]:
        """Say the mean share at 1 rad, the share of right answers and the lengths."""
        away, frame = self.place()
        same, differs = self.lengths[frame]
        return {
            "read": fixed(self.read[away, frame].mean()),
            "right": fixed(self.right[frame]),
            "same": fixed(same, 1),
            "differs": fixed(differs, 1),
        }

    def describe(self) -> str:
        """Say the step, what is taken away, the answers and what is read."""
        said = self.said()
        return (
            f"step {self.at('step')}, {self.at('away')} taken away: {said['right']} of the answers right, "
            f"{said['read']} of hand 0 read; the block adds {said['same']} that all texts share and "
            f"{said['differs']} that differs"
        )
