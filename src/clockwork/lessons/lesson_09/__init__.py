"""Lesson 09: What tables learn."""
