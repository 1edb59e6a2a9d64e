"""Lesson 10: Spot the bug."""
