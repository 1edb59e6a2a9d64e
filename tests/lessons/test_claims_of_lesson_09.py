"""What lesson 09 says in its sentences, computed once more by other means, with the rivals of each explanation."""

import math
import re

import nbformat
import numpy as np
import pytest
import torch
from safetensors.numpy import load_file
from tools import lessons

from pe_helpers import probes
from pe_helpers.datafiles import data_file

CELLS = nbformat.read(lessons.NOTEBOOKS / "09_what_tables_learn.ipynb", as_version=4).cells
PRINTED = "\n".join(output.get("text", "") for cell in CELLS for output in cell.get("outputs", []))
TEXT = "\n".join(cell.source for cell in CELLS)
MINILM = load_file(probes.MINILM_TABLE)["embeddings.position_embeddings.weight"].astype(float)
WHISPER = load_file(data_file("whisper_position_tables.safetensors"))["decoder"].astype(float)
ROWS = MINILM[128:510]
HALF = 191
SEEDS = range(20)


def numbers(line):
    """The numbers in the first printed line that matches, after the matched text."""
    found = re.search(line + r"(.*)", PRINTED)
    assert found, line
    return [float(number) for number in re.findall(r"-?\d+\.?\d*", found[1])]


def strongest(table, count):
    """By the eigenvectors of the covariance: coordinates (rows, count) and the directions."""
    rest = table - table.mean(0)
    _, vectors = np.linalg.eigh(rest.T @ rest)
    return rest @ vectors[:, ::-1][:, :count], vectors[:, ::-1][:, :count]


def going(points):
    """Turn from row to row by unwrapped angles, forwards on average, and by how much the radius varies."""
    turns = np.diff(np.unwrap(np.arctan2(points[:, 1], points[:, 0])))
    radius = np.hypot(*points.T)
    return turns * np.sign(turns.mean()), radius.std() / radius.mean()


def twin(table, seed):
    """A random table whose rows have the same dot products at each distance: a sum of random waves (Herglotz)."""
    rest = table - table.mean(0)
    length = len(rest)
    products = rest @ rest.T
    by_distance = [np.trace(products, offset=k) / (length - k) for k in range(length)]
    wanted = np.array([[by_distance[abs(p - q)] for q in range(length)] for p in range(length)])
    values, vectors = np.linalg.eigh(wanted)
    drawn = np.random.default_rng(seed).normal(size=(length, rest.shape[1])) / math.sqrt(rest.shape[1])
    return (vectors * np.sqrt(np.clip(values, 0, None))) @ vectors.T @ drawn


@pytest.fixture(scope="module")
def twins():
    return [twin(ROWS, seed) for seed in SEEDS]


def test_one_row_stands_out_in_the_middle_and_the_rows_before_it_are_shorter():
    long = np.linalg.norm(MINILM, axis=1)
    assert long[1:].argsort()[::-1][:3].tolist() == [510, 509, 126], "511, 510 and 127, counted from row 0"
    assert round(long[1:127].mean(), 2) == 0.42 and round(long[128:256].mean(), 2) == 0.48
    assert 1.4 < long[127] / np.median(long[120:135]) < 1.6, "half as long again"
    assert long[128:].min() > long[2:127].max(), "the seam shows in the lengths alone"
    assert np.linalg.norm(WHISPER, axis=1).argsort()[::-1][:2].tolist() == [0, 224]


def test_rows_six_apart_are_more_alike_than_rows_three_apart():
    unit = MINILM / np.linalg.norm(MINILM, axis=1, keepdims=True)
    alike = {k: np.mean([unit[p] @ unit[p + k] for p in range(512 - k)]) for k in (1, 3, 6, 9, 12)}
    assert [round(alike[k], 2) for k in (1, 3, 6)] == [0.85, 0.44, 0.69]
    assert alike[6] > alike[9] + 0.3 and alike[12] > alike[9] + 0.3 and alike[6] > alike[3] + 0.2


