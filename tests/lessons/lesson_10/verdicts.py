"""What the tests of lesson 10 say of an encoding, asked once for all files here, which one process takes."""

import functools
from collections.abc import Callable

from clockwork.lessons.lesson_10 import encoding_tests
from clockwork.lessons.lesson_10.faulty_encodings import Sound


@functools.cache
def complaints(kind: Callable[[], Sound]) -> frozenset[str]:
    """Return the names of the tests that refuse an encoding of this kind."""
    return frozenset(encoding_tests.examine(kind()))
