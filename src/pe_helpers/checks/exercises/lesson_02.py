"""The checks of lesson 02's exercises: numbers by head, the code of any position, what a lone sine cannot do."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import torch

from pe_helpers.checks.answers import CheckFailed, array, close, exercise, function, numbers
from pe_helpers.checks.properties import distinct, norm, origin, rotation

HINT = "write down ω_i = base^(−2i/d) for the first and the last i"
BY_HEAD = {  # question: (answer, {a wrong answer: what it means}, a hint for all others)
    "longest wavelength in tokens, d_model=4, base=100": (
        20 * math.pi,
        {
            200 * math.pi: "that is base·2π, which no hand reaches: the last exponent is (d−2)/d = 1/2",
            2 * math.pi: "that is the shortest wavelength, of hand 0; which hand is the slowest?",
            20.0: "that is 20, but a turn is 2π rad: the wavelength is 2π/ω",
            10.0: "that is 1/ω, in tokens per rad; a turn is 2π rad",
        },
        HINT,
    ),
    "length of row 17, d_model=32": (
        4.0,
        {
            math.sqrt(32): "sin² + cos² = 1 for each of 16 pairs, not for each of 32 numbers",
            16.0: "that is the squared length: 16 pairs of 1 each",
            1.0: "one pair has length 1; the row holds 16 pairs",
            17.0: "the length does not depend on the position at all: why?",
        },
        HINT,
    ),
    "sum of row 0, d_model=32": (
        16.0,
        {
            0.0: "every sine is 0 at position 0, and what is every cosine?",
            32.0: "only the cosines are 1 at position 0",
            1.0: "there are 16 cosines in the row",
        },
        HINT,
    ),
}


@exercise
def by_head(answers: Mapping[str, float]) -> str:
    """Check three numbers that follow from the formula without running it, each within one per cent."""
    numbers(answers, BY_HEAD)
    return "all three follow from the formula alone"


@exercise
def code(encode: Callable[..., object]) -> str:
    """Check `encode(position_ids, d_model, base)` by its properties, for several widths and bases."""
    function(encode, "code(position_ids, d_model, base)")
    position_ids = torch.arange(40)
    for d_model, base in ((8, 10_000.0), (64, 10_000.0), (12, 300.0)):
        try:
            attempt = encode(position_ids, d_model, base)
        except RuntimeError as error:  # torch names shapes in these
            raise CheckFailed(f"40 positions at width {d_model}: {error}; has pe one row for each position?") from error
        table = array(attempt, (40, d_model), name="the table")
        distinct(table)
        norm(table)
        rotation(table, base=base, tolerance=1e-3)
        origin(table, tolerance=1e-4)
    late = array(encode(torch.tensor([7, 3]), 8, 10_000.0), (2, 8), name="the table of positions 7 and 3")
    if not close(late, array(encode(position_ids, 8, 10_000.0))[[7, 3]], 1e-4):
        raise CheckFailed("positions 7 and 3 must get rows 7 and 3: do you use position_ids, or count from 0?")
    return "it starts at (0, 1, 0, 1, …), keeps its length, and each pair turns at its own speed"


@exercise
def twins(find: Callable[[float, float], object]) -> str:
    """Check `find(omega, k)`: two positions whose sines agree and whose sines k tokens later do not."""
    function(find, "twins(omega, k)")
    for omega, k in ((1.0, 1), (0.1, 5), (0.01, 3)):
        p, q = array(find(omega, k), (2,), name=f"twins({omega}, {k})").tolist()
        case = f"ω = {omega}, k = {k}, p = {p:g}, q = {q:g}"
        if abs(math.sin(p * omega) - math.sin(q * omega)) > 1e-6:
            now = f"sin(pω) = {math.sin(p * omega):.2f}, sin(qω) = {math.sin(q * omega):.2f}"
            raise CheckFailed(f"{case}: the sines at p and q must agree, but {now}".replace("= -", "= −"))
        if abs(math.cos(p * omega) - math.cos(q * omega)) < 1e-6:
            raise CheckFailed(f"{case}: the hand points the same way at both, so all that follows agrees too")
        # sin(p) = sin(q) at two points of the circle leaves sin(p+k) − sin(q+k) = ±2 cos(p) sin(k), which is not 0
    return "proved: one sine, two futures; so no rule, linear or not, gets from sin(pω) to sin((p+k)ω)"
