"""The moving pictures of the short way."""

from clockwork.lessons.lesson_00.views.todays_hands import TodaysHands
from clockwork.lessons.lesson_00.views.who_is_hurt import WhoIsHurt

__all__ = ["TodaysHands", "WhoIsHurt"]
