"""Small networks that read a number from its hands: one for each seed, trained together.

`code` writes the number down, `learn` trains eight networks on it, `Readers` are those networks.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import torch
from torch import nn
from torch.nn import functional

from clockwork.kit import datafiles

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Tensor

SEEDS = 8
HIDDEN = 64
HOURS = {  # the hands of the networks that predict a daily rhythm: how a reader is told of them, their recorded name
    "24 h": "24 h alone",
    "eight for words": "as for words",
    "eight for words, and 24 h": "as for words, and 24 h",
    "the five of them that came round, and 24 h": "24 h, and hands that came round",
    "the three that did not, and 24 h": "24 h, and hands that did not",
    "eight: 24 h, 12 h, 8 h … 3 h": "24 h and its parts",
}


def code(x, wavelengths) -> Float[Tensor, "... numbers"]:
    """Return the sine and cosine of each number for hands of these wavelengths.

    Args:
        x: numbers of any shape.
        wavelengths: of the hands, in the unit of `x`.

    Example:
        >>> code([0.0, 6.0, 24.0], [24.0])  # hours, on the hand of a day
        tensor([[ 0.0000e+00,  1.0000e+00],
                [ 1.0000e+00, -4.3711e-08],
                [ 1.7485e-07,  1.0000e+00]])
    """
    angles = math.tau * torch.as_tensor(x)[..., None] / torch.as_tensor(wavelengths)
    return torch.cat([angles.sin(), angles.cos()], -1).float()


class Readers(nn.Module):
    """Networks with two hidden layers, one for each seed, that differ in their first weights."""

    def __init__(self, inputs: int, outputs: int = 1):
        super().__init__()
        sizes = (inputs, HIDDEN, HIDDEN, outputs)
        draw = torch.Generator().manual_seed(0)
        weights = [
            (2 * torch.rand(SEEDS, before, after, generator=draw) - 1) / math.sqrt(before)
            for before, after in itertools.pairwise(sizes)
        ]
        self.weights = nn.ParameterList(weights)
        self.biases = nn.ParameterList(torch.zeros(SEEDS, 1, size) for size in sizes[1:])

    def forward(self, x: Float[Tensor, "seeds batch inputs"]) -> Float[Tensor, "seeds batch outputs"]:
        """Return each network's answers to its own inputs."""
        for layer, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            x = torch.baddbmm(bias, functional.silu(x) if layer else x, weight)
        return x


def learn(draw: Callable, *, steps: int, learning_rate: float, beside: Sequence[dict] = ()) -> Readers:
    """Train a network from each seed by AdamW, at a rate that falls to 0.

    Args:
        draw: returns a batch for each seed, what goes in `(seeds, batch, inputs)` and the wanted answers.
        steps: of training.
        learning_rate: at the beginning.
        beside: what is learned beside the networks, as groups of an optimizer's parameters.
    """
    inputs, wanted = draw()
    readers = Readers(inputs.shape[-1], wanted.shape[-1])
    optimizer = torch.optim.AdamW([{"params": readers.parameters()}, *beside], lr=learning_rate)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    for _ in range(steps):
        loss = (readers(inputs) - wanted).square().mean((1, 2)).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        inputs, wanted = draw()
    return readers.requires_grad_(False)


def recorded(part: str) -> dict:
    """Return one part of what `python -m clockwork.lessons.lesson_15.measure` recorded."""
    return datafiles.read_part("beyond_words.json", part)


def error(part: str, name: str, where: str | None = None) -> float:
    """Return a recorded error, the mean over eight seeds, at the better of its learning rates.

    Args:
        part: of the record.
        name: what went in.
        where: for parts with several errors, which one. The rate is the one with the smaller first error: of hours,
            that is the error on the recorded days.

    Example:
        >>> error("hours", "24 h alone", "days after") < 0.1
        True
    """
    if where is not None:
        return sum(chosen(part, name)[where]) / SEEDS
    return min(sum(found) / SEEDS for found in recorded(part)[name].values())


def chosen(part: str, name: str) -> dict:
    """Return what was recorded of networks at the rate with the smaller first error, for parts with several errors.

    Example:
        >>> list(chosen("coordinate", "with pi"))
        ['ends', 'elsewhere']
    """
    return min(recorded(part)[name].values(), key=lambda found: sum(next(iter(found.values()))))


def by_rate(part: str, name: str) -> dict[float, float]:
    """Return a recorded error at each learning rate, the mean over eight seeds, for parts with one error.

    Example:
        >>> list(by_rate("timestep", "1 waves, 0 to 1"))
        [0.003, 0.02]
    """
    return {float(rate): sum(found) / SEEDS for rate, found in recorded(part)[name].items()}


def better(part: str) -> dict:
    """Return what was recorded of models at the better of their learning rates.

    Example:
        >>> sorted(better("pictures/three_left"))
        ['looks', 'right']
    """
    return max(recorded(part).values(), key=lambda found: sum(found["right"]["as trained"]))


def share(part: str, name: str = "as trained") -> float:
    """Return a recorded share of right answers, the mean of eight models, at the better of their learning rates.

    Example:
        >>> share("boards/row, axial") > 0.9
        True
    """
    return sum(better(part)["right"][name]) / SEEDS
