"""The widget that takes a sum apart shows the matches of the definition, with the other part and without it."""

import numpy as np
import pytest
import torch
from traitlets import TraitError

from pe_helpers import sinusoidal, widgets


def sums_by_loops(view, word, position, width):
    """The matches in the definition's own terms: one dot product at a time."""
    vectors = np.random.default_rng(6).standard_normal((len(view.words), max(view.widths)))[:, :width]
    codes = sinusoidal.table(max(view.positions) + 1, width, dtype=torch.float64).numpy()
    z = [vectors[word][j] + codes[position][j] for j in range(width)]
    by_word = [sum(v[j] * (z[j] - v[j] / 2) for j in range(width)) / (width / 2) for v in vectors]
    best = max(range(len(by_word)), key=by_word.__getitem__)
    left = [z[j] - vectors[best][j] for j in range(width)]
    by_position = [
        [sum(c[j] * (s[j] - c[j] / 2) for j in range(width)) / (width / 4) for c in codes] for s in (z, left)
    ]
    own_word = [sum(v[j] * (vectors[word][j] - v[j] / 2) for j in range(width)) / (width / 2) for v in vectors]
    own_position = [sum(c[j] * (codes[position][j] - c[j] / 2) for j in range(width)) / (width / 4) for c in codes]
    return by_word, own_word, own_position, *by_position


@pytest.fixture
def view():
    position = widgets.Slider(7, range(24), "position (tokens)")
    cursor = widgets.Cursor(position=position, d_model=widgets.Slider(16, (2, 16, 64), "d_model"))
    return widgets.TakeApart(cursor)


@pytest.mark.parametrize(("position", "d_model", "word"), [(7, 16, "river"), (0, 2, "time"), (23, 64, "clock")])
def test_take_apart_shows_the_matches_of_the_definition(view, position, d_model, word):
    view.cursor.position = position
    view.cursor.d_model = d_model
    view.word = word
    by_word, own_word, own_position, alone, after = sums_by_loops(view, view.words.index(word), position, d_model)
    for search, by_position in (("each alone", alone), ("word first", after)):
        view.search = search
        np.testing.assert_allclose(view.numbers()["by_word"], by_word, atol=1e-9)
        np.testing.assert_allclose(view.numbers()["by_position"], by_position, atol=1e-9)
        np.testing.assert_allclose(view.numbers()["own_word"], own_word, atol=1e-9)
        np.testing.assert_allclose(view.numbers()["own_position"], own_position, atol=1e-9)
        assert f"position {position}, d_model {d_model}, word {word}" in view.describe()
        assert view.picture().axes


def test_take_apart_refuses_words_that_cannot_be_told_apart():
    with pytest.raises(TraitError, match="all different"):
        widgets.TakeApart(widgets.Cursor(position=0, d_model=8), words=["dog", "dog"])


def test_without_a_cursor_it_makes_its_own_and_the_tour_of_the_lesson_says_what_is_found():
    shown = widgets.TakeApart(word="river")
    assert shown.at("position") == 7 and shown.found() == ("river", 12)
    shown.cursor.d_model = 64
    assert shown.found() == ("river", 6)
    shown.search = "word first"
    assert shown.found() == ("river", 7)


def test_take_apart_needs_a_cursor_with_a_width():
    with pytest.raises(TraitError, match="d_model"):
        widgets.TakeApart(widgets.Cursor(position=0))
