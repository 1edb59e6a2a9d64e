"""Lesson 06: Adding without losing."""
