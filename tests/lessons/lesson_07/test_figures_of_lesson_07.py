import math
from itertools import pairwise

import numpy as np
import pytest
import torch
from matplotlib.patches import Polygon

from clockwork.kit import plots
from clockwork.lessons.lesson_07 import figures


def beams(fig):
    return [patch for patch in fig.axes[0].patches if patch.get_gid() == figures.BEAM]


@pytest.mark.parametrize(("lit", "count"), [(None, 3), (1, 1), (2, 1), (3, 1)])
def test_light_falls_through_the_open_doors_alone_and_the_caption_is_theirs(lit, count):
    fig = figures.block(lit)
    assert len(beams(fig)) == count
    leaves = [patch for patch in fig.axes[0].patches if isinstance(patch, Polygon) and patch.get_gid() != figures.BEAM]
    assert len(leaves) == count
    if lit:
        heights = beams(fig)[0].get_xy()[:, 1]
        assert heights.min() < figures.AT[lit - 1] < heights.max()
        assert f"Door {lit} is open" in fig.caption and f"Only door {lit}" in fig.alt


@pytest.mark.parametrize("slope", [0.01, 0.29, math.log(2), 2.0])
def test_the_weight_on_three_back_is_the_softmax_of_the_ramp(slope):
    weights = torch.softmax(-slope * torch.arange(24, dtype=torch.float64), 0)
    assert float(figures.three_back(slope)) == pytest.approx(weights[3].item())


def test_of_all_slopes_the_logarithm_of_four_thirds_gives_three_back_most():
    slopes = np.arange(0.01, 3, 0.001)
    best = slopes[figures.three_back(slopes, keys=1000).argmax()]
    assert best == pytest.approx(math.log(4 / 3), abs=0.001)
    assert float(figures.three_back(best, keys=1000)) == pytest.approx(27 / 256, abs=1e-4)


def test_ranges_are_drawn_about_their_own_mean():
    fig = figures.ranges({"one": [1.0, 3.0], "two": [7.0, 7.0], "three": [0.0, 0.5]})
    (ax,) = fig.axes
    assert len(ax.lines) == 3, "three lines on one axis"
    for line in ax.lines:
        assert line.get_ydata().mean() == pytest.approx(0)
    assert "one 2.00, two 0.00, three 0.50" in fig.alt
    assert fig.numbers[1:] == [
        ("one  (door 1)", "-1.00", "1.00", "2.00"),
        ("two  (door 2)", "0.00", "0.00", "0.00"),
        ("three  (door 3)", "-0.25", "0.25", "0.50"),
    ]


def test_origins_shows_each_part_of_the_past_and_tells_the_weight_three_back():
    n = 6
    weights = np.tril(np.full((n, n), 0.5))
    fig = figures.origins({"made up": (np.zeros((1, n, n)), np.ones((1, n, n)), weights[None])})
    assert len(fig.axes) == 3 and "made up 0.50" in fig.alt
    for ax in fig.axes:
        drawn = np.ma.filled(np.ma.masked_invalid(ax.images[0].get_array()), np.nan)
        assert np.isnan(drawn[np.triu_indices(n, 1)]).all() and not np.isnan(drawn[np.tril_indices(n)]).any()


def test_the_table_of_origins_tells_score_and_bias_three_back_less_the_mean_of_the_row():
    n = 5
    bias = np.zeros((n, n))
    bias[3, 0] = 4.0
    bias[4, 1] = 10.0
    fig = figures.origins({"made up": (np.full((1, n, n), 7.0), bias[None], np.tril(np.full((1, n, n), 0.5)))})
    assert fig.numbers[1] == ("made up", "0.00", f"{((4 - 4 / 4) + (10 - 10 / 5)) / 2:.2f}", "0.50", "3 back")


@pytest.mark.parametrize(
    ("of_the_offset", "told"),
    [(lambda back: -back / 2.0, "0 back"), (lambda back: 1.0 * (back == 3), "3 back"), (lambda back: 0.0 * back, "–")],
    ids=["ramp", "peak", "flat"],
)
def test_the_table_of_origins_tells_how_far_back_the_bias_is_largest(of_the_offset, told):
    at = np.arange(6)
    bias = of_the_offset(at[:, None] - at)
    fig = figures.origins({"made up": (np.zeros((1, 6, 6)), bias[None], np.tril(np.full((1, 6, 6), 0.5)))})
    assert fig.numbers[0][-1] == "largest bias at" and fig.numbers[1][-1] == told
    bias[5, 1] = 9.0
    fig = figures.origins({"made up": (np.zeros((1, 6, 6)), bias[None], np.tril(np.full((1, 6, 6), 0.5)))})
    assert fig.numbers[1][-1] == "–", "not at one distance for all queries"


def test_the_race_has_a_dot_for_each_seed():
    runs = [
        {"task": task, "scheme": s, "accuracy": [0.25, 0.5, 0.75]} for task in figures.TASKS for s in figures.DOOR_OF
    ]
    fig = figures.race(runs)
    dots = [line for line in fig.axes[0].lines if line.get_marker() == "o"]
    assert len(dots) == len(figures.DOOR_OF) and all(list(line.get_xdata()) == [0.25, 0.5, 0.75] for line in dots)
    pink = [line.get_color() == plots.PINK for line in dots]
    assert pink == [door == "door 3" for door in figures.DOOR_OF.values()], "the colour of a bias, as elsewhere"


