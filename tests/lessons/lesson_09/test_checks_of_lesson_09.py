"""The checks of lesson 09's exercises: a blank is greeted, the solution passes, each usual mistake is named."""

import math

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from tests.lessons.exercise_claims import claims, stubs_and_solutions

from clockwork.kit import probes
from clockwork.kit.datafiles import data_file
from clockwork.lessons.lesson_09 import checks
from pe_helpers import sinusoidal

RIGHT = {"first direction": 2, "tokens per turn": 32}


def mean_turn(points, *, wrap=True, sign=1, off=0, total=False, size=False, degrees=False, ends=False, forwards=False):
    angles = np.arctan2(*np.array(points).T) * sign
    steps = np.array([angles[-1] - angles[0]]) if ends else np.diff(angles)
    if wrap:
        steps = steps % (2 * math.pi) if forwards else (steps + math.pi) % (2 * math.pi) - math.pi
    mean = (np.abs(steps) if size else steps).sum() / (1 if total else len(points) - 1 + off)
    return float(np.degrees(mean) if degrees else mean)


def one_sided(points):
    steps = np.diff(np.arctan2(*np.array(points).T))
    return float(np.where(steps < -math.pi, steps + 2 * math.pi, steps).mean())


def smooth(seed, rows=300, columns=200, *, closed=True, window=60):
    noise = torch.randn(rows + window, columns, generator=torch.Generator().manual_seed(seed))
    if closed:
        return sum(noise[:rows].roll(k, dims=0) for k in range(window))
    return noise[:rows].cumsum(0)


def noisy_clock(seed):
    return sinusoidal.table(300, 64) + 0.1 * torch.randn(300, 64, generator=torch.Generator().manual_seed(seed))


def one_hand(seed):
    angles = 0.5 * torch.arange(300)
    hand = torch.stack([angles.sin(), angles.cos()], 1)
    return torch.cat([hand, 0.1 * torch.randn(300, 62, generator=torch.Generator().manual_seed(seed))], 1)


def hand_in_a_random_plane(seed):
    angles = 0.5 * torch.arange(300)
    plane = torch.randn(2, 64, generator=torch.Generator().manual_seed(seed))
    return torch.stack([angles.sin(), angles.cos()], 1) @ plane


