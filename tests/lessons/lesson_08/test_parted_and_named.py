"""A text whose halves are parted and the tokens an interpolated model names: dots, shares and what is veiled."""

import json
import math

import numpy as np
import pytest

from clockwork.kit.datafiles import data_file
from clockwork.lessons.lesson_08 import views

PARTS = json.loads(data_file("beyond_the_length.json").read_text("utf-8"))["parts"]
RUNS = {1: "none", 2: "hand 1 slowed by 2", 4: "hand 1 slowed by 4"}


@pytest.mark.parametrize("start", [16, 32, 48, 80, 128])
@pytest.mark.parametrize("slower", [1, 2, 4])
def test_the_dots_outside_the_grey_are_the_distances_whose_angle_no_training_text_had(start, slower):
    pairs = {(start + i) - j for i in range(16) for j in range(16)}  # every token of one half and of the other
    assert len(pairs) == 31
    known = [distance * 0.1 for distance in range(32)]
    new = sum(math.fmod(distance * 0.1 / slower, 2 * math.pi) > max(known) + 1e-9 for distance in pairs)
    view = views.Parted(start=start, hand1=slower)
    assert view.numbers()["fresh"] == [0, new], "hand 0 came round in training"
    share = np.mean(PARTS["three_back/gaps under the mask"][RUNS[slower]][f"32, second half from {start}"])
    assert view.numbers()["share"] == pytest.approx(share)
    asked = views.Parted(start=start, hand1=slower, asks="08/come-round")
    assert "share" not in asked.numbers() and "right" not in asked.describe()


@pytest.mark.parametrize("asked", range(3, 13))
def test_the_bars_are_the_record_s_and_are_hidden_before_the_guess_once_anything_is_interpolated(asked):
    by = round(asked / 3, 2)
    runs = PARTS["three_back/named"][f"by {by:.2f}"]
    wanted = [np.mean(runs[f"{round(32 * asked / 3)}, {k} back"]) for k in range(1, 15)]
    assert views.Named(by=by).numbers()["shares"] == pytest.approx(wanted)
    assert views.Named(by=by).describe().endswith(f"symbol {asked} back")
    assert bool(views.Named(by=by, asks="08/what-becomes").numbers()) == (asked == 3)
