"""When a goal of lesson 11 is reached; here because a rule in the page would tell where to go."""


def nothing_turns(first: int, count: int) -> bool:
    """All of 32 hands are stopped."""
    return first == 0 and count >= 32
