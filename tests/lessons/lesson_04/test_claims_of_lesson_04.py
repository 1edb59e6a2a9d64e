"""What lesson 04 says in its sentences, computed once more by other means, with the rivals of each explanation."""

import math
import re
import statistics

import mpmath
import nbformat
import numpy as np
import pytest
from tests.lessons.naive import shift, softmax, speeds, table
from tests.lessons.printed import numbers_of
from tools import lessons

PAGES = lessons.whole(lessons.NOTEBOOKS / "04_relative_offsets.ipynb")
CELLS = [cell for path in PAGES for cell in nbformat.read(path, as_version=4).cells]
PRINTED = "\n".join(output.get("text", "") for cell in CELLS for output in cell.get("outputs", []))


numbers = numbers_of(PRINTED)


def kernel(d_model, k):
    return math.fsum(math.cos(k * speed) for speed in speeds(d_model))


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


def test_a_matrix_fits_any_list_it_has_seen_and_only_that_of_the_narrow_sinusoid_holds_elsewhere():
    draw = np.random.default_rng(0)
    seen = {}
    unseen = {}
    for name, codes in {
        "random, 8": draw.standard_normal((2000, 8)),
        "random, 128": draw.standard_normal((2000, 128)),
        "sinusoid, 8": table(8, range(2000)),
        "sinusoid, 128": table(128, range(2000)),
    }.items():
        matrix = fitted(codes[:100], 3)
        seen[name] = miss(codes[:100], matrix, 3)
        unseen[name] = miss(codes[1000:], matrix, 3)
        assert numbers(f"{name} numbers +misses by ")[0] == pytest.approx(seen[name], abs=0.06)
    assert seen["random, 128"] < 1e-9 < 1 < unseen["random, 128"], "width alone makes the fit"
    assert seen["random, 8"] > 0.9 and unseen["random, 8"] > 0.9
    assert seen["sinusoid, 8"] < 1e-9 and unseen["sinusoid, 8"] < 1e-9
    assert seen["sinusoid, 128"] < 1e-4 and round(unseen["sinusoid, 128"], 2) == 0.82, "the sinusoid alone does not do"
    assert numbers("sinusoid, 128 numbers +misses by ") == [0, 0.82, 1000]
    codes = table(128, range(2000))
    least, by_hand = np.linalg.norm(fitted(codes[:100], 3)), np.linalg.norm(shift(128, 3))
    assert miss(codes[1000:], shift(128, 3), 3) < 1e-9 and least < by_hand, "the smallest of the matrices that fit"
    assert numbers("128 numbers: M_3 misses by ")[0] == 0


def test_fast_hands_come_round_from_the_start_and_up_to_43_tokens_the_others_pull_down_by_more():
    hands = np.cos(np.multiply.outer(np.arange(44), speeds(512)))
    steps = np.diff(hands, axis=0)
    assert (steps.sum(1) < 0).all() and (steps[4:, speeds(512) > 2 * np.pi / 43].max(1) > 0).all()
    assert steps[4, 0] > 0, "hand 0 rises already from 4 tokens to 5"


def test_at_512_the_mean_of_k_falls_from_stretch_to_stretch_and_in_each_thousand_up_to_10_000():
    scores = np.cos(np.multiply.outer(np.arange(10_001), speeds(512))).sum(1)
    means = [scores[first : last + 1].mean() for first, last in ((0, 43), (43, 128), (128, 1000), (1000, 10_000))]
    found = re.findall(r"tokens apart: [\d.]+ go up, mean (\d+)", PRINTED)
    assert [int(mean) for mean in found] == [round(mean) for mean in means] == [163, 117, 67, 7]
    assert (np.diff(scores[:10_000].reshape(10, 1000).mean(1)) < 0).all()


def test_before_position_3_the_shift_looks_at_no_token_three_back():
    codes = table(16, range(64))
    weights = softmax(50 * codes @ shift(16, 3) @ codes.T / 4)
    assert [int(weights[p].argmax()) for p in range(3)] == [3, 4, 0]
    assert 0.4 < weights[1, 4] < 0.5 and 0.3 < weights[1, 17] < 0.4, "loud, and not sharp"


@pytest.mark.parametrize(("d_model", "count", "holds"), [(16, 100, False), (16, 1000, True), (64, 100, False)])
def test_a_wide_sinusoid_needs_more_positions_than_a_hundred(d_model, count, holds):
    matrix = fitted(table(d_model, range(count)), 3)
    assert (miss(table(d_model, range(30_000, 31_000)), matrix, 3) < 1e-3) == holds
    printed = numbers(rf"d_model {d_model}, +{count:,} positions: misses by ")
    assert (printed[1] < 1e-3) == holds and (printed[-1] < 1e-3) == holds


