"""The moving pictures of lesson 08."""

from clockwork.lessons.lesson_08.views.four_hands import FourHands, Longer
from clockwork.lessons.lesson_08.views.named import Named
from clockwork.lessons.lesson_08.views.parted import Parted
from clockwork.lessons.lesson_08.views.remedies import Remedies
from clockwork.lessons.lesson_08.views.slowing import Slowing
from clockwork.lessons.lesson_08.views.stretch import Stretch

__all__ = ["FourHands", "Longer", "Named", "Parted", "Remedies", "Slowing", "Stretch"]
