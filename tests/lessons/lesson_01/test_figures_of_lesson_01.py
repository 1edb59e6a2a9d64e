"""The pictures of lesson 01 draw what the lesson says of them."""

import json

import numpy as np
import pytest

from clockwork.kit import sweep
from clockwork.kit.datafiles import data_file
from clockwork.lessons.lesson_01 import figures

WORDS = ["tom", "bit", "a", "dog"]


def bands(ax):
    """Each ribbon's colours at its left and right end, (thread,), and its height there."""
    for mesh in ax.collections:
        corners = mesh.get_coordinates()
        values = np.asarray(mesh.get_array()).reshape(corners.shape[0] - 1, corners.shape[1] - 1)
        yield values[:, 0], values[:, -1], corners[:, 0, 1].mean(), corners[:, -1, 1].mean()


def test_a_ribbon_leads_each_word_s_numbers_from_its_place_to_its_new_place():
    rng = np.random.default_rng(0)
    before, after = rng.normal(size=(2, 4, 8))
    order = [2, 3, 1, 0]
    fig = figures.braid({"one": (before, after), "two": (before, before)}, WORDS, order)
    for ax, new in zip(fig.axes, (after, before), strict=True):
        *words, mean = bands(ax)
        assert sorted(round(start) for *_, start, _ in words) == [0, 1, 2, 3]
        for left, right, start, stop in words:
            word = round(start)
            assert order[round(stop)] == word
            np.testing.assert_allclose(left, before[word])
            np.testing.assert_allclose(right, new[word])
        np.testing.assert_allclose(mean[1], new.mean(0))
        assert mean[2] == pytest.approx(mean[3])


def test_a_thread_keeps_its_colour_if_and_only_if_its_number_stays():
    before = np.arange(32.0).reshape(4, 8)
    after = before.copy()
    after[0, 0] += 5
    fig = figures.braid({"one": (before, after), "two": (before, after)}, WORDS, [0, 1, 2, 3])
    for mesh in fig.axes[0].collections[:4]:
        values = np.asarray(mesh.get_array()).reshape(8, -1)
        changes = np.ptp(values, axis=1) > 1e-9
        assert changes.sum() == (values[0, 0] == 0)


def test_the_first_codes_are_drawn_with_a_dot_for_each_recorded_seed():
    asked = []

    def recorded(task, scheme, length, part, *, gain):
        asked.append((task, scheme, length, part, gain))
        runs = sweep.find(task, scheme, grid="naive_codes", gain=gain)
        return runs[part][:, runs["lengths"].index(length)]

    fig = figures.trained(recorded)
    dots = [line for ax in fig.axes for line in ax.lines if line.get_marker() == "o"]
    assert len(dots) == len(asked) == 2 * 2 * len(figures.CODES)
    for line, (*run, gain) in zip(dots, tuple(asked), strict=True):
        assert line.get_xdata() == pytest.approx(recorded(*run, gain=gain).numpy())
    column = fig.numbers[0].index("3 back, from 32 to 47")
    assert dict((row[0], row[column]) for row in fig.numbers)["index / length, × 31"] == "0.09"
    by_code = {name: [float(mean) for mean in means] for name, *means in fig.numbers[1:]}
    low = {"nothing", "index, on every number", "index / length", "one-hot"}
    assert {name for name, means in by_code.items() if means[0] < 0.2} == low
    assert all(means[0] > 0.9 for name, means in by_code.items() if name not in low)
    assert all(means[1] < 0.4 for means in by_code.values())
    assert {name for name, means in by_code.items() if means[3] > 0.9} == {
        "index / length, × 4",
        "index / length, × 31",
    }


def test_fewer_codes_on_one_task_are_drawn_when_asked_for():
    fig = figures.trained(lambda *_, **__: [0.5, 0.7], codes=["nothing", "one-hot"], compared=["three_back"])
    assert len(fig.axes) == 1
    assert [row[0] for row in fig.numbers[1:]] == ["nothing", "one-hot"]
    assert {row[1] for row in fig.numbers[1:]} == {"0.60"}


def test_what_training_never_showed_is_left_out_when_asked_for():
    asked = set()
    fig = figures.trained(
        lambda *run, **_: asked.add(run[1:]) or [0.5], codes=["nothing"], compared=["three_back"], beyond=False
    )
    assert asked == {("none", 32, "accuracy")}
    assert fig.numbers[0] == ("means of eight models", "3 back, positions to 31")
    assert "Orange" not in fig.caption


def test_single_positions_are_drawn_for_each_recorded_seed_and_the_shade_begins_where_training_ended():
    data = json.loads(data_file("accuracy_by_position.json").read_text())
    fig = figures.by_position()
    for ax, scheme in zip(fig.axes, figures.PANELS, strict=True):
        _, *seeds, mean = ax.lines
        shares = np.array(data["by_position"][scheme])
        assert shares.shape == (8, 45)
        np.testing.assert_allclose([line.get_ydata() for line in seeds], shares)
        np.testing.assert_allclose(mean.get_ydata(), shares.mean(0))
        assert mean.get_xdata()[[0, -1]].tolist() == [3, 47]
        (shade,) = ax.patches
        assert shade.get_x() == 31.5


def test_the_dashed_lines_are_what_the_best_reader_of_bags_scores():
    texts = np.random.default_rng(1).integers(16, size=(4000, 32))
    best = np.mean([np.bincount(text[1:], minlength=16).max() / 31 for text in texts])  # the token at 0 asks
    assert figures.TASKS["three_back"][2] == pytest.approx(best, abs=0.002)
    assert figures.TASKS["who_came_first"][2] == 0.5, "a sequence and its twin are one bag"
