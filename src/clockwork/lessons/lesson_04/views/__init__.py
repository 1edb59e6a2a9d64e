"""The moving pictures of lesson 04."""

from clockwork.lessons.lesson_04.views.offsets import Offsets
from clockwork.lessons.lesson_04.views.sharpness import Sharpness
from clockwork.lessons.lesson_04.views.shift import Riddle, Shift
from clockwork.lessons.lesson_04.views.sketch import Sketch

__all__ = ["Offsets", "Riddle", "Sharpness", "Shift", "Sketch"]
