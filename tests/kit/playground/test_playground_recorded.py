"""What was recorded of the engine and of torch, and what the guided experiments say of it."""

import json
import shutil

import numpy as np
import pytest
from conftest import require
from tools import playground

from clockwork.kit.playground import recorded, widget

RECORDED = json.loads(playground.DATA.read_text("utf-8"))
GRID = {(run["settings"]["task"], run["settings"]["code"]): run for run in RECORDED["grid"]}
SAMPLE = (("three back", "rotary"), ("three back", "none"), ("who came first", "rotary"))


def test_every_task_and_code_is_recorded_for_eight_seeds_by_both():
    assert [run["settings"] for run in RECORDED["grid"]] == playground.grid()
    assert [run["settings"] for run in RECORDED["stories"]] == playground.stories()
    for run in RECORDED["grid"]:
        assert np.shape(run["engine"]) == np.shape(run["torch"]) == (8, 3)


@pytest.mark.parametrize("task, code", GRID)
def test_engine_and_torch_learn_alike(task, code):
    """The two draw other random numbers, so a seed is no pair: their means are compared, with their spread."""
    run = GRID[task, code]
    ours, theirs = np.array(run["engine"])[:, 0], np.array(run["torch"])[:, 0]
    spread = np.sqrt((ours.var(ddof=1) + theirs.var(ddof=1)) / 8)
    assert abs(ours.mean() - theirs.mean()) < 0.05 + 3 * spread


@pytest.mark.parametrize("task, code", SAMPLE)
def test_a_sample_of_the_recorded_trainings_comes_out_again(task, code):
    require(shutil.which("node"), "node is missing: install Node.js")
    run = GRID[task, code]
    (found,) = playground.in_node([{"request": "train", "settings": run["settings"] | {"seed": 5}}])
    assert np.allclose(found["tests"][-1]["accuracy"][:2], run["engine"][5][:2], rtol=0, atol=0.05)


@pytest.mark.parametrize("code", ["rotary", "none"])
def test_a_sample_of_torch_s_trainings_comes_out_again(code):
    run = GRID["three back", code]
    trained = playground.by_torch(run["settings"], seeds=[5])
    assert np.allclose(trained[0][:2], run["torch"][5][:2], rtol=0, atol=0.05)


def test_no_two_rows_of_the_table_have_one_name():
    names = [name for name, *_ in recorded.table()]
    assert len(set(names)) == len(names)


def test_the_page_quotes_what_was_recorded():
    assert (playground.STATIC / "recorded.js").read_text("utf-8") == playground.summary(RECORDED)


def test_every_step_of_every_guided_experiment_tells_of_eight_recorded_seeds():
    require(shutil.which("node"), "node is missing: install Node.js")
    (found,) = playground.in_node([{"request": "stories"}])
    assert len(found["stories"]) == 5
    for story in found["stories"]:
        assert len(story["steps"]) == 3
        for step in story["steps"]:
            assert step["told"], (story["title"], step["settings"])


def test_a_link_holds_every_value_of_every_choice():
    require(shutil.which("node"), "node is missing: install Node.js")
    (found,) = playground.in_node([{"request": "links"}])
    names = {row["name"] for row in found["links"]}
    assert names == set(playground.PAGE) == set(widget.CHOICES)
    for row in found["links"]:
        settings = found["defaults"] | {row["name"]: row["value"]}
        assert row["settings"] == settings and row["unknown"] == [], row
        assert row["link"].removeprefix("#") == playground.link(settings)
