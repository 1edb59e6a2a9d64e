"""The goal of lesson 03 is reached where its text says, counted once more from the code itself."""

import math

import pytest

from clockwork.lessons.lesson_03 import goals
from pe_helpers import sinusoidal


@pytest.mark.parametrize("d_model", [8, 16, 64])
def test_hand_1_is_at_three_where_its_tip_lies_to_the_right(d_model):
    reached = 0
    for position, code in enumerate(sinusoidal.table(200, d_model).double().tolist()):
        off = math.degrees(math.atan2(code[3], code[2]))  # from the right, counter-clockwise
        assert goals.hand_1_at_three(position, d_model) == (abs(off) < 5), position
        reached += abs(off) < 5
    assert reached
