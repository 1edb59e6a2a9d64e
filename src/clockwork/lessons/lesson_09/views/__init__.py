"""The moving pictures of lesson 09."""

from clockwork.lessons.lesson_09.views.planes import Planes
from clockwork.lessons.lesson_09.views.warp import Warp

__all__ = ["Planes", "Warp"]
