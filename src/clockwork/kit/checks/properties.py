"""The properties that a positional encoding has, each as a function with a diagnosis for its absence.

A table is `(seq_len, d_model)`, one row a position, rows at consecutive positions; tensors and arrays are both fine.
Each function returns nothing when the property holds and raises `CheckFailed` when it does not.

A tolerance is a share of the largest number compared: rounding errors grow with the numbers, and differ from one
processor's matrix product to the next.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from clockwork.kit.checks.exercises import CheckFailed, array, given


def batch_axis(add: Callable[[Tensor], Tensor]) -> None:
    """Check that `add`, which adds codes to `(batch, seq_len, d_model)`, gives each token its position's code."""
    x = torch.randn(3, 8, 16, generator=torch.Generator().manual_seed(0))
    total = array(add(x.clone()), tuple(x.shape), name="x with its codes")
    codes = total - x
    rounding = 1e-5 * total.abs().max()
    same_over_tokens = (codes - codes[:, :1]).abs().max() <= rounding
    same_over_batch = (codes - codes[:1]).abs().max() <= rounding
    if same_over_tokens and not same_over_batch:
        raise CheckFailed("each token of a sequence has the same code: is the position on the batch axis?")
    if same_over_tokens:
        raise CheckFailed("each token of a sequence has the same code: are the positions used at all?")
    if not same_over_batch:
        raise CheckFailed("the same position has different codes in different sequences: does the code read the batch?")


def shuffle(model: Callable[[Tensor], Tensor], x: Tensor, *, least: float = 1e-4) -> None:
    """Check that the pooled output of `model` on `x` `(batch, seq_len, ...)` moves when the tokens are shuffled."""
    order = torch.arange(x.shape[1]).roll(1).flip(0)
    before = array(model(x), name="the output")
    after = array(model(x[:, order]), name="the output")
    size = before.abs().max()
    if before.ndim > 2:
        before = before.mean(1)
        after = after.mean(1)
    moved = (before - after).abs().max()
    if moved <= least * size:
        raise CheckFailed(
            f"a shuffle of the tokens moves the output by {moved:.0e} only, where it is up to {size:.1g}: "
            "the model cannot see order"
        )


def origin(table: object, *, layout: str = "interleaved", tolerance: float = 1e-5) -> None:
    """Check that row 0 is position 0: every sine 0 and every cosine 1."""
    row = array(table, name="the table")[0]
    sin, cos = pairs(row, layout=layout)
    if cos.abs().max() < tolerance < sin.abs().max():
        raise CheckFailed("at position 0 every sine is 1 and every cosine 0: are sine and cosine exchanged?")
    if sin.abs().max() > tolerance or (cos - 1).abs().max() > tolerance:
        if torch.equal(row.round(), (torch.arange(len(row)) >= len(sin)).to(row)):
            raise CheckFailed("row 0 has all its zeros before all its ones: do the sines stand before the cosines?")
        first = (sin[0].item(), cos[0].item())
        raise CheckFailed(
            f"row 0 must be (0, 1, 0, 1, …), got ({first[0]:.4f}, {first[1]:.4f}, …): do you count from 1?"
        )


def norm(table: object, *, tolerance: float = 1e-4) -> None:
    """Check that every row has length √(d_model/2), as one pair (sin, cos) has length 1."""
    rows = array(table, name="the table")
    norms = rows.norm(dim=-1)
    expected = math.sqrt(rows.shape[-1] / 2)
    if norms.max() - norms.min() > tolerance * norms.max():
        p = norms.argmin().item()
        q = norms.argmax().item()
        raise CheckFailed(
            f"the length depends on the position ({norms[p]:.3f} at row {p}, {norms[q]:.3f} at row {q}): "
            "does every sine have a cosine of the same frequency?"
        )
    if (norms - expected).abs().max() > tolerance * expected:
        raise CheckFailed(
            f"every row must have length √(d_model/2) = {expected:.3f}, got {norms[0]:.3f}: was it scaled?"
        )


def pairs(table: Tensor, *, layout: str = "interleaved") -> tuple[Tensor, Tensor]:
    """Split the last axis into sines and cosines."""
    if table.shape[-1] % 2:
        raise CheckFailed(f"d_model must be even (coordinates turn in pairs), got {table.shape[-1]}")
    return (table[..., 0::2], table[..., 1::2]) if layout == "interleaved" else table.chunk(2, dim=-1)


