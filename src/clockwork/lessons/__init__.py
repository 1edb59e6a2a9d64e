"""One room a lesson: its figures, views, checks, questions, and what made its data."""
