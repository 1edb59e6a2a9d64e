# SPDX-License-Identifier: MIT
"""What the encoders accept of single values, and what they say about the rest: "name must rule (why), got value".

Without torch: MicroPython runs this file in a page.
"""

try:
    import numbers
    from typing import Any

    WHOLE: tuple[Any, ...] = (numbers.Integral,)
    REAL: tuple[Any, ...] = (numbers.Real,)
except ImportError:  # MicroPython
    WHOLE, REAL = (int,), (int, float)

PAIRS = " (each pair of features has one angle)"
LARGEST = 2**53  # float64 holds every whole number up to here
LARGEST_FLOAT = 1.7976931348623157e308


def whole_number(name: str, value: Any, least: int = 1, why: str = "") -> int:
    """Return `value` as an int between `least` and 2**53."""
    open_length = type(value).__name__ == "SymInt"  # a length that a graph leaves open
    if isinstance(value, bool) or not (open_length or isinstance(value, WHOLE)):
        raise TypeError(f"{name} must be an int{why}, got {describe(value)}")
    if value < least:
        raise ValueError(f"{name} must be at least {least}{why}, got {value}")
    if value > LARGEST:
        raise ValueError(f"{name} must be at most 2**53{why}, got {value}")
    return value if open_length else int(value)


def even(name: str, value: Any) -> int:
    """Return `value` as a positive, even int."""
    if whole_number(name, value, least=2, why=PAIRS) % 2:
        raise ValueError(f"{name} must be even{PAIRS}, got {value}")
    return int(value)


def number(name: str, value: Any, least: float, why: str = "") -> float:
    """Return `value` as a finite float of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, REAL):
        raise TypeError(f"{name} must be a number{why}, got {describe(value)}")
    if not least <= value <= LARGEST_FLOAT:
        raise ValueError(f"{name} must be finite and at least {least:g}{why}, got {describe(value)}")
    return float(value)


def choice(name: str, value: Any, choices: tuple[Any, ...], why: str = "") -> Any:
    """Return `value` if it is one of `choices`, which are of one type."""
    if not isinstance(value, type(choices[0])) or value not in choices:
        named = ", ".join(repr(each) for each in choices)
        raise ValueError(f"{name} must be one of {named}{why}, got {describe(value)}")
    return value


def mapping(name: str, value: Any) -> dict[str, Any]:
    """Return `value` if it is a mapping."""
    if not isinstance(value, dict):
        raise TypeError(f"{name} must be a mapping, got {describe(value)}")
    return value


def listed(name: str, values: Any, what: str) -> list[Any]:
    """Return several values as a list: of a list, a tuple, an array or a tensor."""
    if isinstance(values, (str, dict)) or not (isinstance(values, (list, tuple)) or hasattr(values, "__len__")):
        raise TypeError(f"{name} must be a list ({what}), got {describe(values)}")
    return list(values) if not hasattr(values, "tolist") else values.tolist()


def describe(value: Any) -> str:
    """Return a short text for a value that was refused."""
    if hasattr(value, "is_nested"):
        kind = "nested" if value.is_nested else value.layout
        return f"a {kind} tensor of {value.dtype}, ndim {value.ndim}"
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) < 60 else text[:57] + '...'}"
