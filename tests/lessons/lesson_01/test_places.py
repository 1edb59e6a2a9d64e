"""The first codes: the table is what the code's name says, and the distances follow from it."""

import math

import pytest

from clockwork.lessons.lesson_01 import views
from clockwork.lessons.lesson_01.views import places as module


def naive(code, place, length, width):
    """One place's code, from its definition."""
    row = [0.0] * width
    if code == "one-hot":
        if place < width:
            row[place] = 1
    elif code == "index":
        row[0] = place
    elif code == "index / length":
        row[0] = place / (length - 1)
    else:
        digits = f"{place:0{len(f'{length - 1:b}')}b}"
        if code == "Gray code":  # a digit says whether two neighbouring binary digits differ
            digits = "".join(str(int(a != b)) for a, b in zip("0" + digits, digits, strict=False))
        row[: len(digits)] = [2 * int(digit) - 1 for digit in reversed(digits)]
    return row


@pytest.mark.parametrize("code", module.CODES)
@pytest.mark.parametrize("width", [8, 32])
@pytest.mark.parametrize("length", [16, 128])
def test_the_row_and_the_distances_are_those_of_the_definition(code, width, length):
    for position in (0, 7, 15, 100):
        view = views.Places(position=position, d_model=width, code=code, length=length)
        place = min(position, length - 1)
        here = naive(code, place, length, width)
        assert view.numbers()["row"].tolist() == pytest.approx(here)
        expected = [math.dist(here, naive(code, q, length, width)) for q in range(length)]
        assert view.numbers()["distances"].tolist() == pytest.approx(expected)


def test_from_7_to_8_four_binary_digits_change_and_one_of_the_gray_code():
    view = views.Places(position=7, code="binary digits")
    assert view.describe().endswith("from 7 to 8, 4 numbers change, distance 4.00")
    view.code = "Gray code"
    assert view.describe().endswith("from 7 to 8, 1 number changes, distance 2.00")


def test_past_its_width_one_hot_has_no_code_and_past_its_end_a_text_no_place():
    view = views.Places(position=20, d_model=8, code="one-hot")
    assert not view.numbers()["row"].any()
    view.length = 16
    assert "position 15 is the last" in view.describe()
