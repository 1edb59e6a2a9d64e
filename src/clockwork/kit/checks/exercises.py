"""What the checks of exercises share: they accept an answer of any kind, compare it, and name the usual mistakes."""

from __future__ import annotations

import functools
import html
import sys
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor

from clockwork.kit import memory
from clockwork.kit.checks.plain import CheckFailed, NotAttempted, function, given, mapping, numbers, result

__all__ = [
    "CheckFailed",
    "NotAttempted",
    "array",
    "close",
    "diagnose",
    "exercise",
    "function",
    "given",
    "mapping",
    "number",
    "numbers",
    "result",
]


def exercise(check: Callable[..., str]) -> Callable[..., None]:
    """Turn `check(attempt, ...)`, which returns a message for a right answer, into the check of an exercise.

    In a notebook, a right answer shows the message and a wrong one its diagnosis; an error in the reader's own code
    shows its traceback. The cells below run in each case, and whether the exercise was passed is remembered (memory.py)
    as "exercise/02/by_head". Anywhere else, in tests and graders, a wrong answer raises `CheckFailed`.
    """
    key = f"exercise/{lesson_of(check.__module__)}/{check.__name__}"

    @functools.wraps(check)
    def checked(attempt: object, *args: Any, **kwargs: Any) -> None:
        try:
            praise = check(given(attempt), *args, **kwargs)
        except NotAttempted:
            print("○ not attempted yet: replace the ... above and run this cell again")
        except CheckFailed as wrong:
            if not in_notebook():
                raise
            say("✘", str(wrong), "#c2410c")
            if memory.recall(key) is None:
                memory.remember(key, False)
        except Exception:  # an error in the reader's own code
            if not in_notebook():
                raise
            sys.modules["IPython"].get_ipython().showtraceback()
        else:
            say("✔", praise, "#0b8457")
            if in_notebook():
                memory.remember(key, True)

    return checked


def lesson_of(module: str) -> str:
    """Return the number of the lesson in whose room a module lies: "02" for `clockwork.lessons.lesson_02.checks`."""
    return module.rpartition("lesson_")[2].partition(".")[0]


def in_notebook() -> bool:
    """Return whether this code runs in a notebook's kernel."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return hasattr(shell, "kernel")


def say(mark: str, message: str, color: str) -> None:
    """Show a message, in a notebook as a paragraph: printed lines are broken inside words there."""
    if not in_notebook():
        print(mark, message)
        return
    from IPython.display import display

    style = f"border-left: 4px solid {color}; padding: 2px 12px; max-width: 62em; white-space: pre-wrap"
    page = f'<p style="{style}"><b style="color: {color}">{mark}</b> {html.escape(message)}</p>'
    display({"text/html": page, "text/plain": f"{mark} {message}"}, raw=True)


def array(attempt: object, shape: tuple[int, ...] | None = None, *, name: str = "your answer") -> Tensor:
    """Return the attempt as a float64 tensor of the given shape, free of NaN and infinity."""
    try:
        given(attempt)
        if not isinstance(attempt, Tensor):
            attempt = torch.as_tensor(attempt, dtype=torch.float64)  # float32 would round Python's floats
        values = attempt.detach().to("cpu", torch.float64)
    except (TypeError, ValueError, RuntimeError):
        raise CheckFailed(f"{name} must be numbers (a tensor, a list or a number), got {attempt!r:.60}") from None
    if shape is not None and tuple(values.shape) != shape:
        hint = ""
        if len(shape) == 2:
            hint = " (one row for each position, one column for each coordinate)"
        if len(shape) == 2 and tuple(values.shape) == shape[::-1]:
            hint = " (are rows and columns exchanged?)"
        raise CheckFailed(f"{name} must have shape {shape}{hint}, got {tuple(values.shape)}")
    if not values.isfinite().all():
        bad = tuple((~values.isfinite()).nonzero()[0].tolist())
        raise CheckFailed(f"{name} must be finite, got {values[bad].item()} at index {bad}: a division by zero?")
    return values


def number(attempt: object, *, name: str = "your answer") -> float:
    """Return the attempt as one finite float."""
    return array(attempt, (), name=name).item()


def close(answer: Tensor | float, other: Tensor | float, tolerance: float = 1e-5) -> bool:
    """Return whether two arrays differ nowhere by more than `tolerance` times the larger array's largest number."""
    answer = torch.as_tensor(answer)
    other = torch.as_tensor(other)
    if answer.shape != other.shape:
        return False
    size = torch.maximum(answer.abs().max(), other.abs().max())
    return bool((answer - other).abs().max() <= tolerance * size)


def diagnose(
    answer: Tensor | float, mistakes: Iterable[tuple[Tensor | float, str]], *, case: str = "", tolerance: float = 1e-5
) -> None:
    """Raise the diagnosis of the first usual mistake whose result is close to the answer."""
    for wrong, diagnosis in mistakes:
        if close(answer, wrong, tolerance):
            raise CheckFailed(f"{case}: {diagnosis}" if case else diagnosis)
