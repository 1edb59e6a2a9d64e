"""The checks of lesson 01's exercises: who sees order, attention with a mask, and the proof of equivariance."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from pe_helpers.checks.answers import CheckFailed, array, close, diagnose, exercise, function, given, mapping

MOVES = {  # reader: (does its output move when all tokens but the last are shuffled, why)
    "no mask, 1 layer, mean of all outputs": (
        False,
        "without a mask each output is a sum over all keys, and the mean is one more sum: no sum reads an order",
    ),
    "no mask, 6 layers, mean of all outputs": (
        False,
        "depth does not help: equivariant after equivariant is equivariant, and the mean forgets the rest",
    ),
    "causal mask, 1 layer, last output": (
        False,
        "the last token sees all the others, each as it came in: one layer still averages the bag of its prefix",
    ),
    "causal mask, 2 layers, last output": (
        True,
        "in layer 1 each token has averaged its own prefix, so layer 2 averages things that depend on order",
    ),
    "causal mask, 1 layer, mean of all outputs": (
        True,
        "the outputs before the last are averages of shorter prefixes, and a shuffle changes who stands in them",
    ),
}


@exercise
def moves(answers: Mapping[str, bool]) -> str:
    """Check which readers' outputs move, given as True or False for each."""
    mapping(answers, MOVES)
    for reader, (right, why) in MOVES.items():
        if answers[reader] not in (True, False):
            raise CheckFailed(f"{reader!r} must be True or False, got {answers[reader]!r:.40}")
        if bool(answers[reader]) != right:
            raise CheckFailed(f"{reader!r}: look again; {why}")
    return "all five right: a sum over a bag moves only if something in the bag has moved"


@exercise
def causal(attention: Callable[..., Tensor]) -> str:
    """Check attention with a causal mask, `attention(x, w_q, w_k, w_v)` on `x` `(seq_len, d_model)`."""
    function(attention, "causal_attention(x, w_q, w_k, w_v)")
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(5, 6, generator=generator, dtype=torch.float64)
    w_q, w_k, w_v = torch.randn(3, 6, 4, generator=generator, dtype=torch.float64)
    attempt = given(attention(x, w_q, w_k, w_v))
    scores = x @ w_q @ (x @ w_k).T / math.sqrt(4)
    values = x @ w_v
    before = torch.ones(5, 5, dtype=torch.bool).tril()
    if isinstance(attempt, Tensor) and tuple(attempt.shape) == (5, 4) and attempt[0].isnan().all():
        raise CheckFailed("row 0 is NaN: a token must see itself, or the first one has nothing to average")
    if isinstance(attempt, Tensor) and tuple(attempt.shape) == (5, 4) and attempt[-1].isnan().all():
        raise CheckFailed("the last row is NaN: your mask hides what a token may see; hide the others")
    output = array(attempt, (5, 4), name="the output")
    mistakes = (
        (scores.softmax(-1), "each token still sees those after it: where is the mask?"),
        (
            scores.masked_fill(before.T.logical_not(), -math.inf).softmax(-1),
            "each token sees those after it, not before",
        ),
        (
            scores.softmax(-1) * before,
            "a row of weights must sum to 1: mask the scores before the softmax, not after it",
        ),
        (
            (scores * before).softmax(-1),
            "a score of 0 is not a weight of 0: a hidden score must be −∞ before the softmax",
        ),
        (
            (x @ w_q @ (x @ w_k).T).masked_fill(~before, -math.inf).softmax(-1),
            "the scores must be divided by the root of the queries' width",
        ),
        (
            (scores * math.sqrt(4 / 6)).masked_fill(~before, -math.inf).softmax(-1),
            "you divide by the root of the width of x: take that of the queries, q.shape[-1]",
        ),
    )
    diagnose(output, [(weights @ values, diagnosis) for weights, diagnosis in mistakes])
    right = scores.masked_fill(~before, -math.inf).softmax(-1) @ values
    if not close(output, right):
        off = (output - right).abs().amax(-1)
        row = int(off.argmax())
        raise CheckFailed(f"row {row} must average the values of tokens 0…{row} only, off by {off.max():.3f}")
    return "each token sees itself and what came before it, and its weights sum to 1"


@exercise
def equivariance(shuffled: Callable[..., tuple]) -> str:
    """Check the three lines of the proof, `shuffled(P, scores, weights, values)` with a permutation matrix `P`."""
    function(shuffled, "when_shuffled(P, scores, weights, values)")
    generator = torch.Generator().manual_seed(2)
    x = torch.randn(5, 6, generator=generator, dtype=torch.float64)
    w_q, w_k, w_v = torch.randn(3, 6, 6, generator=generator, dtype=torch.float64)
    P = torch.eye(5, dtype=torch.float64)[[2, 0, 3, 4, 1]]  # no permutation that is its own inverse

    def stages(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        scores = x @ w_q @ (x @ w_k).T
        return scores, scores.softmax(-1), x @ w_v

    scores, weights, values = stages(x)
    attempt = given(shuffled(P, scores, weights, values))
    if not isinstance(attempt, tuple) or len(attempt) != 3:
        raise CheckFailed(f"return three things (scores, weights, output), got {attempt!r:.40}")
    for part in attempt:
        given(part)
    new_scores, new_weights, new_values = stages(P @ x)
    right = (new_scores, new_weights, new_weights @ new_values)
    shapes = ((5, 5), (5, 5), (5, 6))
    for name, old, part, target, shape in zip(
        ("scores", "weights", "output"), (scores, weights, weights @ values), attempt, right, shapes, strict=True
    ):
        line = array(part, shape, name=f"the {name}")
        if close(line, target):
            continue
        mistakes = (
            (old, "P moves nothing in your line"),
            (P @ old, "only the queries' rows move in your line; the keys are permuted too, and they are the columns"),
            (
                old @ P.T if len(old) == old.shape[-1] else old,
                "only the keys' columns move in your line; the rows do too",
            ),
            (P.T @ old @ P if len(old) == old.shape[-1] else P.T @ old, "P and Pᵀ are exchanged in your line"),
            (P @ weights @ P.T @ values, "the values are permuted too: what is Pᵀ P?"),
        )
        diagnose(line, mistakes, case=name)
        raise CheckFailed(f"{name}: off by {(line - target).abs().max():.3f}; start from (P X W_Q)(P X W_K)ᵀ")
    return "proved: P S Pᵀ, P A Pᵀ, and since Pᵀ P = 1 the output is P times the old output"