def test_the_race_draws_one_task_and_tells_the_other_in_its_table_and_caption():
    shares = {"three_back": 0.25, "who_came_first": 0.75}
    runs = [
        {"task": task, "scheme": s, "accuracy": [at, at - 0.12, at + 0.12]}
        for task, at in shares.items()
        for s in figures.DOOR_OF
    ]
    fig = figures.race(runs)
    assert len(fig.axes) == 1 and all(row[1:] == ("0.13 to 0.37", "0.63 to 0.87") for row in fig.numbers[1:])
    assert "0.75 of the cases (one seed of four in 0.63, the others in 0.75 or more; no rate" in fig.caption
    assert "rotary in 0.75" in fig.caption and "0.25" not in fig.caption


def test_slopes_are_told_by_their_means():
    fig = figures.slopes({0.1: [0.2, 0.4], 0.7: [0.8, 1.0], 2.0: [0.5, 0.5]})
    assert "0.30 at slope 0.100, rising to 0.90 at 0.7 and falling to 0.50 at 2" in fig.alt
    weight = torch.softmax(-0.7 * torch.arange(24), 0)[3]
    assert fig.numbers[2] == ("0.7", "0.90", "0.80", "1.00", f"{weight:.3f}") and len(fig.numbers) == 4


VALUES = (86.0, 40.0)  # a point on the line of the values
SCORES = (56.0, 42.0)
KEYS = (68.0, 72.0)
BIASED = (56.0, 30.0)
OUTPUTS = (56.0, -2.0)


@pytest.mark.parametrize(
    ("lit", "reached", "spared"),
    [
        (None, [], [VALUES, SCORES, KEYS, OUTPUTS]),
        (1, [VALUES, SCORES, KEYS, BIASED, OUTPUTS], []),
        (2, [SCORES, BIASED], [VALUES, KEYS, OUTPUTS]),
        (3, [BIASED], [VALUES, SCORES, KEYS, OUTPUTS]),
    ],
)
def test_pink_runs_on_from_an_open_door_and_reaches_values_and_outputs_of_equal_words_from_door_1_alone(
    lit, reached, spared
):
    bands = [patch for patch in figures.block(lit).axes[0].patches if patch.get_gid() == figures.CARRIED]

    def on_a_band(point):
        for band in bands:
            for line in band.get_path().to_polygons(closed_only=False):
                for (x, y), (u, v) in pairwise(line):
                    near = min(x, u) <= point[0] <= max(x, u) and min(y, v) <= point[1] <= max(y, v)
                    if near and (x == u or y == v):
                        return True
        return False

    assert [on_a_band(point) for point in reached + spared] == [True] * len(reached) + [False] * len(spared)


@pytest.mark.parametrize("lit", [1, 2, 3])
def test_what_is_written_beside_values_weights_and_outputs_of_equal_words_is_what_a_head_computes(lit):
    draw = torch.Generator().manual_seed(0)
    words = torch.randn(16, generator=draw, dtype=torch.float64).expand(4, 16)
    codes, turns, matrix, biases = torch.randn(4, 16, 16, generator=draw, dtype=torch.float64)
    x = words + codes[:4] if lit == 1 else words
    turned = [torch.linalg.matrix_exp(at * (turns - turns.T)) for at in range(4)] if lit == 2 else [torch.eye(16)] * 4
    queries = torch.stack([turn.double() @ row for turn, row in zip(turned, x, strict=True)])
    scores = queries @ matrix @ queries.T + (biases[:4, :4] if lit == 3 else 0)
    weights = scores.masked_fill(torch.ones(4, 4).triu(1).bool(), -torch.inf).softmax(-1)
    outputs = weights @ x
    written = " ".join(text.get_text().replace("\n", " ") for text in figures.block(lit).axes[0].texts)
    for name, rows in {"values": x, "outputs": outputs, "weights": weights}.items():
        assert f"{name} {'differ' if rows.std(0).max() > 1e-9 else 'alike'}" in written
    assert "a a a a" in written


def test_all_parts_of_the_block_lie_within_a_figure_that_a_phone_shows_whole():
    for lit in (None, 1, 3):
        fig = figures.block(lit)
        assert fig.get_size_inches()[0] == plots.NARROW
        fig.draw_without_rendering()
        for text in fig.axes[0].texts:
            box = text.get_window_extent()
            assert box.x0 >= 0 and box.x1 <= fig.bbox.width and box.y0 >= 0 and box.y1 <= fig.bbox.height


def test_each_map_of_the_strip_is_named_with_its_door_and_the_colours_have_a_key():
    fig = figures.lineage()
    named = {name: f"{name}\n{year}, {door}" for name, year, door in figures.LINEAGE}
    maps = [ax for ax in fig.axes if ax.get_title(loc="left")]
    assert [ax.get_title(loc="left") for ax in maps] == list(named.values())
    hidden = [np.ma.getmaskarray(np.ma.masked_invalid(ax.images[0].get_array()))[np.triu_indices(24, 1)] for ax in maps]
    assert [name for name, cells in zip(named, hidden, strict=True) if not cells.any()] == ["BERT"]
    assert all(cells.all() for name, cells in zip(named, hidden, strict=True) if name != "BERT")
    (key,) = (ax for ax in fig.axes if ax not in maps)
    assert [text.get_text() for text in key.texts] == ["low score", "high score"]
    fig.draw_without_rendering()
    ends = [ax.get_tightbbox() for ax in maps]
    assert all(left.x1 <= right.x0 + 2 for left, right in pairwise(ends) if left.y0 == right.y0)
