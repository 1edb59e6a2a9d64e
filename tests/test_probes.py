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


@pytest.mark.parametrize("k", [1, 5, 20])
def test_the_best_shift_of_a_sinusoid_is_its_rotation(k):
    table = sinusoidal.table(300, 16, dtype=torch.float64)
    matrix, explained = probes.shift_fit(table, k, folds=5)
    torch.testing.assert_close(matrix, sinusoidal.shift_matrix(k, 16).T, rtol=1e-4, atol=1e-4)
    assert explained > 1 - 1e-9


def test_a_shift_of_noise_explains_nothing_on_positions_left_out():
    assert probes.shift_fit(noise(), 1, folds=5)[1] < 0.05
    assert probes.shift_fit(noise(columns=384), 1)[1] > 0.6  # 384 free numbers for 511 rows fit anything


def test_a_shift_is_fitted_within_the_directions_asked_for():
    assert probes.shift_fit(probes.load_position_table(), 1, directions=32)[0].shape == (32, 32)
    with pytest.raises(ValueError, match=r"k must lie between 1 and max_len-1=4 .* got 5"):
        probes.shift_fit(noise(5, 4), 5)


def test_positions_are_read_from_a_sinusoid_without_error_and_from_noise_by_guessing():
    assert probes.position_error(sinusoidal.table(512, 768)) == 0  # as published
    assert 150 < probes.position_error(noise(columns=768)) < 210


def test_whole_stretches_left_out_are_harder_than_shuffled_folds():
    for table in (sinusoidal.table(512, 384), probes.load_position_table()):
        assert probes.position_error(table, shuffled=False) > probes.position_error(table) + 10


def test_the_order_of_two_positions_is_read_from_a_sinusoid_and_not_from_noise_never_seen():
    assert 0.02 < probes.order_error(sinusoidal.table(512, 128)) < 0.1  # published: 0.0508
    assert probes.order_error(sinusoidal.table(512, 128), pairs=2000, unseen=True) < 0.1
    assert abs(probes.order_error(noise(), pairs=2000, unseen=True) - 0.5) < 0.1


@pytest.mark.parametrize("folds", [-1, 1, 65])
@pytest.mark.parametrize("probe", [probes.position_error, lambda table, folds: probes.shift_fit(table, 1, folds=folds)])
def test_folds_leave_something_to_fit_and_something_to_test(probe, folds):
    with pytest.raises(ValueError, match=rf"folds must be 0, or lie between 2 and .*got {folds}"):
        probe(noise(64, 4), folds=folds)


def test_an_unseen_pair_holds_no_position_that_was_fitted_on(monkeypatch):
    def remembering(fitted, labels, weight_decay):
        def logits(tested):
            assert len(tested) and not set(tested.flatten().tolist()) & set(fitted.flatten().tolist())
            return torch.zeros(len(tested), 2)

        return logits

    monkeypatch.setattr(probes, "_softmax_regression", remembering)
    probes.order_error(torch.arange(64.0)[:, None], unseen=True)  # a code that is the position itself


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
