"""The moving pictures of lesson 01."""

from clockwork.lessons.lesson_01.views.hurt import Hurt
from clockwork.lessons.lesson_01.views.multiplied import Multiplied
from clockwork.lessons.lesson_01.views.norm import Norm
from clockwork.lessons.lesson_01.views.places import Places
from clockwork.lessons.lesson_01.views.sentence import Sentence
from clockwork.lessons.lesson_01.views.twins import Twins

__all__ = ["Hurt", "Multiplied", "Norm", "Places", "Sentence", "Twins"]
