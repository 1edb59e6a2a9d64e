"""One table of sinusoids from which JavaScript picks every width and several bases.

The pairs of width d and base 10^e turn by 10^(−2·e·i/d) rad a token. With D the largest width and E the largest power,
that is pair i · (e/E) · (D/d) of the one table for D and 10^E: choosing a width or a base is choosing a stride.
"""

import numpy as np

from pe_helpers.widgets.cursor import Cursor
from pe_helpers.widgets.data import Data


def codes(cursor: Cursor, finer: int = 1) -> Data:
    """Return the `Data` whose `codes` are PE(position) for every position and the largest d_model of `cursor`.

    It is made once a cursor and shared by all views that ask.

    Args:
        cursor: Whose positions and widths.
        finer: How many times the largest width the table has: 4 makes every base of 10, 100, 1,000, 10,000 a stride.
    """
    made = cursor.__dict__.setdefault("_codes", {})
    if finer not in made:
        made[finer] = Data(codes=encode(cursor.values("position"), finer * max(cursor.values("d_model"))))
    return made[finer]


def encode(positions, d_model: int, base: float = 10_000.0) -> np.ndarray:
    """Return the sinusoidal codes of `positions` in float64, (..., d_model) with sine and cosine alternating."""
    import torch

    from pe_helpers import sinusoidal

    return sinusoidal.table(torch.as_tensor(positions), d_model, base=float(base), dtype=torch.float64).numpy()
