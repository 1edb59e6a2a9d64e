"""Two positions k apart, drawn: the score on the picture is the two codes' dot product, and moving p leaves it."""

import math

import numpy as np
import pytest
from traitlets import TraitError

from pe_helpers import widgets
from pe_helpers.plots import dials, offsets

K = range(-64, 65)


def view(position=5, k=5, d_model=16):
    return widgets.Offsets(widgets.Cursor(position=position, k=widgets.Slider(k, K, "offset k"), d_model=d_model))


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
    assert numbers["adds"] == pytest.approx([adds[i] for i in offsets.shown(d_model)], abs=1e-9)


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
        widgets.Offsets(widgets.Cursor(position=1, d_model=8))


@pytest.mark.parametrize(
    ("d_model", "pairs"), [(2, [0]), (4, [0, 1]), (12, [0, 1, 2, 3, 4, 5]), (512, [0, 51, 102, 153, 204, 255])]
)
def test_at_most_six_pairs_get_a_dial_and_the_fastest_and_slowest_are_among_them(d_model, pairs):
    assert offsets.shown(d_model) == pairs


@pytest.mark.parametrize(("position", "offset", "d_model"), [(0, 0, 2), (5, -5, 4), (127, 64, 512)])
def test_the_still_draws_both_hands_where_the_formula_puts_them(position, offset, d_model):
    fig = offsets.picture(position, offset, d_model)
    first = fig.axes[0]
    tips = [(line.get_xdata()[1], line.get_ydata()[1]) for line in first.lines[-2:]]
    assert tips[0] == pytest.approx((math.sin(position), math.cos(position)))
    assert tips[1] == pytest.approx((math.sin(position + offset), math.cos(position + offset)))
    score = math.fsum(naive_adds(position, offset, d_model))
    title = fig.axes[-1].get_title(loc="left")
    assert title.endswith(f"{score:.4f}".replace("-", "−"))
    assert title.startswith(f"All {d_model // 2} pairs: ") == (d_model > 12), "dials left out must be told"
    shown = [text.get_text().replace("−", "-") for text in fig.legends[0].get_texts()]
    assert shown == [f"hand of position {position}", f"hand of position {position + offset}"]


@pytest.mark.parametrize("d_model", [2, 8, 64])
def test_a_dial_s_hands_point_where_sine_and_cosine_say(d_model):
    code = np.stack(
        [np.sin(22 * np.arange(1, d_model // 2 + 1)), np.cos(22 * np.arange(1, d_model // 2 + 1))], -1
    ).ravel()
    fig = dials.row(code[None], ["22"])
    hands = [
        line
        for line in fig.axes[0].lines
        if len(line.get_xdata()) == 2 and line.get_xdata()[0] == 0 == line.get_ydata()[0]
    ]
    angles = sorted(math.atan2(line.get_xdata()[1], line.get_ydata()[1]) for line in hands)
    assert angles == pytest.approx(sorted(math.atan2(s, c) for s, c in code.reshape(-1, 2)))
