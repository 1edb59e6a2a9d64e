"""The moving pictures of lesson 06."""

from clockwork.lessons.lesson_06.views.directions import Directions
from clockwork.lessons.lesson_06.views.loudness import Loudness
from clockwork.lessons.lesson_06.views.take_apart import TakeApart

__all__ = ["Directions", "Loudness", "TakeApart"]
