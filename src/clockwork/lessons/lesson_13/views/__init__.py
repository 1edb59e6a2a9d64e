"""The moving pictures of lesson 13."""

from clockwork.lessons.lesson_13.views.average import Average
from clockwork.lessons.lesson_13.views.first_turn import FirstTurn
from clockwork.lessons.lesson_13.views.knob import Knob
from clockwork.lessons.lesson_13.views.look_alikes import LookAlikes

__all__ = ["Average", "FirstTurn", "Knob", "LookAlikes"]
