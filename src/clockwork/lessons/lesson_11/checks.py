"""The checks of lesson 11's exercises: read a configuration, feed a real head on four hands, stretch a context."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from clockwork.kit.checks.exercises import exercise, function
from clockwork.lessons.lesson_11 import plain_checks

unfinished = exercise(plain_checks.unfinished)
four_hands = exercise(plain_checks.four_hands)


@exercise
def longer(attempt: Callable[[Tensor, int, float], object]) -> str:
    """Check `longer(inv_freq, trained_len, factor)` as the page does, with a tensor of speeds."""
    function(attempt, "longer(inv_freq, trained_len, factor)")
    return plain_checks.longer(lambda speeds, *more: attempt(torch.tensor(speeds, dtype=torch.float64), *more))
