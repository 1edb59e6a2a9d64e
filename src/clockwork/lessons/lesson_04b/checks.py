"""The checks of lesson 04b's exercises: turn a row by halves, and give weights another order."""

from clockwork.kit.checks.exercises import exercise
from clockwork.lessons.lesson_04b import plain_checks

rotated = exercise(plain_checks.rotated)
reordered = exercise(plain_checks.reordered)