test_the_stubs_are_greeted_and_the_folded_solutions_pass = stubs_and_solutions(
    "09_what_tables_learn",
    torch=torch,
    math=math,
    checks=checks,
    probes=probes,
    whisper=load_file(data_file("whisper_position_tables.safetensors"))["decoder"].double(),
)
test_a_blank_is_greeted, test_a_right_answer_passes, test_a_wrong_answer_is_diagnosed = claims(
    right=[
        (checks.mean_turn, mean_turn),
        (checks.whisper, RIGHT),
        (checks.whisper, RIGHT | {"tokens per turn": 2 * math.pi / 0.198}),
        (checks.fake, smooth),
    ],
    wrong=[
        (checks.mean_turn, lambda points: mean_turn(points, sign=-1), "wrong sign"),
        (checks.mean_turn, lambda points: mean_turn(points, wrap=False), "jumps by 2π at 6 o'clock"),
        (checks.mean_turn, lambda points: mean_turn(points, wrap=False, sign=-1), "wrong sign"),
        (checks.mean_turn, lambda points: mean_turn(points, off=1), "n − 1 turns"),
        (checks.mean_turn, lambda points: mean_turn(points, total=True), "divide by how many"),
        (checks.mean_turn, lambda points: mean_turn(points, size=True), "counts with a minus"),
        (checks.mean_turn, lambda points: mean_turn(points, forwards=True), "not a large one forwards"),
        (checks.mean_turn, lambda points: mean_turn(points, degrees=True), "in degrees"),
        (checks.mean_turn, lambda points: mean_turn(points, ends=True), "jumps by 2π at 6 o'clock"),
        (checks.mean_turn, one_sided, "past 6 o'clock"),
        (checks.mean_turn, lambda points: 7.0, "yours is 7.000"),
        (checks.mean_turn, lambda points: None, "is there a return?"),
        (checks.mean_turn, 1.07, "must be a function"),
        (checks.whisper, RIGHT | {"first direction": 0}, "round once at most"),
        (checks.whisper, RIGHT | {"first direction": 5}, "varies by 0.36"),
        (checks.whisper, RIGHT | {"first direction": 3}, "the *first* of its two"),
        (checks.whisper, RIGHT | {"first direction": 40}, "not the steadiest"),
        (checks.whisper, RIGHT | {"tokens per turn": 0.197}, "turn per token"),
        (checks.whisper, RIGHT | {"tokens per turn": 5.1}, "make 1 rad"),
        (checks.whisper, RIGHT | {"tokens per turn": 16}, "half a turn"),
        (checks.whisper, RIGHT | {"tokens per turn": 1827}, "not 360"),
        (checks.whisper, RIGHT | {"tokens per turn": 100}, "does not take 100"),
        (checks.whisper, {"pair": 3}, "keep its 2 keys"),
        (checks.fake, lambda seed: smooth(0), "the same table"),
        (checks.fake, lambda seed: smooth(seed, closed=False), "A ring closes"),
        (checks.fake, lambda seed: smooth(seed, window=1), "a cloud"),
        (checks.fake, lambda seed: smooth(seed, window=10), "average over more rows"),
        (checks.fake, lambda seed: smooth(seed, window=299), "some, not all"),
        (checks.fake, hand_in_a_random_plane, "the whole table"),
        (checks.fake, one_hand, "a clock hand that you built in"),
        (checks.fake, lambda seed: smooth(seed, columns=20), "50 columns or more, got (300, 20)"),
        (checks.fake, lambda seed: None, "is there a return?"),
        (checks.fake, smooth(0), "must be a function"),
    ],
)


def test_whisper_s_steadiest_ring_is_where_the_check_says():
    table = load_file(data_file("whisper_position_tables.safetensors"))["decoder"].double().numpy()[228:448]
    u, s, _ = np.linalg.svd(table - table.mean(0), full_matrices=False)
    along = u * s
    varies = {}
    for pair in range(8):
        angles = np.unwrap(np.arctan2(along[:, pair], along[:, pair + 1]))
        if abs(angles[-1] - angles[0]) > 3 * 2 * math.pi:
            radius = np.hypot(along[:, pair], along[:, pair + 1])
            varies[pair] = radius.std() / radius.mean()
    assert not {0, 1} & set(varies)
    steadiest = min(varies, key=varies.get)
    others = [value for pair, value in varies.items() if pair != steadiest]
    assert steadiest == checks.PAIR and varies[steadiest] < 0.14 < 0.29 < min(others)
    angles = np.unwrap(np.arctan2(along[:, 2], along[:, 3]))
    assert abs(abs(angles[-1] - angles[0]) / (len(angles) - 1) - checks.TURN) < 0.002


@pytest.mark.slow
def test_the_random_twin_s_ring_is_as_fast_and_as_steady_and_its_turns_scatter_more():
    table = load_file(data_file("whisper_position_tables.safetensors"))["decoder"].double()[228:448]
    _, own = probes.going_round(probes.leading(table, 4)[:, 2:4])
    scatter = []
    for seed in range(12):
        points, twin = probes.going_round(probes.leading(probes.random_twin(table, seed), 4)[:, 2:4])
        radius = points.norm(dim=1)
        assert abs(twin.mean() - own.mean()) < 0.01 and radius.std() < 0.35 * radius.mean()
        scatter.append(twin.std() / own.std())
    assert min(scatter) > 1.2 and sum(scatter) / len(scatter) > 1.5


def test_a_walk_of_random_numbers_goes_round_and_does_not_close():
    points, turns = probes.going_round(probes.leading(smooth(0, closed=False), 2))
    assert 0.5 < turns.sum() / (2 * math.pi) < 0.8
    assert (points[-1] - points[0]).norm() > 2 * points.norm(dim=1).mean()
