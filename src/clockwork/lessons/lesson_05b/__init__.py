"""Lesson 05b: Self-test: the core."""
