"""Lesson 01: Why order matters."""
