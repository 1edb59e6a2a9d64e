"""Those checks of lesson 03 that need `math` and lists alone: hours on the dial, and the reader's `read`."""

import math

from clockwork.kit.checks.plain import CheckFailed, floats, function, given
from clockwork.kit.machine import parts, plain

KEEPS = ("read",)  # what the reader takes along once it has passed
POSITION = 157
SPEEDS = (1.0, 0.1, 0.01, 0.001)  # of four hands, in rad per token


def hours(attempt: object) -> str:
    """Check where the four hands of position 157 at d_model = 8 point, as hours 0 … 12."""
    answer = floats(attempt, (4,), name="the four hours")
    turns = [POSITION * speed / (2 * math.pi) % 1 for speed in SPEEDS]

    def agrees(other: list[float]) -> bool:
        return max(_hours_between(hour, other[i]) for i, hour in enumerate(answer)) <= 0.5

    if agrees([12 * turn for turn in turns]):
        told = [f"{12 * turn:.1f}" for turn in turns]
        return f"position {POSITION} points at {', '.join(told)} o'clock"
    if agrees([-12 * turn for turn in turns]):
        raise CheckFailed("every hand is mirrored: with x = sine and y = cosine the hands turn clockwise")
    if agrees([3 - 12 * turn for turn in turns]):
        raise CheckFailed("you start at 3 o'clock, counter-clockwise: here x is the sine, so a hand starts at 12")
    for unit, what in ((2 * math.pi, "radians"), (360, "degrees"), (1, "turns")):
        if max(abs(number - unit * turns[i]) for i, number in enumerate(answer)) <= unit / 24:
            raise CheckFailed(f"these are {what}: a full turn is 12 hours")
    if agrees([12 * (POSITION * speed % 1) for speed in SPEEDS]):
        raise CheckFailed("you took one turn for 1 rad: a full turn is 2π rad")
    if agrees([3 + 12 * turn for turn in turns]):
        raise CheckFailed("you start at 3 o'clock: here x is the sine, so a hand that has not turned points to 12")
    if agrees([12 * turn for turn in reversed(turns)]):
        raise CheckFailed("these are the right hours in the wrong order: the fastest hand comes first")
    gaps = [_hours_between(hour, 12 * turns[i]) for i, hour in enumerate(answer)]
    wrong = gaps.index(max(gaps))
    raise CheckFailed(
        f"hand {wrong} is off: it turns {SPEEDS[wrong]:g} rad a token, so after {POSITION} tokens it has turned "
        f"{POSITION * SPEEDS[wrong]:g} rad; take off whole turns of 2π first"
    )


def _hours_between(here: float, there: float) -> float:
    """Return how far apart two hours are on a dial of 12."""
    gap = (here - there) % 12
    return min(gap, 12 - gap)


def read(attempt: "Callable[[list], float]") -> str:
    """Check `read(code)`, the reader's own: eight hands, their numbers rounded to one decimal."""
    function(attempt, "read(code)")
    given(plain.called(attempt, "read(code)", parts.code_of(0, 1)))
    return parts.check_read(attempt)
