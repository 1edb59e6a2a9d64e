"""The goals of lesson 11 are reached where its text says, counted once more from the pictures themselves."""

import itertools

from clockwork.lessons.lesson_11 import goals


def test_nothing_turns_where_every_hand_is_stopped():
    for first, count in itertools.product(range(32), range(33)):
        stopped = [first <= hand < first + count for hand in range(32)]
        assert goals.nothing_turns(first, count) == all(stopped), (first, count)
