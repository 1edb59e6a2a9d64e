"""What the command found in SmolLM2 is what lessons 11 and 14 found there with a forward pass of their own."""

import re

import pytest
from tools import site

from clockwork import measure
from clockwork.kit import datafiles, pretrained
from clockwork.measure import measuring
from clockwork.measure.parts import PARTS

CLOSE = 5e-3  # nats: the same weights, in another order of sums
TEXTS = ("alice", "course")  # the first two windows are the beginnings of these texts


@pytest.fixture(scope="module")
def parts():
    return measure.recorded("smollm2")["parts"]


def test_the_recorded_file_is_whole_and_follows_the_schema():
    found = measure.read(datafiles.data_file("measured/smollm2.json"))
    assert set(found["parts"]) == set(PARTS) and not found["missing"]
    assert found["texts"].keys() == set(measuring.COURSE_TEXTS)


def test_stopped_hands_cost_what_lesson_11_found(parts):
    grown = pretrained.results()["grown"]
    part = parts["stopped"]
    assert [end for _, end in part["spans"]] == pretrained.results()["ends"]
    for number, band in enumerate(part["bands"]):
        for at, text in enumerate(TEXTS):
            wanted = [rise for rise, _ in grown[text][f"{4 * number} to {4 * number + 3}"]]
            assert [rise["windows"][at] for rise in band["rise"]] == pytest.approx(wanted, abs=CLOSE)


def test_hidden_far_tokens_cost_what_lesson_11_found(parts):
    names = {"hidden": "all turn", "hidden, slow hands stopped": "slowest 16"}
    for at, text in enumerate(TEXTS):
        for mine, theirs in names.items():
            wanted, _ = pretrained.results()["near_only"][text][theirs]
            assert parts["hidden"]["rise"][mine]["windows"][at] == pytest.approx(wanted, abs=CLOSE)


def test_gaps_cost_what_lesson_11_found(parts):
    results = pretrained.results()
    part = parts["gap"]
    shared = [gap for gap in part["gaps"] if gap in results["gap_lengths"]]
    assert len(shared) >= 6
    for mine, theirs in {"as it is": "none", "with YaRN × 4": "yarn"}.items():
        for at, text in enumerate(TEXTS):
            found = [part["ways"][mine]["loss"][part["gaps"].index(gap)]["windows"][at] for gap in shared]
            wanted = [results["gaps"][theirs][text][results["gap_lengths"].index(gap)] for gap in shared]
            assert found == pytest.approx(wanted, abs=CLOSE)


def test_kept_first_tokens_are_worth_what_lesson_14_found(parts):
    names = ("window", "window and token 0", None, "window and first, places in the text")  # 0, 1, 2, 4 kept
    for at, text in enumerate(TEXTS):
        sinks = datafiles.read_part("positions_at_work.json", "smollm2/sinks")[text]
        for rise, name in zip(parts["window"]["rise"], names, strict=True):
            if name:
                assert rise["windows"][at] == pytest.approx(sinks[name] - sinks["whole text"], abs=CLOSE)
        others = sinks["window and four others"] - sinks["whole text"]
        assert parts["window"]["others"]["windows"][at] == pytest.approx(others, abs=CLOSE)


def test_the_ladder_is_that_of_the_models_own_file(parts):
    (ladder,) = parts["config"]["ladders"].values()
    assert ladder["speeds"] == pytest.approx(pretrained.results()["inv_freq"], rel=1e-5)
    assert parts["config"]["trained"] == pretrained.results()["trained_len"]
    assert ladder["unfinished"] == 12 and ladder["read_by_pe_helpers"] == "alike"


def test_the_site_shows_every_recorded_model_on_a_page_of_its_own(tmp_path):
    said = site.measured(tmp_path)
    files = sorted(path.stem for path in datafiles.data_file("measured/smollm2.json").parent.glob("*.json"))
    assert sorted(path.stem for path in (tmp_path / "measured").iterdir()) == files
    for name in files:
        assert f'href="_static/measured/{name}.html"' in said
        assert all(sentence in said for sentence in measure.recorded(name)["sentences"])


def test_a_notebook_shows_the_page_within_a_frame():
    shown = measure.recorded("smollm2")._repr_html_()
    assert re.fullmatch(r'<iframe srcdoc="[^"]+" title="[^"]+"[^<>]*></iframe>', shown)
