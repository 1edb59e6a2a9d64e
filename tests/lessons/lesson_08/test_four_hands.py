"""The dials of four hands in longer texts: their angles are the formulas', their right answers the record's."""

import json
import math

import numpy as np
import pytest

from clockwork.kit.datafiles import data_file
from clockwork.lessons.lesson_08 import views

PARTS = json.loads(data_file("beyond_the_length.json").read_text("utf-8"))["parts"]
TRAINED = {"who_came_first": 24, "three_back": 32}
METHODS = ("none", "interpolation", "NTK-aware", "YaRN", "window")
LONGER = (1, 1.5, 2, 2.5, 3, 3.5, 4)


def speed(method, i, trained):
    """The speed of hand i of four, by the remedies' own formulas for texts four times as long."""
    usual = 10_000 ** (-2 * i / 8)
    if method == "interpolation":
        return usual / 4
    if method == "NTK-aware":
        return (10_000 * 4 ** (8 / 6)) ** (-2 * i / 8)
    if method == "YaRN":  # with four hands its ramp is a step: who came round at least once keeps its speed
        return usual if trained * usual > 2 * math.pi * 0.999 or i == 0 else usual / 4
    return usual


def mean(task, method, longer):
    return np.mean(PARTS[f"{task}/by four"][method][str(round(longer * TRAINED[task]))])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("longer", LONGER)
def test_a_hand_reaches_as_far_as_its_speed_takes_it_in_the_text(method, longer):
    reach = views.FourHands(method=method, longer=longer).numbers()["reach"]
    seen = 1 if method == "window" else longer
    wanted = [[seen * own * speed(method, i, own) for i in range(4)] for own in TRAINED.values()]
    assert reach == pytest.approx(np.array(wanted))


@pytest.mark.parametrize(
    ("method", "longer", "first", "back"),
    [
        ("none", 4, "1, 2, 3", "2, 3"),
        ("none", 1, "none", "none"),
        ("interpolation", 4, "none", "none"),
        ("NTK-aware", 4, "1, 2", "2"),
        ("YaRN", 4, "none", "none"),
        ("window", 4, "none", "none"),
    ],
)
def test_new_angles_are_those_beyond_training_s_unless_half_a_turn_was_reached_there(method, longer, first, back):
    told = views.FourHands(method=method, longer=longer).describe()
    assert f"{24 * longer} tokens: hands at new angles {first}; 3 back" in told
    assert told.endswith(f"{32 * longer} tokens: hands at new angles {back}")


def test_right_answers_are_shown_of_the_tasks_whose_questions_are_answered_alone():
    for method in METHODS:
        for longer in LONGER:
            both = [mean(task, method, longer) for task in TRAINED]
            for opened in ([False, False], [True, False], [False, True], [True, True]):
                view = views.FourHands(method=method, longer=longer, opened=opened)
                wanted = [share for share, known in zip(both, opened, strict=True) if known]
                assert view.numbers()["shares"] == pytest.approx(wanted)
                assert view.describe().count("right") == sum(opened)


def test_who_came_first_follows_hand_1_and_3_back_the_way_its_marks_were_moved():
    for longer in LONGER[1:]:
        kept = [m for m in METHODS[:4] if longer * 24 * speed(m, 1, 24) <= 24 * 0.1 * 1.0001]
        assert min(mean("who_came_first", m, longer) for m in kept) > 0.97
    for method in ("none", "NTK-aware"):
        assert mean("who_came_first", method, 4) < 0.65
    moved = {m: sum(abs(3 * speed(m, i, 32) - 3 * 10_000 ** (-2 * i / 8)) for i in (0, 1)) for m in METHODS[:4]}
    right = [mean("three_back", m, 1) for m in sorted(moved, key=moved.get)]
    assert right == sorted(right, reverse=True) and right[0] == 1.0
