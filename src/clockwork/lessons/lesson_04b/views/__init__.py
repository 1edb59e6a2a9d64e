"""The moving pictures of lesson 04b."""

from clockwork.lessons.lesson_04b.views.added_or_turned import AddedOrTurned
from clockwork.lessons.lesson_04b.views.layouts import Layouts
from clockwork.lessons.lesson_04b.views.own_turn import NOTHING_TURNS, OwnTurn
from clockwork.lessons.lesson_04b.views.partial import Partial
from clockwork.lessons.lesson_04b.views.values import Values

__all__ = ["NOTHING_TURNS", "AddedOrTurned", "Layouts", "OwnTurn", "Partial", "Values"]
