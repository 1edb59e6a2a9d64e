"""The moving pictures of the short way."""

from clockwork.lessons.lesson_00.views.all_hands import AllHands
from clockwork.lessons.lesson_00.views.bag import ABag
from clockwork.lessons.lesson_00.views.hand import OneHand
from clockwork.lessons.lesson_00.views.move_the_text import MoveTheText
from clockwork.lessons.lesson_00.views.number import NumberEachWord
from clockwork.lessons.lesson_00.views.todays_hands import TodaysHands
from clockwork.lessons.lesson_00.views.turn_the_head import TurnTheHead
from clockwork.lessons.lesson_00.views.unroll import DialUnrolls
from clockwork.lessons.lesson_00.views.wave import AWave
from clockwork.lessons.lesson_00.views.who_is_hurt import WhoIsHurt

__all__ = [
    "ABag",
    "AWave",
    "AllHands",
    "DialUnrolls",
    "MoveTheText",
    "NumberEachWord",
    "OneHand",
    "TodaysHands",
    "TurnTheHead",
    "WhoIsHurt",
]
