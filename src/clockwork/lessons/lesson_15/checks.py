"""The checks of lesson 15's exercises: what each hand does, hands for a quantity, weekdays, scale and base."""

from __future__ import annotations

from clockwork.kit.checks.exercises import exercise
from clockwork.lessons.lesson_15 import plain_checks

states = exercise(plain_checks.states)
chosen = exercise(plain_checks.chosen)
weekly = exercise(plain_checks.weekly)
own = exercise(plain_checks.own)
