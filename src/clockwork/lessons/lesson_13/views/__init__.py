"""The moving pictures of lesson 13."""

from clockwork.lessons.lesson_13.views.average import Average
from clockwork.lessons.lesson_13.views.knob import Knob

__all__ = ["Average", "Knob"]
