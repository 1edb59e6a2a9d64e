"""Probes find what is there, do not find what is not, and agree with published figures where they repeat them."""

import numpy as np
import pytest
import torch

from clockwork.kit import probes
from clockwork.lessons.lesson_09 import position_tables
from pe_helpers import sinusoidal


def noise(rows=512, columns=64, seed=0):
    return torch.randn(rows, columns, generator=torch.Generator().manual_seed(seed))


def test_the_leading_directions_are_those_of_the_largest_variance():
    table = noise(200, 6) * torch.tensor([1.0, 9.0, 2.0, 0.5, 4.0, 0.1]) + 7
    along = probes.leading(table, 3)
    values = np.linalg.eigvalsh(np.cov(table.double().numpy().T))[::-1]
    np.testing.assert_allclose(along.var(0), values[:3], rtol=1e-6)
    np.testing.assert_allclose(along.mean(0), 0, atol=1e-5)


@pytest.mark.parametrize("speed", [0.4, -0.4, 3.0])
def test_points_that_go_round_turn_clockwise_at_their_speed(speed):
    angle = speed * torch.arange(50.0)
    points, turns = probes.going_round(torch.stack([angle.sin(), angle.cos()], 1))
    torch.testing.assert_close(turns, torch.full((49,), abs(speed)), rtol=1e-4, atol=1e-4)
    naive = torch.atan2(points[:, 0], points[:, 1]).diff()
    torch.testing.assert_close((naive + np.pi) % (2 * np.pi) - np.pi, turns, rtol=1e-4, atol=1e-4)


def test_a_random_twin_has_the_dot_products_of_each_distance_and_nothing_else_of_the_table():
    table = torch.stack([(0.3 * torch.arange(300)).sin(), (0.3 * torch.arange(300)).cos()], 1).double()
    wide = torch.cat([table, torch.zeros(300, 62)], 1)

    def by_distance(codes):
        rest = codes - codes.mean(0)
        return torch.stack([(rest[: len(rest) - k] * rest[k:]).sum(1).mean() for k in range(60)])

    drawn = [probes.random_twin(wide, seed) for seed in range(20)]
    torch.testing.assert_close(
        torch.stack([by_distance(twin) for twin in drawn]).mean(0), by_distance(wide), rtol=0, atol=0.1
    )
    assert torch.equal(drawn[0], probes.random_twin(wide, 0)) and not torch.allclose(drawn[0], drawn[1])
    assert (drawn[0] * wide).sum() / drawn[0].norm() / wide.norm() < 0.1


