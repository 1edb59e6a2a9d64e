"""The moving pictures of lesson 07."""

from clockwork.lessons.lesson_07.views.bias import Bias
from clockwork.lessons.lesson_07.views.query import Query
from clockwork.lessons.lesson_07.views.slope import Slope

__all__ = ["Bias", "Query", "Slope"]
