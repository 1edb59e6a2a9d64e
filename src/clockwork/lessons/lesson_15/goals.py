"""What a reader is asked to find in the pictures of lesson 15."""

import math


def all_tell(span, base, d_model):
    """Say whether no hand hardly moves and none wraps."""
    slowest = span * base ** (2 / d_model - 1)
    return span < 2 * math.pi and slowest > 0.1


def foretells(period):
    """Say whether the hand comes round with the day."""
    return period == 24
