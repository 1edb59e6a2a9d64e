"""Plausible wrong answers to the assignment `capstone`; each docstring is part of the hint that its author must be shown."""

from math import comb

import numpy as np


def _facts(scores, offsets=None, directed=None, favourite=None):
    n = len(scores)
    diagonals = [np.diagonal(scores, k) for k in (range(1 - n, n) if offsets is None else offsets)]
    return {
        "offset_only": bool(max(np.ptp(d) for d in diagonals) < 1e-6),
        "directed": bool(np.abs(scores - scores.T).max() > 1e-6) if directed is None else directed(scores),
        "favourite": int(scores[n // 2].argmax()) - n // 2 if favourite is None else favourite(scores, n // 2),
    }


def score_facts__query_minus_key(scores):
    """Mind the sign"""
    return _facts(scores, favourite=lambda s, i: i - int(s[i].argmax()))


def score_facts__place_for_offset(scores):
    """An offset is key minus query, not the key's place"""
    return _facts(scores, favourite=lambda s, i: int(s[i].argmax()))


def score_facts__neighbours_only(scores):
    """test every offset"""
    return _facts(scores, offsets=(-1, 0, 1))


def score_facts__later_keys_only(scores):
    """look along all diagonals, on both sides"""
    return _facts(scores, offsets=range(len(scores)))


def score_facts__irregular_is_directed(scores):
    """symmetric, however irregular: not directed"""
    facts = _facts(scores)
    return {**facts, "directed": facts["directed"] or not facts["offset_only"]}


def score_facts__direction_of_neighbours(scores):
    """directed asks for all pairs, not for neighbours alone"""
    return _facts(scores, directed=lambda s: bool(np.abs(np.diagonal(s, 1) - np.diagonal(s, -1)).max() > 1e-6))


def _until(runs, holds, stop=True):
    reached = 0
    for length in sorted({run["length"] for run in runs}):
        if holds([run["accuracy"] for run in runs if run["length"] == length]):
            reached = length
        elif stop:
            break
    return reached


def holds_until__mean(runs, floor):
    """every seed must hold, for you may get that seed"""
    return _until(runs, lambda accuracies: np.mean(accuracies) >= floor)


def holds_until__best_seed(runs, floor):
    """every seed must hold, for you may get that seed"""
    return _until(runs, lambda accuracies: max(accuracies) >= floor)


def holds_until__forgets_the_dip(runs, floor):
    """it dips at 32 and recovers at 64"""
    return _until(runs, lambda accuracies: min(accuracies) >= floor, stop=False)


def holds_until__above_the_floor(runs, floor):
    """an accuracy equal to the floor reaches it"""
    return _until(runs, lambda accuracies: min(accuracies) > floor)


def holds_until__in_the_order_of_the_log(runs, floor):
    """go through the lengths from short to long"""
    reached = 0
    for length in dict.fromkeys(run["length"] for run in runs):
        if min(run["accuracy"] for run in runs if run["length"] == length) < floor:
            break
        reached = length
    return reached


def _coins(wins, n):
    return sum(comb(n, k) for k in range(wins, n + 1)) / 2**n


def _gaps(chosen, rival):
    other = {run["seed"]: run["accuracy"] for run in rival}
    return [run["accuracy"] - other[run["seed"]] for run in chosen]


def sign_test__paired_by_place(chosen, rival):
    """pair by seed, not by place"""
    gaps = [a["accuracy"] - b["accuracy"] for a, b in zip(chosen, rival, strict=True)]
    return _coins(sum(gap > 0 for gap in gaps), sum(gap != 0 for gap in gaps))


def sign_test__ties_are_losses(chosen, rival):
    """drop tied seeds from the count of coins as well"""
    gaps = _gaps(chosen, rival)
    return _coins(sum(gap > 0 for gap in gaps), len(gaps))


def sign_test__ties_are_wins(chosen, rival):
    """a tie is neither a win nor a loss"""
    gaps = _gaps(chosen, rival)
    return 1.0 if not any(gaps) else _coins(sum(gap >= 0 for gap in gaps), len(gaps))


def sign_test__two_sided(chosen, rival):
    """that is the two-sided chance"""
    gaps = _gaps(chosen, rival)
    return min(1.0, 2 * _coins(sum(gap > 0 for gap in gaps), sum(gap != 0 for gap in gaps)))


def sign_test__more_wins(chosen, rival):
    """'at least as many', not 'more'"""
    gaps = _gaps(chosen, rival)
    return _coins(sum(gap > 0 for gap in gaps) + 1, sum(gap != 0 for gap in gaps))


def sign_test__exactly_as_many(chosen, rival):
    """without a single win every outcome has at least as many"""
    gaps = _gaps(chosen, rival)
    n = sum(gap != 0 for gap in gaps)
    return comb(n, sum(gap > 0 for gap in gaps)) / 2**n


def _choose(task, candidates, *, budget=True, summary=min, at=max, none=True, measured=True, near=0.01):
    fit = []
    for candidate in candidates:
        upto = [run for run in candidate["runs"] if run["length"] <= task["length"]]
        where = task["length"] if at is max else at(run["length"] for run in upto)
        there = [run["accuracy"] for run in upto if run["length"] == where]
        if not there and not measured:
            there = [run["accuracy"] for run in upto]
        affordable = not budget or candidate["parameters"] <= task["max_parameters"]
        judged = there if at is min else [run["accuracy"] for run in upto]
        if affordable and there and (not none or min(judged) >= task["floor"]):
            fit.append((summary(there), candidate["parameters"], candidate["name"]))
    if not fit:
        return "none" if none else candidates[0]["name"]
    best = max(fit)[0]
    return min(fit, key=lambda entry: (entry[0] < best - near, entry[1] if near else -entry[0]))[2]


def choose__ignores_the_budget(task, candidates):
    """more parameters than the budget allows"""
    return _choose(task, candidates, budget=False)


def choose__best_mean(task, candidates):
    """better mean, but its worst seed is lower"""
    return _choose(task, candidates, summary=np.mean)


def choose__at_the_trained_length(task, candidates):
    """but the task is longer: judge it there"""
    return _choose(task, candidates, at=min)


def choose__always_somebody(task, candidates):
    """saying 'none' is an answer too"""
    return _choose(task, candidates, none=False)


def choose__trusts_the_unmeasured(task, candidates):
    """no evidence is not good evidence"""
    return _choose(task, candidates, measured=False)


def choose__no_near_ties(task, candidates):
    """they count as equal and the fewest parameters win"""
    return _choose(task, candidates, near=0)
