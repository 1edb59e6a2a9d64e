"""Record at which positions models get *3 back* right with the first codes.

`python -m clockwork.lessons.lesson_01.accuracy_by_position` writes data/accuracy_by_position.json.

It trains the models of `data/naive_codes.json` once more (*3 back*, 400 steps, eight seeds) and tests them in texts of
48 tokens, of which training showed 32. Lesson 01 draws the result, `data/accuracy_by_position.json`: about three
CPU-minutes.
"""

from __future__ import annotations

import json
import platform

import torch

from clockwork.kit import datafiles, tasks, train_sweep, training

DATA = datafiles.CHECKOUT / "accuracy_by_position.json"
CODES = {  # the factor by which each code is multiplied
    "index": 1.0,
    "index_over_length": 31.0,
    "binary": 1.0,
    "gray": 1.0,
    "one_hot": 4.0,
    "sinusoid": 1.0,
}
LENGTH = 48  # tokens


def main() -> None:
    """Train the models of each code and write the share of right answers at each position."""
    torch.set_num_threads(1)
    runs = [
        train_sweep.Config("three_back", scheme, steps=train_sweep.STEPS["three_back"], gain=gain)
        for scheme, gain in CODES.items()
    ]
    by_position = {config.scheme: measured(config) for config in runs}
    about = {
        "command": "python -m clockwork.lessons.lesson_01.accuracy_by_position",
        "python": platform.python_version(),
    }
    about |= {"torch": torch.__version__, "gains": CODES, "length": LENGTH, "first_position": 3}
    DATA.write_text(json.dumps(about | {"by_position": by_position}) + "\n", encoding="utf-8")


def measured(config: train_sweep.Config) -> list[list[float]]:
    """Return, for each seed, the share of right answers at the positions from 3 on."""
    trained = training.train(
        config.model,
        tasks.THREE_BACK,
        config.seeds,
        steps=config.steps,
        batch_size=config.batch_size,
        learning_rate=config.learning_rate,
    )
    tokens, targets = tasks.k_back(400, LENGTH, generator=torch.Generator().manual_seed(0))
    right = trained(tokens).argmax(-1) == targets
    shares = right[..., 3:].float().mean(1)
    return [[round(share, 4) for share in row] for row in shares.tolist()]


if __name__ == "__main__":
    main()
