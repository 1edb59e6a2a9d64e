"""The checks of lesson 12's exercises: read speeds from a configuration, audit three models, number text and images."""

from __future__ import annotations

from clockwork.kit.checks.exercises import exercise
from clockwork.lessons.lesson_12 import plain_checks

speeds = exercise(plain_checks.speeds)
audit = exercise(plain_checks.audit)
places = exercise(plain_checks.places)
