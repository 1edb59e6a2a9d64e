"""Lesson 02: Deriving the sinusoid."""
