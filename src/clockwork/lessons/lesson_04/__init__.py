"""Lesson 04: Relative offsets."""
