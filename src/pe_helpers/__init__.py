"""Exact, batched positional encoders, and what the lessons of Clockwork build on them."""
