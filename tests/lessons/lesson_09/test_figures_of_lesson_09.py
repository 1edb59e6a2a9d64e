"""The pictures of lesson 09 draw the tables that they are given, and name what stands out."""

import numpy as np
import pytest

from clockwork.lessons.lesson_09 import figures


@pytest.fixture
def table():
    return np.random.default_rng(0).normal(size=(512, 20))


def test_each_panel_draws_the_lengths_of_its_rows_and_names_the_special_ones(table):
    table[7] *= 20
    fig = figures.lengths({"mine": table, "half": table[:256]}, {"mine": [7, 500], "half": []})
    for ax, rows in zip(fig.axes, (512, 256), strict=True):
        np.testing.assert_allclose(ax.lines[0].get_ydata(), np.sqrt((table[:rows] ** 2).sum(1)))
    assert [text.get_text() for text in fig.axes[0].texts] == [f"7 ({np.linalg.norm(table[7]):.2f})", "500"]
    assert "row 500" in fig.alt
    long = np.sqrt((table**2).sum(1))
    usual, shortest, longest = (f"{length:.2f}" for length in (np.median(long), min(long), max(long)))
    assert fig.numbers[1] == ("mine", usual, shortest, longest, f"row 7 {long[7]:.2f}, row 500 {long[500]:.2f}")


def test_the_square_holds_every_cosine_in_a_pixel_of_its_own_and_the_curve_names_its_tops(table):
    curve = 0.5 + 0.4 * np.cos(2 * np.pi * np.arange(1, 31) / 6)
    fig = figures.cosines(table, curve, seam=127)
    square, right, _ = fig.axes
    image = np.asarray(square.images[0].get_array())
    for p, q in ((0, 0), (3, 400), (127, 126)):
        naive = table[p] @ table[q] / np.sqrt((table[p] @ table[p]) * (table[q] @ table[q]))
        assert image[p, q] == pytest.approx(naive)
    pixels = np.array(square.get_window_extent().size) / fig.dpi * figures.plots.CSS_PIXELS * 2
    np.testing.assert_allclose(pixels, 512)
    np.testing.assert_allclose(right.lines[0].get_ydata(), curve)
    named = {text.get_text(): text.xy[0] for text in right.texts}
    assert list(named) == ["6", "12", "18", "2π", "4π", "6π"]
    assert fig.numbers[4] == ("4", f"{0.5 + 0.4 * np.cos(8 * np.pi / 6):.2f}")
    assert named["4π"] == pytest.approx(4 * np.pi), "where a hand of 1 rad per token has gone round twice"


def test_rings_are_side_by_side_and_their_radii_are_said():
    steady = np.stack([np.sin(np.arange(50)), np.cos(np.arange(50))], 1)
    fig = figures.rings({"a": {"first": steady, "later": 2 * steady}})
    assert [ax.get_title(loc="left") for ax in fig.axes] == ["a\nfirst", "a\nlater"]
    assert fig.alt.count("varies by 0%") == 2
    assert fig.alt.count(f"{49 / (2 * np.pi):.1f} times round") == 2, "49 turns of 1 rad"
    assert fig.numbers[2] == ("a, later", "7.8", "1.00", "0%")
    assert "in the plane of the middle" in figures.rings({"a": {"all": steady}}, chosen="of the middle").caption


def test_a_top_that_is_higher_than_the_one_before_is_named_and_the_caption_leaves_it_to_the_reader(table):
    curve = 0.5 + 0.2 * np.cos(2 * np.pi * np.arange(1, 31) / 6)
    curve[23] += 0.2
    fig = figures.cosines(table, curve, seam=127)
    assert "24" in [text.get_text() for text in fig.axes[1].texts] and "24" not in fig.caption


def test_wanders_are_drawn_about_their_means_and_their_widths_and_distance_are_said():
    one, other = np.array([0.0, 2, 4, 2]), np.array([10.0, 12, 13, 13])
    fig = figures.wanders({"a": one, "b": other}, first=7)
    (ax,) = fig.axes
    lines = [line for line in ax.lines if len(line.get_xdata()) == 4]
    np.testing.assert_allclose(lines[0].get_ydata(), [-2, 0, 2, 0])
    np.testing.assert_allclose(lines[1].get_xdata(), [7, 8, 9, 10])
    assert fig.numbers[1:] == [("a", "4.0"), ("b", "3.0"), ("apart, on average", "0.5")]
