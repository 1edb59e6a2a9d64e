"""Five codes race: what lesson 02 begins with."""

from clockwork.kit import datafiles
from clockwork.kit.machine.bench import Bench

CODES = {
    "index": "def code(p):\n    return [p]",
    "digits": "def code(p):\n    return [p // 2**i % 2 for i in range(7)]",
    "one sine": "def code(p):\n    return [sin(0.3 * p)]",
    "one hand": "def code(p):\n    return [sin(0.3 * p), cos(0.3 * p)]",
    "eight hands": (
        "def code(p):\n    speeds = [10_000 ** (-i / 8) for i in range(8)]\n"
        "    return [f(p * speed) for speed in speeds for f in (sin, cos)]"
    ),
}


def record() -> dict[str, list[float]]:
    """Return the share of right answers of eight recorded seeds of each code, data/race.json."""
    return {name: run["right"] for name, run in datafiles.read("race.json").items()}


class Race(Bench):
    """A code is typed, beside the five that race.

    Args:
        first: The name of the one that stands in the field at first.
    """

    def __init__(self, first: str = "digits", **traits):
        super().__init__(CODES, first, record(), **traits)
