"""The checks of lesson 04: the reader's `shift`, move a code, tell before from after, look three back on a budget."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from clockwork.kit import machine
from clockwork.kit.checks.exercises import CheckFailed, array, close, exercise
from clockwork.lessons.lesson_04 import plain_checks
from pe_helpers import sinusoidal

D_MODEL = 16
REACH = 100  # tokens within which `before_after` must be right
PLACES = (0, 17, 250, 1900)  # queries from which it is tried
BACK = 3  # tokens
TOKENS = 64
SIZE = 80.0  # of 20 · M_3: √(16 · 20²)
WEIGHT = 0.95

moved = exercise(plain_checks.moved)


@exercise
def shift(attempt: Callable[[int], list]) -> str:
    """Check the reader's own `shift`; once it has passed, it belongs to his machine."""
    praise = plain_checks.shift(attempt)
    machine.take(attempt)
    return praise


def square(attempt: object) -> Tensor:
    """Return W (16, 16) in float64."""
    matrix = array(attempt, name="W")
    if matrix.shape != (D_MODEL, D_MODEL):
        raise CheckFailed(
            f"W must have shape ({D_MODEL}, {D_MODEL}) (a row for each number of the query's code, a column for each "
            f"of the key's), got {tuple(matrix.shape)}"
        )
    return matrix


@exercise
def before_after(attempt: object) -> str:
    """Check W (16, 16): PE(p)ᵀ W PE(q) must be above 0 for the 100 keys before p and below 0 for the 100 after it."""
    matrix = square(attempt)
    if not matrix.any():
        raise CheckFailed("a W of zeros scores every key 0")
    if close(matrix, matrix.T, 1e-9):
        raise CheckFailed(
            "your W is symmetric, so p scores q as q scores p. But one of the two stands before the other: their "
            "scores must differ in sign"
        )
    steps = torch.cat([torch.arange(-REACH, 0), torch.arange(1, REACH + 1)])
    wrong = {p: _wrong_steps(matrix, p, steps) for p in PLACES}
    if all(len(steps_of) == len(steps) for steps_of in wrong.values()):
        raise CheckFailed("it is exactly the wrong way round: keys before p must score above 0. Transpose W")
    for p, steps_of in wrong.items():
        if not steps_of:
            continue
        key = _named(min(steps_of, key=abs))
        if all(other == steps_of for other in wrong.values()):
            raise CheckFailed(f"from every position it is wrong for the key {key}: {_why_everywhere(matrix)}")
        place = next((q for q, other in wrong.items() if other != steps_of), p)
        raise CheckFailed(
            f"from position {p} it is wrong for {len(steps_of)} of 200 keys, the nearest {key}, and from position "
            f"{place} for {len(wrong[place])}: {_why_here_and_there(matrix, steps)}"
        )
    return "every key within 100 tokens tells its side by its sign, from positions 0 to 1,900"


def _named(step: int) -> str:
    return f"{abs(step)} token{'' if abs(step) == 1 else 's'} {'before' if step < 0 else 'after'}"


def _why_everywhere(matrix: Tensor) -> str:
    """Say what is wrong with a W that scores every offset alike from all positions."""
    if matrix.diagonal().abs().max() > 1e-9 * matrix.norm():
        return (
            "W has numbers on its diagonal, and they add a cosine of k·ω, which is the same before and after. Keep the "
            "sine alone, a quarter turn"
        )
    return (
        "the sine of k·ω changes its sign after half a turn, so a hand that counts must need more than 200 tokens for "
        "a whole one"
    )


def _why_here_and_there(matrix: Tensor, steps: Tensor) -> str:
    """Say what is wrong with a W that scores an offset differently from different positions."""
    if not any(_wrong_steps(matrix - matrix.T, p, steps) for p in PLACES):
        return (
            "sin (p−q)ω is the difference of two products, and your W has one of them. Which entry makes the other, "
            "and with which sign?"
        )
    return "a score that depends on the offset alone needs a W that turns hands and does nothing else"


def _wrong_steps(matrix: Tensor, p: int, steps: Tensor) -> list[int]:
    """Return the steps from p at which the score has the wrong sign."""
    query = sinusoidal.table(torch.tensor([p]), D_MODEL, dtype=torch.float64)[0]
    keys = sinusoidal.table(p + steps, D_MODEL, dtype=torch.float64)
    scores = keys @ (matrix.T @ query)
    return steps[scores * -steps <= 0].tolist()


@exercise
def budget(attempt: object) -> str:
    """Check W (16, 16), no larger than 20 · M_3: from each of 64 positions 0.95 of the weight must be three back."""
    matrix = square(attempt)
    size = matrix.norm().item()
    if size > SIZE * (1 + 1e-6):
        raise CheckFailed(f"|W| = {size:.1f} is above 80: divide by |W| and multiply by 80")
    codes = sinusoidal.table(TOKENS, D_MODEL, dtype=torch.float64)
    weights = (codes @ matrix @ codes.T / math.sqrt(D_MODEL)).softmax(-1)
    on_target = weights.diagonal(-BACK)
    least = on_target.min().item()
    p = int(on_target.argmin()) + BACK
    if least >= WEIGHT:
        return f"at least {least:.3f} of the weight is three back, with |W| = {size:.1f}; 20 · M_3 reaches 0.866"
    found = f"from position {p}, three back gets {least:.3f}"
    rivals = weights[p].clone()
    rivals[p - BACK] = 0
    rival = int(rivals.argmax())
    if close(matrix, matrix[0, 0] / math.cos(BACK) * sinusoidal.shift_matrix(BACK, D_MODEL)):
        raise CheckFailed(
            f"{found}: this is {matrix[0, 0] / math.cos(BACK):.3g} · M_3, with the same strength for all eight hands. "
            "Which of them hardly differ between three back and four back?"
        )
    if rivals[rival] > least and rival == p + BACK:
        raise CheckFailed(f"{found}: it looks three *ahead*, so transpose W")
    if rivals[rival] > least and rival == p:
        raise CheckFailed(f"{found}: it looks at itself; M_3 must be in W")
    if abs(rival - (p - BACK)) == 1:
        raise CheckFailed(
            f"{found}, its neighbour {rival} gets {rivals[rival]:.3f}: give more to the hands that tell them apart"
        )
    raise CheckFailed(
        f"{found}, position {rival} gets {rivals[rival]:.3f}: {abs(rival - p + BACK)} tokens further the fast hands "
        "point nearly the same way again, so give some strength to a slower one"
    )
