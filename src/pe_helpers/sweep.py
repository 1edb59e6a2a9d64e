"""The results of the sweep: every encoding trained on every task, at several initial scales, with several seeds.

`python3 course.py sweep` makes them (tools/sweep.py); data/README.md describes the file.
"""

from __future__ import annotations

import json
import math

import torch

from pe_helpers import training
from pe_helpers.datafiles import data_file

DATA = data_file("sweep.json")
STEPS = {"three_back": 400, "who_came_first": 250, "next_byte": 200}  # of training, for each task


def find(task: str, scheme: str, table_std: float | None = None, *, embedding_std: float = 1.0) -> dict:
    """Return the result of one configuration.

    Args:
        task: the name of a task, as in `STEPS`.
        scheme: the encoding, with ", causal" or ", symmetric" where that is not its default.
        table_std: the standard deviation that a learned table was drawn at; None for the other encodings.
        embedding_std: the standard deviation that the token vectors were drawn at.

    Returns:
        `lengths` (tokens) and, for each seed and length `(num_seeds, num_lengths)`, `accuracy`, `beyond` (accuracy at
        positions that training never reached) and `loss`; and the set-up of the run.

    Raises:
        ValueError: if the sweep has no such configuration.
    """
    wanted = {"task": task, "scheme": scheme, "table_std": table_std, "embedding_std": embedding_std}
    for result in json.loads(DATA.read_text())["runs"]:
        if wanted.items() <= result["config"].items():
            return result | {name: _tensor(result[name]) for name in training.Score._fields}
    raise ValueError(f"{DATA.name} must hold the configuration asked for, got {wanted}")


def _tensor(rows: list[list[float | None]]) -> torch.Tensor:
    return torch.tensor([[math.nan if value is None else value for value in row] for row in rows])
