# SPDX-License-Identifier: MIT
"""Exact, batched positional encoders, and the small transformer by which the lessons of Clockwork measure them."""

__version__ = "0.3.0"
