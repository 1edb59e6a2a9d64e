"""Lesson 14: Positions at work."""
