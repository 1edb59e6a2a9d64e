"""Trained heads, drawn: dials show their turns, maps their weights, and the tables behind both the same numbers."""

import math

import numpy as np
import pytest

from clockwork.lessons.lesson_13 import figures


def test_turns_show_each_head_s_angle_and_the_shift_s():
    angles = [2.9, 1.5, 1.0, 0.5]
    matrix = np.zeros((32, 32))
    for i, angle in enumerate(angles):
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [
            [math.cos(angle), math.sin(angle)],
            [-math.sin(angle), math.cos(angle)],
        ]
    matrix[0, 5] = 7  # mixes hands: no turn
    fig = figures.turns([matrix], k=3)
    for i, (ax, angle) in enumerate(zip(fig.axes, angles[:3], strict=True)):
        drawn = [math.atan2(line.get_xdata()[1], line.get_ydata()[1]) for line in ax.lines[-2:]]
        assert drawn == pytest.approx([3 * 10_000 ** (-2 * i / 32), angle])


def test_each_head_has_a_row_of_dials_with_the_share_of_each_hand():
    strong = np.zeros((32, 32))
    strong[:2, :2] = 3 * np.eye(2)
    strong[2:4, 2:4] = 4 * np.eye(2)
    fig = figures.turns([np.eye(32), strong], k=3)
    said = ["0.00 rad\n6%"] * 3 + ["0.00 rad\n36%", "0.00 rad\n64%", "0.00 rad\n0%"]
    assert [ax.get_xlabel() for ax in fig.axes] == said
    lengths = [math.hypot(*(axis[1] for axis in ax.lines[-1].get_data())) for ax in fig.axes]
    assert lengths == pytest.approx([1] * 6), "a hand without strength is pale, not short"
    opacity = [ax.lines[-1].get_alpha() for ax in fig.axes]
    assert 0 < opacity[5] < opacity[0] == opacity[2] < opacity[3] < opacity[4] < 1


def test_every_model_has_a_map_in_every_column():
    draw = np.random.default_rng(0).random((2, 3, 8, 8))
    fig = figures.maps({"as trained": draw[0], "turning part": draw[1]}, trained_to=4, k=3)
    shown = [ax.images[0].get_array() for ax in fig.axes[:6]]
    np.testing.assert_allclose(shown, draw.swapaxes(0, 1).reshape(6, 8, 8))
    assert [ax.get_title() for ax in fig.axes[:2]] == ["as trained", "turning part"]
    assert fig.axes[2].get_ylabel().startswith("model 1")


def test_the_table_behind_the_dials_has_each_model_s_turn_and_share():
    strong = np.zeros((32, 32))
    strong[:2, :2] = 3 * np.eye(2)
    strong[2:4, 2:4] = [[0, 4], [-4, 0]]
    header, *rows = figures.turns([np.eye(32), strong], k=3).numbers
    assert header[2:] == ("model 0", "model 1")
    assert rows[0] == ("0", "3.00", "0.00 rad, 6%", "0.00 rad, 36%")
    assert rows[1] == ("1", "1.69", "0.00 rad, 6%", "1.57 rad, 64%")


def test_the_table_behind_the_maps_has_the_weight_k_back_by_position():
    draw = np.random.default_rng(0).random((2, 3, 16, 16))
    header, *rows = figures.maps({"as trained": draw[0], "turning part": draw[1]}, trained_to=8, k=3).numbers
    assert header[4] == "turning part, model 0" and len(header) == 7
    seen = set()
    for queries, *weights in rows:
        first, last = map(int, queries.split(" to "))
        inside = range(first, last + 1)
        seen |= set(inside)
        for said, weight in zip(weights, draw.reshape(6, 16, 16), strict=True):
            assert float(said) == pytest.approx(np.mean([weight[p, p - 3] for p in inside]), abs=0.0051)
    assert seen == set(range(3, 16)), "every query that has a key three back, once"
