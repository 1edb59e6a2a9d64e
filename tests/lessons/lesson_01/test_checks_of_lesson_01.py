"""Lesson 01: the checks of its exercises; each usual mistake gets an answer of its own."""

import itertools
import math

import pytest
import torch
from tests.lessons.lesson_cells import check_calls, solutions

from clockwork.kit import checks
from clockwork.lessons.lesson_01 import checks as lesson_01

LESSON = "01_why_order_matters"


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5])
def test_the_stub_of_the_lesson_is_greeted_and_its_solution_passes(number, capsys):
    stub = check_calls(LESSON)[number - 1]
    solution = solutions(LESSON)[number - 1]
    exec(stub, {"torch": torch, "checks": lesson_01})
    assert "not attempted yet" in capsys.readouterr().out
    exec(solution + "\n" + stub.splitlines()[-1], {"torch": torch, "checks": lesson_01})
    assert "✔" in capsys.readouterr().out


def most(symbols):
    return max(symbols.count(symbol) for symbol in symbols)


def others(symbols, place):
    return symbols[:place] + symbols[place + 1 :]


@pytest.mark.parametrize(
    ("attempt", "diagnosis"),
    [
        (lambda s, p: most(s) / len(s), "the asking token counts itself"),
        (lambda s, p: most(s) / (len(s) - 1), "leave it out of the bag"),
        (lambda s, p: most(others(s, p)) / len(s), "not among the candidates"),
        (lambda s, p: most(s[:p]) / p, "without order there is no before"),
        (lambda s, p: 1.0, "this reader knows no order"),
        (lambda s, p: float(s[p - 3] == s[p]), "this reader knows no order"),
        (lambda s, p: 1 / 16, "1/16 is a guess"),
        (lambda s, p: 1 / len(set(others(s, p))), "not all symbols are equally likely"),
        (lambda s, p: others(s, p).count(s[p]) / (len(s) - 1), "not the asking token's own"),
        (lambda s, p: most(others(s, p)), "divide by the number of candidates"),
        (lambda s, p: max(others(s, p)), "a probability is asked for"),
        (lambda s, p: 0.15, "for every text"),
        (lambda s, p: most(s) / 50, "which of the others is the best guess"),
        (lambda s, p: None, "is there a return"),
        (0.15, "the function itself"),
    ],
)
def test_each_wrong_reader_of_bags_gets_its_own_diagnosis(attempt, diagnosis):
    with pytest.raises(checks.CheckFailed, match=diagnosis):
        lesson_01.best_guess(attempt)


def attention_with(change):
    def attempt(x, w_q, w_k, w_v, width):
        scores = x @ w_q @ (x @ w_k).T / math.sqrt(w_q.shape[1])
        behind = torch.arange(len(x))[:, None] - torch.arange(len(x))
        return change(scores, behind, width) @ (x @ w_v)

    return attempt


def hidden(scores, seen):
    return scores.masked_fill(~seen, -math.inf).softmax(-1)


@pytest.mark.parametrize(
    ("attempt", "diagnosis"),
    [
        (attention_with(lambda s, b, w: s.softmax(-1)), "where is the mask"),
        (attention_with(lambda s, b, w: hidden(s, b >= 0)), "where does the window end"),
        (attention_with(lambda s, b, w: hidden(s, b < w)), "still sees those after it"),
        (attention_with(lambda s, b, w: hidden(s, (b < 0) | (b >= w))), "the mask is inverted"),
        (attention_with(lambda s, b, w: hidden(s, (b <= 0) & (b > -w))), "after it, not before"),
        (attention_with(lambda s, b, w: hidden(s, b.abs() < w)), "also sees tokens after it"),
        (attention_with(lambda s, b, w: hidden(s, (b >= 0) & (b <= w))), "one token too wide"),
        (attention_with(lambda s, b, w: hidden(s, (b >= 0) & (b < max(w - 1, 1)))), "one token too narrow"),
        (attention_with(lambda s, b, w: hidden(s, (b > 0) & (b < w))), "it must at least see itself"),
        (attention_with(lambda s, b, w: s.softmax(-1) * ((b >= 0) & (b < w))), "before the softmax, not after"),
        (attention_with(lambda s, b, w: (s * ((b >= 0) & (b < w))).softmax(-1)), "a score of 0 is not a weight of 0"),
        (attention_with(lambda s, b, w: hidden(2 * s, (b >= 0) & (b < w))), "root of the queries"),
        (
            attention_with(lambda s, b, w: hidden(s * math.sqrt(4 / 6), (b >= 0) & (b < w))),
            "root of the width of x",
        ),
        (attention_with(lambda s, b, w: hidden(3 * s, (b >= 0) & (b < w))), "which tokens does it average"),
        (lambda x, w_q, w_k, w_v, width: (x @ w_v).T, "rows and columns"),
        (lambda x, w_q, w_k, w_v, width: None, "is there a return"),
        (torch.zeros(6, 4), "the function itself"),
    ],
)
def test_each_wrong_window_gets_its_own_diagnosis(attempt, diagnosis):
    with pytest.raises(checks.CheckFailed, match=diagnosis):
        lesson_01.window(attempt)


def bits(number):
    return [number >> i & 1 for i in range(6)]


