"""Check the three exercises of lesson 08: where a stretched model looks, gentle interpolation, the NTK-aware base."""

from __future__ import annotations

from collections.abc import Callable

import torch

from pe_helpers.checks.answers import CheckFailed, array, close, diagnose, exercise, function, number

LOOKS_BACK = 3  # tokens, in training
FACTOR = 5


@exercise
def looks_back(attempt: object) -> str:
    """Check how many tokens a 3-back model looks back when positions are interpolated by 5."""
    answer = number(attempt, name="the number of tokens")
    if answer == LOOKS_BACK * FACTOR:
        return "a turn of 3 trained steps now takes 15 tokens"
    if answer == LOOKS_BACK:
        raise CheckFailed("the model keeps the angle it looks for, not the number of tokens: how far apart are 3 now?")
    if abs(answer - LOOKS_BACK / FACTOR) < 1e-6:
        raise CheckFailed("this is what 3 tokens amount to in trained steps; how many tokens amount to 3 steps?")
    if answer == LOOKS_BACK + FACTOR:
        raise CheckFailed("interpolation multiplies distances, it does not add to them")
    raise CheckFailed(f"neighbours are 1/{FACTOR} of a trained step apart: how many of them make {LOOKS_BACK} steps?")


@exercise
def gentle(squeeze: Callable[[int, int], object]) -> str:
    """Check `squeeze(seq_len, trained_len)`: positions 0, 1, 2, … as long as they fit, evenly squeezed beyond."""
    function(squeeze, "gentle(seq_len, trained_len)")
    short = array(squeeze(20, 32), (20,), name="the positions of 20 tokens, trained to 32")
    if not close(short, torch.arange(20.0)):
        raise CheckFailed("20 tokens fit into the 32 of training and must keep the positions 0 … 19: why touch them?")
    for seq_len, trained_len in ((64, 32), (100, 32), (33, 32)):
        name = f"the positions of {seq_len} tokens, trained to {trained_len}"
        positions = array(squeeze(seq_len, trained_len), (seq_len,), name=name)
        steps = positions.diff()
        if (steps <= 0).any():
            i = int((steps <= 0).nonzero()[0])
            raise CheckFailed(f"{name}: tokens {i} and {i + 1} share position {positions[i]:g}: rounded, or cut off?")
        rounding = 1e-5 * trained_len
        if positions.max() > trained_len - 1 + rounding:
            raise CheckFailed(
                f"{name}: the last stands at {positions[-1]:.2f}, beyond {trained_len - 1}, the last seen"
            )
        if positions[0].abs() > rounding or (steps - steps[0]).abs().max() > rounding:
            raise CheckFailed(f"{name} must begin at 0 and be evenly spaced, so that equal offsets stay equal")
        if positions[-1] < 0.9 * (trained_len - 1):
            raise CheckFailed(f"{name}: the last stands at {positions[-1]:.2f}; squeeze no more than is needed")
    return "short texts are left alone, long ones use the whole trained range and not more"


@exercise
def ntk_base(base_for: Callable[[float, float, int], object]) -> str:
    """Check `base_for(base, factor, head_dim)`: the base at which the slowest hand alone is slowed by `factor`."""
    function(base_for, "base_for(base, factor, head_dim)")
    for base, factor, head_dim in ((10_000.0, 4.0, 16), (500_000.0, 2.0, 128), (100.0, 3.0, 4)):
        case = f"base {base:g}, factor {factor:g}, head_dim {head_dim}"
        answer = number(base_for(base, factor, head_dim), name=f"the base for {case}")
        slowest = -2 * (head_dim // 2 - 1) / head_dim
        right = base * factor ** (head_dim / (head_dim - 2))
        if close(answer, right):
            continue
        mistakes = (
            (base * factor, f"the slowest exponent is {slowest:.3f}, not −1, so this slows it by less than {factor:g}"),
            (base**factor, "the base is multiplied, not raised to a power: solve base'^e = base^e / factor for base'"),
            (base / factor, "a larger base makes slower hands"),
            (base * factor**head_dim, "the power is d/(d−2), close to 1"),
        )
        diagnose(answer, mistakes, case=case)
        slowed = (base**slowest) / (answer**slowest) if answer > 0 else 0.0
        raise CheckFailed(f"{case}: with your base the slowest hand is slowed by {slowed:.3f}, asked for is {factor:g}")
    return "proved for three heads, and it is what the package does: the fastest hand keeps its speed"
