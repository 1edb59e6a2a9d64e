"""The moving pictures of lesson 12."""

from clockwork.lessons.lesson_12.views.ladder import Ladder
from clockwork.lessons.lesson_12.views.phase import Phase

__all__ = ["Ladder", "Phase"]
