"""The checks of lesson 06's exercises: four numbers by head, a better reader of sums, and concatenating as adding."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from pe_helpers import sinusoidal
from pe_helpers.checks.answers import CheckFailed, array, close, diagnose, exercise, function, numbers

BY_HEAD = {  # question: (answer, {a wrong answer: what it means}, a hint for all others)
    "distance by which position 3 moves a word, d_model=128": (
        8.0,
        {
            math.sqrt(128): "each pair has length 1, and there are 64 pairs, not 128",
            64.0: "that is the squared length of the code",
            3.0: "the distance does not depend on the position: all codes have one length",
        },
        "it is the length of any code: √(d_model/2)",
    ),
    "weights of a layer, times as many when its width doubles": (
        4.0,
        {
            2.0: "each matrix doubles in rows and in columns",
            8.0: "a matrix has two sides, not three",
            1.0: "the layer reads vectors of that width, so it grows with it",
        },
        "each matrix is width × width, or 4 · width × width",
    ),
    "length of what the codes leave in king - man + woman - queen, all at position 9": (
        0.0,
        {
            32**0.5: "that is one code's length at d_model = 64; how often is the code added, how often taken away?",
            5.60: "that is the remainder for positions 1, 5, 9 and 13",
        },
        "the same code is added twice and taken away twice",
    ),
    "vectors to learn if each pair of 1000 words and 128 positions had one of its own": (
        128_000.0,
        {
            1128.0: "that is what adding needs: one vector a word and one a position",
            1000.0: "each word would need one vector for every position it can stand at",
        },
        "each of the 1000 words at each of the 128 positions",
    ),
}
WIDTH = 16
WORDS = 1000
POSITIONS = 128


@exercise
def by_head(answers: Mapping[str, float]) -> str:
    """Check four numbers that need no run, each within one per cent."""
    numbers(answers, BY_HEAD)
    return "all four right: codes have one length, matrices two sides, equal codes cancel, and adding shares vectors"


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
    answer = array(read(sums, words, codes), (500,), name="the words' numbers").round().long()
    share = (answer == truth).double().mean().item()
    if share >= 0.99:
        return f"{share:.1%} of the words are found at d_model = {WIDTH}, and nobody told you the positions"
    lengths = (words**2).sum(-1) / 2
    for guess, diagnosis in (
        ((sums @ words.T).argmax(-1), "a plain dot product prefers long words: take half of each squared length away"),
        ((sums @ words.T - lengths).argmax(-1), "this is the lesson's reader; what do all the codes have in common?"),
        (places, "these are the positions: the words are asked for"),
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
def absorb(moved: Callable[[Tensor, Tensor, Tensor], object]) -> str:
    """Check `moved(codes, w_x, w_p)` with (x + moved) w_x = x w_x + codes w_p, for any words x."""
    function(moved, "moved(codes, w_x, w_p)")
    generator = torch.Generator().manual_seed(61)
    for d_model, width in ((4, 4), (8, 8)):
        w_x, w_p = torch.randn(2, d_model, width, generator=generator, dtype=torch.float64)
        codes = sinusoidal.table(10, d_model, dtype=torch.float64)
        answer = array(moved(codes, w_x, w_p), (10, d_model), name="the moved codes")
        inverse = w_x.inverse()
        wanted = codes @ w_p
        if close(answer @ w_x, wanted):
            continue
        mistakes = (
            (codes, "these are the codes themselves, so w_x would act on them where w_p should"),
            (codes @ w_p, "the sum still passes through w_x afterwards: undo it first"),
            (codes @ w_p @ w_x, "w_x acts once too often: you need its inverse"),
            (codes @ inverse @ w_p, "the order is wrong: after the sum comes w_x, so its inverse must come last"),
            (codes @ w_x @ w_p.inverse(), "the roles are exchanged: w_x is to be undone, w_p to be done"),
            (codes @ w_p.T @ inverse.T, "the matrices are transposed: here rows are multiplied from the right"),
        )
        diagnose(answer, mistakes)
        raise CheckFailed(
            f"moved @ w_x misses codes @ w_p by up to {(answer @ w_x - wanted).abs().max():.3g}; solve for moved"
        )
    return "adding the moved codes does what concatenating would: p W_p W_x⁻¹, whenever W_x can be undone"
