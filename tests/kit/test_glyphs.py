"""Pictures of letters, random directions in their place, and the small classifier that tells them apart."""

import pytest
import torch

from clockwork.kit import glyphs


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