def test_fourteen_directions_hold_97_percent_and_thirteen_do_not():
    values = np.linalg.eigvalsh(np.cov(MINILM.T))[::-1]
    shares = values.cumsum() / values.sum()
    assert shares[12] < 0.97 < shares[13]
    assert numbers("13 of 384 directions hold ")[0] == pytest.approx(100 * shares[12], abs=0.05)
    assert 0.24 < shares[1] < 0.25, "the two strongest hold a quarter"


def test_the_hand_turns_by_1_07_rad_stumbles_at_127_and_wanders():
    turns, _ = going(strongest(MINILM, 2)[0])
    assert round(turns.mean(), 2) == 1.07 and round(turns.std(), 2) == 0.10
    assert [round(turns[126], 2), round(turns[127], 2)] == [2.17, 0.48]
    means = np.convolve(turns, np.ones(32) / 32, "valid")
    assert [round(means.min(), 2), round(means.max(), 2)] == [0.94, 1.21]
    inner, outer = (np.hypot(*strongest(MINILM, 2)[0][part].T).mean() for part in (slice(1, 127), slice(128, 510)))
    assert outer > 1.3 * inner, "from row 128 on the ring is wider"


def test_noise_goes_round_too_and_never_as_often_nor_as_steadily(twins):
    turns, varies = going(strongest(ROWS, 2)[0])
    assert round(turns.sum() / (2 * math.pi)) == 64 and varies < 0.09
    for table in twins:
        turns, own = going(strongest(table, 2)[0])
        assert turns.sum() / (2 * math.pi) < 3 and own > 2.5 * varies


def test_the_hand_goes_on_in_rows_that_had_no_part_in_choosing_its_plane_and_noise_does_not(twins):
    def later(table):
        _, plane = strongest(table[:HALF], 2)
        return going((table[HALF:] - table[HALF:].mean(0)) @ plane)

    turns, varies = later(ROWS)
    assert round(turns.mean(), 2) == 1.07 and round(varies, 2) == 0.09
    others = [later(table)[1] for table in twins]
    told = int(re.search(r"always varies by more than (\d+)%", TEXT)[1]) / 100
    assert min(others) > told > 2 * varies


def test_the_fast_band_is_in_one_plane_in_minilm_alone(twins):
    def band(table):
        waves = np.fft.rfft(table - table.mean(0), axis=0)
        speeds = 2 * np.pi * np.arange(len(waves)) / len(table)
        waves[(speeds < 0.85) | (speeds > 1.35)] = 0
        kept = np.fft.irfft(waves, len(table), axis=0)
        values = np.linalg.eigvalsh(kept.T @ kept)[::-1]
        return values.sum() / ((table - table.mean(0)) ** 2).sum(), values[:2].sum() / values.sum()

    share, plane = band(ROWS)
    assert round(share, 2) == 0.29 and round(plane, 2) == 0.98
    others = [band(table) for table in twins]
    assert all(abs(other - share) < 0.05 for other, _ in others), "noise has as much of it"
    assert max(most for _, most in others) < 1 / 3


def fit(points, k, folds=5):
    """R² of one matrix for a shift by k, on stretches left out; points are few columns, so none are chosen."""
    here, there = points[:-k], points[k:]
    parts = np.array_split(np.arange(len(here)), folds)
    missed = spread = 0.0
    for test in parts:
        others = np.setdiff1d(np.arange(len(here)), test)
        middle = here[others].mean(0)
        matrix = np.linalg.lstsq(here[others] - middle, there[others] - middle, rcond=None)[0]
        missed += ((there[test] - middle - (here[test] - middle) @ matrix) ** 2).sum()
        spread += ((there[test] - there[others].mean(0)) ** 2).sum()
    return 1 - missed / spread


