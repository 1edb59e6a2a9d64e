"""What the tests of lesson 10 say of an encoding: recorded for all of them, and asked again of a sample."""

import functools
from collections.abc import Callable

from tests.lessons.lesson_10.kept_aside_faults import KEPT_ASIDE, LED_TO_A_TEST
from tests.lessons.lesson_10.reported_faults import REPORTED
from tests.lessons.lesson_10.sound_encodings import SOUND
from tests.lessons.lesson_10.strangers_faults import STRANGERS

from clockwork.kit import datafiles
from clockwork.lessons.lesson_10 import figures
from clockwork.lessons.lesson_10.faulty_encodings import FAULTS, Sound

GROUPS: dict[str, dict[str, Callable[[], Sound]]] = {  # what `python -m tools.verdicts` examines
    "shown": {kind.__name__: kind for kind in FAULTS},
    "kept aside": KEPT_ASIDE,
    "led to a test": LED_TO_A_TEST,
    "reported": REPORTED,
    "sound": SOUND,
}
EVERYBODY = GROUPS | {"strangers": STRANGERS}
SLOW = ("pairs", "alone", "again", "drawn")  # from the quickest to the slowest


@functools.cache
def recorded() -> dict[str, dict[str, list[str]]]:
    """Return the names of the tests that refused each encoding, by its group and name."""
    strangers = {name: fault["now"] for name, fault in figures.strangers().items()}
    return datafiles.read("verdicts.json")["verdicts"] | {"strangers": strangers}


def quickest(tests: list[str]) -> str:
    """Return the test of these that takes the least time."""
    return min(tests, key=lambda name: SLOW.index(name) if name in SLOW else -1)


def sample() -> list[tuple[str, str]]:
    """Choose encodings, as (group, name), so that every verdict is met: the same ones in every run.

    In every group each test that refuses somebody refuses one of the sample; all that escape are in it, and of the
    sound encodings every sixth and one of each layout.
    """
    chosen = []
    for group, verdicts in recorded().items():
        left = {test for tests in verdicts.values() for test in tests}
        while left:
            name = max(verdicts, key=lambda name: len(left & set(verdicts[name])))
            left -= set(verdicts[name])
            chosen.append((group, name))
        if group == "sound":
            layouts = {kind().layout: name for name, kind in SOUND.items()}
            chosen += [(group, name) for name in dict.fromkeys([*list(verdicts)[::6], *layouts.values()])]
        else:
            chosen += [(group, name) for name, tests in verdicts.items() if not tests]
    return chosen