def test_a_random_twin_does_not_depend_on_the_signs_of_eigenvectors(monkeypatch):
    table = noise(40, 8).cumsum(0)
    usual = probes.random_twin(table)
    eigh = torch.linalg.eigh

    def mirrored(matrix):
        values, vectors = eigh(matrix)
        return values, vectors * torch.tensor([1.0, -1.0]).repeat(len(values) // 2)

    monkeypatch.setattr(torch.linalg, "eigh", mirrored)
    torch.testing.assert_close(probes.random_twin(table), usual)


@pytest.mark.parametrize("k", [1, 5, 20])
def test_one_matrix_shifts_hands_of_one_speed_and_no_noise(k):
    hands = turning([1.0, 0.3], 300).flatten(1)
    assert probes.shift_fit(hands, k, directions=4) > 0.999  # 300 rows are no whole turns, so their middle is not 0
    assert probes.shift_fit(noise(), k, directions=14) < 0.05


def test_neither_directions_nor_matrix_know_the_stretch_that_is_tested():
    table = (noise(60, 8) * torch.arange(1.0, 9.0)).cumsum(0).double().numpy()
    here, there = table[:-3], table[3:]
    missed = spread = 0.0
    for test in (range(15), range(15, 30), range(30, 45), range(45, 57)):  # as chunks of 57 are cut
        fit = [row for row in range(57) if row not in test]
        middle = here[fit].mean(0)
        _, vectors = np.linalg.eigh(np.cov(here[fit].T))
        x, y = ((rows - middle) @ vectors[:, -2:] for rows in (here, there))
        matrix = np.linalg.lstsq(x[fit], y[fit], rcond=None)[0]
        missed += ((y[test] - x[test] @ matrix) ** 2).sum()
        spread += ((y[test] - y[fit].mean(0)) ** 2).sum()
    assert probes.shift_fit(torch.tensor(table), 3, directions=2, folds=4) == pytest.approx(1 - missed / spread)


def test_a_shift_is_tested_on_stretches_that_had_no_part_in_the_fit():
    table = noise(100, 40)
    here, there = table[:-1] - table[:-1].mean(0), table[1:] - table[1:].mean(0)
    left = there - here @ torch.linalg.lstsq(here, there).solution
    assert 1 - left.square().sum() / there.square().sum() > 0.3, "rows that were fitted look predictable"
    assert probes.shift_fit(table, 1, directions=40) < 0
    with pytest.raises(ValueError, match=r"k must lie between 1 and max_len-1=4 .* got 5"):
        probes.shift_fit(noise(5, 4), 5, directions=2)


def test_positions_are_read_from_a_sinusoid_without_error_and_from_noise_by_guessing():
    assert probes.position_error(sinusoidal.table(512, 768)) == 0  # as published
    assert 150 < probes.position_error(noise(columns=768)) < 210


def test_whole_stretches_left_out_are_harder_than_shuffled_folds():
    for table in (sinusoidal.table(512, 384), position_tables.load_position_table()):
        assert probes.position_error(table, shuffled=False) > probes.position_error(table) + 10


def test_a_probe_s_directions_come_from_the_fitted_rows_alone():
    table = position_tables.load_position_table()[128:510].double()
    errors = []
    for test in torch.arange(382).split(77):
        fit = torch.tensor([row for row in range(382) if row not in test])
        middle = table[fit].mean(0)
        _, vectors = torch.linalg.eigh((table[fit] - middle).T @ (table[fit] - middle))
        x = (table - middle) @ vectors[:, -14:]
        weights = torch.linalg.solve(x[fit].T @ x[fit], x[fit].T @ (fit - fit.double().mean()))
        errors.append(((x[test] @ weights + fit.double().mean()).round() - test).abs())
    naive = torch.cat(errors).mean().item()
    assert probes.position_error(table, directions=14, shuffled=False) == pytest.approx(naive, abs=0.01)


@pytest.mark.parametrize("folds", [-1, 0, 1, 65])
@pytest.mark.parametrize(
    "probe", [probes.position_error, lambda table, folds: probes.shift_fit(table, 1, directions=2, folds=folds)]
)
def test_folds_leave_something_to_fit_and_something_to_test(probe, folds):
    with pytest.raises(ValueError, match=rf"folds must lie between 2 and .*got {folds}"):
        probe(noise(64, 4), folds=folds)


def turning(speeds, positions):
    angles = torch.arange(positions)[:, None] * torch.as_tensor(speeds)
    return torch.stack([angles.sin(), angles.cos()], -1)


def mixed_with_tokens(tips, texts, width, seed=0):
    """Vectors (texts, positions, width): random tokens and the tips, both through one random matrix."""
    generator = torch.Generator().manual_seed(seed)
    tokens = torch.randn(texts, len(tips), 6, generator=generator)
    parts = torch.cat([tokens, tips.flatten(1).expand(texts, -1, -1)], -1)
    return parts @ torch.randn(parts.shape[-1], width, generator=generator)


def test_a_probe_reads_the_hands_that_are_there_and_no_others():
    tips = turning([1.0, 0.3], 60)
    vectors = mixed_with_tokens(tips, 80, 16)
    asked = turning([1.0, 0.3, 2.0], 60)
    share = probes.share_read(vectors[:40], asked, vectors[40:])
    assert share[:2].min() > 0.999 and share[2] < 0.1


def test_a_probe_of_nothing_reads_nothing_on_new_texts():
    vectors = torch.randn(80, 30, 20, generator=torch.Generator().manual_seed(0))
    share = probes.share_read(vectors[:40], turning([1.0], 30), vectors[40:])
    assert -0.1 < share < 0.01


def test_the_share_is_that_of_the_textbook_and_needs_no_zero_mean():
    tips = turning([0.4], 20)
    vectors = 5 + mixed_with_tokens(tips, 30, 3)  # 3 numbers hold 6 tokens' and 2 tips' directions badly
    new_tips = tips[10:]
    share = probes.share_read(vectors[:20], tips, vectors[20:, 10:], new_tips)
    x, y = vectors[:20].flatten(0, 1).double().numpy(), tips.flatten(1).repeat(20, 1).double().numpy()
    x_new, y_new = vectors[20:, 10:].flatten(0, 1).double().numpy(), new_tips.flatten(1).repeat(10, 1).double().numpy()
    beta = np.linalg.pinv(x - x.mean(0)) @ (y - y.mean(0))
    error = (x_new - x.mean(0)) @ beta + y.mean(0) - y_new
    assert share.item() == pytest.approx(1 - (error**2).sum() / ((y_new - y_new.mean(0)) ** 2).sum())
    assert 0.01 < share.item() < 0.9


def test_a_probe_needs_a_tip_for_each_position():
    vectors = torch.randn(4, 30, 5)
    with pytest.raises(ValueError, match="tips must have one row for each of 30 positions, got 29"):
        probes.share_read(vectors, turning([1.0], 29), vectors)
    with pytest.raises(ValueError, match="new_tips must have one row for each of 20 positions, got 30"):
        probes.share_read(vectors, turning([1.0], 30), vectors[:, :20])


def test_retimed_by_an_even_clock_a_table_stays_and_by_its_own_warp_a_wave_turns_evenly():
    places = torch.arange(40.0, dtype=torch.float64)
    ahead = 3 * (places / 8).sin()
    warped = torch.stack([((places + ahead) / 10).sin(), ((places + ahead) / 10).cos()], 1)
    torch.testing.assert_close(probes.retimed(warped, torch.zeros(40)), warped)
    angles = torch.atan2(*probes.retimed(warped, ahead).T)
    assert (angles.diff() % (2 * torch.pi)).std() < 1e-3 < (torch.atan2(*warped.T).diff() % (2 * torch.pi)).std()


@pytest.mark.parametrize(
    ("ahead", "said"), [(torch.zeros(3), "one number for each of 4 rows"), (torch.tensor([0, 0.5, -0.5, 0]), "by less")]
)
def test_a_clock_needs_a_time_for_each_row_and_never_goes_back(ahead, said):
    with pytest.raises(ValueError, match=said):
        probes.retimed(torch.eye(4), ahead)
