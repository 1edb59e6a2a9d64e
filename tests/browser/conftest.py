"""What the tests in a browser share."""

import pytest
from driving import chromium


@pytest.fixture(scope="module")
def browser():
    """Start a headless Chromium for the tests of one file."""
    with chromium() as started:
        yield started
