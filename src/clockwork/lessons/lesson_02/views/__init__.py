"""The moving pictures of lesson 02."""

from clockwork.lessons.lesson_02.views.adversary import Adversary
from clockwork.lessons.lesson_02.views.plateau import Plateau
from clockwork.lessons.lesson_02.views.trace import Trace
from clockwork.lessons.lesson_02.views.wave import Wave

__all__ = ["Adversary", "Plateau", "Trace", "Wave"]
