"""One list of demands, as five lamps beside a code: `static/lamps.js` computes the same in a page."""

import math
from typing import NamedTuple

import numpy as np

from clockwork.kit.machine import plain

NAMES = (
    "the same in every text",
    "different for each place",
    "one rule for every step",
    "bounded",
    "loud enough, not too loud",
)
APART = 0.1  # the least distance of two codes that counts as different; the numbers of a token are about 1
NO_ERROR = 1e-6  # of a rule, as a share of how much the codes vary
ALIKE = 1e-9  # the relative size below which a number adds nothing new
LATE = 300_000  # from here on a code must not grow any more …
GROWN = 1.05  # … than by this factor
QUIET, LOUD = 0.15, 8.0  # how long codes may be in any text, as a share of the tokens' own length
TOKEN = math.sqrt(plain.WIDTH)  # the length of a token's vector
QUERY = math.sqrt(plain.HEAD_DIM / 2)  # the length of the query 1, 0, 1, 0, …


NAMED = {"code": "code", "rotate": "turn"}


class Lamp(NamedTuple):
    """One demand: its name, whether the code meets it, the numbers that decide, and a few words that say why."""

    name: str
    met: bool
    numbers: tuple[float, ...]
    tells: str


def lamps(found: dict, name: str = "code") -> list[Lamp]:
    """Return the five lamps of a code, or of what "rotate" makes of a query, from what `plain.codes` found.

    Example:
        >>> [lamp.met for lamp in lamps(plain.codes(lambda p: [p]))]
        [True, True, True, False, False]
    """
    near = np.array(found["near"], dtype=float)
    moved = found["moved"]
    first, second, apart = alike(near)
    miss = missed(near)
    before, after = grown(np.linalg.norm(near, axis=1), found["far"])
    quiet, loud = loudness(near, TOKEN if name == "code" else QUERY)
    alone = f"places {first} and {second} are {said(apart)} apart"
    return [
        Lamp(NAMES[0], not moved, (), moved or f"the {NAMED[name]} knows the position alone"),
        Lamp(NAMES[1], apart >= APART, (first, second, apart), f"closest: {alone}" if apart >= APART else alone),
        Lamp(
            NAMES[2],
            miss < NO_ERROR,
            (miss,),
            "one matrix makes every step" if miss < NO_ERROR else f"the best matrix misses by {100 * miss:.0f}%",
        ),
        Lamp(NAMES[3], after <= GROWN * before, (before, after), bound(before, after)),
        Lamp(NAMES[4], quiet >= QUIET and loud <= LOUD, (quiet, loud), volume(quiet, loud, name)),
    ]


def alike(codes: np.ndarray) -> tuple[int, int, float]:
    """Return the two positions whose codes are nearest to each other, and their distance."""
    apart = np.sqrt(sum(np.subtract.outer(column, column) ** 2 for column in codes.T))
    told = np.where(np.tri(len(codes), dtype=bool), np.inf, apart.round(9))  # what rounding alone tells apart is a tie
    first, second = np.unravel_index(told.argmin(), told.shape)
    return int(first), int(second), float(apart[first, second])


def missed(codes: np.ndarray) -> float:
    """Return by how much the best matrix, with a constant, misses the next code, as a share of how codes vary."""
    here = np.column_stack([codes[:-1], np.ones(len(codes) - 1)])
    there = codes[1:]
    sizes = np.linalg.norm(here, axis=0)
    here = here / np.where(sizes > 0, sizes, 1)
    matrix = np.linalg.lstsq(here, there, rcond=ALIKE)[0]
    vary = np.linalg.norm(there - there.mean(0))
    return float(max(np.linalg.norm(here @ matrix - there) / vary, np.finfo(float).eps)) if vary > 0 else 0.0


def grown(near: np.ndarray, far: list[float]) -> tuple[float, float]:
    """Return how long the longest code is before `LATE` and after it."""
    late = [position > LATE for position in plain.far_positions()]
    before = max([*near, *(length for length, after in zip(far, late, strict=True) if not after)])
    return float(before), float(max(length for length, after in zip(far, late, strict=True) if after))


def loudness(codes: np.ndarray, own: float = TOKEN) -> tuple[float, float]:
    """Return how long the codes of the quietest and of the loudest text are, as a share of a word's own length."""
    squares = (codes**2).sum(1)
    starts = range(0, len(codes) - plain.TEXT + 1, plain.TEXT)
    shares = [math.sqrt(squares[start : start + plain.TEXT].mean()) / own for start in starts]
    return min(shares), max(shares)


def bound(before: float, after: float) -> str:
    """Say whether codes grow."""
    if after <= GROWN * before:
        return f"never longer than {said(max(before, after))}"
    return f"grows: {said(after)} long at a million"


def volume(quiet: float, loud: float, name: str = "code") -> str:
    """Say how long codes are beside the tokens that they are added to, or turned words beside what they were."""
    if name == "rotate":
        kept = abs(quiet - 1) < NO_ERROR and abs(loud - 1) < NO_ERROR
        return "turned words keep their length" if kept else f"{said(loud)} as long as before"
    if quiet < QUIET:
        return f"{said(quiet)} as long as the words: drowned"
    if loud > LOUD:
        return f"{said(loud)} times as long as the words"
    return f"{said(loud)} as long as the words"


def said(value: float) -> str:
    """Return a number with three digits that count, as a page writes it."""
    if value == 0 or value >= 1e15:
        return "0" if value == 0 else "beyond count"
    if value >= 100:
        return f"{value:,.0f}"
    text = f"{value:.{max(0, 2 - math.floor(math.log10(value)))}f}" if value >= 1e-6 else f"{value:.0e}"
    return text.rstrip("0").rstrip(".") if "." in text else text
