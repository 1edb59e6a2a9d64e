"""The moving pictures of lesson 12."""

from clockwork.lessons.lesson_12.views.ladder import Ladder

__all__ = ["Ladder"]
