"""What lesson 09 says in its sentences, computed once more by other means, with the rivals of each explanation."""

import json
import math

import nbformat
import numpy as np
import pytest
import torch
from safetensors.numpy import load_file
from tests.lessons.printed import numbers_of
from tools import lessons

from clockwork.kit import probes
from clockwork.kit.datafiles import data_file
from clockwork.lessons.lesson_09 import position_tables, retiming

PAGES = lessons.whole(lessons.NOTEBOOKS / "09_what_tables_learn.ipynb")
CELLS = [cell for page in PAGES for cell in nbformat.read(page, as_version=4).cells]
PRINTED = "\n".join(output.get("text", "") for cell in CELLS for output in cell.get("outputs", []))
numbers = numbers_of(PRINTED)
MINILM = load_file(position_tables.MINILM_TABLE)["embeddings.position_embeddings.weight"].astype(float)
WHISPER = load_file(data_file("whisper_position_tables.safetensors"))["decoder"].astype(float)
ROWS = MINILM[128:510]
HALF = 191
SEEDS = range(20)


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
    assert long[510] > long[127] > long[509] > long[508] > 1.1 * np.median(long), "towards the end they climb"
    assert 1.4 < long[127] / np.median(long[120:135]) < 1.6, "half as long again"
    assert long[128:].min() > long[2:127].max(), "the seam shows in the lengths alone"
    assert np.linalg.norm(WHISPER, axis=1).argsort()[::-1][:2].tolist() == [0, 224]


def test_rows_six_apart_are_more_alike_than_rows_three_apart():
    unit = MINILM / np.linalg.norm(MINILM, axis=1, keepdims=True)
    alike = {k: np.mean([unit[p] @ unit[p + k] for p in range(512 - k)]) for k in (1, 3, 6, 9, 12)}
    assert [round(alike[k], 2) for k in (1, 3, 6)] == [0.85, 0.44, 0.69]
    assert alike[6] > alike[9] + 0.3 and alike[12] > alike[9] + 0.3 and alike[6] > alike[3] + 0.2


def test_fourteen_directions_hold_97_percent():
    values = np.linalg.eigvalsh(np.cov(MINILM.T))[::-1]
    shares = values.cumsum() / values.sum()
    assert numbers("14 of 384 directions hold ")[0] == pytest.approx(100 * shares[13], abs=0.05)
    assert 0.24 < shares[1] < 0.25, "the two strongest hold a quarter"


def test_the_hand_turns_by_1_07_rad_stumbles_at_127_and_wanders():
    turns, _ = going(strongest(MINILM, 2)[0])
    assert round(turns.mean(), 2) == 1.07 and round(turns.std(), 2) == 0.10
    assert [round(turns[126], 2), round(turns[127], 2)] == [2.17, 0.48]
    means = np.convolve(turns, np.ones(32) / 32, "valid")
    assert [round(means.min(), 2), round(means.max(), 2)] == [0.94, 1.21]
    inner, outer = (np.hypot(*strongest(MINILM, 2)[0][part].T).mean() for part in (slice(1, 127), slice(128, 510)))
    assert [round(inner, 2), round(outer, 2)] == [0.17, 0.24], "from row 128 on the ring is wider"
    assert round(turns[319], 2) == 0.94 and means.argmin() + 16 == pytest.approx(320, abs=4), "around 320 it is slowest"


@pytest.mark.slow
def test_noise_goes_round_too_and_never_as_often_nor_as_steadily(twins):
    turns, varies = going(strongest(ROWS, 2)[0])
    assert round(turns.sum() / (2 * math.pi)) == 64 and varies < 0.09
    drawn = [probes.random_twin(torch.tensor(ROWS), seed).numpy() for seed in SEEDS]
    for table in [*twins, *drawn]:
        turns, own = going(strongest(table, 2)[0])
        assert turns.sum() / (2 * math.pi) < 4 and own > 2.5 * varies


def later(table):
    """How the second half goes round in a plane chosen from the first."""
    _, plane = strongest(table[:HALF], 2)
    return going((table[HALF:] - table[HALF:].mean(0)) @ plane)


def of_the_band(table):
    """The rows with waves of 0.85 to 1.35 rad per token only."""
    waves = np.fft.rfft(table - table.mean(0), axis=0)
    speeds = 2 * np.pi * np.arange(len(waves)) / len(table)
    waves[(speeds < 0.85) | (speeds > 1.35)] = 0
    return np.fft.irfft(waves, len(table), axis=0)


