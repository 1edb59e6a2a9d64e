"""Your own model: what lesson 11 does to SmolLM2, done to any decoder that transformers loads.

`python3 course.py measure MODEL`, or in a notebook `from clockwork.measure import measure; measure("MODEL")`.
"""

from clockwork.measure.decoder import Decoder, Unmeasurable
from clockwork.measure.measuring import measure, read, recorded

__all__ = ["Decoder", "Unmeasurable", "measure", "read", "recorded"]
