"""The results of trained models that a lesson compares but does not train itself.

`python3 course.py sweep` makes them (clockwork/kit/train_sweep.py); data/README.md describes the files.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from clockwork.kit import datafiles, training

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Tensor

TUNED_SEEDS = 12  # of each configuration in the grid "tuning"
STEPS = {"three_back": 400, "who_came_first": 250, "next_byte": 200}  # of training, for each task


def find(
    task: str,
    scheme: str,
    table_std: float | None = None,
    *,
    grid: str = "sweep",
    embedding_std: float = 1.0,
    learning_rate: float = 0.005,
    gain: float = 1.0,
    steps: int | None = None,
) -> dict:
    """Return the result of one configuration.

    Args:
        task: the name of a task, as in `STEPS`.
        scheme: the encoding, with ", causal" or ", symmetric" where that is not its default.
        table_std: the standard deviation that a learned table was drawn at; None for the other encodings.
        grid: "sweep" (every encoding), "naive_codes" (lesson 01) or "tuning" (lesson 05).
        embedding_std: the standard deviation that the token vectors were drawn at.
        learning_rate: AdamW's.
        gain: the factor by which a fixed code was multiplied.
        steps: of training; None for the task's usual number, `STEPS`.

    Returns:
        `lengths` (tokens) and, for each seed and length `(num_seeds, num_lengths)`, `accuracy`, `beyond` (accuracy at
        positions that training never reached) and `loss`; and the set-up of the run.

    Raises:
        ValueError: if the grid has no such configuration.

    Example:
        >>> from clockwork.kit import sweep
        >>> result = sweep.find("three_back", "sinusoid")
        >>> result["lengths"]
        [16, 32, 33, 48, 64, 96, 128]
        >>> result["accuracy"].shape  # eight seeds, seven lengths
        torch.Size([8, 7])
    """
    wanted = {"task": task, "scheme": scheme, "table_std": table_std, "embedding_std": embedding_std}
    wanted |= {"learning_rate": learning_rate, "gain": gain, "steps": steps or STEPS[task]}
    for result in datafiles.read(f"{grid}.json")["runs"]:
        if wanted.items() <= result["config"].items():
            return result | {name: _tensor(result[name]) for name in training.Score._fields}
    raise ValueError(f"{grid}.json must hold the configuration asked for, got {wanted}")


def tiles(
    task: str,
    scheme: str,
    scales: Sequence[float],
    rates: Sequence[float],
    seq_len: int,
    *,
    steps: int | None = None,
) -> Float[Tensor, "scales rates num_seeds"]:
    """Return the accuracies of the grid "tuning", NaN where nothing was recorded.

    Args:
        task: "three_back" or "who_came_first".
        scheme: "learned" or "random table", whose scale is the standard deviation that they were drawn at; "sinusoid",
            "trained sinusoid" or "index", whose scale is a factor.
        scales: of the code.
        rates: learning rates.
        seq_len: length of the test sequences (tokens).
        steps: of training; None for the task's usual number, `STEPS`.

    Example:
        >>> tiles("three_back", "learned", (0.02, 1.0), (0.005, 0.01), 32).shape
        torch.Size([2, 2, 12])
    """
    name = "table_std" if scheme in ("learned", "random table") else "gain"
    wanted = task, scheme, steps or STEPS[task]
    found = torch.full((len(scales), len(rates), TUNED_SEEDS), math.nan)
    for result in datafiles.read("tuning.json")["runs"]:
        config = result["config"]
        place = config[name], config["learning_rate"]
        if (config["task"], config["scheme"], config["steps"]) == wanted and place[0] in scales and place[1] in rates:
            accuracy = torch.tensor(result["accuracy"])[:, result["lengths"].index(seq_len)]
            found[list(scales).index(place[0]), list(rates).index(place[1])] = accuracy
    return found


def _tensor(rows: list[list[float | None]]) -> torch.Tensor:
    return torch.tensor([[math.nan if value is None else value for value in row] for row in rows])
