"""Sinusoidal positional encoding: each pair of coordinates is the hand of a clock, each hand slower than the last.

A position is written as the sines and cosines of d_model/2 angles; moving by k tokens turns every hand by its own fixed
angle, whatever the position. The values are right to the last bits at any position, because that theorem is also the
algorithm: see `_clock` for the exact angles and `_neighbours` for the product.

Source: Vaswani et al. 2017, Attention Is All You Need, arXiv:1706.03762, section 3.5; the tensor2tensor convention is
that of the authors' own program, which divides by d_model/2 − 1.
"""

from __future__ import annotations

import math
import numbers
from typing import TYPE_CHECKING

import torch

from pe_helpers import _arguments, _clock, _dial

if TYPE_CHECKING:
    from jaxtyping import Float, Float64
    from torch import Tensor

LAYOUTS = ("interleaved", "half")
CONVENTIONS = ("paper", "tensor2tensor")


def inv_freq(d_model: int, *, base: float = 10_000.0, convention: str = "paper") -> Float64[Tensor, "pairs"]:
    """Return how far each hand turns per token: ω_i = base^(−2i/d_model).

    Args:
        d_model: width of a code, twice the number of hands.
        base: how much slower the last hand would be than the first, if there were one more.
        convention: "paper", or "tensor2tensor" for ω_i = base^(−i/(d_model/2 − 1)), whose last hand is that one.

    Returns:
        Radians per token, correctly rounded, fastest first.

    Raises:
        TypeError, ValueError: `d_model` is no positive even int, `base` is below 1 or `convention` unknown.
    """
    return _clock.inv_freq(_hands(d_model, base, convention))


def wavelengths(d_model: int, *, base: float = 10_000.0, convention: str = "paper") -> Float64[Tensor, "pairs"]:
    """Return how many tokens each hand needs for one turn, 2π/ω_i; arguments and errors as for `inv_freq`."""
    return 2 * math.pi / _clock.inv_freq(_hands(d_model, base, convention))


def table(
    positions,
    d_model: int,
    *,
    base: float = 10_000.0,
    layout: str = "interleaved",
    convention: str = "paper",
    dtype: torch.dtype = torch.float32,
    device: torch.device | str | None = None,
    out: Float[Tensor, "... d_model"] | None = None,
    exact: bool = False,
) -> Float[Tensor, "... d_model"]:
    """Write each position as the hands of a clock: the sine and cosine of position · ω_i.

    Float positions may lie between tokens, and gradients flow to them. Half precision is refused for positions, since
    bfloat16 cannot tell 256 from 257, and welcome for the result. A compiled graph multiplies in float64, good to
    float32 up to positions of about 10⁹.

    Args:
        positions: how many positions (an int n means 0 … n−1), or positions in tokens, of any shape, also negative.
        d_model: width of a code.
        base: as in `inv_freq`.
        layout: "interleaved" for sin, cos, sin, cos …; "half" for all sines, then all cosines.
        convention: as in `inv_freq`.
        dtype: of the result: float16, bfloat16, float32 or float64.
        device: of the result; by default that of the positions.
        out: tensor to write into, which then decides dtype and device: a fresh table costs more in memory's first
            touch than in arithmetic.
        exact: round float32 to the nearest, from a float64 within 2⁻⁵⁰, three times slower, as the other dtypes always
            are. Otherwise it is within 2.5 · 2⁻²⁴ but for a number in many millions, and always within 2.7 · 2⁻²⁴.

    Raises:
        TypeError: a value of the wrong kind, such as bool, complex or half-precision positions.
        ValueError: positions that are not finite, an odd `d_model`, an unknown layout, an `out` of the wrong shape.
    """
    hands, layout = _hands(d_model, base, convention), _arguments.choice("layout", layout, LAYOUTS)
    dtype = _arguments.float_type("dtype", dtype)
    if isinstance(positions, (*_arguments.INTS, numbers.Integral)) and not isinstance(positions, bool):
        positions = _arguments.whole_number("positions", positions, least=0, why=" (a count of positions)")
        device = torch.empty(0).device if device is None else torch.device(device)
    elif isinstance(positions, numbers.Real) and not isinstance(positions, bool):
        raise TypeError(f"positions must be an int count or a tensor (a lone float is neither), got {positions!r}")
    else:
        positions = _arguments.positions("positions", positions)
        device = positions.device if device is None else torch.device(device)
    if out is not None:
        counted = not isinstance(positions, torch.Tensor)
        shape = (positions, d_model) if counted else (*positions.shape, d_model)
        device, dtype = _arguments.out_device(out, shape, positions), out.dtype
        positions = positions if counted else positions.clone()  # `out` may lie where they lie
    return _dial.show(positions, hands, _clock.CODE, device=device, layout=layout, dtype=dtype, out=out, exact=exact)


