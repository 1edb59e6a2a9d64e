"""The checks of lesson 14's exercises: numbers for a row, a cache that was cut, the next token's place."""

from __future__ import annotations

from clockwork.kit.checks.exercises import exercise
from clockwork.lessons.lesson_14 import plain_checks

number = exercise(plain_checks.number)
shift = exercise(plain_checks.shift)
following = exercise(plain_checks.following)
