"""The checks of lesson 04b's exercises: a score of two turned words, a row turned by halves, weights reordered."""

from clockwork.kit.checks.exercises import exercise
from clockwork.lessons.lesson_04b import plain_checks

score = exercise(plain_checks.score)
rotated = exercise(plain_checks.rotated)
reordered = exercise(plain_checks.reordered)