def shift_matrix(
    k,
    d_model: int,
    *,
    base: float = 10_000.0,
    layout: str = "interleaved",
    convention: str = "paper",
    dtype: torch.dtype = torch.float64,
) -> Float[Tensor, "... d_model d_model"]:
    """Return the matrix M(k) with M(k) @ PE(p) = PE(p + k) for every position p: a small rotation for each hand.

    Args:
        k: shift in tokens, a number or any shape of numbers; negative turns back.
        d_model: width of a code; the others are as in `table`.
    """
    hands, layout = _hands(d_model, base, convention), _arguments.choice("layout", layout, LAYOUTS)
    (cos, sin), dtype = _turned(k, hands), _arguments.float_type("dtype", dtype)
    places = torch.arange(d_model, device=cos.device)
    sine, cosine = places.unflatten(0, (-1, 2)).T if layout == "interleaved" else places.unflatten(0, (2, -1))
    turned = torch.cat([cos, sin, -sin, cos], dim=-1)
    rows, columns = torch.cat([sine, sine, cosine, cosine]), torch.cat([sine, cosine, sine, cosine])
    flat = turned.new_zeros(*cos.shape[:-1], d_model * d_model)
    matrix = flat.index_copy(-1, rows * d_model + columns, turned).unflatten(-1, (d_model, d_model))
    return _clock.rounded(matrix, dtype)


def kernel(k, d_model: int, *, base: float = 10_000.0, convention: str = "paper") -> Float64[Tensor, "..."]:
    """Return K(k) = Σ cos(k · ω_i), the score PE(p) · PE(p + k) of any two codes that are k tokens apart.

    Args:
        k: offset in tokens, a number or any shape of numbers; the others are as in `table`.
    """
    return _turned(k, _hands(d_model, base, convention))[0].sum(-1)


def read_position(
    code: Float[Tensor, "... d_model"],
    *,
    base: float = 10_000.0,
    layout: str = "interleaved",
    convention: str = "paper",
) -> Float64[Tensor, "..."]:
    """Return the position that a code shows, read as a clock is read: the slow hand roughly, then each faster hand.

    Readable is what lies less than one turn of the slowest hand after 0 or less than half of one before it. A slowest
    hand left of the top can mean either; the faster hands decide. If they cannot, as where every hand makes whole turns
    in that time (`d_model=8`), the position after 0 is returned.

    Args:
        code: codes as `table` writes them, of any float dtype and any length (only the hands' directions count).
        base: as in `table`, and so are the others.

    Returns:
        Positions in tokens, one for each code.
    """
    if not isinstance(code, torch.Tensor) or not code.is_floating_point() or code.ndim == 0:
        raise TypeError(f"code must be a float tensor (..., d_model), got {_arguments.shown(code)}")
    hands, layout = _hands(code.shape[-1], base, convention), _arguments.choice("layout", layout, LAYOUTS)
    if _arguments.readable(code) and not bool(code.isfinite().all()):
        raise ValueError("code must be finite (a hand points somewhere), got nan or inf")
    speeds, code = _clock.inv_freq(hands, code.device), code.double()
    sine, cosine = (code[..., 0::2], code[..., 1::2]) if layout == "interleaved" else code.chunk(2, dim=-1)
    shown = torch.atan2(sine, cosine)
    slowest = shown[..., -1]
    guess = torch.stack([slowest, torch.where(slowest < 0, slowest + 2 * math.pi, slowest)]) / speeds[-1]
    doubt = torch.zeros_like(guess)
    for i in range(len(speeds) - 2, -1, -1):
        missing = torch.remainder(shown[..., i] - guess * speeds[i] + math.pi, 2 * math.pi) - math.pi
        guess, doubt = guess + missing / speeds[i], doubt + missing.square()
    return torch.where(doubt[0] < doubt[1] - 1e-9, guess[0], guess[1])  # float32's rounding decides nothing


def _hands(d_model, base, convention):
    base = _arguments.number("base", base, least=1, why=" (no hand is faster than the first)")
    return _clock.geometric(
        _arguments.even("d_model", d_model), base, _arguments.choice("convention", convention, CONVENTIONS)
    )


def _turned(k, hands):
    """Return the cosines and sines of k · ω_i."""
    return _clock.rows(_arguments.positions("k", k), hands, _clock.SPIN, "half").chunk(2, dim=-1)
