"""The goals of lesson 11 are reached where its text says, counted once more from the pictures themselves."""

import itertools

from clockwork.kit import pretrained
from clockwork.lessons.lesson_11 import goals, views


def test_nothing_turns_where_every_hand_is_stopped():
    for first, count in itertools.product(range(32), range(33)):
        stopped = [first <= hand < first + count for hand in range(32)]
        assert goals.nothing_turns(first, count) == all(stopped), (first, count)


def test_the_goals_of_the_gap_are_reached_where_the_picture_says_so():
    view = views.Gap()

    def change(gap, method, text):
        view.gap, view.method, view.text = gap, method, text
        return view.numbers()["change"][0]

    for gap, method in itertools.product(pretrained.GAPS, view.values("method")):
        away = gap == 20_000 and all(change(gap, method, text) < 0.1 for text in ("Alice", "this course"))
        assert goals.no_harm_at_20_000(gap, method) == away, (gap, method)
    reached = {method for method in view.values("method") if goals.no_harm_at_20_000(20_000, method)}
    assert reached == {"ntk", "yarn", "slow hands stopped"}
