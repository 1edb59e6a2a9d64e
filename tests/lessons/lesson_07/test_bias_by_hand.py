"""A bias built by hand: what the reader behind it counts and names, recounted in plain Python, and its picture."""

import math
import re
from collections import Counter
from fractions import Fraction

import nbformat
import numpy as np
import pytest
import torch
from tools import lessons

from clockwork.lessons.lesson_07 import counting, figures, views


def recounted(bias):
    """Weights, right answers and shares of a reader, text by text, in plain Python."""
    grown = [math.exp(one) for one in bias]
    weights = [one / sum(grown) for one in grown]

    def places(text):
        sizes = dict.fromkeys(range(16), 0.0)
        for back, symbol in enumerate(text):
            sizes[symbol] += weights[back]
        return {symbol: math.floor(size / 0.02 + 0.37) for symbol, size in sizes.items()}

    texts = counting.TEXTS.tolist()
    of_a_size, three_back = Counter(), Counter()
    for text in texts[:2000]:
        found = places(text)
        of_a_size.update(found.values())
        three_back[found[text[3]]] += 1
    share = {place: three_back[place] / (count + 1) for place, count in of_a_size.items()}
    right = 0
    for text in texts[2000:]:
        found = places(text)
        named = max(range(16), key=lambda symbol: (share.get(found[symbol], 0.0), -symbol))
        right += named == text[3]
    return weights, [share.get(place, 0.0) for place in range(52)], right / 1000


@pytest.mark.parametrize(
    "bias",
    [
        [0.0] * 24,
        [-0.7 * k for k in range(24)],
        [3.0 * (k == 3) for k in range(24)],
        [-math.log(1 + k) for k in range(24)],
    ],
    ids=["flat", "ramp", "peak", "logarithm"],
)
def test_the_reader_s_shares_and_answers_are_those_of_a_recount(bias):
    weights, shares, right = recounted(bias)
    found = counting.count(torch.tensor(bias, dtype=torch.float64))
    assert found.weights.tolist() == pytest.approx(weights)
    assert found.shares.tolist() == pytest.approx(shares)
    assert found.right == pytest.approx(right)


def test_the_texts_are_of_independent_symbols_and_no_old_text_comes_again():
    counts = counting.TEXTS.flatten().bincount(minlength=16) / counting.TEXTS.numel()
    assert (counts - 1 / 16).abs().max() < 0.004
    assert len({tuple(text) for text in counting.TEXTS.tolist()}) == 3000
    same = (counting.TEXTS[:, 1:] == counting.TEXTS[:, :-1]).double().mean().item()
    assert same == pytest.approx(1 / 16, abs=0.004)


def test_a_peak_is_enough_a_flat_bias_is_a_bag_and_of_the_ramps_one_near_0_7_reads_best():
    steps = torch.arange(24.0)
    right = {slope: counting.count(-slope * steps).right for slope in (0.0, 0.15, 0.29, 0.5, 0.7, 2.0)}
    assert counting.count(3.0 * (steps == 3)).right > 0.99
    assert right[0.0] < 0.2 and max(right, key=right.get) == 0.7 and right[2.0] < 0.2 < right[0.29] < 0.8 < right[0.5]


def test_sizes_on_the_border_of_two_are_none_of_those_that_the_page_begins_with():
    for bias in ([0.0] * 24, views.Bias([3.2 - 0.29 * k for k in range(24)]).bias()):
        weights = torch.tensor(bias, dtype=torch.float64).softmax(0)
        sizes = (torch.nn.functional.one_hot(counting.TEXTS, 16) * weights[:, None]).sum(1)
        off = (sizes / 0.02 + 0.37) % 1
        assert torch.minimum(off, 1 - off).min() > 1e-9


def test_a_bias_of_another_length_is_refused():
    with pytest.raises(ValueError, match=r"bias must have shape \(24,\) .*got \(3,\)"):
        counting.count(torch.zeros(3))


