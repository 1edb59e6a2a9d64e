"""The wall of strangers: a tile tells nothing before it is turned over, and then who saw its fault."""

import pytest
from traitlets import TraitError

from clockwork.lessons.lesson_10.strangers import ESCAPED
from clockwork.lessons.lesson_10.views import Wall
from clockwork.lessons.lesson_10.views.wall import GUESSES, TILES, WHEN, grouped


def said(**guesses):
    """The guesses of a reader who has turned some tiles over."""
    return [GUESSES.index(guesses[name]) if name in guesses else -1 for name in TILES]


def test_what_lies_face_down_tells_nothing():
    wall = Wall(fault="chunks from 0")
    assert "face down; 0 of 12" in wall.describe() and "seen" not in wall.describe()
    assert not any(wall.numbers()["sees"]) and not any(wall.numbers()["turned"])


def test_each_guess_has_what_it_asked_and_no_tile_has_more_than_three_short_lines():
    wall = Wall()
    assert all(wall.asked)
    assert max(map(len, wall.about)) <= 66


def test_a_tile_that_is_turned_over_tells_who_saw_it_at_first_and_who_sees_it_now():
    wall = Wall(fault="chunks from 0", guesses=said(**{"chunks from 0": "far"}))
    assert "seen by no test; 1 of 12" in wall.describe()
    wall.tests = WHEN[1]
    assert "seen by alone; 1 of 12" in wall.describe()


def test_a_guess_is_right_if_one_of_the_tests_sees_the_fault():
    assert grouped([]) == [True] + [False] * 9
    right = [guess for guess, sees in zip(GUESSES, grouped(["norm", "far", "drawn"]), strict=True) if sees]
    assert right == ["one of the eleven", "far", "drawn"]


@pytest.mark.parametrize("guesses", [[-1] * 11, [-2] * 12, [10] * 12])
def test_guesses_are_twelve_numbers(guesses):
    with pytest.raises(TraitError, match="guesses must be 12 numbers from −1 to 9"):
        Wall(guesses=guesses)


def test_why_is_told_of_the_four_that_escaped():
    wall = Wall()
    assert [name for name, told in zip(TILES, wall.reasons, strict=True) if told] == list(ESCAPED)
