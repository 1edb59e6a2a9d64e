"""What the pictures have in common: a slider whose values are those of one model, and numbers that may be missing."""

import numpy as np

from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.data import Data


def with_slider(kind: type[View], name: str, values: list | range, label: str) -> type[View]:
    """Return a kind of picture with one slider more, over these values."""
    slider = Slider(values[0], values, label)
    return type(kind.__name__, (kind,), {name: slider, "__module__": kind.__module__, "main": (name,)})


def numbers(rows) -> np.ndarray:
    """Return numbers as an array; what is missing is not a number."""
    return np.array(rows, dtype=float)


def spread(rows: list[list[dict]]) -> dict[str, np.ndarray]:
    """Return means and the ends of their intervals as arrays; where there is no interval, the mean thrice."""
    ends = {}
    for key in ("mean", "low", "high"):
        ends[key] = numbers([[one["mean"] if one[key] is None else one[key] for one in row] for row in rows])
    return ends


def sent(data: Data, name: str, array: np.ndarray) -> np.ndarray:
    """Return an array as JavaScript has it: rounded to what 16 bits hold, so that both say the same digits."""
    scale = data.header[name]["scale"]
    return np.rint(array / scale) * scale
