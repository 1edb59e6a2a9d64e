"""The cells of the picture: the means of the record, the hands of a head, and eight at most."""

import json
import math

import pytest

from clockwork.kit.datafiles import data_file
from clockwork.lessons.lesson_12 import views

PARTS = json.loads(data_file("todays_models.json").read_text("utf-8"))["parts"]


@pytest.mark.parametrize(("finished", "unfinished"), [(4, 4), (6, 2), (0, 1), (8, 0), (1, 7)])
@pytest.mark.parametrize(("length", "column"), [(32, 0), (256, 3)])
def test_a_cell_is_the_mean_of_eight_models(finished, unfinished, length, column):
    view = views.Phase(finished=finished, unfinished=unfinished, length=length)
    name = f"{finished} finished, {unfinished} unfinished"
    scores = [row[column] for row in PARTS[f"three_back/stopped/{name}"][name]["accuracy"]]
    assert len(scores) == 8
    assert view.numbers()["right"] == pytest.approx([sum(scores) / 8, min(scores), max(scores)])
    turned = [length_of * speed / math.tau for length_of, speed in zip([32] * 8, view.numbers()["speeds"], strict=True)]
    assert sum(turns >= 1 for turns in turned) == finished
    assert sum(0 < turns < 1 for turns in turned) == unfinished


def test_a_head_has_eight_hands_so_of_more_the_unfinished_give_way():
    view = views.Phase(finished=6, unfinished=5)
    assert view.counts() == (6, 2) and "2 did not, 0 stand still" in view.describe()


def test_unfinished_hands_help_where_a_head_gets_more_with_them_than_without():
    assert views.helped(1, 1, 64) and views.helped(2, 1, 64)
    assert not views.helped(2, 1, 256) and not views.helped(4, 4, 256)
    assert not views.helped(0, 1, 256), "beside none that came round"
    assert not views.helped(8, 5, 64), "a head has eight hands: none of the five is left"


def test_without_a_moving_hand_it_is_the_model_without_positions():
    scores = [row[3] for row in PARTS["three_back/stopped/none"]["none"]["accuracy"]]
    assert views.Phase(finished=0, unfinished=0).numbers()["right"][0] == pytest.approx(sum(scores) / 8)