def rotation(
    table: object,
    *,
    base: float = 10_000.0,
    inv_freq: Tensor | None = None,
    layout: str = "interleaved",
    tolerance: float = 1e-4,
) -> None:
    """Check that one step turns pair i by `inv_freq[i]` rad from every position on: PE(p+1) = M_1 PE(p).

    The length of the rows is another property, `norm`: a table may be scaled as a whole.
    """
    rows = array(table, name="the table")
    if len(rows) < 3:
        raise CheckFailed(f"the table must have at least 3 rows to show a turn, got {len(rows)}")
    turn = _turns(rows, layout)
    half = turn.shape[-1]
    omega = base ** (-torch.arange(half, dtype=torch.float64) / half) if inv_freq is None else array(inv_freq, (half,))

    def miss(step: Tensor, angle: Tensor) -> Tensor:
        return (step - torch.polar(torch.ones_like(angle), angle)).abs()

    if miss(turn, omega).max() <= tolerance:
        return
    other = "half" if layout == "interleaved" else "interleaved"
    for step, angle, diagnosis in (
        (turn, -omega, "every pair turns backwards: are sine and cosine exchanged?"),
        (
            _turns(rows, other),
            omega,
            f"the pairs lie as in layout={other!r}: halves concatenated, or pairs interleaved?",
        ),
        (turn, 1 / omega, "pair i turns by 1/ω_i a token: did you divide by ω_i where you multiply?"),
        (turn, omega**2, "pair i turns by ω_i² a token: is the exponent doubled (2i where i counts by twos already)?"),
    ):
        if miss(step[:2], angle).max() <= 1e-2:
            raise CheckFailed(diagnosis)
    uneven = (turn - turn[:1]).abs().amax(0)
    if uneven.max() > tolerance:
        i = uneven.argmax().item()
        raise CheckFailed(f"pair {i} turns by different angles from different positions: do its halves share one ω?")
    i = miss(turn[0], omega).argmax().item()
    angle = turn[0, i].angle().item()
    raise CheckFailed(f"pair {i} must turn by {omega[i]:.4g} rad a token, got {angle:.4g}: which base, which i?")


def _turns(rows: Tensor, layout: str) -> Tensor:
    """Return, as complex numbers (seq_len-1, d_model/2), what each step does to each pair.

    The table is first scaled until its longest pair has length 1.
    """
    sin, cos = pairs(rows, layout=layout)
    hands = torch.complex(cos, sin)
    hands = hands / (hands.abs().max() or 1)
    return hands[1:] * hands[:-1].conj()


def offset_only(scores: object, *, tolerance: float = 1e-4) -> None:
    """Check that a square matrix of scores (query position, key position) is constant along every diagonal.

    A score is a sum of many products, so its rounding error is a share of the largest scores, however small it is
    itself.
    """
    matrix = array(scores, name="the scores")
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise CheckFailed(f"the scores must be a square matrix (query, key), got shape {tuple(matrix.shape)}")
    drift = (matrix[1:, 1:] - matrix[:-1, :-1]).abs()
    if len(drift) and drift.max() > tolerance * matrix.abs().max():
        p, q = divmod(drift.argmax().item(), len(drift))
        raise CheckFailed(
            f"the score at offset {q - p} depends on where: {matrix[p, q]:.4f} for ({p}, {q}), "
            f"{matrix[p + 1, q + 1]:.4f} for ({p + 1}, {q + 1}): are query and key encoded alike, in one layout?"
        )


def distinct(table: object, *, least: float = 1e-5) -> None:
    """Check that no two rows are the same code."""
    rows = array(table, name="the table")
    gaps = torch.cdist(rows.double(), rows.double(), compute_mode="use_mm_for_euclid_dist")
    gaps.fill_diagonal_(math.inf)
    nearest = least * rows.norm(dim=-1).max()
    if len(rows) > 1 and (rows - rows[:1]).norm(dim=-1).max() <= nearest:
        raise CheckFailed("each row has the same code: is the position on the batch axis?")
    if gaps.min() <= nearest:
        p, q = (gaps <= nearest).nonzero()[0].tolist()
        raise CheckFailed(f"positions {p} and {q} have the same code: too few waves, or positions held in few bits?")


def dtype_and_device(encode: Callable[[Tensor, torch.dtype], Tensor]) -> None:
    """Check `encode(position_ids, dtype)` in every dtype on every device: where it lands, what it keeps apart."""
    devices = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
    dtypes = [torch.float64, torch.float32, torch.bfloat16, torch.float16]
    for device, dtype in ((d, t) for d in devices for t in dtypes):
        codes = given(encode(torch.tensor([256, 257, 2049], device=device), dtype))
        if codes.dtype != dtype:
            raise CheckFailed(f"the codes must come in {dtype}, got {codes.dtype}: is a cast missing?")
        if codes.device.type != device:
            raise CheckFailed(f"positions on {device} must give codes on {device}, got {codes.device.type}")
        if (codes[0] == codes[1]).all():
            raise CheckFailed(f"positions 256 and 257 have one code in {dtype}: were the positions rounded to {dtype}?")
        exact = array(encode(torch.tensor([256, 257, 2049], device=device), torch.float64))
        if (codes.double().cpu() - exact).abs().max() > (2 * torch.finfo(dtype).eps + 1e-6) * exact.abs().max():
            raise CheckFailed(f"the codes in {dtype} are not the rounded exact codes: cast last, not first")
