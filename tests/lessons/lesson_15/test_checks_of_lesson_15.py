"""Lesson 15's checks accept right answers and name the error in wrong ones; its solutions pass."""

import math

import numpy as np
import torch
from tests.lessons.exercise_claims import claims, stubs_and_solutions

from clockwork.lessons.lesson_15 import checks, plain_checks, readers
from pe_helpers import sinusoidal


def named(turned, words=("hardly moves", "tells", "wraps")):
    return [words[int(np.searchsorted([0.1, 2 * np.pi], abs(angle), side="left"))] for angle in turned]


def states_of(low, high, wavelengths):
    return named(2 * np.pi * (high - low) / np.array(wavelengths))


def geometric(low, high, step, count, *, shortest=4.0, longest=2.0):
    return torch.logspace(math.log10(shortest * step), math.log10(longest * (high - low)), count, dtype=torch.float64)


def by_base(low, high, step, count):
    """A sinusoid's wavelengths, with inputs and base chosen to fit."""
    shortest, longest = 3 * step, 3 * (high - low)
    base = (longest / shortest) ** (count / (count - 1))
    return sinusoidal.wavelengths(2 * count, base=base) / math.tau * shortest


HEIGHTS = {"low": 150.0, "high": 200.0, "step": 0.5, "hands": 16, "scale": math.tau / 2, "base": 100.0}  # in cm


def changed(**values):
    return {**HEIGHTS, **values}


test_a_blank_is_greeted, test_a_right_answer_passes, test_a_wrong_answer_is_diagnosed = claims(
    right=[
        (checks.states, states_of),
        (checks.states, lambda low, high, w: tuple(states_of(low, high, w))),
        (checks.chosen, geometric),
        (checks.chosen, by_base),
        (checks.chosen, lambda *about: geometric(*about).flip(0).tolist()),
        (checks.weekly, lambda hours: [math.tau * hours / 24, math.tau * hours / 168]),
        (checks.weekly, lambda hours: torch.tensor([hours / 24, hours / 168], dtype=torch.float64) % 1 * math.tau),
        (checks.own, HEIGHTS),
        (checks.own, {"low": 0, "high": 1, "step": 0.01, "hands": 64, "scale": 100, "base": 1000}),
    ],
    wrong=[
        (checks.states, lambda low, high, w: named(2 * np.pi * high / np.array(w)), "you turn by the largest input"),
        (checks.states, lambda low, high, w: named((high - low) / np.array(w)), "a whole turn is 2π"),
        (checks.states, lambda low, high, w: named((high - low) * np.array(w)), "you multiply by the wavelength"),
        (checks.states, lambda low, high, w: named(2 * np.pi * np.array(w) / (high - low)), "upside down"),
        (
            checks.states,
            lambda low, high, w: named(
                2 * np.pi * (high - low) / np.array(w), words=("wraps", "tells", "hardly moves")
            ),
            "the wrong way round",
        ),
        (checks.states, lambda low, high, w: ["tells"] * len(w), "wanted ['tells', 'tells', 'hardly moves'"),
        (checks.states, lambda low, high, w: ["moves"] * len(w), "must be one of"),
        (checks.states, lambda low, high, w: "tells", "a list with a word for each hand"),
        (checks.states, lambda low, high, w: states_of(low, high, w)[1:], "a list with a word for each hand"),
        (checks.states, lambda low, high, w: None, "is there a return?"),
        (checks.chosen, lambda *about: geometric(*about, longest=0.9), "comes round within the range"),
        (checks.chosen, lambda *about: geometric(*about, longest=40), "more than ten times the range"),
        (checks.chosen, lambda *about: geometric(*about, shortest=1), "comes round within two steps"),
        (checks.chosen, lambda *about: geometric(*about, shortest=12), "neighbours look alike"),
        (checks.chosen, lambda low, high, step, n: torch.linspace(4 * step, 2 * (high - low), n), "same multiple"),
        (checks.chosen, lambda *about: -geometric(*about), "a wavelength is above 0"),
        (checks.chosen, lambda *about: geometric(*about)[1:], "must have shape (8,)"),
        (checks.chosen, lambda low, high, step, n: sinusoidal.wavelengths(2 * n), "more than ten times the range"),
        (checks.weekly, lambda hours: [math.tau * hours / 168, math.tau * hours / 24], "the hand of a day comes first"),
        (checks.weekly, lambda hours: [hours / 24, hours / 168], "these are turns"),
        (checks.weekly, lambda hours: [math.tau * hours / 24, math.tau * hours / 7], "168 hours, not 7"),
        (checks.weekly, lambda hours: [15 * hours, hours * 360 / 168], "these are degrees"),
        (checks.weekly, lambda hours: [hours, hours / 7], "6.28 hours a turn"),
        (checks.weekly, lambda hours: [0.0, 1.0], "wanted"),
        (checks.own, changed(scale=0.1), "neighbours look alike"),
        (checks.own, changed(scale=10.0), "within two of your steps"),
        (checks.own, changed(base=20.0), "far apart inputs may look alike"),
        (checks.own, changed(base=1e9), "hands hardly move"),
        (checks.own, changed(high=150.0), "must be above 'low'"),
        (checks.own, changed(step=60.0), "a difference within the range"),
        (checks.own, changed(hands=2.5), "a whole number"),
        (checks.own, changed(base=1.0), "'base' above 1"),
        (checks.own, {"low": 1.0}, "must keep its 6 keys"),
    ],
)


def test_what_the_exercise_calls_a_state_is_what_the_picture_calls_one():
    from clockwork.lessons.lesson_15.views import reach

    for low, high, wavelengths in plain_checks.RANGES:
        turned = math.tau * (high - low) / np.array(wavelengths)
        mine = [plain_checks.NAMES.index(word) for word in plain_checks.stated(turned.tolist())]
        assert reach.states(turned).tolist() == mine


def test_the_hands_counted_for_a_quantity_of_ones_own_are_those_of_the_package():
    points = torch.linspace(150, 200, 2, dtype=torch.float64)
    for scale, base in ((HEIGHTS["scale"], 100.0), (1.0, 10_000.0)):
        turned = scale * (points[1] - points[0]) * sinusoidal.inv_freq(32, base=base)
        mine = [named(turned.tolist()).count(name) for name in plain_checks.NAMES]
        assert plain_checks._counted(50.0, 16, scale, base) == mine


def test_the_hands_of_a_day_and_a_week_are_those_of_the_lesson():
    hours = torch.tensor([0.0, 30.0, 500.0], dtype=torch.float64)
    angles = torch.stack([math.tau * hours / 24, math.tau * hours / 168], -1)
    torch.testing.assert_close(readers.code(hours, [24.0, 168.0])[:, :2], angles.sin().float())
    torch.testing.assert_close(readers.code(hours, [24.0, 168.0])[:, 2:], angles.cos().float())


test_stubs_and_solutions = stubs_and_solutions("15_beyond_words", math=math, checks=checks)
