"""The old place of the rules that say when a goal is reached: each lesson's are in its own room.

Readers' older copies ask here, `widgets.goals.sharp`.
"""

import importlib
from collections.abc import Callable

ROOMS = {"dog_stays": "01", "six_digits": "01", "sharp": "04", "half_wasted": "05", "nothing_turns": "11"}


def __getattr__(name: str) -> Callable[..., bool]:
    """Return a rule from its lesson's room."""
    if name not in ROOMS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"clockwork.lessons.lesson_{ROOMS[name]}.goals"), name)
