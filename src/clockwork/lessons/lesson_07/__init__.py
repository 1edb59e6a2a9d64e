"""Lesson 07: Three doors."""
