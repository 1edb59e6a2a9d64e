"""The checks of lesson 02's exercises: a code for any position, hidden speeds, better speeds, one sine."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from pe_helpers.checks.answers import CheckFailed, array, close, diagnose, exercise, function
from pe_helpers.checks.properties import distinct, norm, origin, rotation

TEXT = 2_000  # tokens for which `design` asks for speeds
APART = 0.8  # how far apart all codes must be there; the paper's four speeds reach 0.645


@exercise
def code(encode: Callable[..., object]) -> str:
    """Check `encode(position_ids, d_model, base)` by its properties, for several widths and bases."""
    function(encode, "code(position_ids, d_model, base)")
    position_ids = torch.arange(40)
    for d_model, base in ((8, 10_000.0), (64, 10_000.0), (12, 300.0)):
        try:
            attempt = encode(position_ids, d_model, base)
        except RuntimeError as error:  # torch names shapes in these
            raise CheckFailed(f"40 positions at width {d_model}: {error}; has pe one row for each position?") from error
        table = array(attempt, (40, d_model), name="the table")
        distinct(table)
        norm(table)
        rotation(table, base=base, tolerance=1e-3)
        origin(table, tolerance=1e-4)
    late = array(encode(torch.tensor([7, 3]), 8, 10_000.0), (2, 8), name="the table of positions 7 and 3")
    if not close(late, array(encode(position_ids, 8, 10_000.0))[[7, 3]], 1e-4):
        raise CheckFailed("positions 7 and 3 must get rows 7 and 3: do you use position_ids, or count from 0?")
    return "it starts at (0, 1, 0, 1, …), keeps its length, and each pair turns at its own speed"


@exercise
def speeds(find: Callable[[Tensor], object]) -> str:
    """Check `find(codes)`: the speeds of a sinusoidal table whose columns a secret matrix has mixed."""
    function(find, "speeds(codes)")
    for seed, hidden in enumerate(([1.0, 0.1, 0.01, 0.001], [2.5, 0.7, 0.3])):
        right = torch.tensor(hidden, dtype=torch.float64)
        codes = mixed(right, seed)
        answer = array(find(codes.clone()), name="the speeds").flatten().sort(descending=True).values
        case = f"codes of shape {tuple(codes.shape)}"
        both_ways = torch.cat([right, -right]).sort(descending=True).values
        mistakes = (
            (both_ways, "each speed comes twice, as ω and −ω: keep the positive ones"),
            (right.repeat_interleave(2), "each speed comes twice, as ω and −ω: keep each once"),
            (right.cos().sort(descending=True).values, "these are cos ω: the angle of e^{iω} is ω itself"),
            (torch.ones(2 * len(right)), "these are the lengths |λ|, all 1: the speed is the angle of λ"),
            (torch.ones(len(right)), "these are the lengths |λ|, all 1: the speed is the angle of λ"),
        )
        diagnose(answer, mistakes, case=case, tolerance=1e-3)
        if len(answer) != len(right):
            raise CheckFailed(f"{case}: {len(right)} speeds are hidden in it, one for two columns, got {len(answer)}")
        if not close(answer, right, 1e-4):
            raise CheckFailed(
                f"{case}: got {[round(x, 4) for x in answer.tolist()]}, which are not its speeds; "
                "fit the matrix of one step first: are its eigenvalues of length 1?"
            )
    return "the basis hides the waves from the eye, not from the step: its eigenvalues are e^{±iω}"


def mixed(inv_freq: Tensor, seed: int) -> Tensor:
    """Return the codes (200, d_model) of consecutive positions, multiplied by a random invertible matrix."""
    angles = torch.arange(200, dtype=torch.float64)[:, None] * inv_freq
    codes = torch.cat([angles.sin(), angles.cos()], dim=1)
    generator = torch.Generator().manual_seed(seed)
    noise = torch.randn(codes.shape[1], codes.shape[1], generator=generator, dtype=torch.float64)
    return codes @ (noise + 3 * torch.eye(len(noise)))


@exercise
def design(inv_freq: object) -> str:
    """Check four speeds: any two of 2,000 positions must have codes at least 0.8 apart."""
    chosen = array(inv_freq, (4,), name="the four speeds")
    if (chosen <= 0).any():
        raise CheckFailed("every speed must be above 0: a hand that rests tells no position from another")
    offsets = torch.arange(1, TEXT)
    gaps = (2 * (1 - (offsets[:, None] * chosen).cos())).sum(1).sqrt()
    nearest = int(gaps.argmin()) + 1
    if gaps.min() >= APART:
        return f"no two of {TEXT:,} positions are closer than {gaps.min():.3f}; the paper's four speeds reach 0.645"
    found = f"positions {nearest} tokens apart are only {gaps.min():.3f} away from each other"
    ordered = chosen.sort().values
    steps = ordered.diff()
    if chosen.max() > math.pi:
        folded = torch.remainder(chosen.max(), 2 * math.pi)
        raise CheckFailed(
            f"{found}; and a speed above π gives nothing new: {chosen.max():.3f} rad a token shows the same "
            f"points as {min(folded, 2 * math.pi - folded):.3f}, perhaps mirrored"
        )
    if nearest == 1:
        raise CheckFailed(f"{found}: neighbours look alike, so the fastest hand is too slow")
    if close(steps, steps.mean().expand(3), 1e-3):
        gap = steps.mean().item()
        raise CheckFailed(
            f"{found}; your speeds are evenly spaced, {gap:.3g} rad apart, so all hands meet every "
            f"{2 * math.pi / gap:.0f} tokens: try one factor between them instead"
        )
    if nearest > TEXT / 10:
        raise CheckFailed(f"{found}: far positions meet, so try a slower last hand or another factor")
    raise CheckFailed(f"{found}: a gap between two hands is too wide there; try another factor")


@exercise
def twins(find: Callable[[float, float], object]) -> str:
    """Check `find(omega, k)`: two positions whose sines agree and whose sines k tokens later do not."""
    function(find, "twins(omega, k)")
    for omega, k in ((1.0, 1), (0.1, 5), (0.01, 3)):
        p, q = array(find(omega, k), (2,), name=f"twins({omega}, {k})").tolist()
        case = f"ω = {omega}, k = {k}, p = {p:g}, q = {q:g}"
        if abs(math.sin(p * omega) - math.sin(q * omega)) > 1e-6:
            now = f"sin(pω) = {math.sin(p * omega):.2f}, sin(qω) = {math.sin(q * omega):.2f}"
            raise CheckFailed(f"{case}: the sines at p and q must agree, but {now}".replace("= -", "= −"))
        if abs(math.cos(p * omega) - math.cos(q * omega)) < 1e-6:
            raise CheckFailed(f"{case}: the hand points the same way at both, so all that follows agrees too")
        # sin(p) = sin(q) at two points of the circle leaves sin(p+k) − sin(q+k) = ±2 cos(p) sin(k), which is not 0
    return "one sine, two futures: no rule, linear or not, gets from sin(pω) to sin((p+k)ω)"
