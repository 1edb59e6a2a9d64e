"""The goals of lesson 05 are reached where its text says, counted once more from the pictures themselves."""

import itertools

from clockwork.lessons.lesson_05 import goals


def test_half_of_a_table_is_wasted_where_half_of_its_rows_stay_as_drawn():
    for rows, texts in itertools.product((16, 32, 64, 96, 128), repeat=2):
        as_drawn = len([row for row in range(rows) if row >= texts])
        assert goals.half_wasted(rows, texts) == (as_drawn == rows / 2)
