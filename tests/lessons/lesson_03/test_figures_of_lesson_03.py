"""The pictures of lesson 03 draw what the lesson says of them."""

import math

import numpy as np
import pytest

from clockwork.kit import plots
from clockwork.lessons.lesson_03 import figures

SPEEDS = [10_000 ** (-i / 8) for i in range(8)]


def _is_hand(line):
    x, y = line.get_data()
    return len(x) == 2 and x[0] == y[0] == 0


def test_one_hand_after_another_points_along_the_mark():
    fig = figures.wandering([1, 10, 100, 1000], [1, 0.1, 0.01, 0.001])
    for i, ax in enumerate(fig.axes):
        hands = [line for line in ax.lines if _is_hand(line) and line.get_color() != plots.PINK]
        (mark,) = [line for line in ax.lines if line.get_color() == plots.PINK]
        angles = [math.atan2(line.get_xdata()[1], line.get_ydata()[1]) for line in hands][::-1]  # the fastest is on top
        assert angles[i] == pytest.approx(math.atan2(mark.get_xdata()[1], mark.get_ydata()[1])) == pytest.approx(1)
    assert "159 turns and 0.97 rad" in fig.caption


def test_only_dials_nearer_than_neighbours_are_marked_and_counted():
    fig = figures.confusable({"few": np.array([1.0, 2, 0.5, 0.9]), "many": np.array([1.0, 2, 3, 4])}, marked=(3, 2))
    for ax, near, title in zip(fig.axes, ([3, 4], []), ("few: 2 nearer", "many: none nearer"), strict=True):
        (marks,) = [line for line in ax.lines if line.get_color() == plots.PINK]
        assert marks.get_xdata().tolist() == near
        assert ax.get_title(loc="left") == title
    assert [text.get_text() for text in fig.axes[0].texts] == ["3"]
    assert fig.numbers == [
        ("distance", "1 token apart", "3 apart", "2 apart", "smallest", "nearer than 1 apart"),
        ("few", "1.00", "0.50", "2.00", "0.50", "2"),
        ("many", "1.00", "3.00", "2.00", "1.00", "0"),
    ]


def test_names_of_lines_do_not_overlap():
    fig = figures.read_right([0, 0.2], {"4 hands, one by one": [1, 0.12], "4 hands, all at once": [1, 0.13]})
    heights = sorted(text.xy[1] for text in fig.axes[0].texts)
    assert heights[1] - heights[0] > 0.05


def test_a_spectrum_has_a_bar_for_each_hand_that_turns():
    asked = np.geomspace(0.05, 3, 20)
    codes = {"turning": [1.0, 0.1, 0.01], "stopped": [0.0, 0.1, 0.01]}
    fig = figures.spectrum(asked, {name: np.ones((3, 20)) for name in codes}, codes)
    bars = [[line.get_xdata()[0] for line in ax.lines if len(line.get_xdata()) == 2] for ax in fig.axes]
    assert bars == [[1.0, 0.1], [0.1]]
    assert [sum(len(line.get_xdata()) == 20 for line in ax.lines) for ax in fig.axes] == [3, 3]


@pytest.mark.parametrize("shown", [["turning"], ["turning", "stopped"]])
def test_a_spectrum_tells_of_stopped_hands_only_where_one_is_stopped(shown):
    codes = {"turning": [1.0, 0.1, 0.01], "stopped": [0.0, 0.1, 0.01]}
    fig = figures.spectrum(np.geomspace(0.05, 3, 20), {name: np.ones((1, 20)) for name in shown}, codes)
    assert ("stopped hand" in fig.alt) == ("stopped" in shown)


def test_the_table_of_a_spectrum_gives_the_mean_share_at_the_nearest_speed_asked_for():
    asked = np.array([0.01, 0.09, 0.75, 1.0])
    shares = np.array([[0.1, 0.2, 0.3, 0.4], [0.3, 0.4, 0.5, 0.6]])
    fig = figures.spectrum(asked, {"a": shares, "b": 0 * shares}, {"a": [1.0], "b": [0.0]})
    header, *rows = fig.numbers
    told = dict(zip(header, rows[0], strict=True))
    assert (told["0.09"], told["0.75"], told["1"]) == ("0.30", "0.40", "0.50")
    assert set(rows[1]) == {"b", "0.00"}
