"""The hands of published models, drawn: dots stand at their wavelengths, hollow where they never came round."""

import io
import math

import numpy as np
import pytest
from matplotlib.colors import to_rgba
from matplotlib.patches import Wedge
from PIL import Image

from clockwork.kit import configurations, plots
from clockwork.kit.plots import arcs
from clockwork.lessons.lesson_12 import figures, views
from clockwork.lessons.lesson_12.views import ladder

TURN = 2 * math.pi


def naive(name):
    """Speeds and angles met before slowing, and the reach before it, from the settings alone."""
    model = configurations.find(name)
    kind = next(kind for kind in model.attention if kind.rope and not kind.window)
    rope = kind.rope
    width = kind.head_dim
    turning = int(width * rope.get("partial_rotary_factor", 1)) // 2
    over = width if rope["rope_type"] == "proportional" else 2 * turning
    before = [rope["rope_theta"] ** (-2 * i / over) for i in range(turning)]
    reach = rope.get("original_max_position_embeddings", model.longest)
    return before, [reach * speed for speed in before], reach


@pytest.mark.parametrize("distance", [1, 1024, 65_536, 131_072, 2**24])
@pytest.mark.parametrize("name", ladder.NAMES)
def test_the_widget_counts_hands_that_turn_further_than_before_slowing(name, distance):
    shown = views.Ladder(model=name, distance=distance)
    model = configurations.find(name)
    kind = model.full
    new = model.new_angles(kind, distance)[kind.inv_freq > 0]
    numbers = shown.numbers()
    assert numbers["fresh"] == [int(new.sum())]
    assert numbers["been"] == [int((distance * kind.inv_freq >= TURN * (1 - 1e-6)).sum())]
    before, met, reach = naive(name)
    assert int((np.array(met) < TURN).sum()) >= numbers["fresh"][0]
    assert model.reach(kind) == reach and len(before) == kind.turning
    assert name in shown.describe() and f"distance {distance} tokens" in shown.describe()


def test_a_dot_is_a_head_at_what_it_agrees_and_gets_right():
    heads = {"6 hands, back after 50": (1.0, 0.5), "6 crowded hands": (0.8, 0.99), "another": (0.7, 0.95)}
    fig = figures.in_step(heads)
    dots = {tuple(float(x[0]) for x in line.get_data()) for line in fig.axes[0].lines}
    assert dots == set(heads.values()) and ("another", "0.70", "0.95") in fig.numbers


def test_bars_of_models_without_positions_are_as_long_as_their_shares():
    shares = {"one task": {"a": (1.0, 0.5), "b": (0.25, 0.125)}, "another": {"a": (0.9, 0.8), "b": (0.7, 0.6)}}
    fig = figures.without_positions(shares)
    for ax, rows in zip(fig.axes, shares.values(), strict=True):
        bars = [patch.get_width() for patch in ax.patches]
        assert bars == [share for name in ("a", "b") for share in rows[name]]
        assert [text.get_text() for text in ax.texts][:4] == [f"{share:.2f}" for share in bars]
    assert fig.numbers[1] == ("a", "1.00", "0.50", "0.90", "0.80")


def test_within_the_known_reach_no_hand_is_on_new_ground_and_gemma_4_never_is():
    for name in ladder.NAMES:
        reach = configurations.find(name).reach(configurations.find(name).full)
        within = max(distance for distance in ladder.DISTANCES if distance <= reach)
        assert views.Ladder(model=name, distance=within).numbers()["fresh"] == [0]
        beyond = views.Ladder(model=name, distance=2**24).numbers()["fresh"][0]
        assert (beyond == 0) == (name == "Gemma 4 26B"), name


def test_angles_on_the_dials_are_distance_times_speed():
    shown = views.Ladder(model="GPT-NeoX-20B", distance=64)
    hands = arcs.sampled(12)
    assert hands == [0, 2, 3, 5, 6, 8, 9, 11]
    wanted = [(64 * 1e4 ** (-2 * i / 24)) % TURN for i in hands]
    assert shown.numbers()["angles"] == pytest.approx(wanted)


