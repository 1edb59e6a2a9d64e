"""The goals of lesson 01 are reached where its text says, counted once more from the pictures themselves."""

import itertools

import numpy as np

from clockwork.lessons.lesson_01 import goals
from clockwork.lessons.lesson_01.views import Sentence
from clockwork.lessons.lesson_01.views.places import CODES, LENGTHS


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
