"""The curve of a head: its cosines one by one, its rivals, and what the named heads got right."""

import json
import math

import pytest

from clockwork.kit.datafiles import data_file
from clockwork.lessons.lesson_12 import views
from clockwork.lessons.lesson_12.views import agreement

PARTS = json.loads(data_file("todays_models.json").read_text("utf-8"))["parts"]


def by_hand(speeds):
    """The mean cosine at each key, 0 to 255 back, less that of the one 3 back."""
    return [math.fsum(math.cos((back - 3) * speed) for speed in speeds) / len(speeds) for back in range(256)]


@pytest.mark.parametrize("head", agreement.TRAINED)
def test_a_named_head_has_the_speeds_and_the_right_answers_of_its_runs(head):
    run = agreement.TRAINED[head]
    (part,) = [name for name in PARTS if name.startswith("three_back/") and run in PARTS[name] and "four" not in name]
    view = views.Agreement(head=head)
    right = sum(row[3] for row in PARTS[part][run]["accuracy"]) / 8
    assert view.heads[head]["right"] == pytest.approx(right) and f"{right:.2f} of the answers" in view.describe()
    assert len(view.speeds()) == 6 and view.numbers()["alike"] == pytest.approx(by_hand(view.speeds()))


def test_six_hands_that_are_back_after_50_tokens_have_five_rivals_and_crowded_uneven_ones_none():
    rivals = {head: views.Agreement(head=head).rivals() for head in agreement.TRAINED}
    assert rivals == {"back after 50": 5, "crowded, even": 2, "crowded, uneven": 0, "spread out": 0}
    curve = by_hand(views.Agreement(head="back after 50").speeds())
    assert [back for back in range(7, 256) if curve[back] > 0.85] == [53, 103, 153, 203, 253]
    assert views.Agreement(head="back after 50").numbers()["best"] == pytest.approx([53, 1.0])


def test_one_s_own_six_hands_are_the_sliders_and_all_came_round_in_training():
    view = views.Agreement(head=agreement.OWN, speed_0=0.9)
    assert view.speeds() == [0.9, 0.85, 0.7, 0.55, 0.4, 0.25]
    assert view.numbers()["alike"] == pytest.approx(by_hand(view.speeds()))
    assert min(agreement.SPEEDS) * 32 >= 2 * math.pi and "not trained here" in view.describe()


def test_the_challenge_asks_for_a_head_of_one_s_own_without_a_rival():
    assert views.calm(agreement.OWN, 0) and not views.calm(agreement.OWN, 1)
    assert not views.calm("spread out", 0)
    start = views.Agreement(head=agreement.OWN)
    calmer = views.Agreement(head=agreement.OWN, speed_1=0.8, speed_2=0.64, speed_3=0.51, speed_4=0.41, speed_5=0.325)
    for view, many in ((start, 4), (calmer, 0)):
        assert view.rivals() == sum(value > 0.85 for value in by_hand(view.speeds())[7:]) == many


def test_the_tour_says_how_many_rivals_a_head_has():
    view = views.Agreement()
    words = {step["state"]["head"]: step["words"] for step in view.tour}
    view.head = agreement.GEMMA
    assert view.rivals() == 0 and view.numbers()["best"][1] < 0.4, words[agreement.GEMMA]
    for head, said in (("crowded, even", "two rivals, and 0.67"), ("crowded, uneven", "no rival, and 0.99")):
        assert said in words[head]
        assert f"{said[-4:]} of the answers" in views.Agreement(head=head).describe()
