"""What a reader is asked to find in the pictures of lesson 15."""

import math


def coarse_and_fine(span, base, d_model):
    """Say whether the fastest hand wraps and the slowest tells."""
    slowest = span * base ** (2 / d_model - 1)
    return 0.1 < slowest < 2 * math.pi < span


def foretells(period, hands):
    """Say whether the network reads one hand, which comes round with the day."""
    return period == 24 and hands == "one hand"
