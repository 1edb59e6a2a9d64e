"""Lesson 03: Clock hands."""
