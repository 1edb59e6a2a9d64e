"""The figures of lesson 06 show what they are given: sums in the plane of their words, directions, rings, seeds."""

import itertools
import math
import re

import numpy as np
import pytest
import torch
from matplotlib.colors import to_hex, to_rgb

from clockwork.kit import plots
from clockwork.lessons.lesson_06 import figures
from pe_helpers import sinusoidal


def parts(d_model, seed=0, count=3):
    words = np.random.default_rng(seed).standard_normal((count, d_model))
    return words, sinusoidal.table(20, d_model, dtype=torch.float64).numpy()


@pytest.mark.parametrize("d_model", [2, 4, 64])
def test_in_the_plane_of_three_words_distances_and_the_nearest_word_stay(d_model):
    words, codes = parts(d_model)
    corners, dots = figures.in_their_plane(words, codes)
    sides = [math.dist(words[i], words[j]) for i, j in itertools.combinations(range(3), 2)]
    drawn = [math.dist(corners[i], corners[j]) for i, j in itertools.combinations(range(3), 2)]
    np.testing.assert_allclose(np.divide(drawn, sides), 1 / np.mean(sides))
    assert corners[0, 0] == pytest.approx(0, abs=1e-9) and corners[0, 1] > 0 and corners[1, 0] < corners[2, 0]
    for w, p in itertools.product(range(3), range(20)):
        wanted = np.argmin(((words - words[w] - codes[p]) ** 2).sum(1))
        assert np.argmin(((corners - dots[w, p]) ** 2).sum(1)) == wanted


def test_a_region_has_the_pale_colour_of_its_word_and_the_title_counts_dots_on_their_own():
    given = {4: parts(4, count=50), 64: parts(64, count=50)}
    fig = figures.wreaths(given, slice(7, 10))
    limits = {ax.get_xlim() + ax.get_ylim() for ax in fig.axes}
    assert len(limits) == 1, "one scale"
    for ax, row, (every, codes) in zip(fig.axes, fig.numbers[1:], given.values(), strict=True):
        words = every[7:10]
        corners, dots = figures.in_their_plane(words, codes)
        best = [np.argmin(((words[w] + code - every) ** 2).sum(1)) == 7 + w for w in range(3) for code in codes]
        own = [np.argmin(((corners - dots[w, p]) ** 2).sum(1)) == w for w in range(3) for p in range(20)]
        assert ax.get_title(loc="left").endswith(f": {np.mean(own):.0%}")
        assert f"among all words: {np.mean(best):.0%}" in [text.get_text() for text in ax.texts]
        sides = [math.dist(words[i], words[j]) for i, j in itertools.combinations(range(3), 2)]
        assert row == (str(words.shape[1]), f"{np.mean(own):.0%}", f"{np.mean(best):.0%}", f"{np.mean(sides):.1f}")
        bar = ax.lines[-1].get_xydata()
        crosses = next(line for line in ax.lines if line.get_marker() == "P").get_xydata()
        assert math.dist(*crosses[:2]) == pytest.approx(math.dist(*words[:2]))
        reach = ax.get_xlim()[1]
        assert math.dist(*bar) == pytest.approx(1) and abs(bar).max() < reach
        image = ax.images[0]
        for corner, color in zip(crosses, figures.WORD_COLORS, strict=True):
            place = (corner + reach) / (2 * reach) * image.get_array().shape[0]
            tint = image.cmap(int(image.get_array()[int(place[1]), int(place[0])]))[:3]
            assert np.argmax(tint) == np.argmax(to_rgb(color))


def test_rings_have_the_colour_of_where_the_hand_should_point_and_the_share_explained():
    angle = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    hand = np.stack([np.sin(angle), np.cos(angle)], 1)
    right = np.broadcast_to(hand, (5, 12, 2))
    fig = figures.rings({"kept": [right, right], "lost": [right, np.zeros_like(right)]}, hand)
    said = [text.get_text() for ax in fig.axes for text in ax.texts]
    assert said == ["R² 1.00", "R² 1.00", "R² 1.00", "R² 0.00"]
    assert fig.numbers[1:] == [("kept", "1.00", "1.00"), ("lost", "1.00", "0.00")]
    dots = fig.axes[0].collections[0]
    np.testing.assert_allclose(dots.get_array()[:12], angle / (2 * np.pi), atol=1e-9)
    assert dots.get_cmap().name == plots.ANGLE
    assert [ax.get_title(loc="center") for ax in fig.axes[:2]] == ["kept", "lost"]
    assert [ax.get_ylabel() for ax in fig.axes[::2]] == ["the sum", "after layer 1"]


def test_each_seed_is_a_dot_at_its_accuracy_full_for_the_first_rate_and_hollow_for_the_second():
    scores = np.array([[0.1, 0.9], [0.4, 0.6]])
    fig = figures.seeds({part: {"random rows": scores / 2, "sinusoid": scores} for part in figures.PARTS})
    for ax in fig.axes:
        dots = [line for line in ax.lines if line.get_marker() == "o"]
        np.testing.assert_allclose([line.get_xdata() for line in dots], [*scores, *scores / 2])
        faces = [to_hex(line.get_markerfacecolor()) for line in dots]
        assert [face == to_hex(plots.PAPER) for face in faces] == [False, True, False, True]
    assert fig.numbers[1][1:] == ("0.50", "0.50")


def test_the_picture_of_distances_shows_a_sum_whose_mean_is_nearest_to_the_average_one():
    words, codes = np.array([[0.0], [4.0], [10.0]]), np.array([[1.0]])  # the sums 1, 5 and 11 are 1 from their words,
    given = (words, codes, [0, 1, 2], [0, 0, 0])  # and from the others 3 and 9, 5 and 5, 11 and 7
    alone, both = figures.distances({1: given}), figures.distances({1: given, 2: given})
    assert re.findall(r"\d+", alone.caption) == ["2"], "two others"
    for ax in alone.axes + both.axes:
        filled = [bar for bar in ax.patches if bar.get_height()]
        assert list(ax.lines[0].get_xdata()) == [1, 1]
        assert min(bar.get_x() for bar in filled) == pytest.approx(3)
        assert max(bar.get_x() + bar.get_width() for bar in filled) == pytest.approx(9)
        assert "others: 6.0 ± 3.0" in [text.get_text() for text in ax.texts]
