"""What lesson 04 says in its sentences, computed once more by other means, with the rivals of each explanation."""

import cmath
import copy
import json
import math
import re
import statistics

import mpmath
import nbformat
import numpy as np
import pytest
import torch
from tests.lessons.naive import softmax
from tests.lessons.printed import numbers_of
from tools import lessons

from pe_helpers import attention, tasks, training

CELLS = nbformat.read(lessons.NOTEBOOKS / "04_relative_offsets.ipynb", as_version=4).cells
PRINTED = "\n".join(output.get("text", "") for cell in CELLS for output in cell.get("outputs", []))


numbers = numbers_of(PRINTED)


def speeds(d_model):
    return np.array([10_000 ** (-2 * i / d_model) for i in range(d_model // 2)])


def table(d_model, positions):
    angles = np.multiply.outer(np.asarray(positions), speeds(d_model))
    return np.stack([np.sin(angles), np.cos(angles)], -1).reshape(len(angles), -1)


def kernel(d_model, k):
    return math.fsum(math.cos(k * speed) for speed in speeds(d_model))


def shift(d_model, k):
    """M_k from its definition: complex multiplication of cos + i sin, written out as a matrix on (sin, cos)."""
    matrix = np.zeros((d_model, d_model))
    for i, speed in enumerate(speeds(d_model)):
        turn = cmath.exp(1j * k * speed)
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[turn.real, turn.imag], [-turn.imag, turn.real]]
    return matrix


def fitted(codes, k):
    return (np.linalg.pinv(codes[:-k], rcond=1e-14) @ codes[k:]).T


def miss(codes, matrix, k):
    return np.linalg.norm(codes[:-k] @ matrix.T - codes[k:]) / np.linalg.norm(codes[k:])


@pytest.mark.parametrize("k", [1, 3, -7, 300])
@pytest.mark.parametrize("d_model", [2, 16, 64])
def test_one_matrix_moves_every_code_and_its_transpose_moves_it_back(d_model, k):
    positions = np.array([0, 5, 1003])
    np.testing.assert_allclose(
        table(d_model, positions) @ shift(d_model, k).T, table(d_model, positions + k), atol=1e-9
    )
    np.testing.assert_allclose(shift(d_model, k).T, shift(d_model, -k))


def test_a_matrix_fits_any_list_it_has_seen_and_only_the_sinusoid_s_holds_elsewhere():
    draw = np.random.default_rng(0)
    seen = {}
    unseen = {}
    for name, codes in {
        "random, 8": draw.standard_normal((2000, 8)),
        "random, 128": draw.standard_normal((2000, 128)),
        "sinusoid, 8": table(8, range(2000)),
    }.items():
        matrix = fitted(codes[:100], 3)
        seen[name] = miss(codes[:100], matrix, 3)
        unseen[name] = miss(codes[1000:], matrix, 3)
        assert numbers(f"{name} numbers +misses by ")[0] == pytest.approx(seen[name], abs=0.06)
    assert seen["random, 128"] < 1e-9 < 1 < unseen["random, 128"], "width alone makes the fit"
    assert seen["random, 8"] > 0.9 and unseen["random, 8"] > 0.9
    assert seen["sinusoid, 8"] < 1e-9 and unseen["sinusoid, 8"] < 1e-9


@pytest.mark.parametrize(("d_model", "count", "holds"), [(16, 100, False), (16, 1000, True), (64, 100, False)])
def test_a_wide_sinusoid_needs_more_positions_than_a_hundred(d_model, count, holds):
    matrix = fitted(table(d_model, range(count)), 3)
    assert (miss(table(d_model, range(30_000, 31_000)), matrix, 3) < 1e-3) == holds
    printed = numbers(rf"d_model {d_model}, +{count:,} positions: misses by ")
    assert (printed[1] < 1e-3) == holds and (printed[-1] < 1e-3) == holds


def test_the_score_falls_on_the_whole_and_not_step_by_step_and_does_not_know_direction():
    for d_model, first in ((16, 3), (512, 43)):
        scores = [kernel(d_model, k) for k in range(128)]
        assert next(k for k in range(127) if scores[k + 1] > scores[k]) == first
        assert max(scores) == scores[0] and np.mean(scores[64:]) < np.mean(scores[1:32])
    assert kernel(512, 44) - kernel(512, 43) == pytest.approx(0.0117, abs=5e-5)
    assert kernel(16, -3) == kernel(16, 3)
    assert not np.allclose(shift(16, -3), shift(16, 3))


def test_half_of_all_steps_go_up_at_both_widths_and_at_512_none_of_the_first_43():
    for d_model in (16, 512):
        scores = np.cos(np.multiply.outer(np.arange(10_001), speeds(d_model))).sum(1)
        rises = np.diff(scores) > 0
        for first, last in ((0, 43), (43, 128), (128, 1000), (1000, 10_000)):
            (share,) = numbers(rf"d_model {d_model}, offsets {first:,} to {last:,}:")[-1:]
            assert share == pytest.approx(rises[first:last].mean(), abs=0.006)
        assert 0.45 < rises[128:1000].mean() < 0.55 and 0.45 < rises[1000:].mean() < 0.55
        assert rises[:43].any() == (d_model == 16)


def cosine_integral(x):
    """Ci(x) by its power series, exact enough for x < 20."""
    terms = ((-1) ** n * x ** (2 * n) / (2 * n * math.factorial(2 * n)) for n in range(1, 60))
    return 0.5772156649 + math.log(x) + math.fsum(terms)


@pytest.mark.parametrize("base", [10_000, 500_000])
def test_averaged_over_hands_k_falls_by_the_same_for_every_tenfold_distance(base):
    """With endless hands, K(k)/K(0) is the mean of cos kω over log ω: (Ci(k) − Ci(k/base)) / ln base."""
    for k in (10, 16):
        exact = (cosine_integral(k) - cosine_integral(k / base)) / math.log(base)
        assert 1 - (math.log(k) + 0.577) / math.log(base) == pytest.approx(exact, abs=0.008)
    found = numbers(rf"d_model 512, base +{base:,}:")
    assert found[:5] == pytest.approx(found[5:], abs=0.04)
    wide = [base ** (-i / 256) for i in range(256)]
    for k, printed in zip((1, 10, 100, 1000, 3000), found[:5], strict=True):
        assert printed == pytest.approx(math.fsum(math.cos(k * speed) for speed in wide) / 256, abs=0.006)
    few = numbers(r"d_model  64, base +10,000:")
    assert max(abs(value - law) for value, law in zip(few[:5], few[5:], strict=True)) > 0.08, "few hands scatter"


def test_below_0_most_hands_point_away_often_and_not_always():
    cosines = np.cos(np.multiply.outer(np.arange(20_001), speeds(64)))
    away = (cosines < 0).sum(1)[cosines.sum(1) < 0]
    assert (away > 16).mean() > 0.5 and (away < 16).sum() == 801


@pytest.mark.parametrize("d_model", [8, 16])
def test_d_steps_fix_the_shift_in_fifty_digits_and_one_step_fewer_leaves_a_direction_free(d_model):
    with mpmath.workdps(50):
        speed = [mpmath.mpf(10_000) ** (-mpmath.mpf(2 * i) / d_model) for i in range(d_model // 2)]
        codes = mpmath.matrix(
            [[wave(p * omega) for omega in speed for wave in (mpmath.sin, mpmath.cos)] for p in range(d_model + 3)]
        )
        for j in range(d_model):
            solved = mpmath.lu_solve(codes[:d_model, :], codes[3:, j])
            assert max(abs(solved[i] - shift(d_model, 3)[j, i]) for i in range(d_model)) < 1e-15
        free = mpmath.lu_solve(codes[:d_model, :], mpmath.matrix([0] * (d_model - 1) + [1]))
        free /= mpmath.norm(free)
        assert mpmath.norm(codes[: d_model - 1, :] * free) < 1e-40 < mpmath.norm(codes[d_model - 1, :] * free)
    assert numbers(f"d_model {d_model}, {d_model} steps in 50 digits: off M_3 by ") == [0]


def test_a_hundred_places_at_d_model_16_reach_16_digits_less_far_in_one_direction_than_in_another():
    with mpmath.workdps(50):
        speed = [mpmath.mpf(10_000) ** (-mpmath.mpf(i) / 8) for i in range(8)]
        codes = mpmath.matrix([[w(p * o) for o in speed for w in (mpmath.sin, mpmath.cos)] for p in range(100)])
        squares = mpmath.eigsy(codes.T * codes, eigvals_only=True)
        assert mpmath.sqrt(min(squares) / max(squares)) == pytest.approx(1e-16, rel=0.1)
    assert float(re.search(r"1,000 places, float64: from 1 down to (\S+)", PRINTED)[1]) > 1e-7


def test_speeds_spread_like_a_bell_make_k_a_bell_and_no_codes_make_k_a_step():
    speed = [0.2 * statistics.NormalDist().inv_cdf((64.5 + i) / 128) for i in range(64)]
    for k, printed in zip((5, 10, 20), numbers("bell at 5, 10, 20 tokens"), strict=True):
        value = math.fsum(math.cos(k * each) for each in speed) / 64
        assert abs(value) == pytest.approx(printed, abs=0.03) and value == pytest.approx(
            math.exp(-0.02 * k * k), abs=0.03
        )
    assert numbers(r"all or nothing +smallest eigenvalue ")[0] < -1.5
    assert (
        abs(numbers(r"bell +smallest eigenvalue ")[0]) < 0.01 and abs(numbers(r"tent +smallest eigenvalue ")[0]) < 0.01
    )
    probe = np.cos(np.arange(64) * 2 * np.pi * 6.5 / 32)  # a wave whose sum over seven neighbours is below 0
    step = np.abs(np.subtract.outer(np.arange(64), np.arange(64))) <= 3
    tent = np.clip(1 - np.abs(np.subtract.outer(np.arange(64), np.arange(64))) / 4, 0, None)
    assert probe @ step @ probe < -0.5 * probe @ probe and probe @ tent @ probe >= 0
    assert np.linalg.eigvalsh(tent).min() > 0


def test_random_heads_like_no_offset_better_and_heads_with_one_matrix_like_near_tokens():
    two = numbers("two random matrices, at 0, 1, 5, 20, 100:")
    assert two == pytest.approx([1] * 5, abs=0.03)
    one = numbers("one matrix for both, at 0, 1, 5, 20, 100:")
    codes = table(64, range(128))
    draw = np.random.default_rng(3)
    mean = {"two": 0, "one": 0}
    for _ in range(200):
        w_q, w_k = draw.standard_normal((2, 64, 16)) / 8
        mean["two"] += softmax(codes @ w_q @ w_k.T @ codes.T / 4) / 200
        mean["one"] += softmax(codes @ w_q @ w_q.T @ codes.T / 4) / 200
    for k, printed in zip((0, 1, 5, 20, 100), one, strict=True):
        assert 128 * mean["two"].diagonal(-k).mean() == pytest.approx(1, abs=0.06)
        assert 128 * mean["one"].diagonal(-k).mean() == pytest.approx(printed, rel=0.06)
    assert one == sorted(one, reverse=True) and one[0] > 2


def test_a_loud_head_loses_next_to_nothing_to_a_longer_text_and_a_quiet_one_does():
    weight = {}
    for d_model, s in ((16, 22.5), (16, 1), (128, 17.2)):
        for count in (100, 1000, 10_000):
            codes = table(d_model, range(count))
            scores = codes[count // 2] @ shift(d_model, 1) @ codes.T / math.sqrt(d_model)
            weight[d_model, s, count] = softmax(s * scores)[count // 2 - 1]
            printed = numbers(rf"d_model {d_model}, s = {s}, +{count:,} keys:")
            assert printed[0] == pytest.approx(weight[d_model, s, count], abs=0.001)
    for d_model, s in ((16, 22.5), (128, 17.2)):
        lead = kernel(d_model, 0) - kernel(d_model, 1)
        assert math.sqrt(d_model) * math.log(18) / lead == pytest.approx(s, abs=0.06)
        assert [weight[d_model, s, count] for count in (100, 1000, 10_000)] == pytest.approx([0.9] * 3, abs=0.002)
    assert weight[16, 1, 10_000] < 0.2 * weight[16, 1, 1000] < 0.05 * weight[16, 1, 100], "a quiet head"


def test_the_weight_falls_to_a_fifth_and_not_to_an_eighth_because_far_keys_score_less():
    weight = {}
    for length in (10, 20, 40, 80):
        codes = table(16, range(length))
        weight[length] = softmax(codes @ codes.T / 4)[5, 6]
        assert numbers(f"{length} tokens: weight of 6 for 5 is ") == [round(weight[length], 3)]
    assert weight[10] / 6 < weight[80] < weight[10] / 4.5
    scores = np.exp(table(16, [5]) @ table(16, range(80)).T / 4)[0]
    assert (scores[10:] < scores[:10].mean()).all(), "the new keys score less than the first ten do on average"
    alike = softmax(np.full((80, 80), 7.4852 / 4))[5, 6]
    assert alike == pytest.approx(softmax(np.full((10, 10), 7.4852 / 4))[5, 6] / 8), "the rival: all keys score alike"
    assert numbers("same text: of 41 for 40 ")[:2] == [0.0245, 0.0254]


@pytest.mark.parametrize(("s", "weight"), [(1, 0.033), (20, 0.866), (50, 0.997)])
def test_a_factor_makes_the_shift_sharp_and_does_not_move_its_peak(s, weight):
    codes = table(16, range(64))
    weights = softmax(s * codes @ shift(16, 3) @ codes.T / 4)
    assert round(weights[32, 29], 3) == weight
    assert all(weights[p].argmax() == p - 3 for p in range(3, 64))


def test_two_shifts_in_a_row_take_the_code_of_7_to_that_of_12_and_the_transpose_takes_it_to_that_of_4():
    code = table(8, range(13))
    assert shift(8, 2) @ shift(8, 3) @ code[7] == pytest.approx(code[12])
    assert shift(8, 3).T @ code[7] == pytest.approx(code[4])
    assert numbers("(?m)^off by ") == [0, 0]


def test_turned_scores_do_not_depend_on_the_place_and_added_ones_do():
    draw = np.random.default_rng(0)
    a, b = draw.standard_normal((2, 16))
    turned = [(shift(16, p) @ a) @ (shift(16, p + 3) @ b) for p in (5, 105, 1005)]
    added = [(a + table(16, [p])[0]) @ (b + table(16, [p + 3])[0]) for p in (5, 105, 1005)]
    assert np.ptp(turned) < 1e-9 and np.ptp(added) > 0.5
    assert turned[0] == pytest.approx(a @ shift(16, 3) @ b)
    printed = [numbers(rf"bit at +{p}: turned ") for p in (5, 105, 1005)]
    assert len({turned for turned, _ in printed}) == 1 and len({added for _, added in printed}) == 3


def test_two_of_the_four_terms_depend_on_the_position():
    spread = {}
    for name in ("what is left: x·y", r"x·PE\(q\)", r"PE\(p\)·y", r"PE\(p\)·PE\(q\)", r"PE\(p\)·W PE\(q\), random W"):
        low, high = numbers(rf"(?m)^{name} +from +")
        spread[name] = high - low
    assert [value > 1 for value in spread.values()] == [False, True, True, False, True]


def turning_part(matrix):
    """The average of M_tᵀ W M_t over very many random places t: no formula for the part is used."""
    speed = speeds(32)
    draw = np.random.default_rng(1)
    mean = np.zeros((32, 32))
    turns = draw.uniform(0, 1e9, size=4000)
    for t in turns:
        moved = np.zeros((32, 32))
        for i in range(16):
            turn = cmath.exp(1j * t * speed[i])
            moved[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[turn.real, turn.imag], [-turn.imag, turn.real]]
        mean += moved.T @ matrix @ moved
    return mean / len(turns)


def of_the_page():
    place = {"torch": torch}
    for defined in ("blocks = ", "def turning_part"):
        (source,) = [cell.source for cell in CELLS if cell.source.startswith(defined)]
        exec(source, place)
    return place["turning_part"]


def test_the_turning_part_is_what_is_left_on_average_over_all_starting_points():
    matrix = np.random.default_rng(2).standard_normal((32, 32))
    part = of_the_page()(torch.tensor(matrix, dtype=torch.float32)).numpy()
    np.testing.assert_allclose(part, turning_part(matrix), atol=0.15)
    assert np.linalg.norm(part - turning_part(matrix)) < 0.2 * np.linalg.norm(part)
    np.testing.assert_allclose(of_the_page()(torch.tensor(shift(32, 3), dtype=torch.float32)), shift(32, 3), atol=1e-6)


EIGHT = json.loads((lessons.NOTEBOOKS.parent / "data" / "shift_in_heads.json").read_text())


def eight(name, length, k=3):
    return np.array(EIGHT["right" if k == 3 else "five back"][name][str(length)])


def test_the_eight_recorded_models_are_those_of_the_page():
    assert EIGHT["seeds"] == list(range(8))
    for name in ("all of W", "turning part", "the rest"):
        printed = numbers(rf"(?m)^{name} +32 tokens: tensor\(")[:3]
        assert printed == pytest.approx(eight(name, 32)[:3], abs=0.15)
    shares = [float(found) for found in re.findall(r"turning part: (0\.\d+) of", PRINTED)]
    assert shares == pytest.approx(EIGHT["share"][:3], abs=0.05)


def test_in_eight_models_the_turning_part_is_right_where_all_of_w_is_not_and_neither_words_nor_loudness_explain_it():
    part = eight("turning part", 128)
    for rival in ("as trained", "all of W", "3 · all of W", "the rest"):
        assert (eight(rival, 128) < part - 0.2).all()
    assert eight("turning part", 32).min() > 0.99 and (eight("turning part", 32) >= eight("all of W", 32)).all()
    assert eight("3 · turning part", 128).min() > 0.95


@pytest.mark.parametrize("by", [16, 64, 200])
def test_in_texts_as_long_as_in_training_all_of_w_fails_at_other_positions_and_its_turning_part_does_not(by):
    """The position alone is changed: the length, which a longer text changes as well, is that of training."""
    assert (eight(f"all of W, {by} on", 32) < eight("all of W", 32) - 0.1).all()
    assert eight(f"turning part, {by} on", 32) == pytest.approx(eight("turning part", 32), abs=1e-3)


def test_in_eight_models_turning_on_by_two_tokens_answers_five_back_and_beyond_training_only_the_turning_part_does():
    assert eight("turning part", 32, k=5).min() > 0.99
    assert (eight("all of W", 128, k=5) < eight("turning part", 128, k=5) - 0.2).all()


TERMS = EIGHT["terms"]


def of_terms(name, length=32):
    return np.array(TERMS["right"][name][str(length)])


def test_the_terms_add_up_to_the_models_own_weights_and_place_place_is_the_largest():
    assert TERMS["off the weights by"] < 1e-5 and of_terms("all") == pytest.approx(eight("as trained", 32), abs=1e-3)
    sizes = {name: np.array(values) for name, values in TERMS["sizes"].items()}
    assert all((sizes["place·place"] > 2 * size).all() for name, size in sizes.items() if name != "place·place")
    assert (sizes["word·word"] < np.minimum(sizes["word·place"], sizes["place·word"])).all()
    assert (sizes["bias·place"] > 0.8).all(), "the query's bias meets the key's place: not all is in W"


def test_eight_models_use_place_place_and_the_cross_terms_and_not_word_word():
    assert of_terms("without word·word") == pytest.approx(of_terms("all"), abs=0.002)
    assert of_terms("without place·place").max() < 0.11 and of_terms("without place·place").min() > 0.08
    assert (of_terms("without the cross terms") < of_terms("all") - 0.003).all()
    assert of_terms("without the cross terms").min() > 0.9
    alone = of_terms("place·place alone")
    assert alone.max() < 0.98 and alone.min() < 0.62 and (alone < of_terms("places and biases")).sum() == 7
    assert of_terms("3 · place·place alone") == pytest.approx(alone, abs=0.02), "it is not too quiet"
    assert of_terms("places and biases").min() > 0.9 and (of_terms("without bias·place") < 0.98).sum() >= 4
    assert (of_terms("all of W, the mean taken out") < eight("all of W", 32)).all()


def test_the_ranges_on_the_page_are_those_of_the_recording():
    (story,) = [cell.source for cell in CELLS if "Which of the terms does a trained head use?" in cell.source]
    for name, said in {
        "without place·place": "Cut place·place, and ",
        "without the cross terms": "without the cross terms ",
        "without bias·place": "whoever asks) ",
        "place·place alone": "place·place alone ",
        "places and biases": "the biases back ",
    }.items():
        found = of_terms(name)
        assert f"{said}{found.min():.2f} to {found.max():.2f}" in story, name
    taken = of_terms("all of W, the mean taken out")
    assert f"With the mean taken out, {taken.min():.2f} to {taken.max():.2f}" in story


def test_shuffled_hands_get_four_in_ten_on_average_and_none_does_as_well_as_the_true_ones():
    groups = re.findall(r"(\d+) shuffles, .*: (0\.\d+) on average, (0\.\d+) at best", PRINTED)
    mean = sum(int(count) * float(average) for count, average, _ in groups) / 40
    assert sum(int(count) for count, _, _ in groups) == 40 and mean == pytest.approx(0.4, abs=0.05)
    together, apart = (float(best) for _, _, best in groups)
    assert apart < together < 0.99
    assert together == pytest.approx(0.86, abs=0.1)


def test_hands_2_and_3_are_needed_in_longer_texts():
    few = eight("turning part, hands 0, 1", 128)
    assert (few < eight("turning part", 128) - 0.2).all() and few.max() < 0.6
    assert eight("turning part, hands 0 to 3", 128).min() > few.max()


def test_hands_0_and_1_come_round_together_after_44_tokens_and_after_no_fewer_as_nearly():
    agree = [sum(math.cos(k * speed) for speed in speeds(32)[:2]) for k in range(1, 64)]
    assert 1 + int(np.argmax(agree)) == 44 and agree[43] > 1.9
    assert agree[18] < 1, "19 tokens are a turn of hand 1 at d_model 16, not at 32"


def test_twelve_offsets_where_fast_hands_come_round_cost_the_answers_at_128_tokens_and_not_the_number_of_keys():
    runs = re.findall(r"no (\d\.\d+) half (\d\.\d+) 12 (\d\.\d+) liked (\d\.\d+) \[([-\d, ]+)\]", PRINTED)
    assert len(runs) == 3
    for *shares, offsets in runs:
        all_keys, half, twelve, liked = map(float, shares)
        lost = 1 - all_keys
        assert twelve - all_keys < 0.1 * lost, "as many other keys hidden"
        assert liked - all_keys > 0.5 * lost and liked > half, "more than half of all other keys hidden"
        near = {44, 56, 57, 100, 101, 113}  # both hands within 0.75 rad of whole turns
        assert len(near & {abs(int(offset)) for offset in offsets.split(",")}) >= 3


def test_after_38_tokens_hand_0_has_come_round_and_hand_1_has_not_and_model_2_hardly_uses_hand_1():
    hand_0, hand_1 = (math.cos(38 * speed) for speed in speeds(32)[:2])
    assert hand_0 > 0.95 and hand_1 < -0.5
    assert EIGHT["strengths"][2][1] < 0.01 < 0.05 < min(EIGHT["strengths"][0][1], EIGHT["strengths"][1][1])


def test_the_page_says_by_how_many_tokens_the_three_models_turn_their_first_four_hands():
    (said,) = [cell.source for cell in CELLS if "Counted in tokens" in cell.source]
    tokens = (np.array(EIGHT["angles"]) / speeds(32)[:4])[:3]
    assert tokens[:, 0] == pytest.approx(3, abs=0.05)
    for hand, words in ((1, "hand 1 by {:.1f} to {:.1f}"), (2, "hand 2 by {:.1f} to {:.1f}")):
        assert words.format(tokens[:, hand].min(), tokens[:, hand].max()) in said
    assert f"is turned by {tokens[:, 3].min():.1f} to {tokens[:, 3].max():.1f}" in said
    strengths = np.array(EIGHT["strengths"])[:3]
    assert strengths[:, 3].max() < 0.03 and strengths.sum(1).min() > 0.98 and strengths[:, 0].min() > 0.5


def test_the_heads_of_eight_models_turn_hand_0_by_three_tokens_and_random_rows_give_no_turning_part():
    assert np.array(EIGHT["angles"])[:, 0] == pytest.approx(3.0, abs=0.1)
    assert max(EIGHT["random rows"]["share"]) < 0.1 and min(EIGHT["random rows"]["right"]) > 0.97
    for name, low, high in (("share", 0.02, 0.04), ("right", 1.0, 1.0)):
        assert numbers(f"random table, eight models, {name}:") == [low, high]
        found = EIGHT["random rows"][name]
        assert [round(min(found), 2), round(max(found), 2)] == [low, high]
    (live, share) = numbers(r"random table: tensor\(\[")
    assert live > 0.97 and share < 0.06
    assert max(EIGHT["share, not trained"]) < 0.06 < max(EIGHT["share, shuffled"]) < min(EIGHT["share"])


class RandomTable(attention.Encoding):
    """Random rows as long as the sinusoid's."""

    def add(self, x, position_ids):
        rows = np.random.default_rng(0).standard_normal((32, 32))
        rows = 4 * rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return x + torch.tensor(rows, dtype=x.dtype)[position_ids]


class Scored(attention.Sinusoid):
    """Scores from codes alone, in the layer whose turn it is when `layer` calls have been made."""

    def __init__(self, matrices):
        super().__init__()
        self.matrices = matrices
        self.calls = 0

    def bias(self, num_heads, position_ids):
        self.calls += 1
        codes = torch.tensor(table(32, position_ids), dtype=torch.float32)
        return codes @ self.matrices @ codes.T if self.calls % 2 else None


@torch.no_grad()
def products(model):
    block = model.blocks[0]
    g = block.before_attention.weight
    w_q = block.qkv.weight[:32] * g
    w_k = block.qkv.weight[32:64] * g
    return torch.stack([w_q[8 * h : 8 * h + 8].T @ w_k[8 * h : 8 * h + 8] for h in range(4)]) / math.sqrt(8)


@torch.no_grad()
def right(model, k, length, matrices=None):
    if matrices is not None:
        model = copy.deepcopy(model)
        model.blocks[0].qkv.weight[:32] = 0
        model.blocks[0].qkv.bias[:32] = 0
        model.encoding = Scored(matrices)
    tokens, targets = tasks.k_back(32, length, k=k, generator=torch.Generator().manual_seed(11))
    return tasks.accuracy(model(tokens), targets).item()


def learn(encoding, seeds):
    return training.train(
        lambda: attention.Transformer(16, encoding(), d_model=32),
        tasks.THREE_BACK,
        seeds=seeds,
        steps=250,
        batch_size=16,
        learning_rate=0.01,
    )


@pytest.mark.slow
def test_the_turning_part_looks_three_back_where_nothing_else_of_the_trained_head_does():
    part_of = of_the_page()
    trained = learn(attention.Sinusoid, seeds=(10, 11))
    for seed in trained.seeds:
        model = trained.model(seed)
        whole = products(model)
        part = part_of(whole)
        order = torch.randperm(32, generator=torch.Generator().manual_seed(0))
        back = order.argsort()
        shuffled = part_of(whole[:, order][:, :, order])[:, back][:, :, back]
        assert right(model, 3, 32) > 0.99 and right(model, 3, 128) < 0.5
        assert right(model, 3, 32, part) > 0.99 and right(model, 3, 128, part) > 0.65
        assert right(model, 3, 128, 3 * part) > 0.95
        assert right(model, 3, 128, whole) < 0.5, "leaving the words out is not what helps"
        assert right(model, 3, 128, 3 * whole) < 0.5, "nor is loudness"
        assert right(model, 3, 32, whole - part) < 0.3 and right(model, 3, 32, shuffled) < 0.5
        on = part @ torch.tensor(shift(32, 2), dtype=torch.float32)
        assert right(model, 5, 32, on) > 0.99 and right(model, 3, 32, on) < 0.15


@pytest.mark.slow
def test_heads_turn_fast_hands_by_three_tokens_with_the_sinusoid_and_have_no_turning_part_without():
    part_of = of_the_page()
    share = {}
    for encoding in (attention.Sinusoid, RandomTable):
        trained = learn(encoding, seeds=(10, 11))
        for seed in trained.seeds:
            whole = products(trained.model(seed))
            part = part_of(whole)
            share[encoding, seed] = (part.square().sum((1, 2)) / whole.square().sum((1, 2))).max().item()
            assert right(trained.model(seed), 3, 32) > 0.97
            if encoding is attention.Sinusoid:
                head = part.square().sum((1, 2)).argmax()
                for hand, speed, within in ((0, 1, 0.15), (1, 10_000 ** (-1 / 16), 0.3)):
                    turn = math.atan2(part[head, 2 * hand, 2 * hand + 1], part[head, 2 * hand, 2 * hand])
                    assert turn == pytest.approx(3 * speed, abs=within)
    assert min(share[attention.Sinusoid, seed] for seed in (10, 11)) > 0.4
    assert max(share[RandomTable, seed] for seed in (10, 11)) < 0.1


def test_the_shift_finds_three_back_for_every_query_only_if_all_rows_are_equally_long():
    angles = np.outer(np.arange(128), 10_000.0 ** (-np.arange(32) / 32))
    shares = []
    for seed in range(20):
        lengths = 1 + np.random.default_rng(seed).uniform(-0.5, 0.5, 128)
        turned, plain = np.exp(1j * (angles - 3 * 10_000.0 ** (-np.arange(32) / 32))), np.exp(1j * angles)
        scores = (turned @ plain.conj().T).real
        assert (scores[3:].argmax(1) == np.arange(125)).all()
        shares.append(((scores * lengths)[3:].argmax(1) == np.arange(125)).mean())
    printed = numbers("0.5 to 1.5 times: the largest score is three back for ")[0] / 100
    assert min(shares) <= printed <= max(shares) < 0.5 and abs(printed - 0.25) < 0.03, "a quarter of the queries"
    assert numbers("all equally long: the largest score is three back for ") == [100]


def test_the_side_path_shows_the_rotation_by_half_a_radian():
    cos, sin = math.cos(0.5), math.sin(0.5)
    assert re.search(rf"\[\[ *{cos:.3f}, +{sin:.3f}\],\s+\[-{sin:.3f}, +{cos:.3f}\]\]", PRINTED)


@pytest.mark.parametrize(("kind", "most"), [("float64", 1e-12), ("float32", 1e-5)])
def test_one_offset_has_one_score_everywhere_up_to_rounding(kind, most):
    rows = table(16, range(2000)).astype(kind)
    score = (rows[:-3] * rows[3:]).sum(1)
    assert np.ptp(score) < most
    least, largest, spread = re.search(rf"torch\.{kind}: (\S+) to (\S+), (\S+) apart", PRINTED).groups()
    assert float(least) == float(largest) == pytest.approx(np.cos(3 * speeds(16)).sum(), abs=6e-5)
    assert float(spread) < most
