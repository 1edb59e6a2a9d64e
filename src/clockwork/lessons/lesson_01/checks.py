"""The checks of lesson 01's exercises: what a bag can tell, attention in a window, a code, and a proof."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from clockwork.kit.checks.exercises import CheckFailed, array, close, diagnose, exercise, function, given, result
from clockwork.lessons.lesson_01 import plain_checks

best_guess = exercise(plain_checks.best_guess)
design = exercise(plain_checks.design)
KINDS = ("equivariant", "invariant", "neither")


@exercise
def window(attention: Callable[..., Tensor]) -> str:
    """Check causal attention to the last `width` tokens, `attention(x, w_q, w_k, w_v, width)`."""
    function(attention, "window_attention(x, w_q, w_k, w_v, width)")
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(6, 6, generator=generator, dtype=torch.float64)
    w_q, w_k, w_v = torch.randn(3, 6, 4, generator=generator, dtype=torch.float64)
    raw = x @ w_q @ (x @ w_k).T
    scores = raw / math.sqrt(4)
    values = x @ w_v
    for width in (3, 1, 6):
        attempt = given(result(attention(x.clone(), w_q, w_k, w_v, width)))
        case = f"width {width}"
        if isinstance(attempt, Tensor) and attempt.shape == (6, 4) and attempt.isnan().any():
            row = int(attempt.isnan().any(1).nonzero()[0])
            raise CheckFailed(f"{case}: row {row} is NaN, so this token sees nothing: it must at least see itself")
        output = array(attempt, (6, 4), name=f"{case}: the output")
        seen = band(6, width)
        past = band(6, 6)
        mistakes = (
            (softmax(scores, past), "each token still sees all that came before it: where does the window end?"),
            (softmax(scores, past.T), "each token sees those after it, not before"),
            (softmax(scores, seen.T), "each token sees those after it, not before"),
            (softmax(scores, seen | seen.T), "each token also sees tokens after it: the mask must hide those, too"),
            (softmax(scores, past | True), "each token sees all tokens: where is the mask?"),
            (
                softmax(scores, seen | ~past),
                "what is too far back is hidden, but each token still sees those after it",
            ),
            (softmax(scores, ~seen), "the mask is inverted: you hide the window and show the rest"),
            (softmax(scores, band(6, width + 1)), "the window is one token too wide: the token itself counts as one"),
            (softmax(scores, band(6, width - 1)), "the window is one token too narrow: the token itself counts as one"),
            (
                scores.softmax(-1) * seen,
                "a row of weights must sum to 1: mask the scores before the softmax, not after",
            ),
            ((scores * seen).softmax(-1), "a score of 0 is not a weight of 0: a hidden score must be −∞"),
            (softmax(raw, seen), "the scores must be divided by the root of the queries' width"),
            (
                softmax(raw / math.sqrt(6), seen),
                "you divide by the root of the width of x: take that of the queries, q.shape[-1]",
            ),
        )
        right = softmax(scores, seen) @ values
        if not close(output, right):
            diagnose(output, [(weights @ values, text) for weights, text in mistakes], case=case)
            off = (output - right).abs().amax(-1)
            raise CheckFailed(
                f"{case}: row {int(off.argmax())} is off by {off.max():.3f}: which tokens does it average?"
            )
    return "each token averages itself and the tokens just before it, and with width = seq_len it is a causal mask"


def band(count: int, width: int) -> Tensor:
    """Return which tokens (columns) each token (rows) sees: itself and the `width` − 1 before it."""
    behind = torch.arange(count)[:, None] - torch.arange(count)
    return (behind >= 0) & (behind < width)


def softmax(scores: Tensor, seen: Tensor) -> Tensor:
    """Return the weights of the tokens seen."""
    return scores.masked_fill(~seen, -math.inf).softmax(-1).nan_to_num()


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
    try:
        attempt = given(shuffled(P, scores, weights, values))
    except RuntimeError as error:
        raise CheckFailed(
            "two of your matrices do not fit: scores, weights and P are (tokens, tokens), values are "
            f"(tokens, numbers), so only P @ values is possible, on the left ({error})"
        ) from error
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
    return "the three lines of the proof: P S Pᵀ, P A Pᵀ, and since Pᵀ P = I the output is P times the old output"


def _attend(x: Tensor) -> Tensor:
    return (x @ x.T / 2).softmax(-1) @ x


def _attend_before(x: Tensor) -> Tensor:
    hidden = torch.ones(len(x), len(x)).tril() == 0
    return (x @ x.T / 2).masked_fill(hidden, -torch.inf).softmax(-1) @ x


TOGETHER = (  # what it is called, the function, its kind, and what a wrong answer overlooks
    ("attention", _attend, "equivariant", "its rows move with the words, up to rounding: compare with torch.allclose"),
    ("the mean of the rows", lambda x: x.mean(0), "invariant", "a mean does not know the order of its terms"),
    ("each column sorted", lambda x: x.sort(0).values, "invariant", "its output has rows too, and they stay: see f(x)"),
    ("twice the rows", lambda x: 2 * x, "equivariant", "its rows move along: compare f(x[order]) with f(x)[order]"),
    ("the first row", lambda x: x[0], "neither", "after a shuffle another row is the first"),
    (
        "the first row and the second, added",
        lambda x: x[0] + x[1],
        "neither",
        "exchanging these two changes nothing, but other orders do: try several random ones",
    ),
    (
        "each row and its mirror image, added",
        lambda x: x + x.flip(0),
        "neither",
        "a reversal changes nothing, but other orders do: try several random ones",
    ),
    (
        "each row and the one before it, in a circle",
        lambda x: x + x.roll(1, 0),
        "neither",
        "its rows follow a rotation, but no other order: try several random ones",
    ),
    ("causal attention", _attend_before, "neither", "each row sees other words after the shuffle"),
)


@exercise
def kind(attempt: Callable[[Callable[[Tensor], Tensor], Tensor], str]) -> str:
    """Check `kind(f, x)`, which finds out by shuffles what a function of token rows does with their order."""
    function(attempt, "kind(f, x)")
    x = torch.randn(6, 8, generator=torch.Generator().manual_seed(4), dtype=torch.float64)
    for name, f, right, overlooked in TOGETHER:
        try:
            answer = given(result(attempt(f, x.clone())))
        except RuntimeError as error:
            raise CheckFailed(
                f"{name}: your test ends in an error. f(x) may have other rows than x, or none: compare the shapes "
                f"before you compare rows, and test for invariant first ({error})"
            ) from error
        if answer not in KINDS:
            raise CheckFailed(f"kind(f, x) must be one of {', '.join(map(repr, KINDS))}, got {answer!r:.40}")
        if answer != right:
            raise CheckFailed(f"{name}: you say {answer}, it is {right}: {overlooked}")
    return f"all {len(TOGETHER)} functions are told apart, also those that a single shuffle can be fooled by"
