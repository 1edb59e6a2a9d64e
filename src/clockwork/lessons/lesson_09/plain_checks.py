"""The check of lesson 09 that needs `math` and lists alone: how fast do points go round?"""

import math

from clockwork.kit.checks.plain import CheckFailed, close, diagnose, floats, function, result

SLOW = [0.3, 0.35, 0.25, 0.3, 0.4]  # turns from point to point, clockwise, in rad
FAST = [2.9, 3.0, 2.8, 3.05]
BACK = [-0.5, 0.3, -0.7, -0.45]
LIKE_MINILM = [1.05, 1.12, 1.0, 1.16, 1.09, 0.98, 1.03, 1.2, 1.07, 1.1, 0.95]


def mean_turn(attempt: "Callable[[list[tuple[float, float]]], float]") -> str:
    """Check `mean_turn(points)`: the mean clockwise turn from each point (right, up) to the next, in rad."""
    function(attempt, "mean_turn(points)")
    for name, turns, start in (
        ("slow hand", SLOW, 0.4),
        ("hand that passes 6 o'clock", LIKE_MINILM, 0.9),
        ("fast hand", FAST, 0.0),
        ("hand that turns back past 6 o'clock", BACK, -2.6),
    ):
        points = walk(turns, start)
        found = floats(result(attempt(list(points))), (), name=f"the mean turn of a {name}")
        right = sum(turns) / len(turns)
        if close([found], [right]):
            continue
        mistakes = [([wrong], words) for wrong, words in wrong_turns(points, right)]
        diagnose([found], mistakes, case=f"a {name}")
        raise CheckFailed(f"a {name}: the mean turn is {right:.3f} rad, yours is {found:.3f}")
    return "right for a slow hand, a fast one, one that passes 6 o'clock twice and one that passes it backwards"


def walk(turns: list[float], start: float) -> list[tuple[float, float]]:
    """Return points (right, up) that turn clockwise by `turns`, each at a radius of its own."""
    angles = [start]
    for turn in turns:
        angles.append(angles[-1] + turn)
    radii = [1.0 + 0.2 * math.cos(3.0 * i) for i in range(len(angles))]
    return [(radii[i] * math.sin(angle), radii[i] * math.cos(angle)) for i, angle in enumerate(angles)]


def wrapped(angle: float) -> float:
    """Return the angle, less whole turns, between −π and π."""
    return angle - 2 * math.pi * round(angle / (2 * math.pi))


def wrong_turns(points: list[tuple[float, float]], right: float) -> list[tuple[float, str]]:
    """Return what the usual mistakes make of the points, each with its diagnosis."""
    angles = [math.atan2(x, y) for x, y in points]
    steps = [angles[i + 1] - angles[i] for i in range(len(angles) - 1)]
    count = len(steps)
    turned = [wrapped(step) for step in steps]
    return [
        (-right, "it has the wrong sign: angles from 12 o'clock, clockwise, are `atan2(right, up)`"),
        (
            sum(steps) / count,
            "`atan2` jumps by 2π at 6 o'clock. A turn from one point to the next lies between −π and π: bring it there",
        ),
        (
            -sum(steps) / count,
            "the sign is wrong, and `atan2` jumps by 2π: bring each turn back to between −π and π",
        ),
        (sum(steps) / (count + 1), "n points have n − 1 turns between them; and `atan2` jumps by 2π"),
        (right * count / (count + 1), "n points have n − 1 turns between them"),
        (sum(abs(turn) for turn in turned) / count, "a turn backwards counts with a minus"),
        (sum(step % (2 * math.pi) for step in steps) / count, "a small turn backwards is not a large one forwards"),
        (right * count, "this is the sum of the turns: divide by how many there are"),
        (math.degrees(right), "in rad, please: this is in degrees"),
    ]
