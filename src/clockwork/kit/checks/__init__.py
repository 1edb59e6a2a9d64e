"""Check the properties that a positional encoding must have, and say what is probably wrong if one is missing.

Lessons, tests and assignments use the same functions: each returns nothing if the property holds and raises
`CheckFailed` with a diagnosis if it does not. `exercise` turns such a function into the check of an exercise;
`exercises` holds those of the lessons.
"""

from clockwork.kit.checks.exercises import CheckFailed, NotAttempted, array, exercise, given, number
from clockwork.kit.checks.properties import (
    batch_axis,
    distinct,
    dtype_and_device,
    norm,
    offset_only,
    origin,
    pairs,
    rotation,
    shuffle,
)

__all__ = [
    "CheckFailed",
    "NotAttempted",
    "array",
    "batch_axis",
    "distinct",
    "dtype_and_device",
    "exercise",
    "given",
    "norm",
    "number",
    "offset_only",
    "origin",
    "pairs",
    "rotation",
    "shuffle",
]
