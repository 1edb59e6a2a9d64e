"""Check a positional encoding by the properties it must have, and say what is probably wrong when it lacks one.

The same functions serve the lessons, the tests and the assignments: each returns nothing when the property holds and
raises `CheckFailed` with a diagnosis when it does not. `exercise` turns such a function into the check of an exercise;
`exercises` holds those of the lessons.
"""

from pe_helpers.checks.answers import CheckFailed, NotAttempted, array, exercise, given, number
from pe_helpers.checks.properties import (
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
