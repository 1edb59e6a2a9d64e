"""When a goal of a lesson is reached: rules for `Challenge`, here because a rule in a page would tell where to go.

A rule's parameters are names of sliders, or of what a view tells of the reader's input (guide.py).
"""


def dog_stays(scheme: str, order: list[int]) -> bool:
    """Lesson 01: under a causal mask words have moved, and *dog*, the last of four, sees the same words as before."""
    return scheme == "a causal mask" and order[3] == 3 and order != [0, 1, 2, 3]


def six_digits(code: str, position: int, length: int) -> bool:
    """Lesson 01: from this position to the next, six binary digits change."""
    flips = (position ^ (position + 1)).bit_count()
    return code == "binary digits" and flips == 6 and position + 1 < length


def sharp(s: float, k: int, position: int, d_model: int) -> bool:
    """Lesson 04: at least 0.99 of the weight is on three back."""
    return (k, d_model) == (3, 16) and position >= 3 and s >= 50


def half_wasted(rows: int, texts: int) -> bool:
    """Lesson 05: half of the table's rows are reached by no text."""
    return rows == 2 * texts


def nothing_turns(first: int, count: int) -> bool:
    """Lesson 11: all of 32 hands are stopped."""
    return first == 0 and count >= 32