def band(table):
    kept = of_the_band(table)
    values = np.linalg.eigvalsh(kept.T @ kept)[::-1]
    return values.sum() / ((table - table.mean(0)) ** 2).sum(), values[:2].sum() / values.sum()


def replaced(angle=None, radius=None):
    """MiniLM's rows with other angles or radii of the hand, and all else as it was."""
    points, plane = strongest(ROWS, 2)
    if radius is None:
        radius = np.hypot(*points.T)
    if angle is None:
        angle = np.unwrap(np.arctan2(points[:, 1], points[:, 0]))
    other = np.stack([np.cos(angle), np.sin(angle)], 1) * np.broadcast_to(radius, len(ROWS))[:, None]
    return ROWS + (other - points) @ plane.T


def steady():
    turns, _ = going(strongest(ROWS, 2)[0])
    return replaced(angle=turns.mean() * np.arange(len(ROWS)))


def test_the_hand_goes_on_in_rows_that_had_no_part_in_choosing_its_plane_and_noise_does_not(twins):
    turns, varies = later(ROWS)
    assert round(turns.mean(), 2) == 1.07 and round(varies, 2) == 0.09
    assert min(later(table)[1] for table in twins) > 0.3 > 2 * varies
    assert max(later(table)[0].sum() for table in twins) < 4 * 2 * math.pi
    assert numbers("20 random tables, later rows: ")[1] < 4


def test_a_hand_made_steady_turns_evenly_at_its_mean_speed_and_nothing_else_changes():
    made = retiming.with_constant_speed(torch.tensor(ROWS)).numpy()
    assert made == pytest.approx(steady(), abs=1e-9)
    _, plane = strongest(ROWS, 2)
    inside = (made - ROWS) @ plane
    assert inside @ plane.T == pytest.approx(made - ROWS, abs=1e-9), "all else as it was"
    turns, _ = going((made - ROWS.mean(0)) @ plane)
    assert np.ptp(turns) < 1e-9


@pytest.mark.slow
def test_noise_keeps_a_hand_of_constant_speed_and_loses_one_that_wanders(twins):
    def often(tables):
        return sum(later(table)[0].sum() > 25 * 2 * math.pi for table in tables)

    assert often(twins) == 0
    assert often([twin(steady(), seed) for seed in SEEDS]) > 12, "most: the ring is in the dot products"
    radius = np.hypot(*strongest(ROWS, 2)[0].T).mean()
    assert often([twin(replaced(radius=radius), seed) for seed in range(6)]) == 0, "the radius is not what matters"
    told = [numbers(rf"{name} later rows go round ") for name in ("MiniLM        ", "constant speed")]
    assert [round(values[0]) for values in told] == [32, 32] and [values[2] for values in told] == [0, 15]
    assert numbers("a constant speed, later rows: .* more than 25 in ")[0] == 15


@pytest.mark.slow
def test_where_a_random_table_of_a_steady_hand_goes_round_less_a_slow_wave_is_mixed_in_and_the_hand_is_there():
    for seed in SEEDS:
        table = probes.random_twin(torch.tensor(steady()), seed).numpy()
        plane = strongest(of_the_band(table), 2)[1]
        turns, varies = going((table[HALF:] - table[HALF:].mean(0)) @ plane)
        assert round(turns.sum() / (2 * math.pi)) == 32 and varies < 0.12
        chosen = strongest(table[:HALF], 2)[1]
        of_the_hand = ((chosen.T @ plane) ** 2).sum(1)  # share of each direction
        if later(table)[0].sum() < 25 * 2 * math.pi:
            assert of_the_hand.min() < 0.5, "half of a direction and more is not the hand's"


def test_the_fast_band_is_in_one_plane_in_minilm_and_in_noise_only_if_its_speed_is_constant(twins):
    share, plane = band(ROWS)
    assert round(share, 2) == 0.29 and round(plane, 2) == 0.98
    others = [band(table) for table in twins]
    assert all(abs(other - share) < 0.05 for other, _ in others), "noise has as much of it"
    assert max(most for _, most in others) < 1 / 3
    assert min(band(twin(steady(), seed))[1] for seed in range(5)) > 0.93


