"""The checks of lesson 05's exercises: what training left in a table, seeds in pairs, and how to make a loser win."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from clockwork.kit.checks.exercises import CheckFailed, close, exercise, function, number, result
from clockwork.lessons.lesson_05 import plain_checks

DRAWN = ((64, 32, 0.02, 32, 0.2), (40, 16, 0.05, 11, 0.3), (96, 64, 0.02, 96, 0.1), (50, 8, 0.1, 1, 1.0))
DECAY = 0.96  # AdamW shrinks every weight a little, also those without a gradient

paired = exercise(plain_checks.paired)
unfair = exercise(plain_checks.unfair)


@exercise
def find_length(attempt: Callable[[Tensor, float], int]) -> str:
    """Check `find_length(table, std)`: the longest training text, read off a learned table drawn at `std`."""
    function(attempt, "find_length(table, std)")
    for rows, width, std, longest, moved in DRAWN:
        table = trained_table(rows, width, std, longest, moved)
        found = number(result(attempt(table.clone(), std)), name=f"find_length of a table with {rows} rows")
        if close(found, longest):
            continue
        case = f"a table of {rows} rows of {width} numbers, drawn at std {std}, trained on texts of up to {longest}"
        if close(found, longest - 1):
            raise CheckFailed(f"{case}: you return {found:g}, the last trained *row*; rows count from 0, tokens from 1")
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
    return "right for four tables, one of them trained to its last row and one on texts of a single token"


def trained_table(rows: int, width: int, std: float, longest: int, moved: float) -> Tensor:
    """Return a table drawn at `std`; training has moved its first `longest` rows, each number by about `moved`."""
    draw = torch.Generator().manual_seed(rows)
    table = DECAY * std * torch.randn(rows, width, generator=draw, dtype=torch.float64)
    steps = torch.randn(longest, width, generator=draw, dtype=torch.float64)
    table[:longest] += moved * math.sqrt(width) * steps / steps.norm(dim=1, keepdim=True)
    return table
