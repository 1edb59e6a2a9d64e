"""The pictures of lesson 08 draw what the lesson says of them."""

import math

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import Wedge

from clockwork.kit import plots
from clockwork.kit.plots import arcs
from clockwork.lessons.lesson_08 import figures, lengths


def sectors(ax, color):
    """The angles that are filled with a colour, clockwise from 12 o'clock, in rad, each as (begin, end)."""
    found = [
        patch for patch in ax.patches if isinstance(patch, Wedge) and to_hex(patch.get_facecolor()) == color.lower()
    ]
    return sorted(tuple(np.radians([90 - patch.theta2, 90 - patch.theta1])) for patch in found)


@pytest.mark.parametrize(
    ("met", "reach", "both_ways", "new"),
    [
        (2.4, 9.6, True, [(-math.pi, -2.4), (2.4, math.pi)]),
        (2.4, 9.6, False, [(2.4, 2 * math.pi)]),
        (2.4, 2.4, True, []),
        (3.2, 12.8, True, []),
        (0.24, 0.96, True, [(-0.96, -0.24), (0.24, 0.96)]),
        (0.24, 0.1, False, []),
    ],
)
def test_a_dial_s_vermilion_is_what_is_reached_now_and_was_not_in_training(met, reach, both_ways, new):
    _, ax = plots.figure()
    arcs.arc_dial(ax, met, reach, plots.GREEN, both_ways=both_ways)
    assert np.array(sectors(ax, plots.COS)) == pytest.approx(np.array(new))
    whole = math.pi if both_ways else 2 * math.pi
    known = min(met, whole)
    assert np.array(sectors(ax, plots.FAINT)) == pytest.approx(np.array([(-known if both_ways else 0, known)]))


def test_the_dials_above_the_distances_show_the_side_on_which_the_hand_is():
    rows = np.full((2, 8), 0.5)
    fig = figures.across_gaps([4, 9], {"a": rows, "b": rows}, speed=0.1)
    for ax, tokens in zip(fig.axes, (16, 47, 79), strict=False):
        x = ax.lines[0].get_xdata()[1]
        assert ax.get_title() == f"{tokens} tokens:\nto the {'right' if x > 0 else 'left'}"
        assert x == pytest.approx(0.9 * math.sin(0.1 * tokens))


def test_the_dials_above_the_gaps_show_where_two_hands_are_after_66_and_91_tokens_and_after_3():
    rows = {name: np.full((2, 8), 0.5) for name in ("a", "b", "c")}
    fig = figures.gaps([16, 63], rows)
    for ax, (tokens, speed) in zip(fig.axes, ((66, 1.0), (66, 0.1), (91, 1.0), (91, 0.1)), strict=False):
        assert ax.get_xlabel() == f"{tokens} tokens"
        then, now = [line.get_data() for line in ax.lines if len(line.get_xdata()) == 2]
        for (x, y), angle in ((then, 3 * speed), (now, tokens * speed)):
            assert (x[1], y[1]) == pytest.approx((0.9 * math.sin(angle), 0.9 * math.cos(angle)))


def test_the_words_of_the_curves_are_their_means():
    further = lengths.recorded("three_back/further")
    rows = {name: np.array([own[step].numpy() for step in ("0", "80")]) for name, own in further.items()}
    rows["hands as trained"] = rows.pop("none")
    fig = figures.further(["0", "80"], rows)
    for name, own in rows.items():
        assert f"{name}, {own[0].mean():.2f} and {own[-1].mean():.2f}" in fig.alt
        column = fig.numbers[0].index(name)
        assert [row[column] for row in fig.numbers[1:]] == [f"{mean:.2f}" for mean in own.mean(1)]
