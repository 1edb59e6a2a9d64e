"""Check the exercises of lesson 05: what a table costs, a start that is loud enough, how sure three seeds can be."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from pe_helpers import sinusoidal
from pe_helpers.checks.answers import CheckFailed, array, close, exercise, function, number

ROWS = 2048
WIDTH = 1024
SEEN = 512  # positions that occur in training


@exercise
def size(attempt: object) -> str:
    """Check (numbers in the table, numbers never trained, first position without a row) of a 2,048 × 1,024 table."""
    total, asleep, first = (int(value) for value in array(attempt, (3,), name="the three numbers").tolist())
    if (total, asleep, first) == (ROWS * WIDTH, (ROWS - SEEN) * WIDTH, ROWS):
        return f"{total:,} numbers, {asleep:,} of them as they were drawn, and no row for position {first}"
    if first == ROWS + 1:
        raise CheckFailed(f"positions count from 0, so {ROWS} rows end at position {ROWS - 1}")
    if first == SEEN:
        raise CheckFailed(f"position {SEEN} has a row, only an untrained one: no error says so; where do the rows end?")
    if total != ROWS * WIDTH:
        raise CheckFailed(
            f"the table has one row a position and d_model numbers a row, {ROWS} × {WIDTH}, got {total:,}"
        )
    if asleep == SEEN * WIDTH:
        raise CheckFailed("these are the numbers that are trained; the others never get a gradient")
    if asleep == ROWS - SEEN:
        raise CheckFailed(f"so many rows are never trained; each has {WIDTH} numbers")
    if asleep == 0:
        raise CheckFailed(f"only the rows of positions 0 … {SEEN - 1} are ever looked up, the others get no gradient")
    raise CheckFailed(
        f"of {ROWS} rows, {SEEN} are looked up in training; got {asleep:,} untrained, first error at {first}"
    )


@exercise
def start(attempt: Callable[[int, int], Tensor]) -> str:
    """Check a function that draws a table whose rows are, on average, as long as the sinusoid's codes."""
    function(attempt, "initial_table(max_len, d_model)")
    for max_len, d_model in ((300, 8), (300, 64), (200, 512)):
        table = array(attempt(max_len, d_model), (max_len, d_model), name=f"initial_table({max_len}, {d_model})")
        if close(table, sinusoidal.table(max_len, d_model, dtype=torch.float64), 1e-4):
            raise CheckFailed("this is the sinusoid itself; a learned table starts without knowing the answer")
        norm = table.norm(dim=-1).square().mean().sqrt().item()
        wanted = math.sqrt(d_model / 2)
        if norm == 0:
            raise CheckFailed("all rows are 0: every position starts with the same code")
        if (table - table[0]).norm(dim=-1).max() < 1e-6 * norm:
            raise CheckFailed("each row has the same code: draw max_len rows, not one that is repeated")
        for other, diagnosis in (
            (math.sqrt(d_model), "std 1 gives rows of length √d: √2 times too long"),
            (0.02 * math.sqrt(d_model), "std .02 is the quiet start that loses: rows 35 times too short"),
            (1.0, "rows of length 1, whatever d_model is; the sinusoid's grow with √d"),
            (d_model / 2, "d/2 is the square of the length: take its root"),
        ):
            if abs(norm / other - 1) < 0.07 and abs(other / wanted - 1) > 0.2:
                raise CheckFailed(f"at d_model = {d_model}: {diagnosis}")
        if abs(norm / wanted - 1) > 0.07:
            raise CheckFailed(
                f"at d_model = {d_model} rows have length {norm:.3f}, the sinusoid's {wanted:.3f} = √(d/2)"
            )
    return "your rows are as long as the sinusoid's at d_model 8, 64 and 512: a start that can be compared"


@exercise
def p_value(attempt: Callable[[Sequence[float], Sequence[float]], float]) -> str:
    """Check an exact permutation test: how often relabelled results differ as much as the two groups do."""
    function(attempt, "p_value(a, b)")
    apart = ([0.2, 0.3, 0.4], [0.9, 0.95, 1.0])
    mixed = ([0.2, 0.9, 0.5, 0.4], [0.3, 0.8, 1.0])
    first = number(attempt(*apart), name="p_value of two groups that do not overlap")
    if close(first, 1 / 20):
        raise CheckFailed(
            "you count one direction only, or leave out the split that was seen: a difference either way counts"
        )
    if first == 0:
        raise CheckFailed(
            "the split that was seen is one of the 20: count splits with at least this difference (≥, not >)"
        )
    for a, b in (apart, apart[::-1], mixed, ([0.5, 0.5], [0.5, 0.5])):
        found = number(attempt(a, b), name="p_value")
        true = exact(a, b)
        if abs(found - _gap(a, b)) < 1e-6 and abs(found - true) > 1e-6:
            raise CheckFailed("this is the difference of the means; how many of all splits reach it?")
        if abs(found - true) > 1e-6:
            raise CheckFailed(
                f"for {a} and {b} it is {true:.4f}, yours is {found:.4f}: go through every split into groups"
            )
    return "exact; and three seeds against three never come below 2/20 = 0.1, however far apart they are"


def exact(a: Sequence[float], b: Sequence[float]) -> float:
    """Return the share of all splits of a and b together whose means differ at least as much as those of a and b."""
    both = [*a, *b]
    rounding = 1e-12 * max(abs(result) for result in both)  # equal means may differ by it
    reached = []
    for chosen in itertools.combinations(range(len(both)), len(a)):
        left = [both[i] for i in chosen]
        right = [both[i] for i in range(len(both)) if i not in chosen]
        reached.append(_gap(left, right) >= _gap(a, b) - rounding)
    return sum(reached) / len(reached)


def _gap(a: Sequence[float], b: Sequence[float]) -> float:
    return abs(sum(a) / len(a) - sum(b) / len(b))
