"""The checks of lesson 06's exercises, its glyphs and its widget: each usual mistake is named."""

import re

import numpy as np
import pytest
import torch
from traitlets import TraitError

from pe_helpers import glyphs, sinusoidal, widgets
from pe_helpers.checks import CheckFailed
from pe_helpers.checks.exercises import lesson_06

RIGHT = dict(zip(lesson_06.BY_HEAD, (8, 4, 0, 128_000), strict=True))


def plain(sums, words, codes):
    return (sums @ words.T).argmax(-1)


def nearest(sums, words, codes):
    return (sums @ words.T - (words**2).sum(-1) / 2).argmax(-1)


def centred(sums, words, codes):
    return nearest(sums - codes.mean(0), words, codes)


def jointly(sums, words, codes):
    return torch.cdist(sums, (words[:, None] + codes).flatten(0, 1)).argmin(-1) // len(codes)


def solution(codes, w_x, w_p):
    return codes @ w_p @ w_x.inverse()


@pytest.mark.parametrize(
    ("check", "blank"),
    [
        (lesson_06.by_head, dict.fromkeys(lesson_06.BY_HEAD, ...)),
        (lesson_06.by_head, None),
        (lesson_06.reader, lambda sums, words, codes: ...),
        (lesson_06.absorb, lambda codes, w_x, w_p: None),
    ],
)
def test_a_blank_is_greeted(check, blank, capsys):
    check(blank)
    assert "not attempted yet" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        (lesson_06.by_head, RIGHT),
        (lesson_06.reader, centred),
        (lesson_06.reader, jointly),
        (lesson_06.absorb, solution),
        (lesson_06.absorb, lambda codes, w_x, w_p: torch.linalg.solve(w_x.T, (codes @ w_p).T).T),
    ],
)
def test_a_right_answer_passes(check, answer, capsys):
    check(answer)
    assert "✔" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("check", "wrong", "diagnosis"),
    [
        (lesson_06.by_head, [8, 4, 0, 128_000], "must keep its 4 keys"),
        *(
            (lesson_06.by_head, RIGHT | {question: wrong}, meaning)
            for question, (_, misread, _) in lesson_06.BY_HEAD.items()
            for wrong, meaning in misread.items()
        ),
        (lesson_06.by_head, RIGHT | {next(iter(RIGHT)): 7.3}, "not 7.3"),
        (lesson_06.by_head, RIGHT | {next(iter(RIGHT)): float("nan")}, "must be finite"),
        (lesson_06.reader, plain, "prefers long words"),
        (lesson_06.reader, nearest, "what do all the codes have in common"),
        (lesson_06.reader, lambda sums, words, codes: plain(sums - codes.mean(0), words, codes), "the mean is gone"),
        (lesson_06.reader, lambda s, w, c: jointly(s, w, c) * 0, "which word and position lie nearest"),
        (
            lesson_06.reader,
            lambda s, w, c: torch.cdist(s, (w[:, None] + c).flatten(0, 1)).argmin(-1) % len(c),
            "these are the positions",
        ),
        (lesson_06.reader, lambda sums, words, codes: sums, "must have shape (500,)"),
        (lesson_06.reader, 3, "hand in the function itself"),
        (lesson_06.absorb, lambda codes, w_x, w_p: codes, "codes themselves"),
        (lesson_06.absorb, lambda codes, w_x, w_p: codes @ w_p, "undo it first"),
        (lesson_06.absorb, lambda codes, w_x, w_p: codes @ w_p @ w_x, "once too often"),
        (lesson_06.absorb, lambda codes, w_x, w_p: codes @ w_x.inverse() @ w_p, "the order is wrong"),
        (lesson_06.absorb, lambda codes, w_x, w_p: codes @ w_x @ w_p.inverse(), "the roles are exchanged"),
        (lesson_06.absorb, lambda codes, w_x, w_p: codes @ w_p.T @ w_x.inverse().T, "transposed"),
        (lesson_06.absorb, lambda codes, w_x, w_p: codes + 1, "misses codes @ w_p"),
    ],
)
def test_a_wrong_answer_gets_its_own_diagnosis(check, wrong, diagnosis):
    with pytest.raises(CheckFailed, match=re.escape(diagnosis)):
        check(wrong)


def test_letters_have_holes_and_ink():
    outlines = glyphs.outlines()
    assert outlines.shape[1] == 26 and set(outlines.unique().tolist()) == {0.0, 1.0}
    middle = glyphs.FINE // 2
    o, i = (outlines[0, "ABCDEFGHIJKLMNOPQRSTUVWXYZ".index(letter)] for letter in "OI")
    assert o[middle, middle] == 0 and i[middle, middle] == 1
    assert (outlines.mean((-1, -2)) > 0.03).all()


def test_letters_without_wobble_are_the_outlines_at_half_the_size():
    drawn = glyphs.draw(torch.arange(26), generator=torch.Generator().manual_seed(0), wobble=0)
    side = glyphs.SIZE
    halved = glyphs.outlines().reshape(-1, 26, side, 2, side, 2).mean((3, 5)).flatten(2)
    assert all(any(torch.allclose(drawn[j], halved[face, j], atol=1e-4) for face in range(3)) for j in range(26))


def test_pictures_depend_on_their_generator_alone():
    first, second = (glyphs.draw(torch.arange(26), generator=torch.Generator().manual_seed(s)) for s in (1, 1))
    assert torch.equal(first, second)
    assert not torch.equal(first, glyphs.draw(torch.arange(26), generator=torch.Generator().manual_seed(2)))


def test_pairs_are_never_one_letter_twice():
    pairs = glyphs.pairs(1000, generator=torch.Generator().manual_seed(0))
    assert (pairs[:, 0] != pairs[:, 1]).all() and len(pairs.unique()) == 26


def test_directions_are_found_in_sums_by_a_classifier_of_singles():
    model = glyphs.train(glyphs.directions, on="singles", steps=100)
    assert glyphs.accuracy(model, glyphs.directions, letters=2) > 0.95


def test_training_on_something_else_is_refused():
    with pytest.raises(ValueError, match="on must be 'singles' or 'sums'"):
        glyphs.train(glyphs.draw, on="pairs")


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
    return by_word, *by_position


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
    by_word, alone, after = sums_by_loops(view, view.words.index(word), position, d_model)
    for search, by_position in (("each alone", alone), ("word first", after)):
        view.search = search
        np.testing.assert_allclose(view.numbers()["by_word"], by_word, atol=1e-9)
        np.testing.assert_allclose(view.numbers()["by_position"], by_position, atol=1e-9)
        assert f"position {position}, d_model {d_model}, word {word}" in view.describe()
        assert view.picture().axes


def test_take_apart_refuses_words_that_cannot_be_told_apart():
    with pytest.raises(TraitError, match="all different"):
        widgets.TakeApart(widgets.Cursor(position=0, d_model=8), words=["dog", "dog"])


def test_take_apart_needs_a_cursor_with_a_width():
    with pytest.raises(TraitError, match="d_model"):
        widgets.TakeApart(widgets.Cursor(position=0))
