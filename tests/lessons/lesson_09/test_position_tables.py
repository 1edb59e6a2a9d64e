"""Position tables are read from files, texts and the Hub, and what is none is refused by name."""

import hashlib
import io
import json
import struct
import sys
import types

import numpy as np
import pytest
import torch

from clockwork.lessons.lesson_09 import position_tables


def noise(rows=512, columns=64, seed=0):
    return torch.randn(rows, columns, generator=torch.Generator().manual_seed(seed))


def test_the_committed_table_is_the_one_that_the_readme_names():
    table = position_tables.load_position_table()
    assert table.shape == (512, 384) and table.dtype == torch.float32
    readme = (position_tables.MINILM_TABLE.parent / "README.md").read_text(encoding="utf-8")
    assert hashlib.sha256(position_tables.MINILM_TABLE.read_bytes()).hexdigest() in readme


def test_the_reader_agrees_with_the_safetensors_library():
    from safetensors.torch import load_file

    (table,) = load_file(position_tables.MINILM_TABLE).values()
    assert torch.equal(position_tables.load_position_table(), table)


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
    assert torch.equal(position_tables.load_position_table(file), noise(5, 4).to(dtype).float())


def test_a_file_without_a_table_says_what_it_holds(tmp_path):
    file = tmp_path / "model.safetensors"
    file.write_bytes(checkpoint("rotary.inv_freq", noise(5, 4), torch.float32))
    with pytest.raises(ValueError, match=r"position_embeddings.weight or wpe.weight, got .*rotary.inv_freq"):
        position_tables.load_position_table(file)
    with pytest.raises(FileNotFoundError, match="source must be an existing file"):
        position_tables.load_position_table(tmp_path / "other.safetensors")


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
    assert torch.equal(position_tables.load_position_table("gpt2"), noise(5, 4))
    assert min(sizes) > 0 and sum(sizes) < 1000


def test_without_a_network_or_the_hub_the_local_table_is_offered(monkeypatch):
    class NoNetwork:
        def open(self, *arguments, **keywords):
            raise OSError("no route")

    monkeypatch.setitem(sys.modules, "huggingface_hub", types.SimpleNamespace(HfFileSystem=NoNetwork))
    with pytest.raises(ConnectionError, match=r"load_position_table\(\) gives the table in data/.*'gpt2': no route"):
        position_tables.load_position_table("gpt2")
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install huggingface_hub, or load_position_table\(\)"):
        position_tables.load_position_table("gpt2")


def test_a_table_of_one_s_own_is_read_from_text_and_from_numpy(tmp_path):
    table = noise(5, 3)
    for suffix, separator in ((".csv", ","), (".tsv", "\t"), (".txt", "  ")):
        lines = [separator.join(f"{number:.9g}" for number in row) for row in table.tolist()]
        file = tmp_path / f"mine{suffix}"
        file.write_text("\ufeff" + "\n".join(lines) + "\n\n", encoding="utf-8")
        assert torch.equal(position_tables.load_position_table(file), table)
        assert torch.equal(position_tables.load_position_table("\n".join(lines)), table), "pasted"
    np.save(tmp_path / "mine.npy", table.double().numpy())
    assert torch.equal(position_tables.load_position_table(str(tmp_path / "mine.npy")), table)
    pasted = position_tables.load_position_table("[[1, 2],\n [3, 4]]")
    assert torch.equal(pasted, torch.tensor([[1.0, 2.0], [3.0, 4.0]]))


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
        position_tables.load_position_table(text)


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
        position_tables.load_position_table(tmp_path / "mine.npy")


def test_a_file_of_another_kind_is_not_looked_for_on_the_hub(tmp_path):
    file = tmp_path / "model.bin"
    file.write_bytes(b"")
    with pytest.raises(ValueError, match=r"a kind that can be read \(.safetensors, .npy, .csv, .tsv, .txt\), got"):
        position_tables.load_position_table(file)
