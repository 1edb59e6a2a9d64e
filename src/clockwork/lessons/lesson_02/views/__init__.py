"""The moving pictures of lesson 02."""

from clockwork.lessons.lesson_02.views.adversary import Adversary
from clockwork.lessons.lesson_02.views.learn_here import LearnHere
from clockwork.lessons.lesson_02.views.race import Race, record
from clockwork.lessons.lesson_02.views.reach import FarAndSharp, Spacing
from clockwork.lessons.lesson_02.views.trace import Trace
from clockwork.lessons.lesson_02.views.wave import Wave

__all__ = ["Adversary", "FarAndSharp", "LearnHere", "Race", "Spacing", "Trace", "Wave", "record"]
