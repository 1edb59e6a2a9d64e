"""The moving pictures of lesson 10."""

from clockwork.lessons.lesson_10.views.faults import Faults, Passing
from clockwork.lessons.lesson_10.views.wall import Wall

__all__ = ["Faults", "Passing", "Wall"]