def test_the_picture_tells_weight_and_right_answers_and_its_challenges_can_be_met():
    peak = views.Bias([3.0 * (k == 3) for k in range(24)])
    found = counting.count(torch.tensor(peak.bias()))
    assert peak.describe().startswith("most weight, 0.47, goes to 3 back, and 0.47 to three back; 1.00 of")
    assert peak.numbers()["right"] == [found.right]
    ramp = counting.count(torch.tensor(views.Bias([8 - 0.7 * k for k in range(24)]).bias()))
    assert ramp.right > 0.9, "a bias that never rises"


def test_the_relative_schemes_of_the_strip_score_by_the_offset_and_a_table_at_the_input_does_not():
    scores = figures.lineage_scores()
    assert set(scores) == {name for name, *_ in figures.LINEAGE} and not scores["NoPE"].any()
    for name in ("BERT", "GPT-2"):
        diagonals = [np.ptp(np.diagonal(scores[name], -back)) for back in range(23)]
        assert min(diagonals) > 0.1, "a table at the input: no diagonal has one colour"
    assert scores["ALiBi"] == pytest.approx([-0.25 * k for k in range(24)])
    rope = [sum(math.cos(k * 10_000 ** (-i / 8)) for i in range(8)) for k in range(24)]
    half = [4 + sum(math.cos(k * 10_000 ** (-i / 8)) for i in range(4)) for k in range(24)]
    assert scores["RoPE"] == pytest.approx(rope, abs=1e-5) and scores["p-RoPE"] == pytest.approx(half, abs=1e-5)
    assert len(set(scores["T5"].round(6))) < 24 == len(set(scores["Shaw et al."].round(6)))


def test_a_small_peak_and_a_ramp_give_three_back_the_same_weight_and_the_reader_names_it_by_the_peak_alone():
    peak = counting.count([0.0, 0.0, 0.0, 1.0] + 20 * [0.0])
    ramp = counting.count([-0.29 * back for back in range(24)])
    assert peak.weights[3].item() == pytest.approx(ramp.weights[3].item(), abs=0.001)
    assert peak.right > 0.995 > 0.8 > ramp.right


def test_the_five_tokens_counted_by_hand_have_the_weights_sizes_and_counts_of_the_page():
    (page,) = lessons.NOTEBOOKS.glob("07_*.ipynb")
    (source,) = (cell.source for cell in nbformat.read(page, 4).cells if cell.id == "l07-hand")
    rows = {}
    for line in re.findall(r"^\| (.+) \|$", source, flags=re.M):
        name, *cells = (cell.strip(" *") for cell in line.split("|"))
        rows[name] = cells
    steps = [int(cell) for cell in rows["steps back"]]
    bias = [math.log(int(cell[3:])) if cell.startswith("ln ") else float(cell) for cell in rows["bias"]]
    grown = [math.exp(one) for one in bias]
    assert [float(cell) for cell in rows["$e^{\\text{bias}}$"]] == pytest.approx(grown)
    assert [float(Fraction(cell)) for cell in rows["weight"]] == pytest.approx([one / sum(grown) for one in grown])
    sizes = Counter()
    for symbol, weight in zip(rows["token"], rows["weight"], strict=True):
        sizes[symbol] += Fraction(weight)
    told = {symbol: Fraction(size) for size, symbol in re.findall(r"(\d/8) \*(\w)\*", source)}
    assert told == dict(sizes), "the sum that the head hands on"
    of_a_size = Counter(sizes.values())
    asked = sizes[rows["token"][steps.index(3)]]
    counted = dict(zip(map(Fraction, rows["size"]), rows["stood three back"], strict=True))
    assert counted == {size: f"{size == asked:d} of {n}" for size, n in of_a_size.items()}


def test_the_counter_needs_no_more_weight_than_slope_0_7_gives_wherever_its_bins_begin(monkeypatch):
    steps = torch.arange(24.0)
    flat, steep = (counting.count(-slope * steps) for slope in (0.29, 0.7))
    assert round(1000 * steep.right) == 997
    assert steep.right > flat.right and round(steep.weights[3].item(), 2) == 0.06 and flat.weights[3] > 0.1
    for shift in (0.0, 0.2, 0.5, 0.7, 0.9):
        monkeypatch.setattr(counting, "SHIFT", shift)
        assert counting.count(-0.7 * steps).right > 0.95, shift
