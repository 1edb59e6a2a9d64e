"""The checks of lesson 05's exercises: what training left in a table, seeds in pairs, and how to make a loser win."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor

from clockwork.kit import sweep
from clockwork.kit.checks.answers import CheckFailed, close, exercise, function, mapping, number, result

DRAWN = ((64, 32, 0.02, 32, 0.2), (40, 16, 0.05, 11, 0.3), (96, 64, 0.02, 96, 0.1), (50, 8, 0.1, 1, 1.0))
DECAY = 0.96  # AdamW shrinks every weight a little, also those without a gradient
TASK = "who_came_first"
LENGTH = 24  # tokens, the longest trained
TUNED_ON = 4  # seeds; the others are fresh
SURE = 0.01
ROUNDING = 1e-6  # of recorded accuracies, which have four decimals


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


@exercise
def paired(attempt: Callable[[Sequence[float], Sequence[float]], float]) -> str:
    """Check an exact paired permutation test: in each pair the two names may be swapped."""
    function(attempt, "paired_p(a, b)")
    ahead = ([0.5, 0.75, 0.25, 1.0], [0.25, 0.25, 0.0, 0.5])
    mixed = ([0.9, 0.5, 0.7, 0.8, 0.6], [0.85, 0.6, 0.4, 0.75, 0.55])
    first = number(result(attempt(*ahead)), name="paired_p of four pairs, a ahead in each")
    if close(first, 1 / 16):
        raise CheckFailed("you count one direction only: the mirror image, with all four swapped, differs as much")
    if first == 0:
        raise CheckFailed("the pairs as they are count as well: at least as large (≥), not larger (>)")
    if close(first, split_p(*ahead)):
        raise CheckFailed(
            "this goes through all splits into two groups. A pair has to stay a pair: only the names inside it may swap"
        )
    if close(first, 2 / math.factorial(4)):
        raise CheckFailed("you try all orders (4! = 24). Each pair is swapped or not: 2 · 2 · 2 · 2 ways")
    for a, b in (ahead, ahead[::-1], mixed, ([0.5, 0.5], [0.5, 0.5]), ([0.3, 0.2, 0.1], [0.1, 0.2, 0.3])):
        found = number(result(attempt(a, b)), name="paired_p")
        true = swap_p(a, b)
        if close(found, abs(sum(a) - sum(b)) / len(a)) and not close(found, true):
            raise CheckFailed("this is the mean difference. In how many of the 2ⁿ swaps is it at least as large?")
        if not close(found, true):
            raise CheckFailed(
                f"for {list(a)} and {list(b)} it is {true:.4f}, yours is {found:.4f}: go through all {2 ** len(a)} "
                "ways to swap names inside the pairs, and allow for rounding when you compare (≥ … − 1e-9)"
            )
    ahead = swap_p(fresh("sinusoid", 0.01, gain=1.0), fresh("learned", 0.01, table_std=1.0))
    split = split_p(fresh("sinusoid", 0.01, gain=1.0), fresh("learned", 0.01, table_std=1.0))
    return (
        "exact. Who came first, factor 1 against std 1, both at learning rate 0.01: in pairs p = "
        f"{ahead:.3f}, by all splits {split:.3f}. Sharing their data hardly made these pairs "
        f"alike. And eight pairs can never say less than 2/2⁸ = {2 / 2**8:.3f}"
    )


def swap_p(a: Sequence[float], b: Sequence[float]) -> float:
    """Return the share of all ways to swap names inside pairs whose summed difference is at least as large."""
    differences = [x - y for x, y in zip(a, b, strict=True)]
    seen = abs(sum(differences))
    ways = list(itertools.product((1, -1), repeat=len(differences)))
    reached = [
        abs(sum(sign * d for sign, d in zip(signs, differences, strict=True))) > seen - ROUNDING for signs in ways
    ]
    return sum(reached) / len(ways)


def split_p(a: Sequence[float], b: Sequence[float]) -> float:
    """Return the share of all splits of a and b together whose means differ at least as much as those of a and b."""
    both = [*a, *b]

    def gap(chosen):
        left = [both[i] for i in chosen]
        right = [both[i] for i in range(len(both)) if i not in chosen]
        return abs(sum(left) / len(left) - sum(right) / len(right))

    splits = list(itertools.combinations(range(len(both)), len(a)))
    return sum(gap(chosen) > gap(range(len(a))) - ROUNDING for chosen in splits) / len(splits)


@exercise
def unfair(attempt: Mapping[str, float]) -> str:
    """Check settings at which the learned table beats the sinusoid on *who came first?*, from the recorded runs."""
    attempt = mapping(attempt, ("learning_rate", "sinusoid", "learned"))
    rate = attempt["learning_rate"]
    sinusoid = fresh("sinusoid", rate, gain=attempt["sinusoid"])
    learned = fresh("learned", rate, table_std=attempt["learned"])
    p = split_p(sinusoid, learned)
    means = [sum(scores) / len(scores) for scores in (sinusoid, learned)]
    told = f"sinusoid {means[0]:.2f}, learned {means[1]:.2f}, p = {p:.4f}"
    if means[0] >= means[1]:
        raise CheckFailed(f"{told}: the sinusoid is still ahead. On the map, where is it dark for the sinusoid alone?")
    if means[1] < 0.7:
        raise CheckFailed(
            f"{told}: nobody is impressed by {means[1]:.2f}. Give the learned table settings that suit it"
        )
    if p > SURE:
        raise CheckFailed(f"{told}: the learned table is ahead, but p is above {SURE}. Look for a larger gap")
    return f"{told}. Every number is true, both sides have the same learning rate, and the verdict is upside down"


def fresh(scheme: str, learning_rate: object, **scale: object) -> list[float]:
    """Return the recorded accuracies of the eight fresh seeds.

    Raises:
        CheckFailed: nothing was recorded there.
    """
    for value in (learning_rate, *scale.values()):
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise CheckFailed(f"settings are single numbers from the map, got {value!r}")
    try:
        run = sweep.find(TASK, scheme, grid="tuning", learning_rate=learning_rate, **scale)
    except ValueError:
        (at,) = scale.values()
        raise CheckFailed(f"the map has no tile for {scheme} at {at} and learning rate {learning_rate}") from None
    return run["accuracy"][TUNED_ON:, run["lengths"].index(LENGTH)].tolist()
