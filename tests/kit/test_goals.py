"""The goals of the lessons are reached where their texts say, counted once more from the pictures themselves."""

import itertools

import numpy as np

from clockwork.kit import widgets
from clockwork.kit.widgets import goals
from clockwork.lessons.lesson_01.views import Sentence
from clockwork.lessons.lesson_01.views.places import CODES, LENGTHS
from clockwork.lessons.lesson_04.views import Sharpness


def test_dog_stays_where_a_mask_hides_what_moved():
    for order in itertools.permutations(range(4)):
        sentence = Sentence("tom bit a dog", order=list(order))
        before, after = (np.asarray(outputs) for outputs in sentence.outputs("a causal mask"))
        same = np.allclose(before[3], after[3]) and order != (0, 1, 2, 3)
        assert goals.dog_stays("a causal mask", list(order)) == same, order
        assert not goals.dog_stays("nothing added", list(order))


def test_six_binary_digits_change_where_the_written_numbers_say_so():
    for code, position, length in itertools.product(CODES, range(127), LENGTHS):
        now, later = f"{position:08b}", f"{position + 1:08b}"
        changed = sum(a != b for a, b in zip(now, later, strict=True))
        expected = code == "binary digits" and changed == 6 and position < length - 1
        assert goals.six_digits(code, position, length) == expected


def test_a_head_is_sharp_where_its_weight_says_so():
    query = widgets.Cursor(
        position=widgets.Slider(32, range(64), "position"), k=widgets.Slider(3, range(-8, 9), "k"), d_model=16
    )
    head = Sharpness(query)
    for s, position in itertools.product((1, 2, 5, 10, 20, 50, 100), (0, 2, 3, 4, 20, 40, 62, 63)):
        query.position, head.s = position, s
        assert goals.sharp(s, 3, position, 16) == (head.target() >= 0.99), (s, position)


def test_half_of_a_table_is_wasted_where_half_of_its_rows_stay_as_drawn():
    for rows, texts in itertools.product((16, 32, 64, 96, 128), repeat=2):
        as_drawn = len([row for row in range(rows) if row >= texts])
        assert goals.half_wasted(rows, texts) == (as_drawn == rows / 2)


def test_nothing_turns_where_every_hand_is_stopped():
    for first, count in itertools.product(range(32), range(33)):
        stopped = [first <= hand < first + count for hand in range(32)]
        assert goals.nothing_turns(first, count) == all(stopped), (first, count)
