"""The checks of lesson 08's exercises: hands at new angles, a base that slows one hand, tokens that look alike."""

from __future__ import annotations

from clockwork.kit.checks.exercises import exercise
from clockwork.lessons.lesson_08 import plain_checks

new_hands = exercise(plain_checks.new_hands)
raised = exercise(plain_checks.raised)
rivals = exercise(plain_checks.rivals)
