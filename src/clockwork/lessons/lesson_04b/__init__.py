"""Lesson 04b: Turn the words."""