@pytest.mark.parametrize(("count", "hands"), [(12, 8), (32, 8), (64, 8)])
def test_the_fastest_and_the_slowest_hand_are_among_the_dials(count, hands):
    shown = arcs.sampled(count)
    assert len(set(shown)) == hands and shown[0] == 0 and shown[-1] == count - 1


def test_every_line_has_a_dot_for_each_turning_hand_hollow_where_it_never_came_round():
    fig = figures.models()
    (ax,) = fig.axes
    ordered = sorted(configurations.load(), key=lambda model: not model.turns_everything)
    kinds = [(model, kind) for model in ordered for kind in model.attention if kind.rope]
    assert len(ax.collections) == len(kinds)
    for dots, (model, kind) in zip(ax.collections, kinds, strict=True):
        x = np.asarray(dots.get_offsets())[:, 0]
        np.testing.assert_allclose(x, TURN / kind.inv_freq_before[: kind.turning].numpy())
        within = x <= model.reach(kind) * (1 + 1e-9)
        hollow = [tuple(face) == to_rgba(plots.PAPER) for face in dots.get_facecolors()]
        assert hollow == model.unfinished(kind)[: kind.turning].tolist() == (~within).tolist(), (
            "left of the mark: filled"
        )
        grey = {tuple(edge) for edge in dots.get_edgecolors()} == {to_rgba(plots.GREY)}
        assert grey == bool(kind.window), model.name
    bold = {text.get_text() for text in ax.texts if text.get_fontweight() == "bold"} - {""}
    assert bold == {model.name for model in configurations.load() if model.turns_everything}
    assert fig.alt and fig.caption
    assert sum(text.get_text() == "no positions" for text in ax.texts) == 6


def test_the_table_behind_the_lines_counts_their_dots():
    fig = figures.models()
    (ax,) = fig.axes
    rows = [row for row in fig.numbers[1:] if row[1] != "0"]
    assert len(fig.numbers) == 1 + len(rows) + 6 and len(rows) == len(ax.collections)
    marks = [line.get_xdata()[0] for line in ax.lines]
    for (_, turning, finished, _, reach, takes), dots, mark in zip(rows, ax.collections, marks, strict=True):
        x = np.asarray(dots.get_offsets())[:, 0]
        filled = [tuple(face) != to_rgba(plots.PAPER) for face in dots.get_facecolors()]
        assert (turning, finished) == (str(len(x)), str(sum(filled)))
        assert float(reach.replace(",", "")) == mark and takes == f"{min(x):,.1f} to {max(x):,.0f}"
    assert ("Gemma 4 26B, 5", "64", "64", "192", "262,144", "6.3 to 188") in rows


def test_the_tables_behind_two_quarters_and_the_dealt_out_ladder_are_what_the_formula_gives():
    assert figures.two_quarters().numbers[1:] == [
        ("GPT-NeoX-20B", "12", "8", "36", "2,048", f"6.3 to {TURN * 1e4 ** (22 / 24):,.0f}"),
        ("Gemma 4 26B", "64", "64", "192", "262,144", f"6.3 to {TURN * 1e6 ** (126 / 512):,.0f}"),
    ]
    first, last = 16 + 24, 63  # of the hands that follow the columns in consecutive sections
    takes = f"{TURN * 1e6 ** (first / 64):,.1f} to {TURN * 1e6 ** (last / 64):,.0f}"
    numbers = figures.dealt_out().numbers
    assert ("columns, consecutive sections", "24", takes) in numbers
    turns = [row for row in numbers if row[0].endswith("dealt out in turn")]
    assert [row[1] for row in turns] == ["24", "20", "20"]
    assert turns[1][2] == f"{TURN * 5e6 ** (1 / 64):,.1f} to {TURN * 5e6 ** (58 / 64):,.0f}"


def test_two_quarters_are_two_sets_of_hands():
    for ax, (turning, slowest) in zip(figures.two_quarters().axes, [(12, 29_164), (64, 188)], strict=True):
        segments = ax.collections[0].get_segments()
        assert len(segments) == turning
        assert segments[-1][0][0] == pytest.approx(slowest, abs=0.5)


