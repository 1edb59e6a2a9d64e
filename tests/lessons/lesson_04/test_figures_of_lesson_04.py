"""Two positions k apart, drawn: the score on the picture is the two codes' dot product, and moving p leaves it."""

import itertools
import math

import numpy as np
import pytest
from traitlets import TraitError

from clockwork.kit import plots, widgets
from clockwork.kit.plots import dials
from clockwork.lessons.lesson_04 import figures, views

K = range(-64, 65)


def view(position=5, k=5, d_model=16):
    return views.Offsets(widgets.Cursor(position=position, k=widgets.Slider(k, K, "offset k"), d_model=d_model))


def naive_adds(position, k, d_model):
    """What each pair adds to PE(p)·PE(p+k), in Python's own floats."""
    adds = []
    for i in range(d_model // 2):
        omega = 10_000.0 ** (-2 * i / d_model)
        here = position * omega
        there = (position + k) * omega
        adds.append(math.sin(here) * math.sin(there) + math.cos(here) * math.cos(there))
    return adds


@pytest.mark.parametrize(("position", "k", "d_model"), [(5, 5, 16), (0, -64, 4), (127, 64, 512), (0, 0, 8)])
def test_numbers_agree_with_two_codes_multiplied_out(position, k, d_model):
    shown = view(position, k, d_model)
    adds = naive_adds(position, k, d_model)
    numbers = shown.numbers()
    assert numbers["score"] == pytest.approx(math.fsum(adds), abs=1e-9)
    assert numbers["adds"] == pytest.approx(adds, abs=1e-9)


def test_moving_the_position_leaves_the_score_and_moving_the_offset_does_not():
    shown = view()
    before = shown.numbers()["score"]
    shown.cursor.position = 99
    assert shown.numbers()["score"] == pytest.approx(before, abs=1e-9)
    shown.cursor.k = 6
    assert abs(shown.numbers()["score"] - before) > 0.1


def test_description_names_both_positions_with_a_true_minus_before_the_score():
    assert view(0, -30, 4).describe().startswith("position 0, offset −30, d_model 4: the codes of 0 and −30")
    assert view(5, 5, 16).describe().endswith("dot product 6.137")


def test_a_cursor_without_k_is_refused_by_name():
    with pytest.raises(TraitError, match="'k'"):
        views.Offsets(widgets.Cursor(position=1, d_model=8))


def code(p, d_model):
    return [wave(p * 10_000 ** (-2 * i / d_model)) for i in range(d_model // 2) for wave in (math.sin, math.cos)]


@pytest.mark.parametrize(("position", "k", "d_model"), [(10, 3, 8), (0, -20, 2), (127, 20, 32)])
def test_the_matrix_between_two_clocks_makes_the_right_one_of_the_left(position, k, d_model):
    shown = views.Shift(position=position, k=k, d_model=d_model)
    matrix = np.reshape(shown.numbers()["matrix"], (d_model, d_model))
    assert shown.numbers()["there"] == pytest.approx(code(position + k, d_model), abs=1e-9)
    assert matrix @ code(position, d_model) == pytest.approx(code(position + k, d_model), abs=1e-9)


def test_the_riddle_shows_both_clocks_and_nothing_of_the_matrix():
    riddle = views.Riddle(position=10, k=3, d_model=8)
    assert riddle.numbers().keys() == {"there"}
    assert riddle.numbers()["there"] == pytest.approx(code(13, 8))
    assert "turns" not in riddle.describe()


def test_the_position_changes_no_number_of_the_matrix_and_the_shift_does():
    shown = views.Shift()
    before = shown.numbers()["matrix"]
    shown.position = 99
    assert (shown.numbers()["matrix"] == before).all()
    shown.k = 4
    assert (shown.numbers()["matrix"] != before).sum() == 16


@pytest.mark.parametrize("d_model", [2, 8, 64])
def test_a_dial_s_hands_point_where_sine_and_cosine_say(d_model):
    code = np.stack(
        [np.sin(22 * np.arange(1, d_model // 2 + 1)), np.cos(22 * np.arange(1, d_model // 2 + 1))], -1
    ).ravel()
    fig, ax = plots.figure()
    dials.dial(ax, code, "22")
    hands = [
        line
        for line in fig.axes[0].lines
        if len(line.get_xdata()) == 2 and line.get_xdata()[0] == 0 == line.get_ydata()[0]
    ]
    angles = sorted(math.atan2(line.get_xdata()[1], line.get_ydata()[1]) for line in hands)
    assert angles == pytest.approx(sorted(math.atan2(s, c) for s, c in code.reshape(-1, 2)))


@pytest.mark.parametrize("k", [0, 3, 40])
def test_the_arrows_get_as_far_to_the_right_as_the_score_says(k):
    _, ax = plots.figure()
    end = figures.chain(ax, [10_000.0 ** (-i / 32) for i in range(32)], k)
    assert end.real == pytest.approx(math.fsum(naive_adds(11, k, 64)))
    tips = [text.xy for text in ax.texts]
    assert len(tips) == 32 and tips[-1] == pytest.approx((end.real, end.imag))


def test_the_drawn_blocks_are_the_matrix_and_the_hands_are_both_codes():
    matrix = np.zeros((8, 8))
    for i in range(4):
        turn = 3 * 10.0**-i
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [
            [math.cos(turn), math.sin(turn)],
            [-math.sin(turn), math.cos(turn)],
        ]
    fig = figures.moved(matrix, position=2, k=3)
    *shown, heat = fig.axes
    np.testing.assert_allclose(heat.images[0].get_array(), matrix)
    for ax, angle in zip(shown, [*(2 * 10.0**-i for i in range(4)), *(5 * 10.0**-i for i in range(4))], strict=True):
        hand = ax.lines[-1]
        tip = (hand.get_xdata()[1], hand.get_ydata()[1])
        assert tip == pytest.approx((math.sin(angle), math.cos(angle)))


def looking(**state):
    return views.Sharpness(**state)


def test_readers_copies_give_it_a_cursor():
    sliders = {"position": widgets.Slider(40, range(64), "p"), "k": widgets.Slider(2, range(-8, 9), "k"), "d_model": 16}
    copied = views.Sharpness(widgets.Cursor(**sliders), s=5)
    assert copied.numbers()["target"] == looking(position=40, k=2, s=5).numbers()["target"]


@pytest.mark.parametrize(("position", "k", "d_model", "s"), [(32, 3, 16, 1), (0, -8, 4, 100), (63, 8, 512, 5)])
def test_weights_are_the_softmax_of_codes_with_a_shift_between(position, k, d_model, s):
    scores = [s * math.fsum(naive_adds(0, q - position + k, d_model)) / math.sqrt(d_model) for q in range(64)]
    total = math.fsum(math.exp(score - max(scores)) for score in scores)
    wanted = [math.exp(score - max(scores)) / total for score in scores]
    shown = looking(position=position, k=k, d_model=d_model, s=s).numbers()
    assert shown["weights"] == pytest.approx(wanted, abs=1e-12)
    assert shown["target"] == pytest.approx(wanted[position - k], abs=1e-12)


def test_where_no_token_stands_k_back_nothing_is_said_to_go_there():
    shown = looking(position=1)
    assert shown.numbers()["target"] == 0 and shown.describe().endswith("no token stands 3 back")


def test_a_head_that_looks_ahead_is_described_with_a_true_minus():
    assert looking(position=1, k=-8).describe().startswith("position 1, k −8, d_model 16, s 1: 0.035")


@pytest.mark.parametrize(("s", "weight"), [(1, "0.033"), (20, "0.866"), (50, "0.997")])
def test_louder_is_sharper(s, weight):
    assert looking(s=s).said()["weight"] == weight


def cells(fig):
    """The rows of a figure's table as numbers, without its header."""
    return [[float(text.replace("−", "-")) for text in row] for row in fig.numbers[1:]]


def test_the_table_behind_the_blocks_turns_each_hand_by_its_angle():
    matrix = np.zeros((4, 4))
    for i, turn in enumerate((3.0, 0.03)):
        block = [[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]]
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = block
    rows = cells(figures.moved(matrix, position=2, k=3))
    for i, turn in enumerate((3.0, 0.03)):
        wanted = [i, turn, math.cos(turn), math.sin(turn), -math.sin(turn)]
        assert rows[i] == pytest.approx(wanted, abs=6e-4)


def test_the_table_behind_the_arrows_is_k():
    for k, reached in cells(figures.sums([0, 3, 40], d_model=64)):
        assert reached == pytest.approx(math.fsum(naive_adds(11, k, 64)), abs=0.051)


def test_the_table_behind_the_curves_has_the_mean_of_each_tenth_and_the_alt_text_counts_the_steps_up():
    values = [math.fsum(naive_adds(0, k, 16)) for k in range(501)]
    fig = figures.kernels(values, d_model=16)
    assert len(fig.numbers) == 11
    for n, (stretch, mean) in enumerate(fig.numbers[1:]):
        assert stretch == f"{50 * n} to {50 * n + 50}"
        assert float(mean.replace("−", "-")) == pytest.approx(sum(values[50 * n : 50 * n + 51]) / 51, abs=6e-3)
    rises = sum(later > now for now, later in itertools.pairwise(values[230:271]))
    assert 20 < rises < 40 and f"{rises} of 40 steps go up" in fig.alt
    assert sum(line.get_color() == plots.KEY for line in fig.axes[1].lines) == rises


def test_the_key_of_the_curves_names_every_colour_that_is_drawn():
    values = [math.fsum(naive_adds(0, k, 16)) for k in range(501)]
    whole, near = figures.kernels(values, d_model=16).axes
    named = [{line.get_label(): line.get_color() for line in ax.get_legend().get_lines()} for ax in (whole, near)]
    means = [line for line in whole.lines if len(line.get_ydata()) == 2 and line.get_color() != plots.SOFT]
    assert {line.get_color() for line in means} == {named[0]["mean of each tenth"]} and len(means) == 10
    (curve,) = [line for line in whole.lines if len(line.get_ydata()) == 501]
    assert curve.get_color() == named[0]["each offset, d_model 16"]
    for line in near.lines:
        first, second = line.get_ydata()
        assert line.get_color() == named[1]["goes up" if second > first else "goes down"]


def test_the_table_behind_the_agreement_of_hands_has_the_cosines_hand_by_hand():
    values = [[math.cos(k * 10_000 ** (-i / 256)) for i in range(64)] for k in (7, 14)]
    rows = cells(figures.agreement([7, 14], values))
    assert {0, 3, 60} <= {row[0] for row in rows}
    for hand, *told in rows:
        assert told == pytest.approx([row[int(hand)] for row in values], abs=6e-3)
