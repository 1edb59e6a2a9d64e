"""Plausible wrong answers to the assignment `clock`; each docstring is part of the hint that its author must be shown."""

import numpy as np


def _verdicts(steps):
    return [
        "limps" if np.ptp(s) > 1e-6 else "stuck" if abs(s[0]) < 1e-6 else "turns" if s[0] > 0 else "backwards"
        for s in steps.T
    ]


def inspect_hands__sine_and_cosine_swapped(table):
    """The first column of a pair is the sine"""
    hands = table[:, 0::2] + 1j * table[:, 1::2]
    return _verdicts(np.angle(hands[1:] / hands[:-1]))


def inspect_hands__jump_of_arctan2(table):
    """the jump is no limp"""
    return _verdicts(np.diff(np.arctan2(table[:, 0::2], table[:, 1::2]), axis=0))


def inspect_hands__first_step_only(table):
    """compare all its steps, not the first alone"""
    hands = table[:, 1::2] + 1j * table[:, 0::2]
    return _verdicts(np.angle(hands[1:2] / hands[:1]))


def inspect_hands__first_against_last(table):
    """judge single steps, not first against last"""
    hands = table[:, 1::2] + 1j * table[:, 0::2]
    steps = np.angle(hands[1:] / hands[:-1])
    turn = np.angle(hands[-1:] / hands[:1])
    limping = np.ptp(steps, axis=0) > 1e-6
    return ["limps" if limp else verdict for limp, verdict in zip(limping, _verdicts(turn), strict=True)]


def inspect_hands__length_of_the_steps(table):
    """they do not go the same way round"""
    hands = table[:, 1::2] + 1j * table[:, 0::2]
    lengths = np.abs(np.diff(hands, axis=0))
    way = _verdicts(np.angle(hands[1:2] / hands[:1]))
    return ["limps" if np.ptp(length) > 1e-6 else verdict for length, verdict in zip(lengths.T, way, strict=True)]


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


def _hands(base, reach, *, begin=1, offsets=None, speeds=None, strict=False):
    offsets = np.arange(1, reach + 1) if offsets is None else offsets
    for n in range(begin, 40):
        omega = float(base) ** (-np.arange(n) / n) if speeds is None else speeds(n)
        agreement = np.cos(offsets[:, None] * omega).sum(axis=1)
        rest = agreement[1:].max() if len(offsets) > 1 else -np.inf
        if agreement[0] > rest if strict else agreement[0] >= rest - 1e-12:
            return n
    return 40


def hands_needed__counts_coordinates(base, reach):
    """hands are counted, not coordinates"""
    return 2 * _hands(base, reach)


def hands_needed__end_left_out(base, reach):
    """the range includes `reach`"""
    return _hands(base, reach, offsets=np.arange(1, reach))


def hands_needed__first_hand_decides(base, reach):
    """Offset 1 need not be nearer than itself"""
    return next((n for n in range(1, 17) if np.cos(np.arange(1, reach + 1)).max() < np.cos(1)), 16)


def hands_needed__base_not_spread(base, reach):
    """the base spreads them as base ** (-i/n)"""
    return _hands(base, reach, speeds=lambda n: 10_000.0 ** (-np.arange(n) / n))


def hands_needed__exponent_doubled(base, reach):
    """the base spreads them as base ** (-i/n)"""
    return _hands(base, reach, speeds=lambda n: float(base) ** (-2 * np.arange(n) / n))


def hands_needed__one_too_many(base, reach):
    """yet you ask for 2"""
    return _hands(base, reach) + 1


def hands_needed__looks_nearby_only(base, reach):
    """search the whole range"""
    return _hands(base, min(reach, 12))


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
