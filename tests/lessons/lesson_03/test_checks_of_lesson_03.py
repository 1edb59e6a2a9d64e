"""The checks of lesson 03's exercises: a blank is greeted, the solution passes, each usual mistake is named."""

import math

import pytest
import torch
from tests.lessons.exercise_claims import claims

from clockwork.kit import probes
from clockwork.kit.checks import CheckFailed
from clockwork.lessons.lesson_03 import checks

HOURS = [11.85, 5.98, 3.0, 0.3]
RADIANS = [2 * math.pi * hour / 12 for hour in HOURS]


def chord(k, inv_freq):
    return 2 * (k * inv_freq / 2).sin().abs()


def tuned(vectors, low=0.2, high=3.1, count=291):
    """The shares that a probe reads at evenly spaced speeds, with those speeds."""
    speeds = torch.linspace(low, high, count)
    angles = torch.arange(64)[:, None] * speeds
    tips = torch.stack([angles.sin(), angles.cos()], -1)
    return speeds, probes.share_read(vectors[:100], tips, vectors[100:])


def find_hands(vectors):
    speeds, share = tuned(vectors)
    middle = share[1:-1]
    return speeds[1:-1][(middle > share[:-2]) & (middle > share[2:]) & (middle > 0.3)]


def on_the_fitted_texts(vectors):
    return find_hands(torch.cat([vectors[:100], vectors[:100]]))


def by_fourier(vectors):
    """The peaks of the mean vector's spectrum: no probe."""
    speeds = torch.linspace(0.2, 3.1, 1161)
    mean = vectors.mean(0)
    waves = torch.exp(1j * torch.arange(64) * speeds[:, None])
    power = (waves @ (mean - mean.mean(0)).to(waves.dtype)).abs().square().sum(1)
    middle = power[1:-1]
    tops = (middle > power[:-2]) & (middle > power[2:])
    highest = middle.where(tops, torch.tensor(0.0)).topk(3).indices
    return speeds[1:-1][highest]


test_a_blank_is_greeted, test_a_right_answer_passes, test_a_wrong_answer_is_diagnosed = claims(
    right=[
        (checks.hours, HOURS),
        (checks.hours, [12, 6, 3, 0]),
        (checks.clock, (120_000.0, 12)),
        (checks.clock, (200_000.0, 16)),
        (checks.chord, chord),
        (checks.chord, lambda k, inv_freq: (2 - 2 * (k * inv_freq).cos()).sqrt()),
        (checks.hidden_hands, find_hands),
        (checks.hidden_hands, lambda vectors: find_hands(vectors).flip(0).tolist()),
        (checks.hidden_hands, by_fourier),
    ],
    wrong=[
        (checks.hours, [12 - hour for hour in HOURS], "mirrored"),
        (checks.hours, [(3 - hour) % 12 for hour in HOURS], "start at 3 o'clock"),
        (checks.hours, [(3 + hour) % 12 for hour in HOURS], "has not turned points to 12"),
        (checks.hours, HOURS[::-1], "in the wrong order"),
        (checks.hours, RADIANS, "these are radians"),
        (checks.hours, [30 * hour for hour in HOURS], "these are degrees"),
        (checks.hours, [hour / 12 for hour in HOURS], "these are turns"),
        (checks.hours, [0, 8.4, 6.84, 1.884], "one turn for 1 rad"),
        (checks.hours, [11.85, 9.0, 3.0, 0.3], "hand 1 is off"),
        (checks.hours, HOURS[:3], "must have shape (4,)"),
        (checks.hours, [math.nan, 6, 3, 0], "must be finite"),
        (checks.hours, "noon", "must be numbers"),
        (checks.clock, (20_000, 8), "not 2π·base"),
        (checks.clock, (10_000, 512), "100,000 are asked for"),
        (checks.clock, (420_000, 8), "× slower than the one before"),
        (checks.clock, (10_000_000, 64), "smaller base"),
        (checks.clock, (150_000, 64), "98.9"),
        (checks.clock, (400_000, 7), "must be even"),
        (checks.clock, (1, 16), "base must be more than 1"),
        (checks.clock, 16, "must have shape (2,)"),
        (checks.chord, lambda k, w: 2 * (k * w / 2).sin(), "never negative"),
        (checks.chord, lambda k, w: 2 - 2 * (k * w).cos(), "square of the distance"),
        (checks.chord, lambda k, w: (k * w).abs(), "along the circle"),
        (checks.chord, lambda k, w: 2 * (k * w).sin().abs(), "cut into two equal ones"),
        (checks.chord, lambda k, w: (k * w / 2).sin().abs(), "half of the distance"),
        (checks.chord, lambda k, w: (k * w).sin().abs(), "halve the angle"),
        (checks.chord, lambda k, w: 2 * (k / 2).sin().abs(), "leaves inv_freq out"),
        (checks.chord, lambda k, w: torch.zeros(1000), "your formula says 0.0000"),
        (checks.chord, lambda k, w: 2 * abs(math.sin(k * w / 2)), "use torch.sin"),
        (checks.chord, 2.0, "must be a function"),
        (checks.hidden_hands, lambda vectors: tuned(vectors)[1], "are these the shares?"),
        (checks.hidden_hands, lambda vectors: find_hands(vectors)[:2], "got 2 speeds"),
        (checks.hidden_hands, lambda vectors: [0.7, 1.3, 2.2], "vectors 2: no hand turns by"),
        (checks.hidden_hands, lambda vectors: find_hands(vectors)[0] + 0.01 * torch.arange(3), "the same peak"),
        (checks.hidden_hands, lambda vectors: 2 * math.pi - find_hands(vectors), "turning backwards"),
        (checks.hidden_hands, lambda vectors: 2 * math.pi / find_hands(vectors), "these are periods"),
        (checks.hidden_hands, on_the_fitted_texts, "texts that it was fitted on"),
        (checks.hidden_hands, [0.7, 1.3, 2.2], "must be a function"),
        (checks.hidden_hands, lambda vectors: None, "is there a return?"),
    ],
    blank=[(checks.chord, lambda k, inv_freq: None), (checks.hidden_hands, lambda vectors: ...)],
)


def test_smallest_clock_is_told_apart_from_a_larger_one(capsys):
    checks.clock((120_000.0, 12))
    checks.clock((200_000.0, 16))
    small, large = capsys.readouterr().out.splitlines()
    assert "no clock does it with fewer" in small and "six hands are enough" in large


def test_hands_found_without_a_probe_are_right_and_told_apart_from_those_that_a_probe_found(capsys):
    checks.hidden_hands(by_fourier)
    checks.hidden_hands(find_hands)
    without, with_probe = capsys.readouterr().out.splitlines()
    assert "without probes.share_read" in without and "only at its own speed" in with_probe


def test_no_clock_of_five_hands_has_the_reach_and_survives_the_noise():
    for base in (178_800, 200_000, 300_000):  # the first is the least base whose slowest of five hands reaches 100,000
        with pytest.raises(CheckFailed, match="× slower than the one before"):
            checks.clock((base, 10))


def test_hours_of_the_solution_come_from_the_formula():
    turned = 157 * 10_000.0 ** (-torch.arange(0, 8, 2, dtype=torch.float64) / 8)
    torch.testing.assert_close(
        turned.remainder(2 * math.pi) * 6 / math.pi, torch.tensor(HOURS).double(), atol=0.01, rtol=0
    )
