"""Lesson 05: Learned against fixed."""
