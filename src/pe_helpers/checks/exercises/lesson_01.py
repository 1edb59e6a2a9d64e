"""The checks of lesson 01's exercises: what a bag can tell, attention in a window, a code, and a proof."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from pe_helpers.checks.answers import CheckFailed, array, close, diagnose, exercise, function, given, number, result

SYMBOLS = "abcdefghijklmnop"
RECORDED = 0.148  # the mean of eight models without a code, data/naive_codes.json
NUM_POSITIONS, WIDTH, APART = 64, 6, 0.9


def most(symbols: Sequence[str]) -> int:
    """Return how often the most frequent symbol occurs."""
    return max(Counter(symbols).values())


def others(symbols: list[str], place: int) -> list[str]:
    """Return all symbols but the one at `place`."""
    return symbols[:place] + symbols[place + 1 :]


GUESSES = (  # what a reader may have computed, and what is wrong with it
    (lambda s, p: 1.0, "you look three back: this reader knows no order"),
    (lambda s, p: s[p - 3] == s[p], "you look three back: this reader knows no order"),
    (lambda s, p: most(s) / len(s), "the asking token counts itself: three back is one of the *other* tokens"),
    (lambda s, p: most(others(s, p)) / len(s), "the asking token is not among the candidates: how many are left?"),
    (lambda s, p: most(s) / (len(s) - 1), "the asking token counts itself: leave it out of the bag"),
    (
        lambda s, p: most(s[:p]) / p,
        "the reader does not know which tokens come before: without order there is no before",
    ),
    (lambda s, p: 1 / len(set(others(s, p))), "not all symbols are equally likely: some occur more often"),
    (lambda s, p: 1 / 16, "1/16 is a guess without looking at the bag"),
    (
        lambda s, p: others(s, p).count(s[p]) / (len(s) - 1),
        "the best guess is the most frequent of the others, not the asking token's own symbol",
    ),
    (lambda s, p: most(others(s, p)), "that is how often the symbol occurs: divide by the number of candidates"),
)


@exercise
def best_guess(chance: Callable[[list[str], int], float]) -> str:
    """Check `chance(symbols, place)`: how likely the best guess at *3 back* is right for a reader of the bag."""
    function(chance, "best_guess(symbols, place)")
    draw = random.Random(0)
    texts = [([draw.choice(SYMBOLS) for _ in range(32)], draw.randrange(3, 32)) for _ in range(400)]
    answers = []
    for symbols, place in texts:
        answer = result(chance(list(symbols), place))
        if isinstance(answer, str):
            raise CheckFailed(f"a probability is asked for, not the symbol, got {answer!r:.20}")
        answers.append(number(answer, name="the probability"))
    right = [most(others(*text)) / 31 for text in texts]
    if close(array(answers), array(right)):
        best = sum(right) / len(right)
        return f"a perfect reader of bags gets {best:.3f}; the eight models without a code got {RECORDED}"
    diagnose(array(answers), [(array([wrong(*text) for text in texts]), why) for wrong, why in GUESSES])
    if len(set(answers)) == 1:
        raise CheckFailed(f"you answer {answers[0]:.3f} for every text: count what occurs in `symbols`")
    (symbols, place), answer = texts[0], answers[0]
    raise CheckFailed(
        f"symbols {''.join(symbols)}, place {place}: got {answer:.3f}; "
        "which of the others is the best guess, and how often does it occur?"
    )


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
def design(code: Callable[[int], Sequence[float]]) -> str:
    """Check `code(p)`: six numbers for each of 64 positions, with equal steps and no two codes nearly the same."""
    function(code, "my_code(p)")
    rows = [array(result(code(p)), name=f"my_code({p})") for p in range(NUM_POSITIONS)]
    for p, row in enumerate(rows):
        if row.shape != (WIDTH,):
            raise CheckFailed(f"my_code({p}) must be a list of {WIDTH} numbers, got shape {tuple(row.shape)}")
        if row.abs().max() > 1 + 1e-9:
            raise CheckFailed(f"my_code({p}) must stay between −1 and 1, got {row.abs().max():.3g}")
    codes = torch.stack(rows)
    gaps = torch.cdist(codes, codes, compute_mode="donot_use_mm_for_euclid_dist")
    gaps.fill_diagonal_(math.inf)
    here, there = divmod(int(gaps.argmin()), NUM_POSITIONS)
    steps = gaps.diagonal(1)
    binary = torch.tensor([[p >> i & 1 for i in range(WIDTH)] for p in range(NUM_POSITIONS)])
    if any(
        close(codes, 1.0 * (scale * binary + shift).flip(turn))
        for scale, shift in ((1, 0), (2, -1))
        for turn in ((), (1,))
    ):
        raise CheckFailed(
            f"these are binary digits: from 0 to 1 the step is {steps[0]:.2f} long, from 31 to 32 {steps[31]:.2f}. "
            "Change one digit at a time"
        )
    if gaps[here, there] < 1e-6:
        raise CheckFailed(f"positions {here} and {there} have the same code")
    if gaps[here, there] < APART:
        quiet = "all your steps are this quiet: use more of the six numbers" if steps.max() < APART else ""
        raise CheckFailed(
            f"positions {here} and {there} are only {gaps[here, there]:.3f} apart, {APART} are asked for"
            + (f"; {quiet}" if quiet else "")
        )
    if steps.max() - steps.min() > 1e-6:
        worst = int(steps.argmax())
        raise CheckFailed(
            f"steps must be equally long: from {int(steps.argmin())} it is {steps.min():.3f}, "
            f"from {worst} to {worst + 1} it is {steps.max():.3f}"
        )
    done = f"every step is {steps[0]:.3f} long, and no two of 64 codes are closer than {gaps.min():.3f}"
    if len(codes.unique()) > 2:
        done += "; your numbers are no digits, so compare your code with the one that lesson 02 finds"
    return done


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