@pytest.mark.parametrize(
    "code",
    [
        lambda p: bits(p ^ p >> 1),
        lambda p: [2 * bit - 1 for bit in bits(p ^ p >> 1)],
        lambda p: torch.tensor(bits(p ^ p >> 1)[::-1]),
    ],
)
def test_every_form_of_the_gray_code_passes(code, capsys):
    lesson_01.design(code)
    told = capsys.readouterr().out
    assert "✔" in told and "lesson 02" not in told


def test_a_code_of_three_turning_pairs_passes_and_is_told_of_the_next_lesson(capsys):
    lesson_01.design(lambda p: [turn(speed * p) for speed in (1.0, 2.2, 0.37) for turn in (math.sin, math.cos)])
    assert "lesson 02" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("code", "diagnosis"),
    [
        (bits, "these are binary digits"),
        (lambda p: [2 * bit - 1 for bit in bits(p)][::-1], "these are binary digits"),
        (lambda p: [p / 63] * 6, "all your steps are this quiet"),
        (lambda p: [p] * 6, "must stay between −1 and 1"),
        (lambda p: bits(p % 32), "positions 0 and 32 have the same code"),
        (lambda p: bits(p * 5 % 64), "steps must be equally long"),
        (lambda p: bits(p)[:5], "must be a list of 6 numbers"),
        (lambda p: None, "is there a return"),
    ],
)
def test_each_code_with_a_fault_hears_of_it(code, diagnosis):
    with pytest.raises(checks.CheckFailed, match=diagnosis):
        lesson_01.design(code)


@pytest.mark.parametrize(
    ("attempt", "diagnosis"),
    [
        (lambda P, S, A, V: (P @ S, P @ A, P @ A @ V), "scores: only the queries' rows move"),
        (lambda P, S, A, V: (S, A, A @ V), "scores: P moves nothing"),
        (lambda P, S, A, V: (P.T @ S @ P, A, V), "scores: P and Pᵀ are exchanged"),
        (lambda P, S, A, V: (P @ S @ P.T, A @ P.T, V), "weights: only the keys' columns"),
        (lambda P, S, A, V: (P @ S @ P.T, P @ A @ P.T, P @ A @ P.T @ V), "the values are permuted too"),
        (lambda P, S, A, V: (P @ S @ P.T, P @ A @ P.T, A @ V), "output: P moves nothing"),
        (lambda P, S, A, V: (2 * S, A, V), "scores: off by"),
        (lambda P, S, A, V: P @ A @ V, "return three things"),
        (lambda P, S, A, V: (P @ S @ P.T, P @ A @ P.T, P @ A @ V @ P.T), "only P @ values is possible"),
    ],
)
def test_each_gap_in_the_proof_is_named(attempt, diagnosis):
    with pytest.raises(checks.CheckFailed, match=diagnosis):
        lesson_01.equivariance(attempt)


def kind(f, x, orders=None, close=torch.allclose):
    """Shuffle in twenty ways, or in the orders given."""
    orders = orders or [torch.randperm(len(x), generator=torch.Generator().manual_seed(i)) for i in range(20)]
    if all(close(f(x[order]), f(x)) for order in orders):
        return "invariant"
    if f(x).shape[0] == len(x) and all(close(f(x[order]), f(x)[order]) for order in orders):
        return "equivariant"
    return "neither"


def once(f, x):
    """Shuffle once, and compare rows without a look at the shapes."""
    order = torch.tensor([4, 2, 0, 5, 1, 3])
    if torch.allclose(f(x[order]), f(x)):
        return "invariant"
    return "equivariant" if torch.allclose(f(x[order]), f(x)[order]) else "neither"


SHIFTED = torch.arange(6).roll(1)


def test_shuffles_in_many_ways_tell_all_functions_apart(capsys):
    lesson_01.kind(kind)
    assert "✔" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("attempt", "diagnosis"),
    [
        (lambda f, x: kind(f, x, close=torch.equal), "attention: you say neither, it is equivariant: its rows move"),
        (lambda f, x: kind(f, x, [torch.arange(6)]), "attention: you say invariant"),
        (lambda f, x: kind(f, x, [torch.tensor([1, 0, 2, 3, 4, 5])]), "the first row and the second, added"),
        (lambda f, x: kind(f, x, [torch.arange(6).flip(0)]), "a reversal changes nothing"),
        (lambda f, x: once(f, x), "the first row: your test ends in an error. f.x. may have other rows than x"),
        (lambda f, x: kind(f, x, [SHIFTED, SHIFTED.roll(1)]), "follow a rotation"),
        (lambda f, x: "equivariant", "the mean of the rows: you say equivariant"),
        (lambda f, x: "equivariant" if f(x).ndim == 2 else "invariant", "each column sorted: you say equivariant"),
        (lambda f, x: "both", "must be one of 'equivariant', 'invariant', 'neither'"),
        (lambda f, x: None, "is there a return"),
    ],
)
def test_each_careless_test_of_a_kind_is_named(attempt, diagnosis):
    with pytest.raises(checks.CheckFailed, match=diagnosis):
        lesson_01.kind(attempt)


def test_each_function_is_of_the_kind_that_all_orders_say():
    x = torch.randn(4, 5, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    orders = [torch.tensor(order) for order in itertools.permutations(range(4))]
    for name, f, right, _ in lesson_01.TOGETHER:
        stays = all(torch.allclose(f(x[order]), f(x)) for order in orders)
        follows = f(x).ndim == 2 and all(torch.allclose(f(x[order]), f(x)[order]) for order in orders)
        assert (stays, follows) == (right == "invariant", right == "equivariant"), name
