"""What the tests of lesson 10 say of an encoding: recorded for all of them, and asked again of a sample."""

import functools
import hashlib
from collections.abc import Callable
from pathlib import Path

from tests.lessons.lesson_10.kept_aside_faults import KEPT_ASIDE, LED_TO_A_TEST
from tests.lessons.lesson_10.reported_faults import REPORTED
from tests.lessons.lesson_10.sound_encodings import SOUND
from tests.lessons.lesson_10.strangers_faults import STRANGERS

from clockwork.kit import datafiles
from clockwork.kit.checks import properties
from clockwork.lessons.lesson_10 import encoding_tests, faulty_encodings, figures, strangers
from clockwork.lessons.lesson_10.faulty_encodings import FAULTS, Sound

SOURCES = {  # of each record, beside the tests: the files of the encodings that were examined
    "verdicts.json": ("kept_aside_faults", "reported_faults", "sound_encodings"),
    "strangers.json": ("strangers_faults",),
}
GROUPS: dict[str, dict[str, Callable[[], Sound]]] = {  # what `python -m tools.verdicts` examines
    "shown": {kind.__name__: kind for kind in FAULTS},
    "kept aside": KEPT_ASIDE,
    "led to a test": LED_TO_A_TEST,
    "reported": REPORTED,
    "sound": SOUND,
}
EVERYBODY = GROUPS | {"strangers": STRANGERS}
REFUSING = ("rows looked up where there are rows", "a table that grows", "turns prepared for 4,096 positions")
SLOW = ("pairs", "alone", "again", "drawn")  # from the quickest to the slowest


def digest(record: str) -> str:
    """Return a digest of the files of all tests, and of the encodings of a record: it names its own."""
    paths = [Path(module.__file__) for module in (encoding_tests, faulty_encodings, properties, strangers)]
    paths += [Path(__file__).with_name(f"{name}.py") for name in SOURCES[record]]
    return hashlib.sha256("".join(path.read_text("utf-8") for path in paths).encode()).hexdigest()[:16]


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
    sound encodings every sixth, one of each layout, and those that refuse positions of 16 bits, as they may.
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
            chosen += [(group, name) for name in dict.fromkeys([*list(verdicts)[::6], *layouts.values(), *REFUSING])]
        else:
            chosen += [(group, name) for name, tests in verdicts.items() if not tests]
    return chosen
