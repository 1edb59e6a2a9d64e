"""The checks of lesson 07's exercises: which door, the other rotary layout, and what a falling bias can never do."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from pe_helpers import rotary
from pe_helpers.checks.answers import CheckFailed, array, close, diagnose, exercise, function, given, mapping, number

DOORS = ("input", "query and key", "score")
PLACES = {  # scheme: (door, why)
    "sinusoid": (0, "its table is added to the token's vector before the first layer"),
    "learned table": (0, "a row is looked up and added, as with the sinusoid; only its origin differs"),
    "rotary": (1, "no vector is added and no number joins a score: queries and keys are turned"),
    "ALiBi": (2, "queries and keys stay as they are; −slope · distance joins each score"),
    "T5's buckets": (2, "one learned number for each head and bucket joins the score"),
    "causal mask": (2, "it adds −∞ to the scores of later keys: a bias like the others, only infinite"),
}


@exercise
def doors(answers: Mapping[str, str]) -> str:
    """Check at which door each scheme enters: "input", "query and key" or "score"."""
    mapping(answers, PLACES)
    for scheme, (door, why) in PLACES.items():
        if answers[scheme] not in DOORS:
            raise CheckFailed(f"{scheme!r} must be one of {', '.join(map(repr, DOORS))}, got {answers[scheme]!r:.40}")
        if answers[scheme] != DOORS[door]:
            raise CheckFailed(f"{scheme!r}: look again; {why}")
    return "all six stand at their doors, the mask among them"


@exercise
def half(turn: Callable[[Tensor, Tensor], object]) -> str:
    """Check `turn(x, position_ids)`, rotary in the half layout on `x` `(..., seq_len, head_dim)`, base 10,000."""
    function(turn, "turn_half(x, position_ids)")
    generator = torch.Generator().manual_seed(70)
    for shape, position_ids in (((6, 8), torch.arange(6)), ((2, 3, 5, 16), torch.tensor([0, 3, 4, 90, 1000]))):
        x = torch.randn(*shape, generator=generator, dtype=torch.float64)
        answer = array(turn(x.clone(), position_ids), shape, name="the turned x")
        right = rotary.rotate(x, position_ids, layout="half")
        if close(answer, right, 1e-4):
            continue
        swapped = x.unflatten(-1, (2, -1)).mT.flatten(-2)
        mistakes = (
            (x, "nothing turns: are the positions used?"),
            (rotary.rotate(x, position_ids), "this is the interleaved layout: feature i must turn with i + head_dim/2"),
            (
                rotary.rotate(x, -position_ids, layout="half"),
                "it turns backwards: is the minus sign at the other half?",
            ),
            (rotary.rotate(x, -position_ids), "it is interleaved, and it turns backwards"),
            (
                rotary.rotate(swapped, position_ids),
                "the turn is right, but its result still lies interleaved: permute it back",
            ),
            (
                rotary.rotate(x, torch.arange(shape[-2]), layout="half"),
                "you count rows 0, 1, 2, … instead of using position_ids",
            ),
        )
        diagnose(answer, mistakes, tolerance=1e-4)
        if not close(answer.norm(dim=-1), x.norm(dim=-1), 1e-4):
            raise CheckFailed("lengths change, so it is no rotation: cos² + sin² = 1 needs one angle for both halves")
        raise CheckFailed(
            f"off by up to {(answer - right).abs().max():.3g}: features i and i + head_dim/2 turn by position · ω_i"
        )
    return "your turn equals rotary.rotate(…, layout='half'), batched and at any positions"


@exercise
def falling(bound: Callable[[int], object], witness: Callable[[int, int], object]) -> str:
    """Check the largest weight on the key k back under a never rising bias, and a bias that comes near it.

    `bound(k)` is the number; `witness(k, n)` gives the biases of the keys 0, 1, …, n−1 steps back, none larger than
    the one before it.
    """
    function(bound, "bound(k)")
    function(given(witness), "witness(k, n)")
    for k in (3, 0, 1, 7):
        most = number(bound(k), name=f"bound({k})")
        if abs(most - 1 / (k + 1)) > 1e-6:
            if k and abs(most - 1 / k) < 1e-6:
                raise CheckFailed(
                    f"bound({k}): the keys 0, 1, …, {k} steps back are {k + 1}, the query itself included"
                )
            raise CheckFailed(
                f"bound({k}) is not {most:g}: which keys have at least as much weight as the one {k} back?"
            )
        n = k + 9
        row = witness(k, n)
        row = row.clamp(min=-1e4) if isinstance(row, Tensor) else row  # −∞, as in a mask, is allowed
        row = array(row, (n,), name=f"witness({k}, {n})")
        rounding = 1e-6 * torch.maximum(row[1:].abs(), row[:-1].abs())
        rises = (row.diff() > rounding).nonzero()
        if len(rises):
            j = int(rises[0])
            raise CheckFailed(
                f"witness({k}, {n}) rises from {row[j]:.3g} to {row[j + 1]:.3g} at {j + 1} back: that is not allowed"
            )
        weight = row.softmax(-1)[k].item()
        if weight < most - 1e-3:
            tail = "keys further back take weight away" if row[k + 1 :].max() > row[k] - 6 else "nearer keys have more"
            raise CheckFailed(
                f"witness({k}, {n}) gives {weight:.4f} to the key {k} back, {most:.4f} is possible: {tail}"
            )
    return "proved: at most 1/(k+1), and a bias that is flat to k and then falls off a cliff comes as near as you like"
