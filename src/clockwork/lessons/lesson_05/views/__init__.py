"""The moving pictures of lesson 05."""

from clockwork.lessons.lesson_05.views.referee import Referee
from clockwork.lessons.lesson_05.views.trained import TrainedModels
from clockwork.lessons.lesson_05.views.two_tables import TwoTables

__all__ = ["Referee", "TrainedModels", "TwoTables"]
