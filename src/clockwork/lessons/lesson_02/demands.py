"""What comes of a code under the three demands: one rule, nothing wasted, bounded; and which positions it confuses."""

from typing import NamedTuple

import numpy as np

from clockwork.lessons.lesson_02.expression import codes_of

REACH = 500  # tokens, either way, in which the rule is fitted
FAR = 1_000_000  # tokens, either way, in which the code must not grow
SAMPLES = 400  # positions from REACH to FAR
ALIKE = 1e-9  # the relative size below which a number adds nothing new
NO_ERROR = 1e-6  # of a rule, as a share of the codes' size
GROWN = 1.001
MOST = 1e9  # a growth that is larger is told as this


class Trial(NamedTuple):
    """A code under the three demands.

    `codes` is (1001, numbers), for the positions −500 to 500. `miss` is the error of the best matrix, as a share of the
    codes' size; `rank` the number of dimensions that they span; `growth` how often as long the longest code is between
    500 and 1,000,000 tokens, backwards and forwards, as the longest within 500; `alike` the two positions from 0 to 500
    whose codes are nearest to each other, and how far apart these are.
    """

    codes: np.ndarray
    miss: float
    rank: int
    growth: tuple[float, float]
    alike: tuple[int, int, float]

    @property
    def met(self) -> tuple[bool, bool, bool]:
        """Whether each demand is met, as far as was looked."""
        return self.miss < NO_ERROR, self.rank == self.codes.shape[1], max(self.growth) < GROWN


def trial(text: str) -> Trial:
    """Return what comes of a code that a reader typed.

    Raises:
        ValueError: The text is no expression, or has no value at some position.
    """
    positions = np.arange(-REACH, REACH + 1)
    codes = codes_of(text, positions)
    missing = positions[~np.isfinite(codes).all(1)]
    if len(missing):
        raise ValueError(f"a code must have a value at each position, got none at {missing[abs(missing).argmin()]}")
    size = np.abs(codes).max()
    if size == 0:
        raise ValueError("a code must not be 0 everywhere")
    rank, miss = rule(codes / size)
    return Trial(codes, miss, rank, growth(text, codes), alike(codes[REACH:]))


def rule(codes: np.ndarray) -> tuple[int, float]:
    """Return how many dimensions the codes span, and by how much the best matrix from each to the next misses."""
    here, there = codes[:-1], codes[1:]
    sizes = np.linalg.norm(here, axis=0)
    here = here / np.where(sizes > 0, sizes, 1)
    matrix, _, rank, _ = np.linalg.lstsq(here, there, rcond=ALIKE)
    miss = np.linalg.norm(here @ matrix - there) / np.linalg.norm(there)
    return int(rank), float(max(miss, np.finfo(float).eps))  # rounding hides a smaller one


def growth(text: str, codes: np.ndarray) -> tuple[float, float]:
    """Return how often as long as within `REACH` the longest code is up to `FAR`, backwards and forwards."""
    far = np.round(REACH * (FAR / REACH) ** (np.arange(1, SAMPLES + 1) / SAMPLES))
    near = lengths(codes).max()
    found = [lengths(codes_of(text, way * far)).max() / near for way in (-1, 1)]
    back, on = (float(min(MOST, value)) if np.isfinite(value) else MOST for value in found)
    return back, on


def lengths(codes: np.ndarray) -> np.ndarray:
    """Return how long each code is, without overflow."""
    with np.errstate(all="ignore"):
        largest = np.abs(codes).max(1, keepdims=True)
        scaled = codes / np.where(largest > 0, largest, 1)
        return largest[:, 0] * np.linalg.norm(scaled, axis=1)


def alike(codes: np.ndarray) -> tuple[int, int, float]:
    """Return the two positions, counted from 0, whose codes are nearest to each other, and their distance."""
    apart = np.sqrt(sum(np.subtract.outer(column, column) ** 2 for column in codes.T))
    told = np.where(np.tri(len(codes), dtype=bool), np.inf, apart.round(9))  # what rounding alone tells apart is a tie
    first, second = np.unravel_index(told.argmin(), told.shape)
    return int(first), int(second), float(apart[first, second])
