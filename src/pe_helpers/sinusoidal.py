# SPDX-License-Identifier: MIT
"""Sinusoidal positional encoding: each position becomes the sines and cosines of d_model/2 angles.

Pair i of the features has the angle position · ω_i, where ω_i, its inverse frequency, falls geometrically with i. A
shift by k tokens therefore rotates pair i by k · ω_i, whatever the position: `shift_matrix` is that rotation, `kernel`
the score that two positions have because of it, and `table` fills long tables with it, a product in place of sines.

Angles are computed in float64 and the result is rounded once, to `dtype`. An angle is off by about position · 10⁻¹⁶
radians, less than float32 can show up to positions of 10⁸.

Source: Vaswani et al. 2017, Attention Is All You Need, arXiv:1706.03762, section 3.5. The convention "tensor2tensor" is
that of the authors' own program, which divides by d_model/2 − 1 where the paper divides by d_model/2.
"""

from __future__ import annotations

import math
import numbers
from typing import TYPE_CHECKING, Any, Literal, get_args

import torch
from torch import Tensor

from . import _validate

if TYPE_CHECKING:  # to whom types are checked a Tensor; the tests check its shape, too
    from typing import Annotated as Float
    from typing import Annotated as Float64
    from typing import Annotated as Shaped

    from ._validate import Numbers

Layout = Literal["interleaved", "half"]
Convention = Literal["paper", "tensor2tensor"]
LAYOUTS: tuple[Layout, ...] = get_args(Layout)
CONVENTIONS: tuple[Convention, ...] = get_args(Convention)


def inv_freq(
    d_model: int,
    *,
    base: float = 10_000.0,
    convention: Convention = "paper",
    device: torch.device | str | None = None,
) -> Float64[Tensor, "pairs"]:
    """Return the inverse frequencies ω_i = base^(−2i/d_model), in radians per token, fastest first.

    Args:
        d_model: width of a code, twice the number of pairs.
        base: ratio of the longest wavelength to the shortest, were there one more pair.
        convention: "paper", or "tensor2tensor" for ω_i = base^(−i/(d_model/2 − 1)), whose last pair has that ratio.
        device: of the result, which is float64.

    Raises:
        TypeError, ValueError: `d_model` is not a positive even int, `base` is below 1 or `convention` is unknown.

    Example:
        >>> inv_freq(8)
        tensor([1.0000, 0.1000, 0.0100, 0.0010], dtype=torch.float64)
    """
    pairs = _validate.even("d_model", d_model) // 2
    base = _validate.number("base", base, least=1, why=" (no pair is faster than the first)")
    _validate.choice("convention", convention, CONVENTIONS)
    steps = pairs if convention == "paper" else max(pairs - 1, 1)
    return base ** -(torch.arange(pairs, dtype=torch.float64, device=device) / steps)


def wavelengths(d_model: int, *, base: float = 10_000.0, convention: Convention = "paper") -> Float64[Tensor, "pairs"]:
    """Return how many tokens each pair needs for one full turn, 2π/ω_i; arguments and errors as for `inv_freq`.

    Example:
        >>> wavelengths(8)
        tensor([   6.2832,   62.8319,  628.3185, 6283.1853], dtype=torch.float64)
    """
    return math.tau / inv_freq(d_model, base=base, convention=convention)


