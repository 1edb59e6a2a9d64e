"""When a goal of lesson 03 is reached; here because a rule in the page would tell where to go."""

from math import pi


def hand_1_at_three(position: int, d_model: int) -> bool:
    """Hand 1 points to 3 o'clock, within 5°."""
    angle = position * 10_000 ** (-2 / d_model)
    return abs(angle % (2 * pi) - pi / 2) < pi / 36
