"""The moving pictures of lesson 11."""

from clockwork.lessons.lesson_11.views.far_tokens import FarTokens
from clockwork.lessons.lesson_11.views.gap import Gap
from clockwork.lessons.lesson_11.views.real_heads import RealHeads
from clockwork.lessons.lesson_11.views.stopped_hands import StoppedHands, stops
from clockwork.lessons.lesson_11.views.text_length import TextLength

__all__ = ["FarTokens", "Gap", "RealHeads", "StoppedHands", "TextLength", "stops"]