def test_a_random_table_has_the_same_stripes(twins):
    def alike(table):
        rest = table - table.mean(0)
        unit = rest / np.linalg.norm(rest, axis=1, keepdims=True)
        return np.array([(unit[:-k] * unit[k:]).sum(1).mean() for k in (3, 6, 9, 12)])

    assert numbers("MiniLM mean cosine 3, 6, 9, 12 apart: ") == pytest.approx(alike(ROWS), abs=0.006)
    for table in twins:
        np.testing.assert_allclose(alike(table), alike(ROWS), atol=0.08)


def test_the_sinusoid_s_own_two_strongest_directions_do_not_go_round_often():
    angles = np.arange(382)[:, None] * 10_000.0 ** -(np.arange(192) / 192)
    turns, _ = going(strongest(np.concatenate([np.sin(angles), np.cos(angles)], 1), 2)[0])
    assert round(turns.sum() / (2 * math.pi), 1) == 0.7


def test_whisper_s_hand_differs_from_noise_in_the_scatter_of_its_turns_alone():
    def halves(table):
        parts = table[2:222], table[228:448]
        found = []
        for chosen, tested in (parts, parts[::-1]):
            _, directions = strongest(chosen, 4)
            turns, varies = going((tested - tested.mean(0)) @ directions[:, 2:])
            found.append((turns.std(), varies))
        return np.array(found)

    own = halves(WHISPER)
    others = np.concatenate([halves(twin(WHISPER, seed)) for seed in range(12)])
    assert own[:, 0].max() < 0.075 < 0.1 < others[:, 0].min()
    assert others[:, 1].min() < own[:, 1].max() and np.median(others[:, 1]) < 0.22
    plain = WHISPER.copy()
    plain[:2] = plain[2]
    share = np.arange(1, 7)[:, None] / 7
    plain[222:228] = (1 - share) * plain[221] + share * plain[228]
    assert min(halves(twin(plain, seed))[:, 0].min() for seed in range(6)) > 0.1, "the special rows do not matter"


def test_a_slow_ring_can_be_drawn_by_rows_whose_neighbours_are_hardly_alike():
    draw = np.random.default_rng(0)
    angle = 2 * math.pi * np.arange(382) / 382
    plane = np.linalg.qr(draw.normal(size=(384, 2)))[0].T
    table = draw.normal(size=(382, 384)) / math.sqrt(384) + 0.3 * np.stack([np.sin(angle), np.cos(angle)], 1) @ plane
    turns, varies = going(strongest(table, 2)[0])
    assert 0.9 < turns.sum() / (2 * math.pi) < 1.1 and varies < 0.25
    unit = table / np.linalg.norm(table, axis=1, keepdims=True)
    near, far = ((unit[:-k] * unit[k:]).sum(1).mean() for k in (1, 191))
    assert far < 0 < near < 0.15, "near rows are more alike than far ones, and no more than that"


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
    same_radius = hand / np.hypot(*hand.T)[:, None]
    own = fit(strongest(steady(), 2)[0], 20)
    assert own > 0.95, "with a constant speed alone the shift succeeds"
    assert numbers("hand, constant speed .*20: ")[2] == pytest.approx(own, abs=0.006)
    assert round(fit(same_radius, 20), 2) == -0.22, "with a constant radius alone it does not"
    here, there = hand[:-20], hand[20:]
    left = there - here @ np.linalg.lstsq(here, there, rcond=None)[0]
    assert round(1 - (left**2).sum() / ((there - there.mean(0)) ** 2).sum(), 2) == 0.09, "nor on fitted rows"


def test_in_twenty_tokens_the_hand_turns_by_angles_that_no_single_one_is_near():
    angles = np.concatenate([[0], going(strongest(ROWS, 2)[0])[0].cumsum()])
    turned = angles[20:] - angles[:-20]
    assert [round(turned.min(), 1), round(turned.max(), 1)] == [18.8, 22.8]
    assert round(np.abs(turned - turned.mean()).max(), 1) == 2.3 > 2 * math.pi / 3


def in_the_time(table, ahead):
    """The table at even times of a clock that is ahead by so many tokens at each row."""
    clock = np.arange(len(table)) + ahead
    assert (np.diff(clock) > 0).all()
    even = np.arange(np.ceil(clock[0]), np.floor(clock[-1]) + 1)
    return np.stack([np.interp(even, clock, column) for column in table.T], 1)


