"""The dials of four hands in longer texts: their angles are the formulas', their right answers the record's."""

import json
import math

import numpy as np
import pytest

from clockwork.kit.datafiles import data_file
from clockwork.lessons.lesson_08 import views

PARTS = json.loads(data_file("beyond_the_length.json").read_text("utf-8"))["parts"]
TRAINED = {"three_back": 32, "who_came_first": 24}
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
    return np.mean(PARTS[f"{task}/under the mask"][method][str(round(longer * TRAINED[task]))])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("longer", LONGER)
def test_a_hand_reaches_as_far_as_its_speed_takes_it_in_the_text(method, longer):
    reach = views.FourHands(method=method, longer=longer).numbers()["reach"]
    seen = 1 if method == "window" else longer
    wanted = [[seen * own * speed(method, i, own) for i in range(4)] for own in TRAINED.values()]
    assert reach == pytest.approx(np.array(wanted))


@pytest.mark.parametrize(
    ("method", "longer", "new"),
    [
        ("none", 4, "1, 2, 3"),
        ("none", 1, "none"),
        ("interpolation", 4, "none"),
        ("NTK-aware", 4, "1, 2"),
        ("YaRN", 4, "none"),
        ("window", 4, "none"),
    ],
)
def test_new_angles_are_those_beyond_training_s_unless_the_hand_came_round_there(method, longer, new):
    told = views.FourHands(method=method, longer=longer, asks="08/serves-both").describe()
    assert f"3 back, {32 * longer} tokens: hands at new angles {new}; who came first" in told
    assert told.endswith(f"{24 * longer} tokens: hands at new angles {new}")


def test_right_answers_are_the_record_s_and_none_is_told_before_the_guess():
    for method in METHODS:
        for longer in LONGER:
            view = views.FourHands(method=method, longer=longer)
            assert view.numbers()["shares"] == pytest.approx([mean(task, method, longer) for task in TRAINED])
            asked = views.FourHands(method=method, longer=longer, asks="08/serves-both")
            assert asked.numbers()["shares"] == [] and "right" not in asked.describe()
    for longer in LONGER:
        alone = views.Longer(longer=longer).numbers()
        assert alone["shares"] == pytest.approx([mean("three_back", "none", longer)]) and len(alone["reach"]) == 1


def test_3_back_of_decoders_wants_hand_1_at_known_angles_and_hand_0_as_it_was():
    for longer in LONGER[1:]:
        for method in METHODS[:4]:
            known = longer * 32 * speed(method, 1, 32) <= 32 * 0.1 * 1.0001
            same = speed(method, 0, 32) == 1
            assert (mean("three_back", method, longer) > 0.97) == (known and same) or longer < 2.5
