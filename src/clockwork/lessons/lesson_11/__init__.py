"""Lesson 11: Inside a model that ships."""
