"""The moving pictures of lesson 09."""

from clockwork.lessons.lesson_09.views.planes import Planes

__all__ = ["Planes"]
