"""The checks of lesson 05 that need lists alone: seeds in pairs, and how to make a loser win."""

import itertools
import math

from clockwork.kit.checks.plain import CheckFailed, close, floats, function, mapping, result
from clockwork.lessons.lesson_05.recorded import FRESH

SURE = 0.01
ROUNDING = 1e-6  # of recorded accuracies, which have four decimals


def paired(attempt: "Callable[[list[float], list[float]], float]") -> str:
    """Check an exact paired permutation test: in each pair the two names may be swapped."""
    function(attempt, "paired_p(a, b)")
    ahead = ([0.5, 0.75, 0.25, 1.0], [0.25, 0.25, 0.0, 0.5])
    mixed = ([0.9, 0.5, 0.7, 0.8, 0.6], [0.85, 0.6, 0.4, 0.75, 0.55])
    first = floats(result(attempt(*ahead)), (), name="paired_p of four pairs, a ahead in each")
    if _same(first, 1 / 16):
        raise CheckFailed("you count one direction only: the mirror image, with all four swapped, differs as much")
    if first == 0:
        raise CheckFailed("the pairs as they are count as well: at least as large (≥), not larger (>)")
    if _same(first, split_p(*ahead)):
        raise CheckFailed(
            "this goes through all splits into two groups. A pair has to stay a pair: only the names inside it may swap"
        )
    if _same(first, 2 / math.factorial(4)):
        raise CheckFailed("you try all orders (4! = 24). Each pair is swapped or not: 2 · 2 · 2 · 2 ways")
    for a, b in (ahead, (ahead[1], ahead[0]), mixed, ([0.5, 0.5], [0.5, 0.5]), ([0.3, 0.2, 0.1], [0.1, 0.2, 0.3])):
        found = floats(result(attempt(a, b)), (), name="paired_p")
        true = swap_p(a, b)
        if _same(found, abs(sum(a) - sum(b)) / len(a)) and not _same(found, true):
            raise CheckFailed("this is the mean difference. In how many of the 2ⁿ swaps is it at least as large?")
        if not _same(found, true):
            raise CheckFailed(
                f"for {a} and {b} it is {true:.4f}, yours is {found:.4f}: go through all {2 ** len(a)} "
                "ways to swap names inside the pairs, and allow for rounding when you compare (≥ … − 1e-9)"
            )
    ahead = swap_p(fresh("sinusoid", 0.01, 1.0), fresh("learned", 0.01, 1.0))
    split = split_p(fresh("sinusoid", 0.01, 1.0), fresh("learned", 0.01, 1.0))
    return (
        "exact. Who came first, factor 1 against std 1, both at learning rate 0.01: in pairs p = "
        f"{ahead:.3f}, by all splits {split:.3f}. Sharing their data hardly made these pairs "
        f"alike. And eight pairs can never say less than 2/2⁸ = {2 / 2**8:.3f}"
    )


def _same(here: float, there: float) -> bool:
    return close([here], [there])


def swap_p(a: list[float], b: list[float]) -> float:
    """Return the share of all ways to swap names inside pairs whose summed difference is at least as large."""
    differences = [x - y for x, y in zip(a, b)]
    seen = abs(sum(differences))
    ways = list(itertools.product((1, -1), repeat=len(differences)))
    return sum(abs(sum([s * d for s, d in zip(signs, differences)])) > seen - ROUNDING for signs in ways) / len(ways)


def split_p(a: list[float], b: list[float]) -> float:
    """Return the share of all splits of a and b together whose means differ at least as much as those of a and b."""
    both = a + b
    whole = sum(both)

    def gap(left: float) -> float:
        return abs(left / len(a) - (whole - left) / len(b))

    least = gap(sum(a)) - ROUNDING
    splits = list(itertools.combinations(both, len(a)))
    return sum(gap(sum(chosen)) > least for chosen in splits) / len(splits)


def unfair(attempt: object) -> str:
    """Check settings at which the learned table beats the sinusoid on *who came first?*, from the recorded runs."""
    attempt = mapping(attempt, ("learning_rate", "sinusoid", "learned"))
    if isinstance(attempt["learning_rate"], (list, tuple, dict)):
        raise CheckFailed(
            f"learning_rate is {attempt['learning_rate']!r}, one for each side. That would be the whole trick: the "
            "referee asks for the *same* rate. Give one number, and look for what else there is to set"
        )
    rate = attempt["learning_rate"]
    sinusoid = fresh("sinusoid", rate, attempt["sinusoid"])
    learned = fresh("learned", rate, attempt["learned"])
    p = split_p(sinusoid, learned)
    means = [sum(scores) / len(scores) for scores in (sinusoid, learned)]
    told = f"sinusoid {means[0]:.2f}, learned {means[1]:.2f}, p = {p:.4f}"
    if means[0] >= means[1]:
        raise CheckFailed(f"{told}: the sinusoid is still ahead. On the map, where is it dark for the sinusoid alone?")
    if means[1] < 0.7:
        raise CheckFailed(
            f"{told}: nobody is impressed by {means[1]:.2f}. Give the learned table settings that suit it"
        )
    if p > SURE:
        raise CheckFailed(f"{told}: the learned table is ahead, but p is above {SURE}. Look for a larger gap")
    return f"{told}. Every number is true, both sides have the same learning rate, and the verdict is upside down"


def fresh(scheme: str, learning_rate: object, scale: object) -> list[float]:
    """Return the recorded accuracies of the eight fresh seeds.

    Raises:
        CheckFailed: nothing was recorded there.
    """
    for value in (learning_rate, scale):
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise CheckFailed(f"settings are single numbers from the map, got {value!r}")
    for name, rate, at, accuracies in FRESH:
        if name == scheme and rate == learning_rate and at == scale:
            return accuracies
    raise CheckFailed(f"the map has no tile for {scheme} at {scale} and learning rate {learning_rate}")
