"""Lesson 00: Clockwork: positional encoding you can turn by hand."""
