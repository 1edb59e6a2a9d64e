"""The pictures of lesson 02 draw what the lesson says of them."""

import math

import numpy as np
import pytest

from clockwork.kit import plots
from clockwork.kit.plots import hands
from clockwork.lessons.lesson_02 import figures
from pe_helpers import sinusoidal


def points(ax):
    """The markers without a line that an axes holds, each as (x, y) arrays."""
    return [line.get_data() for line in ax.lines if line.get_linestyle() == "None"]


def test_at_whole_positions_the_waves_of_digits_0_and_1_jump_like_the_digits():
    fig = figures.counter()
    for digit in range(4):
        left = fig.axes[digit]
        ((positions, heights),) = points(left)
        bits = [1 if p // 2**digit % 2 else -1 for p in range(16)]
        assert [bar.get_height() for bar in left.patches] == bits
        assert np.sign(heights).tolist() == bits
        assert len(np.unique(heights.round(9))) == (2, 2, 4, 8)[digit]
        assert positions.tolist() == list(range(16))


def test_the_slower_waves_turn_one_rad_a_token_at_most():
    ((_, heights),) = points(figures.counter().axes[4])
    assert np.abs(np.diff(heights)).max() <= 2 * math.sin(0.5)


def test_hand_and_waves_show_one_point():
    dial, right, below, _ = figures.hand(omega=2 * math.pi / 16, marked=(2, 6)).axes
    tips = [(line.get_xdata()[1], line.get_ydata()[1]) for line in dial.lines if line.get_linewidth() == 3.5]
    heights = [(x[0], y[0]) for x, y in points(right) if len(x) == 1]
    sideways = [(x[0], y[0]) for x, y in points(below) if len(x) == 1]
    assert [p for p, _ in heights] == [p for _, p in sideways] == [2, 6]
    for (sine, cosine), (_, height), (place, _) in zip(tips, heights, sideways, strict=True):
        assert (place, height) == pytest.approx((sine, cosine))
        assert math.hypot(sine, cosine) == pytest.approx(1)
    assert sideways[0][0] == pytest.approx(sideways[1][0])
    assert heights[0][1] == pytest.approx(-heights[1][1])
    assert right.get_position().y0 == pytest.approx(dial.get_position().y0)  # so that heights can be compared by eye
    assert below.get_position().x0 == pytest.approx(dial.get_position().x0, abs=1e-3)


def test_a_walk_goes_on_and_back_from_its_start():
    p = np.arange(-5, 8)
    (ax,) = [figures.paths({"line": np.stack([p, p**2], 1), "other": np.stack([p, p], 1)}, start=5).axes[0]]
    back, on, start = (line.get_xydata() for line in ax.lines[:3])
    assert back[:, 0].tolist() == [-5, -4, -3, -2, -1, 0] and on[:, 0].tolist() == list(range(8))
    assert start.tolist() == [[0, 0]]


def test_the_powers_of_a_rule_are_drawn_both_ways():
    turn = np.array([[np.cos(0.3), np.sin(0.3)], [-np.sin(0.3), np.cos(0.3)]])
    fig = figures.powers({"the hand": turn, "fading": 0.9 * turn}, steps=5)
    for ax, size in zip(fig.axes, (1, 0.9), strict=True):
        back, on = (line.get_xydata() for line in ax.get_lines()[:2])
        for n in range(6):
            power = np.linalg.matrix_power(size * turn, n)
            assert on[n] == pytest.approx([power[0, 0], power[0, 1]])
            assert back[n] == pytest.approx(np.linalg.inv(power)[0])


def test_only_a_confusion_is_marked_among_the_distances():
    gaps = {"meets": np.array([2.0, 3, 0.5, 3]), "does not": np.array([2.0, 3, 1.5, 3])}
    axes = figures.spacings({"meets": [1.0, 0.1], "does not": [1.0, 0.1]}, gaps).axes
    assert [(x.tolist(), y.tolist()) for x, y in points(axes[1])] == [([3], [0.5])]
    assert points(axes[3]) == []


def test_beyond_the_exact_part_a_band_holds_all_distances():
    gap = 3 + np.sin(np.arange(1, 2001))
    ax = figures.spacings({"one": [1.0, 0.1], "two": [1.0]}, {"one": gap, "two": gap}, exact=50).axes[1]
    assert np.array_equal(ax.lines[0].get_ydata(), gap[:50])
    (band,) = [patch.get_paths()[0].vertices[:, 1] for patch in ax.collections]
    assert (band.min(), band.max()) == pytest.approx((gap[49:].min(), gap[49:].max()))
    assert ax.lines[1].get_ydata() == pytest.approx(3, abs=0.7)


def test_the_colour_of_a_hand_is_its_angle():
    speeds = {"small": sinusoidal.inv_freq(32), "wide": sinusoidal.inv_freq(512)}
    image = figures.phases(speeds, 50, resting={"wide": 83}).axes[1].images[0]
    p, i = np.meshgrid(np.arange(50), np.arange(256), indexing="ij")
    turned = 2 * math.pi * image.get_array() - p / 10_000 ** (i / 256)
    assert np.abs(np.exp(1j * turned) - 1).max() < 1e-4


def test_the_bracket_covers_the_hands_that_rest():
    fig = figures.phases({"wide": sinusoidal.inv_freq(512)}, 50, resting={"wide": 83})
    assert list(fig.axes[0].lines[0].get_xdata()) == [173, 255]
    assert "83 of 256 hands of wide turn by less than 0.1 rad" in fig.alt


@pytest.mark.parametrize(
    "fig",
    [
        figures.counter(),
        figures.hand(omega=0.4, marked=(2, 6)),
        figures.table(sinusoidal.table(16, 32)),
        figures.learning({"no code": np.ones((3, 2)), "sinusoid": np.zeros((3, 2))}, chance=1 / 16),
    ],
)
def test_each_figure_says_what_it_shows(fig):
    assert len(fig.alt) > 40 and len(fig.caption) > 40


@pytest.mark.parametrize("codes", [["no code", "sinusoid"], ["no code", "random table", "sinusoid"]])
def test_a_code_keeps_its_colour_whichever_others_are_drawn(codes):
    fig = figures.learning({name: np.full((3, 1), i) for i, name in enumerate(codes)}, chance=1 / 16)
    drawn = {codes[int(y[0])]: line.get_color() for line in fig.axes[0].lines if len(y := line.get_ydata()) == 3}
    known = {"no code": plots.GREY, "random table": plots.GREEN, "sinusoid": plots.SIN}
    assert drawn == {name: known[name] for name in codes}
    assert all(name in fig.alt for name in codes)


@pytest.mark.parametrize("count", [1, 4, 32, 256])
def test_every_tick_below_the_phases_is_the_number_of_a_hand(count):
    fig, ax = plots.figure()
    hands.phases(ax, [10_000 ** (-i / count) for i in range(count)], range(16))
    fig.draw_without_rendering()
    ticks = [tick for tick in ax.get_xticks() if -0.5 <= tick <= count - 0.5]
    assert ticks and all(tick == round(tick) for tick in ticks)
