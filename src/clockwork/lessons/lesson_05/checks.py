"""The checks of lesson 05's exercises: what training left in a table, seeds in pairs, and how to make a loser win."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from clockwork.kit.checks.exercises import CheckFailed, close, exercise, function, number, result
from clockwork.lessons.lesson_05 import plain_checks

DRAWN = (
    (64, 32, 0.02, 32, 0.2),
    (40, 16, 0.05, 11, 0.3),
    (96, 64, 0.02, 96, 0.1),
    (50, 8, 0.1, 1, 1.0),
    (48, 32, 0.02, 24, 0.2),
)
STILL = (2, 5)  # rows of the last table that training hardly moved
DECAY = 0.96  # AdamW shrinks every weight a little, also those without a gradient

paired = exercise(plain_checks.paired)
unfair = exercise(plain_checks.unfair)


@exercise
def find_length(attempt: Callable[[Tensor, float], int]) -> str:
    """Check `find_length(table, std)`: the longest training text, read off a learned table drawn at `std`."""
    function(attempt, "find_length(table, std)")
    for rows, width, std, longest, moved in DRAWN:
        still = STILL if rows == DRAWN[-1][0] else ()
        table = trained_table(rows, width, std, longest, moved, still)
        found = number(result(attempt(table.clone(), std)), name=f"find_length of a table with {rows} rows")
        if close(found, longest):
            continue
        case = f"a table of {rows} rows of {width} numbers, drawn at std {std}, trained on texts of up to {longest}"
        if close(found, longest - 1):
            raise CheckFailed(f"{case}: you return {found:g}, the last trained *row*; rows count from 0, tokens from 1")
        if still and close(found, longest - len(still)):
            raise CheckFailed(
                f"{case}: you return {found:g}, as many as there are long rows. Training hardly moved {len(still)} of "
                "the rows before the last one: which row is the last that is long?"
            )
        if close(found, rows) and longest < rows:
            raise CheckFailed(
                f"{case}: you return {rows}, all its rows. Which of them are as long as when they were drawn?"
            )
        if close(found, rows - longest):
            raise CheckFailed(f"{case}: you return {found:g}, the rows that were *not* trained")
        if longest == rows:
            raise CheckFailed(
                f"{case}: you return {found:g}. In this table every row was trained, so there is no jump to find: "
                "compare with the length that a row has when it is drawn, about std · √d"
            )
        raise CheckFailed(
            f"{case}: you return {found:g}. A row of {width} numbers drawn at std {std} is about "
            f"{std * math.sqrt(width):.2f} long, and single rows differ: leave some room"
        )
    return "right for five tables, one of them trained to its last row and one on texts of a single token"


def trained_table(rows: int, width: int, std: float, longest: int, moved: float, still: tuple[int, ...] = ()) -> Tensor:
    """Return a table drawn at `std`; training has moved its first `longest` rows, each number by about `moved`.

    Those of `still` it has hardly moved, so that counting the long rows is not the same as finding the last one.
    """
    draw = torch.Generator().manual_seed(rows)
    table = DECAY * std * torch.randn(rows, width, generator=draw, dtype=torch.float64)
    steps = torch.randn(longest, width, generator=draw, dtype=torch.float64)
    far = torch.full((longest, 1), moved * math.sqrt(width), dtype=torch.float64)
    far[list(still)] = std
    table[:longest] += far * steps / steps.norm(dim=1, keepdim=True)
    return table
