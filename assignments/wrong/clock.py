"""Plausible wrong answers to the assignment `clock`; each docstring is part of the hint that its author must be shown."""

import numpy as np


def turning__axes_swapped(points):
    """Did you read the coordinates as (cos, sin)?"""
    (y0, x0), (y1, x1) = points[:2]
    side = x0 * y1 - y0 * x1
    return "still" if abs(side) < 1e-9 else "counterclockwise" if side > 0 else "clockwise"


def turning__looks_at_height_only(points):
    """one thing on the right side of the dial and another on the left"""
    rise = points[1][1] - points[0][1]
    return "still" if abs(rise) < 1e-9 else "counterclockwise" if rise > 0 else "clockwise"


def turning__jump_of_arctan2(points):
    """the jump is no turn back"""
    angles = np.arctan2(points[:, 1], points[:, 0])
    turn = angles[1] - angles[0]
    return "still" if abs(turn) < 1e-9 else "counterclockwise" if turn > 0 else "clockwise"


def turning__first_against_last(points):
    """judge single steps, not first against last"""
    (x0, y0), (x1, y1) = points[0], points[-1]
    side = x0 * y1 - y0 * x1
    return "still" if abs(side) < 1e-9 else "counterclockwise" if side > 0 else "clockwise"


def turning__slow_is_still(points):
    """is slow, yet not still"""
    (x0, y0), (x1, y1) = points[:2]
    side = x0 * y1 - y0 * x1
    return "still" if abs(side) < 1e-4 else "counterclockwise" if side > 0 else "clockwise"


def read_clock__fastest_hand(code, inv_freq, longest):
    """Did you trust one hand?"""
    return round(float(np.arctan2(code[0], code[1])) % 6.283185307179586) % longest


def read_clock__slowest_hand(code, inv_freq, longest):
    """the fast hands choose the token. Use them all"""
    return int(np.clip(round(np.arctan2(code[-2], code[-1]) / inv_freq[-1]), 0, longest - 1))


def read_clock__sine_and_cosine_swapped(code, inv_freq, longest):
    """Entry 2i is the sine, 2i + 1 the cosine"""
    angles = np.arange(longest)[:, None] * inv_freq
    return int(np.nansum(np.cos(angles) * code[0::2] + np.sin(angles) * code[1::2], axis=1).argmax())


def read_clock__trusts_broken_hands(code, inv_freq, longest):
    """leave those hands out of the sum"""
    angles = np.arange(longest)[:, None] * inv_freq
    return int((np.sin(angles) * code[0::2] + np.cos(angles) * code[1::2]).sum(axis=1).argmax())


def nearest_offset__meets_itself(d_model, base, farthest):
    """At offset 0 a code meets itself"""
    omega = float(base) ** (-np.arange(0, d_model, 2) / d_model)
    return int(np.cos(np.arange(farthest + 1)[:, None] * omega).sum(axis=1).argmax())


def nearest_offset__always_the_neighbour(d_model, base, farthest):
    """do not stop at the neighbour"""
    return 1


def nearest_offset__first_hand_only(d_model, base, farthest):
    """Do all hands count"""
    return int(np.cos(np.arange(1, farthest + 1)).argmax()) + 1


def nearest_offset__farthest_apart(d_model, base, farthest):
    """so the largest agreement?"""
    omega = float(base) ** (-np.arange(0, d_model, 2) / d_model)
    return int(np.cos(np.arange(1, farthest + 1)[:, None] * omega).sum(axis=1).argmin()) + 1


def nearest_offset__end_left_out(d_model, base, farthest):
    """the range includes it"""
    omega = float(base) ** (-np.arange(0, d_model, 2) / d_model)
    return int(np.cos(np.arange(1, farthest)[:, None] * omega).sum(axis=1).argmax()) + 1


def find_word__mean(points):
    """The mean of the points is the centre only"""
    return np.mean(points, axis=0)


def find_word__first_point_is_position_zero(points):
    """no point need be position 0"""
    return np.asarray(points[0]) - [0.0, 1.0]


def find_word__factor_two(points):
    """not equally far"""
    squares = (points[1:] ** 2).sum(axis=1) - (points[0] ** 2).sum()
    return np.linalg.lstsq(points[1:] - points[0], squares, rcond=None)[0]


def find_word__middle_of_the_extremes(points):
    """not equally far"""
    return (np.min(points, axis=0) + np.max(points, axis=0)) / 2
