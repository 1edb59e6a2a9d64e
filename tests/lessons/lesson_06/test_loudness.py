"""The slider of loudness: the recorded means, the seeds behind them, and how long the codes are beside a token."""

import json
import math

import pytest

from clockwork.kit.datafiles import data_file
from clockwork.lessons.lesson_06 import views

PARTS = json.loads(data_file("adding.json").read_text("utf-8"))["parts"]
CODES = ("sinusoid", "drifting rows", "sinusoid, rows shuffled", "random rows", "random rows, 9 directions")


@pytest.mark.parametrize(("std", "row"), [(0.01, 0), (0.1, 3), (1.0, 5)])
@pytest.mark.parametrize("steps", [250, 1000])
def test_a_line_goes_through_the_means_of_eight_seeds(steps, std, row):
    view = views.Loudness(std=std, budget=steps)
    seeds = [PARTS[f"loudness/{steps}"][name][row] for name in CODES]
    assert all(len(scores) == 8 for scores in seeds)
    means = [sum(scores) / 8 for scores in seeds]
    assert view.numbers()["means"] == pytest.approx(means)
    for name, mean in zip(CODES, means, strict=True):
        assert f"{name} {mean:.2f}" in view.describe()


@pytest.mark.parametrize(("std", "row"), [(0.02, 0), (1.0, 1)])
@pytest.mark.parametrize(("steps", "part"), [(250, "held"), (1000, "held/longer")])
def test_held_tokens_show_their_own_eight_seeds(steps, part, std, row):
    view = views.Loudness(std=std, budget=steps, tokens="held")
    means = [sum(PARTS[part][name][row]) / 8 for name in CODES]
    assert view.numbers()["means"] == pytest.approx(means)
    assert view.describe().startswith(f"held tokens at std {std:g}, ") and f"sinusoid {means[0]:.2f}" in view.describe()


@pytest.mark.parametrize("std", [0.01, 0.05, 0.1, 0.3])
def test_held_tokens_show_no_number_at_a_loudness_that_was_not_tried(std):
    view = views.Loudness(std=std, tokens="held")
    assert view.numbers()["means"].size == 0 and view.describe().endswith("not tried")


def test_the_picture_begins_with_trained_tokens():
    assert views.Loudness().describe().startswith("trained tokens")


@pytest.mark.parametrize(("std", "times"), [(0.02, 35), (1.0, 0.7)])
def test_a_code_is_so_many_times_as_long_as_a_token(std, times):
    token, code = std * math.sqrt(32), math.sqrt(32 / 2)
    assert views.Loudness(std=std).numbers()["longer"] == pytest.approx([code / token])
    assert code / token == pytest.approx(times, rel=0.02)
