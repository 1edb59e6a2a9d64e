# SPDX-License-Identifier: MIT
"""Exact, batched positional encoders."""

__version__ = "0.3.0"
