"""The moving pictures of lesson 15."""

from clockwork.lessons.lesson_15.views.daily import Daily
from clockwork.lessons.lesson_15.views.ends import Ends
from clockwork.lessons.lesson_15.views.larger import Larger
from clockwork.lessons.lesson_15.views.reach import Reach

__all__ = ["Daily", "Ends", "Larger", "Reach"]
