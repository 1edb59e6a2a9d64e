"""The moving pictures of the short way."""

from clockwork.lessons.lesson_00.views.move_the_text import MoveTheText
from clockwork.lessons.lesson_00.views.todays_hands import TodaysHands
from clockwork.lessons.lesson_00.views.turn_the_head import TurnTheHead
from clockwork.lessons.lesson_00.views.who_is_hurt import WhoIsHurt

__all__ = ["MoveTheText", "TodaysHands", "TurnTheHead", "WhoIsHurt"]
