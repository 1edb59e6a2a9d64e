"""The moving pictures of lesson 01."""

from clockwork.lessons.lesson_01.views.multiplied import Multiplied
from clockwork.lessons.lesson_01.views.places import Places
from clockwork.lessons.lesson_01.views.sentence import Sentence

__all__ = ["Multiplied", "Places", "Sentence"]
