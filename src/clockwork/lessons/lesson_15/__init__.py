"""Lesson 15: Beyond words."""
