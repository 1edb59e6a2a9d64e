"""Lesson 12: What today's models do."""
