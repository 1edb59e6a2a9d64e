"""Lesson 13: Inside a trained head."""
