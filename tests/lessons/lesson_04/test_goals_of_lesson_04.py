"""The goals of lesson 04 are reached where its text says, counted once more from the pictures themselves."""

import itertools

from clockwork.lessons.lesson_04 import goals
from clockwork.lessons.lesson_04.views import Sharpness


def test_a_head_is_sharp_where_its_weight_says_so():
    head = Sharpness()
    for s, position in itertools.product((1, 2, 5, 10, 20, 50, 100), (0, 2, 3, 4, 20, 40, 62, 63)):
        head.cursor.position, head.s = position, s
        assert goals.sharp(s, 3, position, 16) == (head.target() >= 0.99), (s, position)


def test_the_first_loudness_of_the_slider_that_is_enough_is_50():
    head = Sharpness()
    for position in range(3, 64):
        head.cursor.position = position
        enough = [s for s in head.traits()["s"].values if goals.sharp(s, 3, position, 16)]
        assert enough[0] == 50, position