def ahead_of_an_even_clock(table):
    """By how many tokens the hand of the two strongest directions is ahead at each row."""
    turned = going(strongest(table, 2)[0])[0]
    ahead = np.concatenate([[0], turned.cumsum()]) / turned.mean() - np.arange(len(table))
    ahead[-1] = 0  # on time, without a rounding error that would leave out the last row
    return ahead


SECOND, MIDDLE, SLOWEST = [6, 7], [4, 5, 8], [2, 3, 9]  # of the fourteen directions


def test_a_second_hand_chosen_from_the_first_half_goes_on_in_the_later_rows():
    halves = [half - half.mean(0) for half in np.array_split(np.asarray(ROWS), 2)]
    plane = np.linalg.svd(halves[0], full_matrices=False)[2][5:7].T
    times = []
    for half in halves:
        hand = (half @ plane) @ [1, 1j]
        times.append(abs(np.angle(hand[1:] / hand[:-1]).sum()) / (2 * math.pi))
    assert times == pytest.approx([10.5, 10.9], abs=0.06)


def test_noise_draws_a_ring_once_in_the_rows_that_chose_its_plane(twins):
    for table in twins:
        half = table[: len(table) // 2] - table[: len(table) // 2].mean(0)
        hand = (half @ np.linalg.svd(half, full_matrices=False)[2][:2].T) @ [1, 1j]
        assert 0.65 < abs(np.angle(hand[1:] / hand[:-1]).sum()) / (2 * math.pi) < 1.35
        assert np.abs(hand).std() / np.abs(hand).mean() < 0.35


def test_a_second_hand_three_times_slower_wanders_with_the_fast_one():
    points = strongest(ROWS, 14)[0]
    fast, second = (ahead_of_an_even_clock(points[:, part]) for part in (slice(2), SECOND))
    speeds = [going(points[:, part])[0].mean() for part in (slice(2), SECOND)]
    assert speeds[0] / speeds[1] == pytest.approx(3, abs=0.02)
    assert np.corrcoef(fast, second)[0, 1] == pytest.approx(0.97, abs=0.005)
    one, other = fast - fast.mean(), second - second.mean()
    assert round(np.ptp(one), 1) == 10.6 and np.abs(one - other).mean() < 0.75
    rows = np.arange(len(fast))
    less = [line - np.polyval(np.polyfit(rows, line, 3), rows) for line in (fast, second)]
    assert np.corrcoef(*less)[0, 1] > 0.7, "not one slow arc alone, which any two smooth lines could share"


def test_the_gain_in_the_hand_s_time_is_the_second_hand_s_above_all():
    ahead, points = ahead_of_an_even_clock(ROWS), strongest(ROWS, 14)[0]
    found = {}
    for name, part in (("second hand", SECOND), ("waves of 55 tokens", MIDDLE), ("slowest three", SLOWEST)):
        found[name] = [fit(in_the_time(points[:, part], times * ahead), 40) for times in (0, 1, -1)]
        assert numbers(rf"(?m)^{name} {{3,}}(?=-?\d)") == pytest.approx(found[name], abs=0.011), name
    plain, timed, mirror = found["second hand"]
    assert timed > plain + 0.5 and mirror < plain - 0.4
    plain, timed, mirror = found["waves of 55 tokens"]
    assert plain + 0.15 > timed > plain + 0.05 and mirror < plain - 0.1
    assert np.ptp(found["slowest three"]) < 0.05, "no warp makes a difference to them"
    for part, period in ((MIDDLE, 55), (SECOND, 18)):
        strengths = np.abs(np.fft.rfft(points[:, part], axis=0))
        assert {round(len(ROWS) / wave) for wave in strengths.argmax(0)} == {period}


def test_in_the_second_hand_s_time_one_matrix_carries_the_fast_hand():
    points = strongest(ROWS, 14)[0]
    time = ahead_of_an_even_clock(points[:, SECOND])
    smooth = np.convolve(time, np.ones(33) / 33, "valid")
    clocks = {"as it is": 0 * smooth, "the second hand's time": smooth, "its mirror image": -smooth}
    clocks["not smoothed"] = time[16:-16]
    found = {name: [fit(in_the_time(points[16:-16, :2], c), k) for k in (5, 20, 40)] for name, c in clocks.items()}
    for name, fits in found.items():
        assert numbers(rf"(?m)^{name} .*?:(?= )") == pytest.approx(fits, abs=0.011), name
    assert min(found["the second hand's time"]) > 0.9
    assert max(found["as it is"][1:] + found["its mirror image"] + found["not smoothed"]) < 0.5
    for rows in (17, 49):
        other, edge = np.convolve(time, np.ones(rows) / rows, "valid"), rows // 2
        assert min(fit(in_the_time(points[edge:-edge, :2], other), k) for k in (5, 20, 40)) > 0.9


def test_in_the_hand_s_time_one_matrix_carries_the_waves_that_had_no_part_in_it_and_other_warps_do_harm(twins):
    ahead, others = ahead_of_an_even_clock(ROWS), strongest(ROWS, 14)[0][:, 2:]
    assert (ahead.min(), ahead.max()) == pytest.approx((-6.5, 4.1), abs=0.06)
    before = [fit(others, k) for k in (20, 40)]
    by_amount = {times: fit(in_the_time(others, times * ahead), 40) for times in (0.5, 0.75, 1, 1.25, 1.5)}
    assert before == pytest.approx([0.91, 0.75], abs=0.006)
    assert [fit(in_the_time(others, ahead), k) for k in (20, 40)] == pytest.approx([0.97, 0.93], abs=0.006)
    assert max(by_amount, key=by_amount.get) == 1
    for warp in (-ahead, ahead[::-1], np.roll(ahead, 95), np.roll(ahead, 190), np.roll(ahead, 287)):
        assert fit(in_the_time(others, warp), 40) < before[1] - 0.1
    for table in twins[:4]:
        waves = strongest(table, 45)[0]
        assert fit(in_the_time(waves, ahead), 20) < fit(waves, 20) - 0.3


def test_of_the_twelve_the_strongest_eight_gain_and_a_matrix_hardly_carries_the_faintest_four():
    ahead, others = ahead_of_an_even_clock(ROWS), strongest(ROWS, 14)[0][:, 2:]
    for part, gains in ((others[:, :8], True), (others[:, 8:], False)):
        before, after = fit(part, 20), fit(in_the_time(part, ahead), 20)
        assert (after > 0.97 > before + 0.04) == gains == (before > 0.5)
        name = "strongest 8" if gains else "faintest 4"
        assert numbers(rf"the {name} of the 12 +R² at k = 20: ") == pytest.approx([before, after], abs=0.011)
    assert others[:, 8:].var(0).sum() / ROWS.var(0).sum() == pytest.approx(0.0043, abs=5e-4)


def test_the_slow_waves_do_move_in_twenty_tokens():
    others = strongest(ROWS, 14)[0][:, 2:]
    now, later_on = others[:-20], others[20:]
    assert ((later_on - now) ** 2).sum() > ((later_on - later_on.mean(0)) ** 2).sum(), "the mean is the better guess"


def test_a_steady_hand_would_not_have_carried_them_either():
    ahead = ahead_of_an_even_clock(steady())
    assert abs(ahead).max() < 0.5
    others = strongest(ROWS, 14)[0][:, 2:]
    assert fit(in_the_time(others, ahead), 40) < fit(others, 40) + 0.05


def test_rows_that_come_back_are_not_read_however_alike_neighbours_are():
    angles = 2 * np.pi * np.arange(382)[:, None] / 20 * np.arange(1, 4)
    table = np.concatenate([np.sin(angles), np.cos(angles)], 1)
    unit = table / np.linalg.norm(table, axis=1, keepdims=True)
    assert (unit[1:] * unit[:-1]).sum(1).mean() > 0.75
    error, guessed = position_error(table, 6, random=True)
    assert error > 0.9 * guessed


@pytest.mark.slow
def test_a_random_table_shifts_as_well_by_one_step_and_better_by_twenty(twins):
    own = [probes.shift_fit(torch.tensor(ROWS), k, directions=14) for k in (1, 20)]
    for table in twins[:6]:
        for count in (14, 45):  # fewer of its variance, and as much as 14 of MiniLM's
            drawn = [probes.shift_fit(torch.tensor(table), k, directions=count) for k in (1, 20)]
            assert drawn[0] > 0.93 and drawn[1] > own[1] + 0.2


def position_error(table, count, random, folds=5):
    """Mean error in tokens of a linear regression on directions of the fitted rows, and of their mean position."""
    where = np.arange(len(table))
    order = np.random.default_rng(1).permutation(where) if random else where
    size = math.ceil(len(table) / folds)
    errors = []
    guesses = []
    for test in np.split(order, range(size, len(table), size)):
        others = np.setdiff1d(where, test)
        _, along = strongest(table[others], count)
        x = np.column_stack([(table - table[others].mean(0)) @ along, np.ones(len(table))])
        weights = np.linalg.lstsq(x[others], others, rcond=None)[0]
        errors.append(np.abs(np.round(x[test] @ weights) - test))
        guesses.append(np.abs(others.mean() - test))
    return np.concatenate(errors).mean(), np.concatenate(guesses).mean()


@pytest.mark.slow
def test_a_random_table_is_read_better_than_minilm_when_it_may_keep_as_much_and_test_rows_are_drawn_at_random(twins):
    def both(table, count):
        return [position_error(table, count, random)[0] for random in (True, False)]

    assert both(ROWS, 14) == pytest.approx([14, 59], abs=1.5)
    values = np.linalg.eigvalsh(np.cov(twins[0].T))[::-1]
    shares = values.cumsum() / values.sum()
    assert shares[13] < 0.8 and shares[44] > 0.965
    few = np.array([both(table, 14) for table in twins[:8]])
    enough = np.array([both(table, 45) for table in twins[:8]])
    assert enough[:, 0].max() < both(ROWS, 45)[0] + 1 < 2 * enough[:, 0].max() < few[:, 0].min()
    assert np.median(enough[:, 0]) < both(ROWS, 45)[0]
    guesses = [position_error(ROWS, 14, random)[1] for random in (True, False)]
    assert guesses == pytest.approx([96, 118.3], abs=0.6)
    assert enough[:, 1].max() < 80 < guesses[1]
    assert round(position_error(ROWS, 14, random=False, folds=10)[0]) == 26


def test_noise_averaged_twice_is_read_without_error_on_random_rows_and_not_on_stretches():
    for seed in range(3):
        table = np.random.default_rng(seed).normal(size=(580, 384))
        for _ in range(2):
            sums = np.concatenate([np.zeros((1, 384)), table.cumsum(0)])
            table = (sums[100:] - sums[:-100]) / 100
        assert table.shape == ROWS.shape
        shuffled, stretches = (position_error(table, 45, random) for random in (True, False))
        assert shuffled[0] < 0.05 and 5 < stretches[0] < position_error(ROWS, 45, random=False)[0] < stretches[1]
    assert numbers(r"smooth 45 directions .*random rows ")[0] == 0


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
    for name in ratios:
        long = np.linalg.norm(small[name].astype(float), axis=2)
        assert long[:, 32:].max() < 0.15 < 3.2 < long[:, 1:31].mean(1).min(), "rows that no text reaches"


def test_with_a_mask_alone_a_table_holds_the_position_a_little_better():
    small = load_file(data_file("small_tables.safetensors"))

    def errors(tables):
        return [position_error(table, 8, random=False)[0] for table in tables]

    without, masked, text = (
        errors(small[name].astype(float)) for name in ("3 back, no mask", "3 back, mask", "next byte, mask")
    )
    guess = position_error(small["3 back, mask"][0].astype(float), 8, random=False)[1]
    assert round(guess, 1) == 9.9 and max(masked) < min(without) < guess
    few = [
        [position_error(table, 4, random=False)[0] for table in small[name].astype(float)]
        for name in ("3 back, no mask", "3 back, mask")
    ]
    assert min(few[0]) < max(few[1]), "by four directions they overlap"
    assert max(text) < 1


def test_a_stretched_table_of_unlike_rows_names_six_back_at_its_old_rows_alone():
    seen = json.loads(data_file("positions_seen.json").read_text())["stretched"]
    loud, quiet, sinusoid = (
        [np.array(seen[name][f"6 back, {rows} rows"]) for rows in ("old", "new")]
        for name in ("1.0", "0.02", "sinusoid")
    )
    for old, new in (loud, quiet):
        assert np.median(old) > 0.95 and np.median(new) < 0.5, "right at the old rows and mostly wrong at the new ones"
        assert (old > new + 0.01).all()
    assert np.abs(sinusoid[0] - sinusoid[1]).max() < 0.03, "no seams"
    assert sinusoid[1].min() > loud[1].max() + 0.2
    assert max(max(found[f"3 back, {rows} rows"]) for found in seen.values() for rows in ("old", "new")) < 0.15
    assert all(len(row) == 12 for found in seen.values() for row in found.values())