def test_the_pattern_moves_with_the_glyph_where_hands_turn_and_changes_where_codes_are_added():
    fig = figures.glyph_scores(places=[(2, 2), (5, 6)])
    maps = [np.asarray(ax.images[0].get_array()) for ax in fig.axes]
    first, second = maps[::2], maps[1::2]
    moved = [np.abs(a[:6, :5] - b[3:, 4:]).max() for a, b in zip(first, second, strict=True)]
    assert moved[0] > 0.1 and max(moved[1:]) < 1e-4
    here = 2 * 9 + 2
    there = 5 * 9 + 6
    k = np.arange(-here, 81 - there)
    np.testing.assert_allclose(first[1].ravel()[here + k], second[1].ravel()[there + k], atol=1e-4)  # rows run on
    rows_and_columns = first[2]
    assert rows_and_columns[2, 2] == rows_and_columns.max()
    assert rows_and_columns[1, 2] == pytest.approx(rows_and_columns[3, 2], abs=1e-4)


def test_the_table_of_the_score_maps_says_what_the_maps_show_near_each_glyph():
    fig = figures.glyph_scores(places=[(2, 2), (5, 6)])
    shown = [np.asarray(ax.images[0].get_array()) for ax in fig.axes]  # two in a row, a column a place
    _, *rows = fig.numbers
    for scores, (name, *written), (row, column) in zip(shown, rows, [(2, 2), (5, 6)] * 3, strict=True):
        assert name.endswith(f"from row {row}, column {column}")
        here, right, below, far_right, far_below = map(float, written)
        assert [here, right, far_right] == pytest.approx(scores[row, column : column + 3], abs=6e-3)
        assert [here, below, far_below] == pytest.approx(scores[row : row + 3, column], abs=6e-3)


def test_each_hand_is_drawn_for_the_axis_it_follows():
    for ax, sizes in zip(figures.dealt_out().axes, ([16, 24, 24], [24, 20, 20]), strict=True):
        assert [len(lines.get_segments()) for lines in ax.collections] == sizes


def test_what_is_longer_than_in_training_is_told_from_paper_in_the_packed_picture():
    run = {"lengths": [32, 64, 128, 256], "accuracy": np.ones((1, 4))}
    fig = figures.stopped({"all": run})
    picture = np.asarray(Image.open(io.BytesIO(plots.png(fig))).convert("RGB")).astype(int)
    (ax,) = fig.axes
    columns, height = ax.transData.transform([(30, 0.5), (150, 0.5)]).T
    trained, longer = (picture[-int(height[0]), int(column)] for column in columns * len(picture[0]) / fig.bbox.width)
    assert (trained >= 250).all(), "paper, which is transparent on a dark page"
    assert (longer < 245).all()


def test_one_line_fills_the_hands_that_came_round_left_of_the_mark():
    fig = figures.one_line("Llama 3.1 8B")
    (ax,) = fig.axes
    (dots,) = ax.collections
    x = TURN * 500_000.0 ** (np.arange(64) / 64)
    np.testing.assert_allclose(np.asarray(dots.get_offsets())[:, 0], x)
    filled = [tuple(face) != to_rgba(plots.PAPER) for face in dots.get_facecolors()]
    assert filled == (x <= 8192).tolist() and ax.lines[0].get_xdata()[0] == 8192
    places = {text.get_text(): text.get_position()[0] for text in ax.texts}
    assert places["came round"] < places["reach before slowing"] == 8192 < places["did not"]


def test_the_rows_of_dials_are_the_heads_of_the_guess_and_a_slice_is_what_a_hand_met_in_training():
    fig = figures.offers()
    for (_, *turns), (finished, unfinished) in zip(fig.numbers[1:], ((4, 4), (4, 0), (6, 2)), strict=True):
        fast = [0.8**i for i in range(finished)]
        slow = [0.05 * 0.8**i for i in range(unfinished)]
        met = [32 * speed / (2 * math.pi) for speed in fast + slow] + [0.0] * (8 - finished - unfinished)
        assert [float(turned) for turned in turns] == pytest.approx(met, abs=0.011)
    slices = [patch.theta2 - patch.theta1 for patch in fig.axes[0].patches if isinstance(patch, Wedge)]
    assert sum(angle == 360 for angle in slices) == 4 + 4 + 6 and len(slices) == 8 + 4 + 8
