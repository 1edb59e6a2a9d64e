"""When a goal of lesson 04 is reached; here because a rule in the page would tell where to go."""


def sharp(s: float, k: int, position: int, d_model: int) -> bool:
    """At least 0.99 of the weight is on three back."""
    return (k, d_model) == (3, 16) and position >= 3 and s >= 50
