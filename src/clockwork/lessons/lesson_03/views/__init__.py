"""The moving pictures of lesson 03."""

from clockwork.lessons.lesson_03.views.corkscrews import Corkscrews
from clockwork.lessons.lesson_03.views.learning import Learning
from clockwork.lessons.lesson_03.views.two_dials import TwoDials

__all__ = ["Corkscrews", "Learning", "TwoDials"]