def test_the_score_falls_at_first_and_not_step_by_step_and_does_not_know_direction():
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
            begins = rf"from +{first:,} to +{last:,} tokens apart: "
            if d_model == 16:
                begins = f"d_model 16, offsets {first:,} to {last:,}: "
            assert numbers(begins)[0] == pytest.approx(rises[first:last].mean(), abs=0.006)
        assert 0.45 < rises[128:1000].mean() < 0.55 and 0.45 < rises[1000:].mean() < 0.55
        assert rises[:43].any() == (d_model == 16)


@pytest.mark.parametrize(("first", "last"), [(128, 1000), (1000, 10_000)])
def test_most_rises_are_the_doing_of_hands_that_have_come_round(first, last):
    k = np.arange(first, last + 1)
    shares = {}
    for name, kept in {"all": first * speeds(512) > 0, "not round": first * speeds(512) < 2 * np.pi}.items():
        shares[name] = (np.diff(np.cos(np.multiply.outer(k, speeds(512)[kept])).sum(1)) > 0).mean()
    assert shares["not round"] < shares["all"] / 2
    assert numbers(rf"of 256 hands, offsets {first:,} to {last:,}: ") == [round(shares["not round"], 2)]


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
    offsets = (0, 1, 5, 20, 100)
    two = np.array([numbers(rf"two random matrices, +{k} back: ") for k in offsets])
    assert two[:, 0] == pytest.approx([1] * 5, abs=0.03)
    assert (two[:, 1] < 0.9).all() and (two[:, 2] > 1.1).all(), "a single head prefers some offsets"
    one = [numbers(rf"one matrix for both, +{k} back: ")[0] for k in offsets]
    codes = table(64, range(128))
    draw = np.random.default_rng(3)
    mean = {"two": 0, "one": 0}
    for _ in range(200):
        w_q, w_k = draw.standard_normal((2, 64, 16)) / 8
        mean["two"] += softmax(codes @ w_q @ w_k.T @ codes.T / 4) / 200
        mean["one"] += softmax(codes @ w_q @ w_q.T @ codes.T / 4) / 200
    for k, printed in zip(offsets, one, strict=True):
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
    codes = table(16, range(80))
    ahead = softmax(codes @ codes.T / 4).diagonal(1)
    assert [f"{ahead[p]:.4f}" for p in (5, 40)] == ["0.0254", "0.0245"] and ahead.max() < 1.12 * ahead.min()


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


def test_the_fitted_matrix_has_four_blocks_and_is_0_everywhere_else():
    found = fitted(table(8, range(100)), 3)
    inside = np.kron(np.eye(4), np.ones((2, 2))) > 0
    assert (np.abs(found[inside]) > 0.0005).all() and (np.abs(found[~inside]) < 0.0005).all()
    rows = fitted(np.random.default_rng(0).standard_normal((100, 8)), 3)
    assert (np.abs(rows) > 0.0005).sum() > 60, "a matrix that fits a list is full"
    page = re.search(r"tensor\(\[\[(.+?)\]\],\s+dtype", PRINTED, flags=re.S)[1]
    printed = np.array([float(number) for number in re.findall(r"-?\d+\.\d+", page)]).reshape(8, 8)
    np.testing.assert_allclose(printed, found, atol=6e-4)


def test_without_loudness_three_back_gets_hardly_more_than_its_neighbours():
    weights = softmax(table(16, range(64)) @ shift(16, 3) @ table(16, range(64)).T / 4)[32, 27:32]
    (page,) = re.findall(r"tensor\(\[(0\.\d+, .+?)\], dtype", PRINTED)
    assert [float(number) for number in page.split(", ")] == pytest.approx(weights, abs=6e-4)


def test_two_of_the_four_terms_depend_on_the_position():
    spread = {}
    for name in ("what is left: x·y", r"x·PE\(q\)", r"PE\(p\)·y", r"PE\(p\)·PE\(q\)", r"PE\(p\)·W PE\(q\), random W"):
        low, high = numbers(rf"(?m)^{name} +from +")
        spread[name] = high - low
    assert [value > 1 for value in spread.values()] == [False, True, True, False, True]


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


@pytest.mark.slow
@pytest.mark.parametrize("digits", [150, 300])
def test_128_steps_give_the_shift_of_128_numbers_in_300_digits(digits):
    """The last row of the matrix for three tokens, by Gauss; at 150 digits rounding leaves a singular matrix."""
    with mpmath.workdps(digits):
        turns = [mpmath.mpf(10_000) ** (mpmath.mpf(-i) / 64) for i in range(64)]
        codes = [[wave(p * w) for w in turns for wave in (mpmath.sin, mpmath.cos)] for p in range(131)]
        now, later = mpmath.matrix(codes[:128]), mpmath.matrix([code[-1] for code in codes[3:]])
        if digits == 150:
            with pytest.raises(ZeroDivisionError):
                mpmath.lu_solve(now, later)
            return
        row = list(mpmath.lu_solve(now, later))
        wanted = [0] * 126 + [-mpmath.sin(3 * turns[-1]), mpmath.cos(3 * turns[-1])]
        assert max(abs(a - b) for a, b in zip(row, wanted, strict=True)) < 1e-12
