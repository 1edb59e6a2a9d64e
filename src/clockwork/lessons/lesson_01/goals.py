"""When a goal of lesson 01 is reached; here because a rule in the page would tell where to go."""


def dog_stays(scheme: str, order: list[int]) -> bool:
    """Words have moved under a causal mask, and *dog*, the last of four, sees the same words as before."""
    return scheme == "a causal mask" and order[3] == 3 and order != [0, 1, 2, 3]


def six_digits(code: str, position: int, length: int) -> bool:
    """From this position to the next, six binary digits change."""
    flips = (position ^ (position + 1)).bit_count()
    return code == "binary digits" and flips == 6 and position + 1 < length
