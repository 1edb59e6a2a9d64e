"""What checks share that need `math` and lists alone.

In the reader's browser, MicroPython runs this file and the checks named `plain_…`. Hence no torch, no `typing`, no
`from __future__`, and types from elsewhere as strings.
"""

import math


class CheckFailed(AssertionError):
    """An attempt was checked and something is wrong; the message says what it probably is."""

    def _render_traceback_(self) -> list[str]:
        """Show one line in a notebook instead of a traceback through this package."""
        return [f"\x1b[31m✘\x1b[0m {self}"]


class NotAttempted(Exception):
    """The answer is still the placeholder of the exercise, so there is nothing to check yet."""


def given(attempt: object) -> object:
    """Return the attempt, or raise `NotAttempted` if it is blank (`None`, `...` or an empty string)."""
    if attempt is None or attempt is ... or (isinstance(attempt, str) and not attempt.strip()):
        raise NotAttempted
    return attempt


def result(attempt: object) -> object:
    """Return what the reader's function returned, unless it returned nothing."""
    if attempt is None:
        raise CheckFailed("your function returned None: is there a return?")
    return attempt


def function(attempt: object, signature: str) -> "Callable[..., object]":
    """Return the attempt if it can be called; `signature` says how, as in `"chord(k, inv_freq)"`."""
    if not callable(attempt):
        raise CheckFailed(f"{signature} must be a function (hand in the function itself), got {repr(attempt)[:40]}")
    return attempt


def floats(attempt: object, shape: "tuple[int, ...] | None" = None, *, name: str = "your answer") -> "list | float":
    """Return the attempt as nested lists of finite floats of the given shape; () means a single float."""
    try:
        values = _nested(given(attempt))
        found = _shape(values)
    except (TypeError, ValueError):
        raise CheckFailed(f"{name} must be numbers (a tensor, a list or a number), got {repr(attempt)[:60]}") from None
    if shape is not None and found != shape:
        raise CheckFailed(f"{name} must have shape {shape}, got {found}")
    _require_finite(values, name)
    return values


def _nested(values: object) -> "list | float":
    if hasattr(values, "tolist"):  # a tensor or an array
        values = values.tolist()
    if isinstance(values, (list, tuple)):
        return [_nested(value) for value in values]
    if isinstance(values, str):
        raise TypeError
    return float(values)


def _shape(values: "list | float") -> tuple[int, ...]:
    if isinstance(values, float):
        return ()
    shapes = {_shape(value) for value in values}
    if len(shapes) > 1:
        raise ValueError
    sizes = [len(values)]
    for shape in shapes:
        sizes.extend(shape)
    return tuple(sizes)


def _require_finite(values: "list | float", name: str, place: str = "") -> None:
    if isinstance(values, list):
        for i, value in enumerate(values):
            _require_finite(value, name, f"{place}, {i}" if place else f" at index {i}")
    elif not math.isfinite(values):
        raise CheckFailed(f"{name} must be finite, got {values}{place}: a division by zero?")


def close(answer: list[float], other: list[float], tolerance: float = 1e-5) -> bool:
    """Return whether two lists differ nowhere by more than `tolerance` times the largest number in them."""
    if len(answer) != len(other):
        return False
    size = max(abs(value) for value in answer + other)
    return all(abs(value - other[i]) <= tolerance * size for i, value in enumerate(answer))


def diagnose(
    answer: list[float],
    mistakes: "Iterable[tuple[list[float], str]]",
    *,
    case: str = "",
    tolerance: float = 1e-5,
) -> None:
    """Raise the diagnosis of the first usual mistake whose result is close to the answer."""
    for wrong, diagnosis in mistakes:
        if close(answer, wrong, tolerance):
            raise CheckFailed(f"{case}: {diagnosis}" if case else diagnosis)


def mapping(attempt: object, keys: "Collection[str]") -> dict:
    """Return the attempt if it is a dict with exactly these keys and no blank among its values."""
    if not isinstance(attempt, dict) or set(attempt) != set(keys):
        raise CheckFailed(f"your answer must keep its {len(keys)} keys: change only what follows each colon")
    for key in keys:
        given(attempt[key])
    return attempt


def numbers(attempt: object, questions: "Sequence[tuple[str, float, Sequence[tuple[float, str]], str]]") -> None:
    """Check a dict of numbers, each within one per cent.

    Args:
        attempt: the reader's number for each question.
        questions: for each its name, the right number, what each usual wrong number means, and a hint for all others.
    """
    mapping(attempt, [question for question, _, _, _ in questions])
    for question, right, mistakes, hint in questions:
        answer = floats(attempt[question], (), name=repr(question))
        if close([answer], [right], 0.01) or abs(answer - right) < 1e-6:  # what should be 0 is only nearly so
            continue
        diagnose([answer], [([wrong], why) for wrong, why in mistakes], case=repr(question), tolerance=0.01)
        raise CheckFailed(f"{question!r}: not {answer:g}; {hint}")


def draws(seed: int) -> "Iterator[int]":
    """Yield pseudo-random whole numbers from 0 to 32,767: the same in every Python."""
    while True:
        seed = (1_103_515_245 * seed + 12_345) % 2**31
        yield seed >> 16
