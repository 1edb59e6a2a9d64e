"""The widget that takes a sum apart shows the matches of the definition, for every sentence that a reader may type."""

import numpy as np
import pytest
import torch
from traitlets import TraitError

from clockwork.kit import widgets
from clockwork.kit.widgets.typed import MOST, drawn_from
from clockwork.lessons.lesson_06 import views
from clockwork.lessons.lesson_06.views.take_apart import WIDTHS
from pe_helpers import sinusoidal

SENTENCE = "time flies like an arrow but fruit flies like a banana"


def matches_by_loops(words, word, position, width, positions):
    """The matches in the definition's own terms: one dot product at a time."""
    names = list(dict.fromkeys(words))
    vectors = [drawn_from(name, 64)[:width].tolist() for name in names]
    own = vectors[names.index(word)]
    codes = sinusoidal.table(positions, width, dtype=torch.float64).tolist()
    z = [own[j] + codes[position][j] for j in range(width)]
    by_word = [sum(v[j] * (z[j] - v[j] / 2) for j in range(width)) / (width / 2) for v in vectors]
    best = max(range(len(by_word)), key=by_word.__getitem__)
    left = [z[j] - vectors[best][j] for j in range(width)]
    by_position = [
        [sum(c[j] * (s[j] - c[j] / 2) for j in range(width)) / (width / 4) for c in codes] for s in (z, left)
    ]
    own_word = [sum(v[j] * (own[j] - v[j] / 2) for j in range(width)) / (width / 2) for v in vectors]
    own_position = [sum(c[j] * (codes[position][j] - c[j] / 2) for j in range(width)) / (width / 4) for c in codes]
    return names[best], by_word, own_word, own_position, *by_position


@pytest.fixture
def view():
    position = widgets.Slider(7, range(24), "position (tokens)")
    cursor = widgets.Cursor(position=position, d_model=widgets.Slider(16, (2, 16, 64), "d_model"))
    return views.TakeApart(SENTENCE, cursor)


@pytest.mark.parametrize(("position", "d_model", "chosen"), [(7, 16, 1), (0, 2, 0), (23, 64, 10)])
def test_take_apart_shows_the_matches_of_the_definition(view, position, d_model, chosen):
    view.cursor.position = position
    view.cursor.d_model = d_model
    view.chosen = chosen
    word = SENTENCE.split()[chosen]
    _, by_word, own_word, own_position, alone, after = matches_by_loops(view.given, word, position, d_model, 24)
    for search, by_position in (("each alone", alone), ("word first", after)):
        view.search = search
        np.testing.assert_allclose(view.numbers()["by_word"], by_word, atol=1e-9)
        np.testing.assert_allclose(view.numbers()["by_position"], by_position, atol=1e-9)
        np.testing.assert_allclose(view.numbers()["own_word"], own_word, atol=1e-9)
        np.testing.assert_allclose(view.numbers()["own_position"], own_position, atol=1e-9)
        assert f"position {position}, d_model {d_model}, word {word}" in view.describe()


@pytest.mark.parametrize("d_model", [2, 16, 64])
@pytest.mark.parametrize("sentence", [SENTENCE, "größe 😀 zählt", "ha ha"])
def test_what_is_found_of_a_sentence_is_counted_word_by_word_at_each_one_s_place(view, sentence, d_model):
    view.given = sentence.split()
    view.cursor.d_model = d_model
    hits = []
    for place, word in enumerate(view.given):
        best, *_, alone, after = matches_by_loops(view.given, word, place, d_model, 24)
        hits.append([best == word, np.argmax(alone) == place, np.argmax(after) == place])
    for search, of_position in (("each alone", 1), ("word first", 2)):
        view.search = search
        assert view.numbers()["hits"].tolist() == [[hit[i] for hit in hits] for i in (0, of_position)]


def test_the_challenge_of_the_lesson_is_not_met_from_the_start_and_can_be_met():
    def missed(text, width):
        given = text.split()
        found = [matches_by_loops(given, word, place, width, 24)[0] for place, word in enumerate(given)]
        return sum(word != name for word, name in zip(given, found, strict=True))

    counts = views.TakeApart(SENTENCE).values("missed")
    assert [missed(SENTENCE, width) for width in WIDTHS] == [0, 0, 0, 0]
    assert missed("an apple a day keeps the doctor away", min(WIDTHS)) in counts[1:]
    assert counts == list(range(MOST + 1)), "no sentence has more words to miss"


def test_the_tour_of_the_lesson_says_what_is_found():
    shown = views.TakeApart(SENTENCE, chosen=7)
    assert shown.at("position") == 7 and shown.found()[0] == "flies"
    counts = {}
    for d_model in (8, 16, 64):
        for search in ("each alone", "word first"):
            shown.cursor.d_model = d_model
            shown.search = search
            counts[d_model, search] = shown.hits().sum(1).tolist()
    assert counts[16, "each alone"] == [11, 3] and counts[64, "each alone"] == [11, 7]
    assert counts[64, "word first"] == counts[8, "word first"] == [11, 11]


@pytest.mark.parametrize("sentence", ["word", " ".join("abcdefghijklm"), None])
def test_take_apart_refuses_a_sentence_of_too_few_or_too_many_words(sentence):
    with pytest.raises(TraitError, match=r"sentence must have 2 to 12 words .*, got"):
        views.TakeApart(sentence)


@pytest.mark.parametrize("chosen", [-1, 4])
def test_take_apart_refuses_a_place_that_the_sentence_lacks(chosen):
    with pytest.raises(TraitError, match="chosen must be a place in"):
        views.TakeApart("tom bit a dog", widgets.Cursor(position=0, d_model=8), chosen=chosen)


def test_take_apart_needs_a_cursor_with_a_width_and_a_position_for_each_word():
    with pytest.raises(TraitError, match="d_model"):
        views.TakeApart(SENTENCE, widgets.Cursor(position=0))
    few = widgets.Cursor(position=widgets.Slider(3, range(3, 40), "position"), d_model=8)
    with pytest.raises(TraitError, match="positions 0 to 11"):
        views.TakeApart(SENTENCE, few)
