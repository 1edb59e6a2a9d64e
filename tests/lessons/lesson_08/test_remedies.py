"""The map of remedies: its cells are the record's, its dots are where the remedies put the two hands."""

import json
import math

import numpy as np
import pytest

from clockwork.kit.datafiles import data_file
from clockwork.lessons.lesson_08 import views

PARTS = json.loads(data_file("beyond_the_length.json").read_text("utf-8"))["parts"]
FACTORS = [round(2 ** (step / 6), 2) for step in range(13)]


def mean(task, length, slow0, slow1):
    return np.mean(PARTS[f"{task}/map"][f"hand 0 by {slow0:.2f}, hand 1 by {slow1:.2f}"][length])


@pytest.mark.parametrize(("slow0", "slow1"), [(1.0, 1.0), (1.0, 4.0), (4.0, 1.0), (1.26, 2.52)])
def test_a_place_shows_both_tasks_of_the_record(slow0, slow1):
    shown = views.Remedies(hand0=slow0, hand1=slow1).numbers()["shares"]
    assert shown == pytest.approx([mean("who_came_first", "96", slow0, slow1), mean("three_back", "128", slow0, slow1)])


def test_a_remedy_s_dot_is_where_its_formula_puts_hands_0_and_1():
    raised = 10_000 * 4 ** (8 / 6)
    ntk = [round(10_000 ** (-2 * i / 8) / raised ** (-2 * i / 8), 2) for i in (0, 1)]
    places = views.Remedies().places
    assert places == {"none": (1, 1), "interpolation": (4, 4), "NTK-aware": tuple(ntk), "YaRN": (1, 4)}
    assert "(NTK-aware)" in views.Remedies(hand1=ntk[1]).describe() and "(" not in views.Remedies(hand0=2.0).describe()


def test_a_remedy_gets_what_its_place_on_the_map_says_although_it_slows_hands_2_and_3_too():
    for name, (slow0, slow1) in views.Remedies().places.items():
        for task, length in (("who_came_first", "96"), ("three_back", "128")):
            whole = np.mean(PARTS[f"{task}/no mask"][name][length])
            assert whole == pytest.approx(mean(task, length, slow0, slow1), abs=0.03)


def test_who_came_first_goes_by_hand_1_and_3_back_wants_hand_0_left_alone():
    first, back = (
        np.array([[mean(task, length, one, two) for two in FACTORS] for one in FACTORS])
        for task, length in (("who_came_first", "96"), ("three_back", "128"))
    )
    assert np.ptp(first, axis=0).max() < 0.03, "whatever hand 0 does"
    assert first[:, FACTORS.index(3.17) :].min() > 0.97 and first[:, : FACTORS.index(2.52)].max() < 0.9
    assert back[0].min() > 0.4 and back[2:].max() < 0.1, "hand 0 slowed by 1.26 or more leaves next to nothing"
    both = np.minimum(first, back)
    assert both.max() < 0.8 < min(first.max(), back.max()) - 0.1, "no place suits both as well as each can be suited"
    assert np.argwhere(both > 0.76).tolist() == [[0, FACTORS.index(2.0)]], "where the challenge is reached"


def test_where_hand_1_is_slowed_a_little_less_than_by_ntk_88_tokens_bring_both_hands_round():
    def round_again(slower):
        speeds = (1, 0.1 / slower)
        return [k for k in range(1, 128) if all(abs(math.remainder(k * speed, 2 * math.pi)) < 0.2 for speed in speeds)]

    assert round_again(1.41) == [88] and round_again(1.59) == []
    assert [round(88 * speed / (2 * math.pi)) for speed in (1, 0.1 / 1.41)] == [14, 1]
    assert " 88 tokens " in views.Remedies().idea and f" {88 + 3} back " in views.Remedies().idea
