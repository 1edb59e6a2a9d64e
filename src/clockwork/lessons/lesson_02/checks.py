"""The checks of lesson 02's exercises: the reader's code, hidden speeds, better speeds, one sine, any width."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from clockwork.kit import machine
from clockwork.kit.checks.exercises import CheckFailed, array, close, diagnose, exercise, function, result
from clockwork.kit.checks.properties import distinct, norm, origin, rotation
from clockwork.lessons.lesson_02 import plain_checks


@exercise
def code(attempt: Callable[[int], object]) -> str:
    """Check the reader's own code of 32 numbers; once it has passed, it belongs to his machine."""
    praise = plain_checks.code(attempt)
    machine.take(attempt)
    return praise


design = exercise(plain_checks.design)
twins = exercise(plain_checks.twins)


@exercise
def table(encode: Callable[..., object]) -> str:
    """Check `encode(position_ids, d_model, base)` by its properties, for several widths and bases."""
    function(encode, "table(position_ids, d_model, base)")
    position_ids = torch.arange(40)
    for d_model, base in ((8, 10_000.0), (64, 10_000.0), (12, 300.0)):
        try:
            attempt = encode(position_ids, d_model, base)
        except RuntimeError as error:  # torch names shapes in these
            raise CheckFailed(
                f"40 positions at width {d_model}: {error}; pe needs one row for each position, and "
                "position_ids[:, None] * inv_freq one row for each position and one column for each pair"
            ) from error
        table = array(result(attempt), (40, d_model), name="the table")
        distinct(table)
        norm(table)
        diagnose(table[1], wrong_rows(d_model, base), case=f"width {d_model}, base {base:g}", tolerance=1e-2)
        rotation(table, base=base, tolerance=1e-3)
        origin(table, tolerance=1e-4)
    late = array(encode(torch.tensor([7, 3]), 8, 10_000.0), (2, 8), name="the table of positions 7 and 3")
    if not close(late, array(encode(position_ids, 8, 10_000.0))[[7, 3]], 1e-4):
        raise CheckFailed("positions 7 and 3 must get rows 7 and 3: do you use position_ids, or count from 0?")
    return "it starts at (0, 1, 0, 1, …), keeps its length, and each pair turns at its own speed"


def wrong_rows(d_model: int, base: float) -> list[tuple[Tensor, str]]:
    """Return row 1 of a table (d_model,) as the usual mistakes make it, each with its diagnosis."""
    i = torch.arange(d_model // 2, dtype=torch.float64)
    right = base ** (-2 * i / d_model)
    speeds_of = {
        "the speeds grow with i: is the minus missing in the exponent, or do you multiply where you should divide?": (
            1 / right
        ),
        "the exponent is −i/d, but i counts pairs: it should be −2i/d": base ** (-i / d_model),
        "this divides i by d/2 − 1, as the authors' released program does: here it is d/2": (
            base ** (-i / (d_model // 2 - 1))
        ),
        "the angles are treated as degrees: they are in rad": right * math.pi / 180,
    }
    if base != 10_000:
        speeds_of[f"base {base:g} was asked for, this is base 10,000"] = 10_000 ** (-2 * i / d_model)
    rows = [(torch.stack([speed.sin(), speed.cos()], -1).flatten(), told) for told, speed in speeds_of.items()]
    halves = torch.cat([right.sin(), right.cos()])
    return [*rows, (halves, "all sines come before all cosines: they should take turns, sine, cosine, sine, …")]


@exercise
def speeds(find: Callable[[Tensor], object]) -> str:
    """Check `find(codes)`: the speeds of a sinusoidal table whose columns a secret matrix has mixed."""
    function(find, "find_speeds(codes)")
    for seed, hidden in enumerate(([1.0, 0.1, 0.01, 0.001], [2.5, 0.7, 0.3])):
        right = torch.tensor(hidden, dtype=torch.float64)
        codes = mixed(right, seed)
        case = f"codes of shape {tuple(codes.shape)}"
        try:
            found = result(find(codes.clone()))
        except RuntimeError as error:  # torch names shapes in these
            advice = "; the table has no eigenvalues, the matrix of one step has" if "square" in str(error) else ""
            raise CheckFailed(f"{case}: {error}{advice}") from error
        if isinstance(found, Tensor) and found.is_complex():
            raise CheckFailed(f"{case}: these are complex numbers, the eigenvalues themselves: take their angles")
        answer = descending(array(found, name="the speeds").flatten())
        both_ways = descending(torch.cat([right, -right]))
        mistakes = (
            (both_ways, "each speed comes twice, as ω and −ω: keep the positive ones"),
            (right.repeat_interleave(2), "each speed comes twice, as ω and −ω: keep each once"),
            (descending(right.cos()), "these are cos ω: the angle of e^{iω} is ω itself"),
            (descending(right.cos().repeat(2)), "these are cos ω, each twice: the angle of e^{iω} is ω itself"),
            (descending(right.sin()), "these are sin ω: the angle of e^{iω} is ω itself"),
            (descending(torch.cat([right.sin(), -right.sin()])), "these are ±sin ω: the angle of e^{iω} is ω itself"),
            (descending(2 * math.pi / right), "these are periods, in tokens per turn: the speed is 2π over that"),
            (torch.ones(2 * len(right)), "these are the lengths |λ|, all 1: the speed is the angle of λ"),
            (torch.ones(len(right)), "these are the lengths |λ|, all 1: the speed is the angle of λ"),
        )
        diagnose(answer, mistakes, case=case, tolerance=1e-3)
        if len(answer) != len(right):
            raise CheckFailed(f"{case}: {len(right)} speeds are hidden in it, one for two columns, got {len(answer)}")
        if not close(answer, right, 1e-4):
            raise CheckFailed(
                f"{case}: got {[round(x, 4) for x in answer.tolist()]}, which are not its speeds; "
                "fit the matrix of one step first: are its eigenvalues of length 1?"
            )
    return "you cannot see the waves any more, but the matrix of one step still has their speeds in its eigenvalues"


def descending(numbers: Tensor) -> Tensor:
    """Return the numbers sorted, the largest first."""
    return numbers.sort(descending=True).values


def mixed(inv_freq: Tensor, seed: int) -> Tensor:
    """Return the codes (200, d_model) of consecutive positions, multiplied by a random invertible matrix."""
    angles = torch.arange(200, dtype=torch.float64)[:, None] * inv_freq
    codes = torch.cat([angles.sin(), angles.cos()], dim=1)
    generator = torch.Generator().manual_seed(seed)
    noise = torch.randn(codes.shape[1], codes.shape[1], generator=generator, dtype=torch.float64)
    return codes @ (noise + 3 * torch.eye(len(noise)))
