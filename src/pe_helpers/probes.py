"""Measure what a position table or a model's layer encodes: by linear fits and probes, tested on what is left out.

A probe that is tested on positions between those it was fitted on can interpolate. One that is tested on a contiguous
range it never saw cannot. Both are here, so that the difference can be shown.

Source: Wang and Chen 2020, arXiv:2010.04903, section 3 (absolute position by regression, order by classification).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import torch
from torch.nn import functional

from pe_helpers.datafiles import data_file

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Tensor

MINILM_TABLE = data_file("minilm_position_table.safetensors")
TABLES = ("position_embeddings.weight", "wpe.weight")  # how the tensor's name ends: BERT and RoBERTa; GPT-2
DTYPES = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}


def load_position_table(source: str | Path = MINILM_TABLE) -> Float[Tensor, "max_len d_model"]:
    """Load the learned position table of a pretrained model, in float32.

    Args:
        source: a `.safetensors` file (by default the one in `data/`), or a model's name on the Hugging Face Hub, such
            as "bert-base-uncased", "roberta-base" or "gpt2". From the Hub only the table itself is read.

    Raises:
        FileNotFoundError: if there is no such file.
        ModuleNotFoundError: if a model's name is given and huggingface_hub is not installed.
        ConnectionError: if the Hub or the model cannot be reached.
        ValueError: if the file has no position table.

    Example:
        >>> load_position_table().shape
        torch.Size([512, 384])
    """
    if str(source).endswith(".safetensors"):
        if not Path(source).exists():
            raise FileNotFoundError(f"source must be an existing file (data/README.md says which), got {source}")
        with Path(source).open("rb") as file:
            return read_table(file)
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


def shift_fit(
    table: Float[Tensor, "max_len d_model"], k: int, *, directions: int | None = None, folds: int = 0
) -> tuple[Float[Tensor, "width width"], float]:
    """Fit the matrix M that brings table[p] @ M closest to table[p + k], by least squares.

    Args:
        table: codes of the positions 0, 1, 2, …
        k: the shift, in tokens.
        directions: fit within this many principal directions of the table; without it, a wide table fits anything.
        folds: test on this many contiguous ranges of positions, left out in turn; 0 tests on the fitted positions.

    Returns:
        M in those directions, and R², the share of the variance of table[p + k] that it explains.

    Raises:
        ValueError: if `k` is not between 1 and max_len-1, or there are too many folds.
    """
    if not 0 < k < len(table):
        raise ValueError(f"k must lie between 1 and max_len-1={len(table) - 1} (a row must be left to reach), got {k}")
    codes = table.double()
    if directions:
        codes = codes @ torch.linalg.svd(codes - codes.mean(0), full_matrices=False).Vh[:directions].T
    here = codes[:-k]
    there = codes[k:]
    predicted = torch.empty_like(there)
    for fit, test in _contiguous_folds(len(here), folds):
        predicted[test] = here[test] @ _least_squares(here[fit], there[fit])
    unexplained = (there - predicted).square().sum() / (there - there.mean(0)).square().sum()
    return _least_squares(here, there), float(1 - unexplained)


def position_error(
    table: Float[Tensor, "max_len d_model"], *, folds: int = 5, shuffled: bool = True, seed: int = 0
) -> float:
    """Return the mean error, in tokens, of positions that linear regression reads from their codes.

    Args:
        table: codes of the positions 0, 1, 2, …
        folds: parts of the positions that are left out in turn.
        shuffled: leave out random positions, as published: their neighbours are then among the fitted ones. False
            leaves out contiguous ranges.
        seed: draws the random positions.
    """
    codes = table.double()
    positions = torch.arange(len(table))
    if shuffled:
        positions = torch.randperm(len(table), generator=torch.Generator().manual_seed(seed))
    errors = []
    for fit, test in _contiguous_folds(len(table), folds):
        known = codes[positions[fit]]
        targets = positions[fit].double()
        weights = _least_squares(known - known.mean(0), targets[:, None] - targets.mean())
        predicted = (codes[positions[test]] - known.mean(0)) @ weights[:, 0] + targets.mean()
        errors.append(predicted.round() - positions[test])
    return float(torch.cat(errors).abs().mean())


def order_error(
    table: Float[Tensor, "max_len d_model"], *, pairs: int = 512, folds: int = 5, unseen: bool = False, seed: int = 0
) -> float:
    """Return how often a linear classifier, given the codes of two positions, is wrong about which comes first.

    Args:
        table: codes of the positions 0, 1, 2, …
        pairs: number of pairs; the published 512 leave the error uncertain by about 0.01.
        folds: parts of the pairs that are left out in turn.
        unseen: test only on pairs whose two positions were both left out of the fit.
        seed: draws the pairs.
    """
    generator = torch.Generator().manual_seed(seed)
    drawn = torch.randint(len(table), (2 * pairs, 2), generator=generator)
    drawn = drawn[drawn[:, 0] != drawn[:, 1]][:pairs]
    fold_of = torch.randint(max(folds, 1), (len(table),), generator=generator)  # of each position, for `unseen`
    codes = table.double()[drawn].flatten(1)
    later = (drawn[:, 1] > drawn[:, 0]).long()
    wrong = []
    for fold, (fit, test) in enumerate(_contiguous_folds(len(drawn), folds)):
        if unseen:
            fit = (fold_of[drawn] != fold).all(1)
            test = (fold_of[drawn] == fold).all(1)
        logits = _softmax_regression(codes[fit], later[fit], 1 / len(later[fit]))
        wrong.append(logits(codes[test]).argmax(-1) != later[test])
    return float(torch.cat(wrong).double().mean())


def share_read(
    known: Float[Tensor, "texts positions width"],
    tips: Float[Tensor, "rows hands 2"],
    new: Float[Tensor, "new_texts new_positions width"],
    new_tips: Float[Tensor, "new_rows hands 2"] | None = None,
) -> Float[Tensor, "hands"]:
    """Return how much of each hand's movement a linear probe reads from new texts.

    The probe is one matrix and one constant vector, fitted by least squares to give the tip of every hand from the
    vector at a position.

    Args:
        known: the vectors to fit on, such as the outputs of a layer.
        tips: where the hands point at each position, as (sin, cos).
        new: the vectors to test on.
        new_tips: the tips at their positions; without it, the positions are those of `known`.

    Returns:
        1 minus the squared error over that of always saying the mean tip: 1 is exact, 0 no better than the mean.

    Raises:
        ValueError: if `tips` has not one row for each position.

    Example:
        >>> angles = torch.arange(32.0)[:, None] * torch.tensor([1.0, 0.1])
        >>> tips = torch.stack([angles.sin(), angles.cos()], -1)
        >>> vectors = tips.flatten(1) + torch.zeros(50, 32, 4)
        >>> share_read(vectors[:25], tips, vectors[25:])
        tensor([1., 1.], dtype=torch.float64)
    """
    if new_tips is None:
        new_tips = tips
    for name, vectors, wanted in (("tips", known, tips), ("new_tips", new, new_tips)):
        if len(wanted) != vectors.shape[1]:
            raise ValueError(f"{name} must have one row for each of {vectors.shape[1]} positions, got {len(wanted)}")

    def with_constant(vectors):
        return functional.pad(vectors, (0, 1), value=1.0).flatten(0, 1).double()

    def for_each_text(wanted, vectors):
        return wanted.double().flatten(1).repeat(len(vectors), 1)

    probe = _least_squares(with_constant(known), for_each_text(tips, known))
    right = for_each_text(new_tips, new)
    error = (with_constant(new) @ probe - right).square().sum(0)
    spread = (right - right.mean(0)).square().sum(0)
    return 1 - error.unflatten(0, (-1, 2)).sum(1) / spread.unflatten(0, (-1, 2)).sum(1)


def _contiguous_folds(length: int, folds: int) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield the indices to fit on and the indices to test on; with 0 folds, all of them for both."""
    if folds and not 2 <= folds <= length:
        raise ValueError(f"folds must be 0, or lie between 2 and {length} (some to fit, some to test), got {folds}")
    indices = torch.arange(length)
    if not folds:
        yield indices, indices
        return
    for test in indices.chunk(folds):
        yield torch.cat([indices[: test[0]], indices[test[-1] + 1 :]]), test


def _least_squares(
    x: Float[Tensor, "rows features"], y: Float[Tensor, "rows targets"]
) -> Float[Tensor, "features targets"]:
    return torch.linalg.lstsq(x, y, driver="gelsd").solution  # the smallest solution if there are many


def _softmax_regression(x, labels, weight_decay: float, steps: int = 200):
    """Fit a linear classifier and return the function that computes its logits; weight decay makes it unique."""
    weights = torch.zeros(x.shape[1] + 1, int(labels.max()) + 1, dtype=x.dtype, requires_grad=True)
    optimizer = torch.optim.LBFGS([weights], max_iter=steps, line_search_fn="strong_wolfe")

    def loss():
        optimizer.zero_grad()
        penalty = weight_decay / 2 * weights[1:].square().sum()
        value = functional.cross_entropy(x @ weights[1:] + weights[0], labels) + penalty
        value.backward()
        return value

    optimizer.step(loss)
    return lambda x: (x @ weights[1:] + weights[0]).detach()
