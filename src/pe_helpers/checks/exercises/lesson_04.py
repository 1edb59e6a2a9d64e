"""Check the three exercises of lesson 04: the order of four dot products, a shift in the other layout, looking back."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from pe_helpers import sinusoidal
from pe_helpers.checks.answers import CheckFailed, array, close, exercise, function

D_MODEL = 16
OFFSETS = (0, 1, 3, 5)
BACK = 3  # tokens
LENGTH = 200  # tokens


@exercise
def order(attempt: object) -> str:
    """Check the offsets 0, 1, 3 and 5, sorted by their dot product at d_model = 16, largest first."""
    answer = array(attempt, (len(OFFSETS),), name="the four offsets").tolist()
    if sorted(answer) != sorted(OFFSETS):
        raise CheckFailed(f"give each of the offsets 0, 1, 3 and 5 once, got {[f'{k:g}' for k in answer]}")
    scores = sinusoidal.kernel(torch.tensor(OFFSETS), D_MODEL).tolist()
    ranked = [k for _, k in sorted(zip(scores, OFFSETS, strict=True), reverse=True)]
    if answer == ranked:
        return ", ".join(f"K({k}) = {scores[OFFSETS.index(k)]:.3f}" for k in ranked)
    if answer == ranked[::-1]:
        raise CheckFailed("this is smallest first")
    if answer[0] != 0:
        raise CheckFailed("no dot product is larger than that of a code with itself, as all codes have one length")
    if answer == sorted(OFFSETS):
        raise CheckFailed("it does not fall with every step: the fastest hand has half a turn behind it at k = 3")
    raise CheckFailed("nearest is still nearest: compare cos(k·1) at k = 1, 3 and 5, the other hands move little")


@exercise
def half_shift(attempt: Callable[[int, int], Tensor]) -> str:
    """Check a function (k, d_model) → the matrix that shifts codes whose sines all come before their cosines."""
    function(attempt, "half_shift(k, d_model)")
    for k, d_model in ((1, 4), (5, 16), (-7, 8), (300, 64)):
        name = f"half_shift({k}, {d_model})"
        matrix = array(attempt(k, d_model), (d_model, d_model), name=name)
        position_ids = torch.arange(40)
        codes = sinusoidal.table(position_ids, d_model, layout="half", dtype=torch.float64)
        wanted = sinusoidal.table(position_ids + k, d_model, layout="half", dtype=torch.float64)
        if close(codes @ matrix.T, wanted):
            continue
        if close(codes @ matrix, wanted):
            raise CheckFailed(f"{name} moves codes {k} steps the other way: is the minus sign in the other corner?")
        paired = sinusoidal.shift_matrix(k, d_model)
        if close(matrix, paired.to(matrix)):
            raise CheckFailed(
                f"{name} has the 2 × 2 blocks of the interleaved layout: where is the cosine of sine 0 now?"
            )
        if not close(matrix.T @ matrix, torch.eye(d_model)):
            raise CheckFailed(
                f"{name} changes lengths, so it is no rotation: does each row hold one sine and one cosine?"
            )
        miss = (codes @ matrix.T - wanted).abs().max().item()
        raise CheckFailed(f"{name} misses PE(p + {k}) by up to {miss:.3g}: which ω_i does row i use?")
    return "your matrix shifts the half layout by 1, 5, −7 and 300 steps"


@exercise
def looks_back(attempt: object) -> str:
    """Check a matrix W (16, 16): from every position p, PE(p)ᵀ W PE(q) must be largest at q = p − 3."""
    matrix = array(attempt, (D_MODEL, D_MODEL), name="W")
    codes = sinusoidal.table(LENGTH, D_MODEL, dtype=torch.float64)
    best = (codes @ matrix @ codes.T).argmax(dim=1)
    position_ids = torch.arange(LENGTH)
    inside = position_ids[BACK:-BACK]
    steps = (inside - best[BACK:-BACK]).tolist()
    if set(steps) == {BACK}:
        return f"from each of {len(steps)} positions the largest score is {BACK} steps back"
    if set(steps) == {0}:
        raise CheckFailed("every position looks at itself: W must turn the codes of one side by 3 steps")
    if set(steps) == {-BACK}:
        raise CheckFailed("every position looks 3 steps ahead: W turns the key's code the wrong way, transpose it")
    if len(set(steps)) == 1:
        raise CheckFailed(f"every position looks {steps[0]} steps back, 3 are asked for")
    p = next(i for i, step in enumerate(steps) if step != BACK)
    raise CheckFailed(
        f"position {inside[p]} looks {steps[p]} steps back, others look elsewhere: a W that works from every position "
        "is made of 2 × 2 rotations"
    )
