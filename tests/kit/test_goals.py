"""Copies of the lessons find each goal's rule where it once lay, and it is the one of the lesson's room."""

import importlib
import inspect

import pytest

from clockwork.kit.widgets import goals


def test_each_rule_of_a_room_answers_at_its_old_place():
    for name, number in goals.ROOMS.items():
        room = importlib.import_module(f"clockwork.lessons.lesson_{number}.goals")
        assert getattr(goals, name) is dict(inspect.getmembers(room, inspect.isfunction))[name]


def test_a_rule_that_no_lesson_has_is_refused_by_name():
    with pytest.raises(AttributeError, match="blunt"):
        goals.blunt
