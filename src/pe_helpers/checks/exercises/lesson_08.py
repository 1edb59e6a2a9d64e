"""The checks of lesson 08's exercises: hands at new angles, a base that slows one hand, tokens that look alike."""

from __future__ import annotations

from pe_helpers.checks.answers import exercise
from pe_helpers.checks.exercises import plain_08

new_hands = exercise(plain_08.new_hands)
raised = exercise(plain_08.raised)
rivals = exercise(plain_08.rivals)
