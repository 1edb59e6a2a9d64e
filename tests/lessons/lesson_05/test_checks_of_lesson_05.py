"""The checks of lesson 05's exercises: a blank is greeted, the solution passes, each usual mistake is named."""

import itertools
import math

import pytest
import torch
from tests.lessons.exercise_claims import claims, stubs_and_solutions

from clockwork.kit import sweep
from clockwork.lessons.lesson_05 import checks, plain_checks


def find_length(table, std, room=2.0):
    limit = room * std * math.sqrt(table.shape[1])
    return max(place for place, row in enumerate(table.tolist(), start=1) if math.hypot(*row) > limit)


def count_of_long_rows(table, std):
    return sum(math.hypot(*row) > 2 * std * math.sqrt(table.shape[1]) for row in table.tolist())


def biggest_jump(table, std):
    size = table.norm(dim=1)
    return int((size[:-1] - size[1:]).argmax()) + 1


def paired_p(a, b, sides=2, least=True):
    """By swapping the names pair by pair, and comparing means."""
    seen = sum(a) / len(a) - sum(b) / len(b)
    hits = 0
    for swapped in itertools.product((False, True), repeat=len(a)):
        first = [y if swap else x for x, y, swap in zip(a, b, swapped, strict=True)]
        second = [x if swap else y for x, y, swap in zip(a, b, swapped, strict=True)]
        gap = sum(first) / len(a) - sum(second) / len(a)
        if sides == 2:
            gap, wanted = abs(gap), abs(seen)
        else:
            wanted = seen
        hits += gap >= wanted - 1e-9 if least else gap > wanted + 1e-9
    return hits / 2 ** len(a)


def all_orders(a, b):
    return 2 / math.factorial(len(a))


def settings(rate, sinusoid, learned):
    return {"learning_rate": rate, "sinusoid": sinusoid, "learned": learned}


test_a_blank_is_greeted, test_a_right_answer_passes, test_a_wrong_answer_is_diagnosed = claims(
    right=[
        (checks.find_length, find_length),
        (checks.find_length, lambda table, std: find_length(table, std, room=1.7)),
        (checks.paired, paired_p),
        (checks.unfair, settings(0.01, 0.1, 1.0)),
        (checks.unfair, settings(0.02, 0.3, 1)),
        (checks.unfair, settings(0.005, 0.1, 0.3)),
    ],
    wrong=[
        (checks.find_length, lambda table, std: find_length(table, std) - 1, "the last trained *row*"),
        (checks.find_length, count_of_long_rows, "as many as there are long rows"),
        (checks.find_length, lambda table, std: len(table), "all its rows"),
        (checks.find_length, lambda table, std: len(table) - find_length(table, std), "*not* trained"),
        (checks.find_length, biggest_jump, "there is no jump to find"),
        (checks.find_length, lambda table, std: find_length(table, std) + 3, "leave some room"),
        (checks.find_length, lambda table, std: None, "returned None"),
        (checks.find_length, 32, "must be a function"),
        (checks.paired, lambda a, b: paired_p(a, b, sides=1), "one direction only"),
        (checks.paired, lambda a, b: paired_p(a, b, least=False), "not larger (>)"),
        (checks.paired, plain_checks.split_p, "A pair has to stay a pair"),
        (checks.paired, all_orders, "you try all orders"),
        (checks.paired, lambda a, b: abs(sum(a) - sum(b)) / len(a), "the mean difference"),
        (checks.paired, lambda a, b: 0.125, "go through all 32 ways"),
        (checks.paired, 0.1, "must be a function"),
        (checks.unfair, settings(0.01, 1.0, 1.0), "the sinusoid is still ahead"),
        (checks.unfair, settings(0.02, 1.0, 1.0), "p is above 0.01"),
        (checks.unfair, settings(0.01, 0.5, 1.0), "no tile for sinusoid at 0.5"),
        (checks.unfair, settings(0.1, 0.1, 1.0), "no tile for sinusoid at 0.1 and learning rate 0.1"),
        (checks.unfair, settings(0.0025, 0.1, 0.3), "nobody is impressed"),
        (checks.unfair, {"learning_rate": 0.01}, "keep its 3 keys"),
        (checks.unfair, settings(0.01, [0.1], 1.0), "single numbers"),
        (checks.unfair, settings([0.01, 0.02], 0.1, 1.0), "the *same* rate"),
    ],
    blank=[(checks.unfair, settings(..., ..., ...)), (checks.find_length, lambda table, std: ...)],
)

test_the_stubs_and_solutions = stubs_and_solutions("05_learned_vs_fixed", torch=torch, checks=checks)


@pytest.mark.parametrize(("a", "b"), [([0.3, 0.8, 0.5], [0.2, 0.9, 0.1]), ([0.5] * 3, [0.5] * 3)])
def test_the_two_tests_agree_with_counting_by_hand(a, b):
    assert plain_checks.swap_p(a, b) == paired_p(a, b)
    splits = list(itertools.combinations(range(6), 3))
    gaps = [abs(sum((a + b)[i] for i in chosen) * 2 - sum(a) - sum(b)) for chosen in splits]
    assert plain_checks.split_p(a, b) == sum(gap >= gaps[0] - 1e-9 for gap in gaps) / 20


def test_the_tables_of_exercise_1_are_drawn_at_their_std_and_moved_up_to_the_longest_text():
    table = checks.trained_table(400, 64, 0.02, 100, 0.2, checks.STILL)
    assert table[100:].std() == pytest.approx(checks.DECAY * 0.02, rel=0.05)
    moved = [row for row in range(100) if row not in checks.STILL]
    assert table[moved].std() == pytest.approx(0.2, rel=0.1)
    assert table[list(checks.STILL)].norm(dim=1).max() < 2 * 0.02 * 8, "as short as rows that were never trained"


@pytest.mark.parametrize(("rate", "std"), [(0.01, 1.0), (0.0025, 0.02)])
def test_the_plain_checks_compare_the_fresh_seeds_of_the_recorded_runs(rate, std):
    run = sweep.find("who_came_first", "learned", std, grid="tuning", learning_rate=rate)
    told = run["accuracy"][sweep.TUNED_SEEDS - 8 :, run["lengths"].index(24)]
    assert plain_checks.fresh("learned", rate, std) == pytest.approx(told.tolist())
