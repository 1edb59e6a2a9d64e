"""Take a reader's answer as it comes: blank, misshapen, not a number, or an array to check."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


class CheckFailed(AssertionError):
    """An attempt was checked and something is wrong; the message says what it probably is."""

    def _render_traceback_(self) -> list[str]:
        """Show one line in a notebook instead of a traceback through this package."""
        return [f"\x1b[31m✘\x1b[0m {self}"]


class NotAttempted(Exception):
    """There is nothing to check yet: the answer is still the blank of the stub."""


def passed(message: str) -> None:
    """Print a green tick and what has been shown."""
    print(f"\x1b[32m✔\x1b[0m {message}")


def exercise(check: Callable[..., str]) -> Callable[..., None]:
    """Make `check(attempt, ...)`, which returns the praise, a check that greets a blank and ticks a right answer."""

    @functools.wraps(check)
    def checked(attempt: object, *args: Any, **kwargs: Any) -> None:
        try:
            praise = check(given(attempt), *args, **kwargs)
        except NotAttempted:
            print("○ not attempted yet: replace the ... above and run this cell again")
        else:
            passed(praise)

    return checked


def given(attempt: Any) -> Any:
    """Return the attempt, or raise `NotAttempted` when it is blank (`None`, `...` or an empty text)."""
    if attempt is None or attempt is ... or (isinstance(attempt, str) and not attempt.strip()):
        raise NotAttempted
    return attempt


def array(attempt: object, shape: tuple[int, ...] | None = None, *, name: str = "your answer") -> Tensor:
    """Return the attempt as a float64 tensor of the given shape, free of NaN and infinity."""
    try:
        values = torch.as_tensor(given(attempt)).detach().to("cpu", torch.float64)
    except (TypeError, ValueError, RuntimeError):
        raise CheckFailed(f"{name} must be numbers (a tensor, a list or a number), got {attempt!r:.60}") from None
    if shape is not None and tuple(values.shape) != shape:
        turned = len(shape) == 2 and tuple(values.shape) == shape[::-1]
        why = "are rows and columns exchanged?" if turned else "one row a position, one column a coordinate"
        hint = f" ({why})" if len(shape) == 2 else ""
        raise CheckFailed(f"{name} must have shape {shape}{hint}, got {tuple(values.shape)}")
    if not values.isfinite().all():
        bad = tuple((~values.isfinite()).nonzero()[0].tolist())
        raise CheckFailed(f"{name} must be finite, got {values[bad].item()} at index {bad}: a division by zero?")
    return values


def number(attempt: object, *, name: str = "your answer") -> float:
    """Return the attempt as one finite float."""
    return array(attempt, (), name=name).item()
