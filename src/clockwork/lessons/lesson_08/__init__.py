"""Lesson 08: Beyond the training length."""
