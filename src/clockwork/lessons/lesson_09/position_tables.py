"""Load the learned position table of a pretrained model, or a table of your own."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
import torch

from clockwork.kit.datafiles import data_file

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Tensor

MINILM_TABLE = data_file("minilm_position_table.safetensors")
TABLES = ("position_embeddings.weight", "wpe.weight")  # how the tensor's name ends: BERT and RoBERTa; GPT-2
DTYPES = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}
TEXTS = (".csv", ".tsv", ".txt")
SEPARATORS = re.compile(r"[,;\s]+")


def load_position_table(source: str | Path = MINILM_TABLE) -> Float[Tensor, "max_len d_model"]:
    """Load the learned position table of a pretrained model, or a table of your own, in float32.

    Args:
        source: one of four things. A file: `.safetensors` (by default the one of MiniLM in `data/`), `.npy`, or a text
            (`.csv`, `.tsv`, `.txt`) with one line a position. The text itself, pasted: one line a position, numbers
            with commas, tabs or spaces between them. A model's name on the Hugging Face Hub, such as
            "bert-base-uncased", "roberta-base" or "gpt2": only the table itself is read from there.

    Raises:
        FileNotFoundError: if there is no such file.
        ModuleNotFoundError: if a model's name is given and huggingface_hub is not installed.
        ConnectionError: if the Hub or the model cannot be reached.
        ValueError: if there is no position table in it, or the text is no table of numbers.

    Example:
        >>> load_position_table().shape
        torch.Size([512, 384])
        >>> load_position_table("0, 1\\n0.84, 0.54\\n0.91, -0.42").shape
        torch.Size([3, 2])
    """
    if "\n" in str(source):
        return _from_text(str(source), "the pasted text")
    suffix = Path(source).suffix
    if suffix in (".safetensors", ".npy", *TEXTS):
        if not Path(source).exists():
            raise FileNotFoundError(
                f"source must be an existing file (data/README.md lists the course's), got {source}"
            )
        if suffix == ".safetensors":
            with Path(source).open("rb") as file:
                return read_table(file)
        if suffix == ".npy":
            return _from_array(Path(source))
        return _from_text(Path(source).read_text("utf-8-sig"), str(source))
    if Path(source).is_file():
        kinds = ", ".join((".safetensors", ".npy", *TEXTS))
        raise ValueError(f"source must be a file of a kind that can be read ({kinds}), got {source}")
    try:
        from huggingface_hub import HfFileSystem
    except ModuleNotFoundError:
        advice = "pip install huggingface_hub, or load_position_table() for the table in data/"
        raise ModuleNotFoundError(f"source {source!r} is read from the Hugging Face Hub: {advice}") from None
    try:
        with HfFileSystem().open(f"{source}/model.safetensors", "rb", block_size=2**20) as file:
            return read_table(file)
    except OSError as error:
        advice = "load_position_table() gives the table in data/ without a network"
        raise ConnectionError(
            f"source must be a model that can be reached ({advice}), got {source!r}: {error}"
        ) from None


def _from_array(path: Path) -> Float[Tensor, "max_len d_model"]:
    """Read a table from a NumPy file."""
    try:
        array = np.load(path, allow_pickle=False)
    except ValueError as error:
        raise ValueError(f"{path} must hold one array of numbers: {error}") from None
    if array.ndim != 2 or array.dtype.kind not in "fiu":
        found = f"shape {array.shape} and type {array.dtype}"
        raise ValueError(f"{path} must hold an array of numbers (max_len, d_model), got {found}")
    return _checked(torch.from_numpy(array.astype(np.float32)), str(path))


def _from_text(text: str, name: str) -> Float[Tensor, "max_len d_model"]:
    """Read a table from lines of numbers."""
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        fields = SEPARATORS.split(line.strip(" \t[](),;"))
        if fields == [""]:
            continue
        try:
            row = [float(field) for field in fields]
        except ValueError:
            rule = "must hold numbers with commas, tabs or spaces between them (no names of columns)"
            raise ValueError(f"line {number} of {name} {rule}, got {line.strip()[:40]!r}") from None
        if rows and len(row) != len(rows[0]):
            rule = f"must hold {len(rows[0])} numbers (as many as the first row)"
            raise ValueError(f"line {number} of {name} {rule}, got {len(row)}")
        rows.append(row)
    return _checked(torch.tensor(rows), name)


def _checked(table: Tensor, name: str) -> Float[Tensor, "max_len d_model"]:
    """Return the table if it has two rows or more and every number is finite."""
    if len(table) < 2:
        raise ValueError(f"{name} must hold two positions or more, one line or row for each, got {len(table)}")
    if not table.isfinite().all():
        row, column = (~table.isfinite()).nonzero()[0].tolist()
        raise ValueError(f"{name} must hold finite numbers, got {table[row, column]} in row {row}, column {column}")
    return table


def read_table(file: BinaryIO) -> Float[Tensor, "max_len d_model"]:
    """Read the position table from an open safetensors file, and nothing else of it."""
    size = int.from_bytes(file.read(8), "little")
    header = json.loads(file.read(size))
    names = [name for name in header if name.endswith(TABLES)]
    if not names:
        raise ValueError(
            f"source must hold a tensor whose name ends in {' or '.join(TABLES)}, got {list(header)[:5]} …"
        )
    about = header[names[0]]
    start, end = about["data_offsets"]
    file.seek(8 + size + start)
    table = torch.frombuffer(bytearray(file.read(end - start)), dtype=DTYPES[about["dtype"]]).float()
    return table.reshape(about["shape"])
