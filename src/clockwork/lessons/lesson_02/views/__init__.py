"""The moving pictures of lesson 02."""

from clockwork.lessons.lesson_02.views.trace import Trace
from clockwork.lessons.lesson_02.views.wave import Wave

__all__ = ["Trace", "Wave"]
