"""A head's matrix, averaged over more and more starting points: what is left of it."""

import numpy as np
import torch

from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.data import Data
from pe_helpers import sinusoidal

COUNTS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)
FARTHEST = 1_000_000  # tokens
CORNER = 4  # numbers of hands 0 and 1


def averages(matrix) -> np.ndarray:
    """Return the mean of M_tᵀ W M_t over the first 1, 2, 4, … of 4,096 starting points, (13, d_model, d_model).

    Args:
        matrix: W of a head, (d_model, d_model). The first starting point is 0, the others are drawn below a million.
    """
    matrix = np.asarray(matrix, float)
    starts = np.random.default_rng(0).integers(0, FARTHEST, COUNTS[-1])
    starts[0] = 0
    angles = torch.from_numpy(starts)[:, None] * sinusoidal.inv_freq(len(matrix))
    shifts = torch.stack([angles.cos(), angles.sin(), -angles.sin(), angles.cos()], -1).unflatten(-1, (2, 2))
    blocks = torch.from_numpy(matrix).reshape(angles.shape[1], 2, angles.shape[1], 2)
    total = torch.zeros_like(blocks)
    means = []
    for first, last in zip((0, *COUNTS), COUNTS, strict=False):
        turned = torch.einsum("tiab,iajc->tibjc", shifts[first:last], blocks)
        total += torch.einsum("tibjc,tjcd->ibjd", turned, shifts[first:last])
        means.append((total / last).reshape(matrix.shape).numpy())
    return np.stack(means)


class Average(View):
    """Average what a head's matrix makes of two codes over more and more starting points of a text.

    Args:
        matrix: W of a head, (d_model, d_model).
    """

    static = "average"
    count = Slider(1, COUNTS, "starting points")
    todo = "Add starting points with the slider. What stays?"
    caption = (
        "{Left}, $W$ averaged over all these starting points: red is above 0, blue below, and what has paled is near "
        "0. {Right}, its upper left corner in numbers: how hands 0 and 1 of the query meet those of the key. "
        "Outside the blocks two different hands meet."
    )

    def __init__(self, matrix, cursor=None, **traits):
        self.means = averages(matrix)
        blocks = np.kron(np.eye(self.means.shape[1] // 2), np.ones((2, 2))) > 0
        lengths = np.linalg.norm(self.means[:, ~blocks], axis=1)
        self.outside = lengths / (lengths[0] or 1)
        super().__init__(cursor, data=Data(means=self.means, outside=self.outside), **traits)

    def mean(self) -> np.ndarray:
        """Return the average at the slider, (d_model, d_model)."""
        return self.means[COUNTS.index(self.at("count"))]

    def describe(self) -> str:
        """Say over how many starting points, the block of hand 0, and what is left outside the blocks."""
        block = ", ".join(fixed(number) for number in self.mean()[:2, :2].ravel())
        left = fixed(self.numbers()["outside"])
        return f"starting points {self.at('count')}: the block of hand 0 is {block}; {left} is left outside the blocks"

    def numbers(self) -> dict:
        """Return the corner, (16,), and how much is left of what was outside the blocks."""
        outside = self.outside[COUNTS.index(self.at("count"))]
        return {"corner": self.mean()[:CORNER, :CORNER].ravel(), "outside": outside}
