"""The moving pictures of lesson 14."""

from clockwork.lessons.lesson_14.views.cached import Cached
from clockwork.lessons.lesson_14.views.holes import Holes
from clockwork.lessons.lesson_14.views.numbered import Numbered
from clockwork.lessons.lesson_14.views.packed import Packed
from clockwork.lessons.lesson_14.views.strips import Strips

__all__ = ["Cached", "Holes", "Numbered", "Packed", "Strips"]
