"""The moving pictures of lesson 12."""

from clockwork.lessons.lesson_12.views.agreement import Agreement, calm
from clockwork.lessons.lesson_12.views.ladder import Ladder, Slowed
from clockwork.lessons.lesson_12.views.phase import Phase, helped

__all__ = ["Agreement", "Ladder", "Phase", "Slowed", "calm", "helped"]
