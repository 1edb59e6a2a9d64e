"""The checks of lesson 09's exercises: how fast points go round, Whisper's hand, and a ring that means nothing."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from clockwork.kit import probes
from clockwork.kit.checks.exercises import CheckFailed, array, close, exercise, function, mapping, number, result
from clockwork.lessons.lesson_09 import plain_checks

QUESTIONS = ("first direction", "tokens per turn")
PAIR = 2  # of rows 228 to 447 of Whisper's decoder: directions 2 and 3
TURN = 0.196  # rad per token
ROWS = 100  # and more, of the reader's random table
WIDTH = 50
ROUND = 0.9  # turns
STEADY = 0.3  # of the mean radius
WHOLE = 0.95  # of the variance, in two directions
ALIKE = 0.75  # cosine of the planes of two draws; of two random planes in 50 dimensions it is about 0.4

mean_turn = exercise(plain_checks.mean_turn)


@exercise
def whisper(attempt: Mapping[str, float]) -> str:
    """Check the steadiest fast ring of Whisper's decoder: its first direction, and how many tokens a turn takes."""
    attempt = mapping(attempt, QUESTIONS)
    pair, period = (number(attempt[question], name=repr(question)) for question in QUESTIONS)
    if pair == PAIR + 1:
        raise CheckFailed("the ring is there; name the *first* of its two directions")
    if pair != PAIR:
        told = ""
        if pair in (0, 1):
            told = ": there the rows go round once at most"
        radii = {4: "0.30", 5: "0.36", 6: "0.35", 7: "0.38"}
        if pair in radii:
            told = f": there the radius varies by {radii[int(pair)]} of its mean"
        raise CheckFailed(
            f"directions {pair:g} and {pair + 1:g} of rows 228 to 447 are not the steadiest of the rings that go round "
            f"more than three times{told}. Try all of 0 to 7"
        )
    right = 2 * math.pi / TURN
    if abs(period - right) < 1.5:
        return (
            f"directions 2 and 3, once round in {right:.0f} tokens. A slow hand, where MiniLM has a fast one. Random "
            "tables with the same dot products draw this ring too, at the same speed and as steadily. But their turns "
            "scatter more (by 0.10 to 0.18 rad; Whisper's by 0.07)"
        )
    if close(period, TURN, 0.05):
        raise CheckFailed("this is the turn per token, in rad. How many tokens make 2π?")
    if close(period, 1 / TURN, 0.05):
        raise CheckFailed("this is how many tokens make 1 rad. A whole turn has 2π")
    if close(period, right / 2, 0.05):
        raise CheckFailed("this is half a turn: a whole one is 2π, not π")
    if close(period, 360 / TURN, 0.05):
        raise CheckFailed("the turn is in rad, so a whole one is 2π and not 360")
    raise CheckFailed(
        f"the pair is right; a turn does not take {period:g} tokens: divide 2π by the mean turn per token"
    )


@exercise
def fake(attempt: Callable[[int], Tensor]) -> str:
    """Check `make(seed)`: a random table, another one for each seed, whose directions 0 and 1 draw a ring."""
    function(attempt, "make(seed)")
    tables = [table_of(attempt, seed) for seed in (1, 2)]
    if tables[0].shape == tables[1].shape and close(tables[0], tables[1]):
        raise CheckFailed("both seeds give the same table: begin with `noise_of(seed)`")
    told = []
    for table in tables:
        points, turns = probes.going_round(probes.leading(table, 2))
        if turns.std() > 1:
            raise CheckFailed(
                "directions 0 and 1 draw a cloud: less the mean row, neighbouring rows are strangers. Make each row an "
                "average over neighbours (some, not all), or a sum of what came before"
            )
        radius = points.norm(dim=1)
        varies = float(radius.std() / radius.mean())
        if turns.sum() < ROUND * 2 * math.pi or varies > STEADY:
            rest = table - table.mean(0)
            beside = (rest[:-1] * rest[1:]).sum(1).mean()
            advice = "A ring closes: are your last row and your first row neighbours?"
            if rest[-1] @ rest[0] > beside / 2:
                advice = "Your last row and your first are neighbours: now average over more rows"
            raise CheckFailed(
                f"they go round {float(turns.sum()) / (2 * math.pi):.2f} times, and the radius varies by {varies:.2f} "
                f"of its mean; wanted: {ROUND} or more, at most {STEADY}. {advice}"
            )
        if points.var(0).sum() > WHOLE * table.var(0).sum():
            raise CheckFailed(
                "these two directions are the whole table: that is a clock hand that you built in. Use random numbers "
                "and averages only"
            )
        told.append(f"{varies:.2f}")
    planes = [torch.linalg.svd(table - table.mean(0), full_matrices=False).Vh[:2] for table in tables]
    if planes[0].shape == planes[1].shape and torch.linalg.svdvals(planes[0] @ planes[1].T)[0] > ALIKE:
        raise CheckFailed(
            "both draws have their ring in the same plane: that is a clock hand that you built in. Use random numbers "
            "and averages only"
        )
    return (
        f"two draws, two rings (the radius varies by {told[0]} and {told[1]} of its mean), and each in a plane of its "
        "own. If you used averages only, nothing in these tables is a clock"
    )


def table_of(make: Callable[[int], Tensor], seed: int) -> Tensor:
    """Return the reader's table for a seed, once its shape is checked."""
    table = array(result(make(seed)), name=f"make({seed})")
    if table.ndim != 2 or table.shape[0] < ROWS or table.shape[1] < WIDTH:
        raise CheckFailed(f"make({seed}) must have {ROWS} rows and {WIDTH} columns or more, got {tuple(table.shape)}")
    return table
