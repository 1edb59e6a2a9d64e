"""The moving pictures of lesson 10."""

from clockwork.lessons.lesson_10.views.faults import Faults

__all__ = ["Faults"]
