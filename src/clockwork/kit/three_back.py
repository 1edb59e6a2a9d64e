"""The models of lessons 02 to 04, learned from eight seeds: what those who look inside them share."""

import torch
from torch.nn import functional

from clockwork.kit import attention, naive_codes, tasks, training

SEEDS = range(8)
SETUP = {"steps": 250, "batch_size": 16, "learning_rate": 0.01}
LENGTH = 32  # tokens, in training


def random_rows():
    """Return an encoding that adds random rows as long as the sinusoid's."""
    rows = functional.normalize(torch.randn(LENGTH, 32, generator=torch.Generator().manual_seed(0)))
    return naive_codes.FixedCode(lambda position_ids, d_model: rows[position_ids], 4.0)


def made(encoding):
    """Return the untrained model with the encoding that a function makes."""
    return attention.Transformer(16, encoding(), d_model=32)


def learn(encoding):
    """Train the model with an encoding on *three back*."""
    return training.train(lambda: made(encoding), tasks.THREE_BACK, SEEDS, **SETUP)


def rounded(values) -> list[float]:
    """Return numbers with the digits that are recorded."""
    return [round(value, 4) for value in values.tolist()]
