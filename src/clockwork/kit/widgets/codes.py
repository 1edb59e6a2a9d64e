"""Codes in float64, for views that compute with them in Python."""

import numpy as np


def encode(positions, d_model: int, base: float = 10_000.0) -> np.ndarray:
    """Return the sinusoidal codes of `positions` in float64, (..., d_model) with sine and cosine alternating."""
    import torch

    from pe_helpers import sinusoidal

    return sinusoidal.table(torch.as_tensor(positions), d_model, base=float(base), dtype=torch.float64).numpy()
