"""The corkscrews are cut where the code is; training step by step shows the record."""

import json
import math

import numpy as np
import pytest

from clockwork.kit.datafiles import data_file
from clockwork.lessons.lesson_03 import views
from clockwork.lessons.lesson_03.views import learning

FRAMES = json.loads(data_file("clock_while_training.json").read_text("utf-8"))["frames"]


@pytest.mark.parametrize(("position", "d_model"), [(0, 8), (22, 16), (57, 64)])
def test_the_cut_goes_through_the_hands_of_the_position(position, d_model):
    cut = views.Corkscrews(position=position, d_model=d_model).numbers()["hands"]
    for i, tip in enumerate(cut):
        angle = position / 10_000 ** (2 * i / d_model)
        assert tip == pytest.approx([math.sin(angle), math.cos(angle)], abs=1e-6)
    assert len(cut) == d_model // 2


def test_the_chosen_hand_is_named_with_the_angle_by_which_it_has_turned():
    told = {view.describe() for view in (views.Corkscrews(position=30, d_model=8, hand=hand) for hand in (0, 1, 2))}
    assert len(told) == 3
    assert "hand 1 has turned 3.00 rad" in views.Corkscrews(position=30, d_model=8, hand=1).describe()


@pytest.mark.parametrize("step", [0, 30, 110, 250])
@pytest.mark.parametrize(
    ("away", "comb", "at_1"),
    [
        ("nothing", "share_read", "1 rad"),
        ("what differs", "without what differs", "1 rad, without what differs"),
        ("what all texts share", "without the mean", "1 rad, without the mean"),
    ],
)
def test_a_step_shows_the_record_of_that_step_without_the_part_that_is_taken_away(step, away, comb, at_1):
    frame = FRAMES[step // 10]
    shown = views.Learning(step=step, away=away).numbers()
    np.testing.assert_allclose(shown["combs"], frame[comb])
    np.testing.assert_allclose(shown["read"], frame[at_1])
    assert shown["right"] == pytest.approx([sum(frame["right"]) / 8])
    bars = [sum(frame[part]) / 8 / learning.LONGEST for part in ("length of the mean", "length by words")]
    assert shown["bars"] == pytest.approx(bars)


def test_no_bar_is_longer_than_its_room():
    assert all(max(views.Learning(step=step).numbers()["bars"]) <= 1 for step in learning.STEPS)


def test_the_parts_that_can_be_taken_away_are_told_apart_by_the_alternative_text():
    told = {views.Learning(step=250, away=away).describe() for away in learning.AWAY}
    assert len(told) == 3
