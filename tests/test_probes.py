"""Probes find what is there, do not find what is not, and agree with published figures where they repeat them."""

import hashlib
import io
import json
import struct
import sys
import types

import numpy as np
import pytest
import torch

from pe_helpers import probes, sinusoidal


def noise(rows=512, columns=64, seed=0):
    return torch.randn(rows, columns, generator=torch.Generator().manual_seed(seed))


def test_the_committed_table_is_the_one_that_the_readme_names():
    table = probes.load_position_table()
    assert table.shape == (512, 384) and table.dtype == torch.float32
    readme = (probes.MINILM_TABLE.parent / "README.md").read_text(encoding="utf-8")
    assert hashlib.sha256(probes.MINILM_TABLE.read_bytes()).hexdigest() in readme


def test_the_reader_agrees_with_the_safetensors_library():
    from safetensors.torch import load_file

    (table,) = load_file(probes.MINILM_TABLE).values()
    assert torch.equal(probes.load_position_table(), table)


def checkpoint(name, table, dtype):
    raw = table.to(dtype).view(torch.uint8).numpy().tobytes()
    kind = {torch.bfloat16: "BF16", torch.float16: "F16", torch.float32: "F32"}[dtype]
    header = {"__metadata__": {}, "word.weight": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}
    header[name] = {"dtype": kind, "shape": list(table.shape), "data_offsets": [8, 8 + len(raw)]}
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + bytes(8) + raw


@pytest.mark.parametrize("name", ["bert.embeddings.position_embeddings.weight", "transformer.wpe.weight", "wpe.weight"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_tables_of_other_models_are_found_by_name_in_any_precision(tmp_path, name, dtype):
    file = tmp_path / "model.safetensors"
    file.write_bytes(checkpoint(name, noise(5, 4), dtype))
    assert torch.equal(probes.load_position_table(file), noise(5, 4).to(dtype).float())


def test_a_file_without_a_table_says_what_it_holds(tmp_path):
    file = tmp_path / "model.safetensors"
    file.write_bytes(checkpoint("rotary.inv_freq", noise(5, 4), torch.float32))
    with pytest.raises(ValueError, match=r"position_embeddings.weight or wpe.weight, got .*rotary.inv_freq"):
        probes.load_position_table(file)
    with pytest.raises(FileNotFoundError, match="source must be an existing file"):
        probes.load_position_table(tmp_path / "other.safetensors")


def test_from_the_hub_only_the_table_is_read(tmp_path, monkeypatch):
    content = checkpoint("wpe.weight", noise(5, 4), torch.float32) + bytes(10**6)  # more tensors follow
    (tmp_path / "model").write_bytes(content)
    sizes = []

    class Counting(io.FileIO):
        def read(self, size=-1):
            sizes.append(size)
            return super().read(size)

    class FakeHub:
        def open(self, path, mode, block_size):
            assert path == "gpt2/model.safetensors"
            return Counting(tmp_path / "model")

    monkeypatch.setitem(sys.modules, "huggingface_hub", types.SimpleNamespace(HfFileSystem=FakeHub))
    assert torch.equal(probes.load_position_table("gpt2"), noise(5, 4))
    assert min(sizes) > 0 and sum(sizes) < 1000


def test_without_a_network_or_the_hub_the_local_table_is_offered(monkeypatch):
    class NoNetwork:
        def open(self, *arguments, **keywords):
            raise OSError("no route")

    monkeypatch.setitem(sys.modules, "huggingface_hub", types.SimpleNamespace(HfFileSystem=NoNetwork))
    with pytest.raises(ConnectionError, match=r"load_position_table\(\) gives the table in data/.*'gpt2': no route"):
        probes.load_position_table("gpt2")
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install huggingface_hub, or load_position_table\(\)"):
        probes.load_position_table("gpt2")


def test_a_table_of_one_s_own_is_read_from_text_and_from_numpy(tmp_path):
    table = noise(5, 3)
    for suffix, separator in ((".csv", ","), (".tsv", "\t"), (".txt", "  ")):
        lines = [separator.join(f"{number:.9g}" for number in row) for row in table.tolist()]
        file = tmp_path / f"mine{suffix}"
        file.write_text("\ufeff" + "\n".join(lines) + "\n\n", encoding="utf-8")
        assert torch.equal(probes.load_position_table(file), table)
        assert torch.equal(probes.load_position_table("\n".join(lines)), table), "pasted"
    np.save(tmp_path / "mine.npy", table.double().numpy())
    assert torch.equal(probes.load_position_table(str(tmp_path / "mine.npy")), table)
    assert torch.equal(probes.load_position_table("[[1, 2],\n [3, 4]]"), torch.tensor([[1.0, 2.0], [3.0, 4.0]]))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a, b\n1, 2\n3, 4", r"line 1 of the pasted text must hold numbers .*no names of columns.*got 'a, b'"),
        ("1, 2\n\n3, x", r"line 3 of the pasted text must hold numbers .*got '3, x'"),
        ("1, 2\n3, 4, 5", r"line 2 of the pasted text must hold 2 numbers .*got 3"),
        ("1, 2\n", r"the pasted text must hold two positions or more, .*got 1"),
        ("\n\n", r"two positions or more, .*got 0"),
        ("1, 2\n3, nan", r"must hold finite numbers, got nan in row 1, column 1"),
    ],
)
def test_a_text_that_is_no_table_is_refused_with_its_line(text, message):
    with pytest.raises(ValueError, match=message):
        probes.load_position_table(text)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros(5), r"array of numbers \(max_len, d_model\), got shape \(5,\) and type float64"),
        (np.array([["a", "b"]] * 3), "got shape .* and type <U1"),
        (np.array([[{}, {}]] * 3), "must hold one array of numbers"),
        (np.array([[1.0, np.inf]] * 3), "finite numbers, got inf in row 0, column 1"),
    ],
)
def test_a_numpy_file_that_is_no_table_is_refused(tmp_path, array, message):
    np.save(tmp_path / "mine.npy", array)
    with pytest.raises(ValueError, match=message):
        probes.load_position_table(tmp_path / "mine.npy")


def test_a_file_of_another_kind_is_not_looked_for_on_the_hub(tmp_path):
    file = tmp_path / "model.bin"
    file.write_bytes(b"")
    with pytest.raises(ValueError, match=r"a kind that can be read \(.safetensors, .npy, .csv, .tsv, .txt\), got"):
        probes.load_position_table(file)


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
    for table in (sinusoidal.table(512, 384), probes.load_position_table()):
        assert probes.position_error(table, shuffled=False) > probes.position_error(table) + 10


def test_a_probe_s_directions_come_from_the_fitted_rows_alone():
    table = probes.load_position_table()[128:510].double()
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