def test_a_shift_by_twenty_fails_in_the_hand_because_its_speed_wanders():
    points, _ = strongest(ROWS, 14)
    hand, rest = points[:, :2], points[:, 2:]
    assert numbers("its hand alone .*20: ") == pytest.approx([fit(hand, k) for k in (1, 5, 20)], abs=0.011)
    assert fit(hand, 20) < -0.2 < 0.85 < fit(rest, 20)
    radius = np.hypot(*hand.T)
    angle = np.unwrap(np.arctan2(hand[:, 1], hand[:, 0]))
    even = np.linspace(angle[0], angle[-1], len(angle))
    same_speed = radius[:, None] * np.stack([np.cos(even), np.sin(even)], 1)
    same_radius = hand / radius[:, None]
    assert fit(same_speed, 20) > 0.99, "with a constant speed alone the shift succeeds"
    assert fit(same_radius, 20) < -0.15, "with a constant radius alone it does not"
    assert "1.00 at 20" in TEXT and "−0.22" in TEXT and round(fit(same_radius, 20), 2) == -0.22


def test_a_random_table_shifts_as_well_by_one_step_and_better_by_twenty(twins):
    own = [probes.shift_fit(torch.tensor(ROWS), k, directions=14) for k in (1, 20)]
    for table in twins[:6]:
        drawn = [probes.shift_fit(torch.tensor(table), k, directions=14) for k in (1, 20)]
        assert drawn[0] > 0.93 and drawn[1] > own[1] + 0.2


def position_error(points, random):
    """Mean error in tokens of a linear regression, by the normal equations with a constant column."""
    x = np.column_stack([points, np.ones(len(points))])
    where = np.arange(len(points))
    order = np.random.default_rng(1).permutation(where) if random else where
    errors = []
    for test in np.array_split(order, 5):
        others = np.setdiff1d(where, test)
        weights = np.linalg.lstsq(x[others], others, rcond=None)[0]
        errors.append(np.abs(np.round(x[test] @ weights) - test))
    return np.concatenate(errors).mean()


def test_a_random_table_seems_to_know_positions_when_test_rows_are_drawn_at_random(twins):
    guess = np.abs(np.arange(len(ROWS)) - np.arange(len(ROWS)).mean()).mean()
    assert guess == pytest.approx(95.5)
    own = [position_error(strongest(ROWS, 14)[0], random) for random in (True, False)]
    assert own == pytest.approx([14, 54], abs=1.5)
    drawn = np.array([[position_error(strongest(table, 14)[0], random) for random in (True, False)] for table in twins])
    assert drawn[:, 0].max() < guess / 2
    assert np.median(drawn[:, 1]) > 0.8 * guess > own[1]


def test_the_sinusoid_s_probe_on_whole_stretches_measures_the_solver():
    angles = np.arange(512)[:, None] * 10_000.0 ** -(np.arange(192) / 192)
    x = np.concatenate([np.sin(angles), np.cos(angles)], 1)
    test = np.arange(103)
    others = np.arange(103, 512)
    errors = []
    for tolerance in (1e-15, 1e-9, 1e-6, 1e-3):
        middle = x[others].mean(0)
        weights = np.linalg.lstsq(x[others] - middle, others - others.mean(), rcond=tolerance)[0]
        errors.append(np.abs((x[test] - middle) @ weights + others.mean() - test).mean())
    assert max(errors) > 2 * min(errors)


def test_a_closing_token_alone_marks_its_row():
    small = load_file(data_file("small_tables.safetensors"))
    ratios = {}
    for name in ("cut at 32, closing token", "cut at 32, none"):
        long = np.linalg.norm(small[name].astype(float), axis=2)
        ratios[name] = long[:, 31] / long[:, 1:31].mean(1)
    marked, plain = ratios.values()
    assert [round(marked.min(), 1), round(marked.max(), 1)] == [0.3, 0.4]
    assert [round(plain.min(), 2), round(plain.max(), 2)] == [1.05, 1.35]


def test_with_a_mask_alone_a_table_holds_the_position_a_little_better_than_a_guess():
    small = load_file(data_file("small_tables.safetensors"))

    def errors(tables):
        return [position_error(strongest(table, 8)[0], random=False) for table in tables]

    without, masked, text = (
        errors(small[name].astype(float)) for name in ("3 back, no mask", "3 back, mask", "next byte, mask")
    )
    guess = 8
    assert max(masked) < min(without) and max(masked) < guess < np.median(without)
    assert max(text) < 1
