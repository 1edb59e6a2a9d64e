"""The picture of directions: how many hold nearly all of the codes' squared length, and what one matrix costs."""

import math

import numpy as np
import pytest
import torch

from clockwork.lessons.lesson_06 import views

D_MODEL = 512


def codes_of(positions):
    """The sinusoid from its formula."""
    angles = np.multiply.outer(np.arange(positions), 10_000 ** (-np.arange(D_MODEL // 2) / (D_MODEL // 2)))
    return np.stack([np.sin(angles), np.cos(angles)], -1).reshape(positions, D_MODEL)


def drawn(*shape, seed):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).numpy()


def holding(table, level=0.999):
    """The directions, by the eigenvalues of their squares and products: shares, largest first, and so many of them."""
    squares, axes = np.linalg.eigh(table.T @ table)
    shares = squares[::-1] / squares.sum()
    total = 0
    for count, share in enumerate(shares, 1):
        total += share
        if total >= level:
            return shares, axes[:, ::-1][:, :count]


@pytest.fixture(scope="module")
def view():
    return views.Directions(torch.from_numpy(codes_of(600)), torch.from_numpy(drawn(300, D_MODEL, seed=0)))


@pytest.mark.parametrize("positions", [32, 128, 512])
def test_a_longer_text_has_the_directions_of_its_own_codes(view, positions):
    view.positions = positions
    shares, axes = holding(codes_of(positions))
    logs = view.numbers()["logs"]
    assert len(logs) == 2 * positions, "so many rows have no more directions, in either table"
    large = np.flatnonzero(shares[:positions] > 1e-5)
    np.testing.assert_allclose(10 ** logs[large], shares[large], rtol=1e-6)
    assert view.numbers()["needed"][0] == axes.shape[1]
    assert f"{positions} positions: {axes.shape[1]} directions" in view.describe()


@pytest.mark.parametrize("positions", [32, 256])
def test_random_rows_are_drawn_anew_for_each_text_and_counted_alike(view, positions):
    view.positions = positions
    rows = torch.randn(positions, D_MODEL, generator=torch.Generator().manual_seed(positions)).double().numpy()
    assert view.numbers()["needed"][1] == holding(rows)[1].shape[1]


@pytest.mark.parametrize("positions", [32, 512])
def test_the_errors_are_those_of_a_matrix_that_treats_these_directions_alone_as_the_codes_map_does(view, positions):
    view.positions = positions
    w_x, w_p = drawn(2, D_MODEL, 64, seed=0)
    codes, words = codes_of(positions), drawn(300, D_MODEL, seed=0)
    axes = holding(codes)[1]
    both = (np.eye(D_MODEL) - axes @ axes.T) @ w_x + axes @ axes.T @ w_p
    wanted = [
        math.sqrt(((table @ (both - own)) ** 2).sum() / ((table @ own) ** 2).sum())
        for table, own in ((codes, w_p), (words, w_x))
    ]
    assert view.numbers()["off"] == pytest.approx(wanted, rel=1e-6)
    assert f"codes are off by {wanted[0]:.0%}, words by {wanted[1]:.0%}" in view.describe()


def test_longer_texts_take_more_directions_and_words_come_off_worse(view):
    assert (np.diff(view.needed[:, 0]) > 0).all() and (np.diff(view.off[:, 1]) > 0).all()
    assert view.off[:, 0].max() < 0.05
