"""Every public function and class of an encoder has an Example, and it runs."""

import doctest
import inspect

import pytest

from pe_helpers import alibi, learned, positions, relative, rope_scaling, rotary, rotary_axes, sinusoidal

ENCODERS = (sinusoidal, rotary, rotary_axes, rope_scaling, alibi, relative, learned, positions)


@pytest.mark.parametrize("module", ENCODERS, ids=lambda module: module.__name__)
def test_the_examples_of_a_file_run(module, unchecked):
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("module", ENCODERS, ids=lambda module: module.__name__)
def test_every_public_name_has_an_example(module):
    public = [
        each
        for name, each in vars(module).items()
        if not name.startswith("_") and getattr(each, "__module__", "") == module.__name__
    ]
    assert public and all(inspect.isclass(each) or inspect.isfunction(each) for each in public)
    assert [each.__name__ for each in public if "Example:\n" not in each.__doc__] == []
