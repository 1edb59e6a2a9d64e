"""The moving pictures of lesson 03."""

from clockwork.lessons.lesson_03.views.corkscrews import Corkscrews
from clockwork.lessons.lesson_03.views.learning import Learning

__all__ = ["Corkscrews", "Learning"]