def table(
    positions: Numbers,
    d_model: int,
    *,
    base: float = 10_000.0,
    layout: Layout = "interleaved",
    convention: Convention = "paper",
    dtype: torch.dtype = torch.float32,
    device: torch.device | str | None = None,
) -> Float[Tensor, "... d_model"]:
    """Return the code of each position: the sine and cosine of position · ω_i for every pair i.

    Float positions may lie between tokens, and gradients flow to them. Positions in half precision are refused, because
    bfloat16 cannot tell 256 from 257; the result may be in half precision.

    The rows of a count come from products (see `_consecutive_rows`): in float32 they are within 2.5 · 2⁻²⁴ of the exact
    value, where those of given positions are within 0.6 · 2⁻²⁴. So `table(n)` and `table(arange(n))` are not bit-equal.

    Args:
        positions: how many positions (an int n means 0 … n−1), or positions in tokens, of any shape, also negative.
        d_model: width of a code.
        base: as in `inv_freq`.
        layout: "interleaved" for sin, cos, sin, cos …; "half" for all sines, then all cosines.
        convention: as in `inv_freq`.
        dtype: of the result: float16, bfloat16, float32 or float64.
        device: of the result; by default that of the positions.

    Raises:
        TypeError: a value of the wrong kind, such as bool, complex or half-precision positions.
        ValueError: positions that are not finite (nobody looks at them on a GPU), an odd `d_model`, an unknown layout.

    Example:
        >>> table(3, 4)  # sin 0, cos 0, sin 0, cos 0; sin 1, cos 1, sin 1/100, cos 1/100; …
        tensor([[ 0.0000,  1.0000,  0.0000,  1.0000],
                [ 0.8415,  0.5403,  0.0100,  0.9999],
                [ 0.9093, -0.4161,  0.0200,  0.9998]])
        >>> table(torch.tensor([[7, 0], [2, 2]]), 512, layout="half").shape
        torch.Size([2, 2, 512])
    """
    _validate.choice("layout", layout, LAYOUTS)
    _validate.choice("dtype", dtype, _validate.FLOAT_TYPES)
    count, position_ids = 0, None
    if isinstance(positions, numbers.Integral | torch.SymInt):
        count = _validate.whole_number("positions", positions, least=0, why=" (a count of positions)")
        device = device or torch.empty(0).device  # the default; torch.get_default_device() cannot be compiled
    elif isinstance(positions, numbers.Real):
        raise TypeError(f"positions must be an int count or a tensor (a lone float is neither), got {positions!r}")
    else:
        position_ids = _validate.positions("positions", positions)
        device = device or position_ids.device

    omega = inv_freq(d_model, base=base, convention=convention, device=_validate.float64_device(device))
    if position_ids is None and not torch.compiler.is_compiling():
        precision = torch.complex128 if dtype is torch.float64 else torch.complex64
        pairs = _consecutive_rows(0, count, omega, precision).to(dtype)
    else:
        pairs = _rows(torch.arange(count) if position_ids is None else position_ids, omega, dtype)
    # pairs is (..., d_model/2, 2): a sine and a cosine for each frequency
    if layout == "half":
        pairs = pairs.mT
    return pairs.flatten(-2).to(device)


