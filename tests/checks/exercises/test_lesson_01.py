"""Lesson 01: its exercises' checks, and that the answers they hold are true of real models."""

import math

import pytest
import torch
from lesson_cells import check_calls, solutions

from pe_helpers import attention, checks
from pe_helpers.checks.exercises import lesson_01

LESSON = "01_why_order_matters"


@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_stub_of_the_lesson_is_greeted_and_its_solution_passes(number, capsys):
    stub = check_calls(LESSON)[number - 1]
    solution = solutions(LESSON)[number - 1]
    exec(stub, {"torch": torch, "lesson_01": lesson_01})
    assert "not attempted yet" in capsys.readouterr().out
    exec(solution + "\n" + stub.splitlines()[-1], {"torch": torch, "lesson_01": lesson_01})
    assert "✔" in capsys.readouterr().out


@pytest.mark.parametrize("reader", lesson_01.MOVES)
def test_what_the_check_holds_for_true_is_true_of_a_model(reader):
    causal = reader.startswith("causal")
    layers = int(reader.split(", ")[1].split()[0])
    torch.manual_seed(3)
    model = attention.Transformer(16, attention.Encoding(), num_layers=layers, causal=causal)
    tokens = torch.randint(16, (12,))
    shuffled = torch.cat([tokens[:-1].flip(0), tokens[-1:]])
    with torch.no_grad():
        one = model(tokens)
        other = model(shuffled)
    one, other = (x.mean(0) if "mean" in reader else x[-1] for x in (one, other))
    assert ((one - other).abs().max() > 1e-4) == lesson_01.MOVES[reader][0]


@pytest.mark.parametrize("reader", lesson_01.MOVES)
def test_each_wrong_reader_gets_its_own_reason(reader):
    right = {name: answer for name, (answer, _) in lesson_01.MOVES.items()}
    with pytest.raises(checks.CheckFailed) as failure:
        lesson_01.moves(right | {reader: not right[reader]})
    assert reader in str(failure.value) and lesson_01.MOVES[reader][1] in str(failure.value)


def test_readers_that_were_renamed_or_answered_in_words_are_told():
    right = {name: answer for name, (answer, _) in lesson_01.MOVES.items()}
    with pytest.raises(checks.CheckFailed, match="must keep its 5 keys"):
        lesson_01.moves({"another reader": True})
    with pytest.raises(checks.CheckFailed, match="must be True or False, got 'yes'"):
        lesson_01.moves(right | {"causal mask, 1 layer, last output": "yes"})


def attention_with(change, mask_after=False):
    def attempt(x, w_q, w_k, w_v):
        scores = x @ w_q @ (x @ w_k).T / math.sqrt(w_q.shape[1])
        before = torch.ones(len(x), len(x)).tril().bool()
        return change(scores, before) @ (x @ w_v)

    return attempt


@pytest.mark.parametrize(
    ("attempt", "diagnosis"),
    [
        (attention_with(lambda s, before: s.softmax(-1)), "where is the mask"),
        (attention_with(lambda s, before: s.masked_fill(~before.T, -math.inf).softmax(-1)), "after it, not before"),
        (attention_with(lambda s, before: s.softmax(-1) * before), "before the softmax, not after"),
        (attention_with(lambda s, before: (s * before).softmax(-1)), "a score of 0 is not a weight of 0"),
        (attention_with(lambda s, before: (2 * s).masked_fill(~before, -math.inf).softmax(-1)), "root of the queries"),
        (
            attention_with(lambda s, before: (s * math.sqrt(4 / 6)).masked_fill(~before, -math.inf).softmax(-1)),
            "root of the width of x",
        ),
        (attention_with(lambda s, before: s.masked_fill(before, -math.inf).softmax(-1)), "hides what a token may see"),
        (attention_with(lambda s, before: s.masked_fill(~before.tril(-1), -math.inf).softmax(-1)), "must see itself"),
        (attention_with(lambda s, before: (3 * s).masked_fill(~before, -math.inf).softmax(-1)), "must average"),
        (lambda x, w_q, w_k, w_v: (x @ w_v).T, "rows and columns"),
        (lambda x, w_q, w_k, w_v: "attention", "must be numbers"),
        (torch.zeros(5, 4), "the function itself"),
    ],
)
def test_each_wrong_mask_gets_its_own_diagnosis(attempt, diagnosis):
    with pytest.raises(checks.CheckFailed, match=diagnosis):
        lesson_01.causal(attempt)


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
    ],
)
def test_each_gap_in_the_proof_is_named(attempt, diagnosis):
    with pytest.raises(checks.CheckFailed, match=diagnosis):
        lesson_01.equivariance(attempt)
