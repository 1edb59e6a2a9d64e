"""The pictures of lesson 11 that start with one text show the recorded run of what is chosen, and of nothing else."""

import itertools

import pytest

from clockwork.kit import pretrained
from clockwork.lessons.lesson_11 import views

RESULTS = pretrained.results()
KEYS = {"Alice": "alice", "this course": "course"}


def test_the_first_picture_of_a_gap_is_alice_read_by_the_model_as_trained():
    view = views.Gap()
    assert (view.gap, view.method, view.text) == (0, "none", "Alice")


def test_the_loss_after_a_gap_is_that_of_the_chosen_text_and_method():
    view = views.Gap()
    for text, method, gap in itertools.product(KEYS, view.values("method"), pretrained.GAPS):
        view.text, view.method, view.gap = text, method, gap
        loss = RESULTS["gaps"][method][KEYS[text]][RESULTS["gap_lengths"].index(gap)]
        assert view.numbers()["change"] == pytest.approx([loss - RESULTS["gaps"]["alone"][KEYS[text]]])
        assert f"{text}: loss after the gap {loss:.2f}," in view.describe()


@pytest.mark.parametrize("text", KEYS)
def test_the_four_bars_are_two_models_each_with_far_tokens_seen_and_hidden(text):
    """The oracle is another run, in which all hands from one on were stopped: from 16, or from 32, which is none."""
    seen, hidden = (RESULTS[name][KEYS[text]] for name in ("from_hand", "near_from_hand"))
    assert len(seen) == 8, "with all hands turning and all tokens seen, nothing is lost"
    runs = [0, hidden[8][3][0], seen[4][3][0], hidden[4][3][0]]
    view = views.FarTokens(text=text)
    assert view.numbers()["rise"] == pytest.approx(runs, abs=2e-3)
    for rise, (hands, far) in zip(runs, itertools.product(("turn", "stopped"), ("seen", "hidden")), strict=True):
        view.hands, view.far = hands, far
        assert float(view.said()["rise"]) == pytest.approx(rise, abs=7e-3), (hands, far)
