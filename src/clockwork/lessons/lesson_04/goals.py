"""When a goal of lesson 04 is reached; here because a rule in the page would tell where to go."""

from math import cos, exp


def sharp(s: float, k: int, position: int, d_model: int) -> bool:
    """At least 0.99 of the weight is on three back, of 64 keys."""
    if (k, d_model) != (3, 16) or position < k:
        return False
    speeds = [10_000 ** (-2 * i / d_model) for i in range(d_model // 2)]
    behind = [sum(1 - cos((q - position + k) * speed) for speed in speeds) for q in range(64)]
    return sum(exp(-s * gap / d_model**0.5) for gap in behind) <= 1 / 0.99
