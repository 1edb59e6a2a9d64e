"""Encodings are examined as a reader's are: without a look at the shapes of each of a million calls."""

import pytest


@pytest.fixture(autouse=True)
def examined_as_a_reader_s(unchecked):
    """Switch the shape checks off: other tests switch them on for the same functions."""
