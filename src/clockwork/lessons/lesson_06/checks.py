"""The checks of lesson 06's exercises: numbers that can be added and read, a better reader, one matrix for two maps."""

from __future__ import annotations

import re
from collections.abc import Callable

import torch
from torch import Tensor

from clockwork.kit.checks.exercises import CheckFailed, array, close, exercise, function, result
from clockwork.lessons.lesson_06 import plain_checks
from pe_helpers import sinusoidal

WIDTH = 16
WORDS = 1000
POSITIONS = 128
WIDE = 512  # of the words and codes that one matrix maps
SHORT = 32  # positions that it serves
WORDS_OFF = 0.25  # how far off the words may be, as a share of their length
CODES_OFF = 0.05

one_number = exercise(plain_checks.one_number)


@exercise
def reader(read: Callable[[Tensor, Tensor, Tensor], object]) -> str:
    """Check `read(sums, words, codes)`: which word is in each sum, of 1000, at d_model = 16, at least 99 % right."""
    function(read, "read(sums, words, codes)")
    generator = torch.Generator().manual_seed(60)
    words = torch.randn(WORDS, WIDTH, generator=generator)
    codes = sinusoidal.table(POSITIONS, WIDTH)
    truth = torch.randint(WORDS, (500,), generator=generator)
    places = torch.randint(POSITIONS, (500,), generator=generator)
    sums = words[truth] + codes[places]
    answer = array(result(read(sums, words, codes)), (500,), name="the words' numbers").round().long()
    share = (answer == truth).double().mean().item()
    if share >= 0.99:
        return f"{share:.1%} of the words are found at d_model = {WIDTH}, and nobody told you the positions"
    lengths = (words**2).sum(-1) / 2
    nearest = (sums @ words.T - lengths).argmax(-1)
    place = torch.cdist(sums - words[nearest], codes).argmin(-1)
    pairs = truth * POSITIONS + places
    for guess, diagnosis in (
        ((sums @ words.T).argmax(-1), "a plain dot product prefers long words: take half of each squared length away"),
        (nearest, "this is the lesson's reader; what do all the codes have in common?"),
        (places, "these are the positions: the words are asked for"),
        (pairs, f"these are numbers of pairs, {POSITIONS} to a word: which word is pair 300?"),
        (
            ((sums - codes[place]) @ words.T - lengths).argmax(-1),
            "you found the word, took its position away and looked again: a word that was wrong at first stays wrong",
        ),
        ((sums @ torch.nn.functional.normalize(words).T).argmax(-1), "a cosine ignores the words' lengths"),
        ((sums @ words.T - lengths).argmin(-1), "you take the worst match, not the best"),
        (
            ((sums - codes.mean(0)) @ words.T).argmax(-1),
            "the mean is gone, but a plain dot product prefers long words: half of each squared length goes too",
        ),
    ):
        if (answer == guess).double().mean() > 0.98:
            raise CheckFailed(f"{share:.1%} are right, 99 % are asked for: {diagnosis}")
    raise CheckFailed(f"{share:.1%} are right, 99 % are asked for: which word and position lie nearest to the sum?")


@exercise
def two_in_one(build: Callable[[Tensor, Tensor, Tensor], object]) -> str:
    """Check `build(codes, w_x, w_p)`: one matrix that takes codes where w_p does, and words nearly where w_x does."""
    function(build, "build(codes, w_x, w_p)")
    generator = torch.Generator().manual_seed(62)
    codes = sinusoidal.table(SHORT, WIDE, dtype=torch.float64)
    w_x, w_p = torch.randn(2, WIDE, 64, generator=generator, dtype=torch.float64) / WIDE**0.5
    words = torch.randn(WORDS, WIDE, generator=generator, dtype=torch.float64)
    try:
        attempt = result(build(codes, w_x, w_p))
    except RuntimeError as error:  # torch names shapes in these
        square = re.search(rf"\((\d+)x\1 and {WIDE}x64\)", str(error))
        if square:
            side = square[1]
            raise CheckFailed(
                f"P is {side} by {side} and must be {WIDE} by {WIDE}: V = Vh[:12] is 12 rows, and P = V.T @ V"
            ) from error
        raise CheckFailed(f"{error}; vectors are rows here, so codes @ w_p maps them") from error
    matrix = array(attempt, (WIDE, 64), name="the matrix")
    codes_off = ((codes @ matrix - codes @ w_p).norm() / (codes @ w_p).norm()).item()
    words_off = ((words @ matrix - words @ w_x).norm() / (words @ w_x).norm()).item()
    if codes_off <= CODES_OFF and words_off <= WORDS_OFF:
        return (
            f"one matrix, two maps: the codes are off by {codes_off:.1%}, words by {words_off:.1%}. Side by side, for "
            "the price of a sum, because the codes leave most directions to the words"
        )
    for wrong, diagnosis in mistakes(codes, w_x, w_p):
        if close(matrix, wrong, 1e-6):
            raise CheckFailed(diagnosis)
    found = f"codes are off by {codes_off:.1%} ({CODES_OFF:.0%} allowed), words by {words_off:.1%} ({WORDS_OFF:.0%})"
    if codes_off <= CODES_OFF:
        raise CheckFailed(f"{found}: you change more directions than the codes need; how many hold 99.9 % of them?")
    if words_off <= WORDS_OFF:
        raise CheckFailed(f"{found}: the words are safe, but in the codes' directions the matrix is not yet w_p")
    raise CheckFailed(f"{found}: use w_p in the directions of the codes, and w_x in all others")


def mistakes(codes: Tensor, w_x: Tensor, w_p: Tensor) -> list[tuple[Tensor, str]]:
    """Return the usual wrong matrices, each with its diagnosis."""
    directions = torch.linalg.svd(codes, full_matrices=False).Vh
    inside = directions[:12].T @ directions[:12]
    too_few = [
        (w_x + directions[:few].T @ directions[:few] @ (w_p - w_x), f"{few} of the codes' directions are too few")
        for few in range(1, 12)
    ]
    return [
        *too_few,
        (
            w_x + codes.T @ codes @ (w_p - w_x),
            "codes.T @ codes is no projection: P = V.T @ V needs orthonormal rows, those of Vh from the SVD",
        ),
        (w_x, "this is w_x, so the codes go through it as well"),
        (w_p, "this is w_p, so the words go through it as well"),
        (w_x + w_p, "w_x + w_p: words and codes both get both maps"),
        ((w_x + w_p) / 2, "the mean of the two maps serves neither"),
        (w_x - inside @ w_x, "the codes' directions are wiped, so the codes give 0: now put w_p there"),
        (w_x + inside @ w_p, "in the codes' directions w_x is still at work beside w_p: take it out there first"),
        (w_p - inside @ w_p + inside @ w_x, "the roles are exchanged: the codes' directions get w_p, all others w_x"),
    ]