def _rows(
    positions: Shaped[Tensor, "..."], omega: Float64[Tensor, "pairs"], dtype: torch.dtype
) -> Float[Tensor, "... pairs 2"]:
    """Return the sine and cosine of position · ω_i; many positions within a short span are looked up in a table."""
    positions = positions.to(omega.device)
    if positions.numel() and not positions.is_floating_point() and _validate.readable(positions):
        first, last = positions.aminmax()
        if _validate.host_truth(last - first < positions.numel() // 4) is True:
            rows = _consecutive_rows(int(first), int(last - first) + 1, omega, torch.complex128).to(dtype)
            return torch.unflatten(torch.nn.functional.embedding(positions - first, rows.flatten(1)), -1, (-1, 2))
    angles = positions.double()[..., None] * omega
    return torch.stack([angles.sin(), angles.cos()], dim=-1).to(dtype)


def _consecutive_rows(
    first: int, count: int, omega: Float64[Tensor, "pairs"], precision: torch.dtype
) -> Float[Tensor, "count pairs 2"]:
    """Return the sines and cosines of `count` consecutive positions from `first` on, computed as complex numbers.

    The code of position aB + b is the code of position aB with pair i rotated by b · ω_i:

        sin(x + y) + i cos(x + y) = (sin x + i cos x) · (cos y − i sin y)    with x = aB · ω_i and y = b · ω_i

    So sines and cosines are needed for every B-th row only, and for the B rotations; each row is a product of the two.
    With B = √count that is about 2√count rows of sines instead of count.
    """
    block = max(math.isqrt(count), 1)
    kind: dict[str, Any] = {"dtype": omega.dtype, "device": omega.device}
    coarse = torch.outer(torch.arange(first, first + count, block, **kind), omega)
    fine = torch.outer(torch.arange(block, **kind), omega)
    every_block = torch.complex(coarse.sin(), coarse.cos()).to(precision)
    rotations = torch.complex(fine.cos(), -fine.sin()).to(precision)
    return torch.view_as_real((every_block[:, None] * rotations).flatten(0, 1)[:count])


def shift_matrix(
    k: Numbers,
    d_model: int,
    *,
    base: float = 10_000.0,
    layout: Layout = "interleaved",
    convention: Convention = "paper",
    dtype: torch.dtype = torch.float64,
) -> Float[Tensor, "... d_model d_model"]:
    """Return the matrix M(k) with M(k) @ PE(p) = PE(p + k) for every position p: a 2 × 2 rotation for each pair.

    Args:
        k: shift in tokens, a number or any shape of numbers; negative shifts go back.
        d_model: width of a code.
        base: as in `inv_freq`.
        layout: as in `table`.
        convention: as in `inv_freq`.
        dtype: of the result.

    Raises:
        TypeError, ValueError: as for `table`.

    Example:
        >>> codes = table(10, 64, dtype=torch.float64)
        >>> torch.allclose(shift_matrix(3, 64) @ codes[4], codes[7])
        True
    """
    _validate.choice("layout", layout, LAYOUTS)
    _validate.choice("dtype", dtype, _validate.FLOAT_TYPES)
    angles = _angles(k, d_model, base, convention)
    # For each pair, (sin, cos) at p + k is [[cos kω, sin kω], [-sin kω, cos kω]] @ (sin, cos) at p.
    rows = [torch.stack([angles.cos(), angles.sin()], dim=-2), torch.stack([-angles.sin(), angles.cos()], dim=-2)]
    rotations = torch.stack(rows, dim=-3)
    # The matrix is 0 between different pairs. Axes: row and column in a pair, pair of the row, pair of the column.
    blocks = torch.diag_embed(rotations)
    row, column, row_pair, column_pair = -4, -3, -2, -1
    if layout == "interleaved":
        blocks = blocks.movedim((row_pair, row, column_pair, column), (-4, -3, -2, -1))
    else:
        blocks = blocks.movedim((row, row_pair, column, column_pair), (-4, -3, -2, -1))
    return blocks.flatten(-4, -3).flatten(-2, -1).to(dtype)


def kernel(
    k: Numbers, d_model: int, *, base: float = 10_000.0, convention: Convention = "paper"
) -> Float64[Tensor, "..."]:
    """Return K(k) = Σ cos(k · ω_i), the score PE(p) · PE(p + k) of any two codes that are k tokens apart.

    Args:
        k: offset in tokens, a number or any shape of numbers.
        d_model: width of a code.
        base: as in `inv_freq`.
        convention: as in `inv_freq`.

    Raises:
        TypeError, ValueError: as for `table`.

    Example:
        >>> kernel([0, 3, -3], 8)
        tensor([4.0000, 1.9649, 1.9649], dtype=torch.float64)
    """
    return _angles(k, d_model, base, convention).cos().sum(-1)


def _angles(k: Numbers, d_model: int, base: float, convention: Convention) -> Float64[Tensor, "... pairs"]:
    """Return k · ω_i."""
    k = _validate.positions("k", k)
    k = k.to(_validate.float64_device(k.device))
    return k.double()[..., None] * inv_freq(d_model, base=base, convention=convention, device=k.device)


def read_position(
    code: Float[Tensor, "... d_model"],
    *,
    base: float = 10_000.0,
    layout: Layout = "interleaved",
    convention: Convention = "paper",
) -> Float64[Tensor, "..."]:
    """Return the position of each code: the slowest pair gives a rough guess, and every faster pair refines it.

    With T the longest wavelength, positions from −T/2 to T can be read. An angle of the slowest pair can stand for a
    position after 0 or for one before; the faster pairs decide. Where they cannot, as where all wavelengths divide T
    (`d_model=8`), the position after 0 is returned.

    Args:
        code: codes as `table` writes them, of any float dtype and any length (only the angles of the pairs count).
        base: as in `inv_freq`.
        layout: as in `table`.
        convention: as in `inv_freq`.

    Returns:
        Positions in tokens, one for each code.

    Raises:
        TypeError: `code` is not a float tensor.
        ValueError: `code` is not finite or its width is odd.

    Example:
        >>> read_position(table(torch.tensor([4, 1729, 2.5]), 64)).round(decimals=2)
        tensor([   4.0000, 1729.0000,    2.5000], dtype=torch.float64)
    """
    _validate.choice("layout", layout, LAYOUTS)
    is_code = isinstance(code, torch.Tensor) and code.dtype in _validate.FLOAT_TYPES and _validate.dense(code)
    if not is_code or code.ndim == 0:
        raise TypeError(f"code must be a dense float tensor (..., d_model), got {_validate.describe(code)}")
    if _validate.readable(code) and _validate.host_truth(code.isfinite().all()) is False:
        raise ValueError("code must be finite, got nan or inf")
    code = code.to(_validate.float64_device(code.device)).double()
    omega = inv_freq(code.shape[-1], base=base, convention=convention, device=code.device)
    pairs = torch.unflatten(code, -1, (-1, 2)) if layout == "interleaved" else torch.unflatten(code, -1, (2, -1)).mT
    angles = torch.atan2(pairs[..., 0], pairs[..., 1])  # between −π and π

    slowest = angles[..., -1]
    guesses = torch.stack([slowest, slowest % math.tau]) / omega[-1]  # before 0, if the angle is negative; after 0
    misfit = torch.zeros_like(guesses)
    for i in reversed(range(len(omega) - 1)):
        missing = (angles[..., i] - guesses * omega[i] + math.pi) % math.tau - math.pi
        guesses = guesses + missing / omega[i]
        misfit = misfit + missing.square()
    return torch.where(misfit[0] < misfit[1] - 1e-9, guesses[0], guesses[1])  # rounding alone does not decide
