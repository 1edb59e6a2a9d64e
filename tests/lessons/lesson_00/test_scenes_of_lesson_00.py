"""What scenes 2 to 7 of the short way say, checked against formulas written another way."""

import cmath
import math
from itertools import pairwise

import pytest

from clockwork.lessons.lesson_00 import views
from clockwork.lessons.lesson_00.views import all_hands, bag, number, unroll, wave


@pytest.mark.parametrize("order", range(len(bag.ORDERS)))
def test_without_clocks_the_mean_stays_and_each_output_goes_with_its_word(order):
    view = views.ABag(order=order)
    before = views.ABag().numbers()["outputs"]
    after = view.numbers()["outputs"]
    assert view.numbers()["away"] < 1e-12
    for place, word in enumerate(bag.ORDERS[order]):
        assert after[place] == pytest.approx(before[word], abs=1e-12)


def test_with_clocks_every_other_order_has_another_mean():
    away = [views.ABag(order=order, clocks="on").numbers()["away"] for order in range(len(bag.ORDERS))]
    assert away[0] == 0 and min(away[1:]) > 0.01


def test_from_7_to_8_all_binary_digits_change_and_the_other_code_changes_one_at_each_step():
    binary = views.NumberEachWord(code="binary digits").codes()
    for word, digits in enumerate(binary):
        assert "".join(map(str, reversed(digits))) == f"{word:04b}"
    assert (binary[7] != binary[8]).all()
    gray = views.NumberEachWord(code="one digit at a time").codes()
    assert ((gray[1:] != gray[:-1]).sum(1) == 1).all() and len({tuple(row) for row in gray}) == number.COUNT


def test_only_the_number_itself_changes_alike_at_every_step():
    unlike = [int(views.NumberEachWord(code=code).unlike().sum()) for code in number.CODES]
    assert unlike[0] == 0 and min(unlike[1:]) > 0


@pytest.mark.parametrize("position", range(wave.COUNT))
def test_exactly_one_other_word_has_the_height_of_this_one(position):
    view = views.AWave(melt=wave.MELTED, position=position)
    heights = view.waves()[wave.SHOWN]
    same = [q for q, height in enumerate(heights) if math.isclose(height, heights[position]) and q != position]
    assert same == [view.twin()]


def test_unmelted_rows_are_the_binary_digits():
    rows = views.AWave(melt=0).waves()
    assert ((rows.T > 0) == views.NumberEachWord(code="binary digits").codes()).all()


def test_the_hand_is_turned_by_one_number_at_every_word():
    turn = cmath.exp(-0.7j)
    for position in range(24):
        (right, up), (next_right, next_up) = (
            views.OneHand(speed=0.7, position=at).numbers()["hand"] for at in (position, position + 1)
        )
        assert complex(up, -right) * turn == pytest.approx(complex(next_up, -next_right))


@pytest.mark.parametrize("secret", all_hands.SECRETS)
def test_each_hand_read_leaves_fewer_positions_and_four_leave_the_secret_alone(secret):
    left = [views.AllHands(read=read, secret=secret).left() for read in range(1, all_hands.HANDS + 1)]
    assert all(len(fewer) < len(more) for more, fewer in pairwise(left))
    assert list(left[-1]) == [all_hands.SECRETS[secret]]


def test_the_unrolled_dial_is_the_table_of_the_paper():
    codes = views.DialUnrolls().codes()
    for p in (0, 1, 22, unroll.COUNT - 1):
        for i in range(unroll.HANDS):
            angle = p / 10000 ** (2 * i / (2 * unroll.HANDS))
            assert codes[p][2 * i : 2 * i + 2] == pytest.approx([math.sin(angle), math.cos(angle)], abs=1e-6)
