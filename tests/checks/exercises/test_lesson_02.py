"""Lesson 02: its exercises' checks; the usual misreadings of the formula each get their own answer."""

import math

import pytest
import torch
from lesson_cells import check_calls, solutions

from pe_helpers import checks
from pe_helpers.checks.exercises import lesson_02

LESSON = "02_deriving_the_sinusoid"


@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_stub_of_the_lesson_is_greeted_and_its_solution_passes(number, capsys):
    stub, solution = check_calls(LESSON)[number - 1], solutions(LESSON)[number - 1]
    names = {"torch": torch, "pi": math.pi, "lesson_02": lesson_02}
    exec(stub, dict(names))
    assert "not attempted yet" in capsys.readouterr().out
    exec(solution + "\n" + stub.splitlines()[-1], dict(names))
    assert "✔" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("question", "wrong"),
    [(question, wrong) for question, (_, known, _) in lesson_02.BY_HEAD.items() for wrong in known],
)
def test_each_known_misreading_gets_its_own_answer(question, wrong):
    answers = {name: right for name, (right, *_) in lesson_02.BY_HEAD.items()} | {question: wrong}
    with pytest.raises(checks.CheckFailed) as failure:
        lesson_02.by_head(answers)
    assert lesson_02.BY_HEAD[question][1][wrong] in str(failure.value)


def test_any_other_number_and_no_number_are_told_too():
    answers = {name: right for name, (right, *_) in lesson_02.BY_HEAD.items()}
    with pytest.raises(checks.CheckFailed, match="not 5; write down"):
        lesson_02.by_head(answers | {"length of row 17, d_model=32": 5})
    with pytest.raises(checks.CheckFailed, match="must be finite"):
        lesson_02.by_head(answers | {"length of row 17, d_model=32": math.nan})


def code_with(speeds, swap=False, start=0, width=None):
    def attempt(position_ids, d_model, base):
        i = torch.arange(d_model // 2, dtype=torch.float64)
        angles = (position_ids + start)[:, None] * speeds(i, d_model, base)
        pairs = [angles.cos(), angles.sin()] if swap else [angles.sin(), angles.cos()]
        return torch.stack(pairs, -1).flatten(1)[:, :width]

    return attempt


def paper(i, d, base):
    return base ** (-2 * i / d)


@pytest.mark.parametrize(
    ("attempt", "diagnosis"),
    [
        (code_with(lambda i, d, base: base ** (2 * i / d)), "did you divide"),
        (code_with(lambda i, d, base: base ** (-4 * i / d)), "is the exponent doubled"),
        (code_with(lambda i, d, base: 10_000 ** (-2 * i / d)), "which base"),
        (code_with(lambda i, d, base: base ** (-i / d)), "which base, which i"),
        (code_with(paper, swap=True), "sine and cosine exchanged"),
        (code_with(paper, start=1), "do you count from 1"),
        (code_with(paper, width=-1), "must have shape"),
        (
            lambda p, d, base: torch.cat(code_with(paper)(p, d, base).view(len(p), -1, 2).unbind(-1), -1),
            "halves concatenated",
        ),
        (lambda p, d, base: code_with(paper)(torch.arange(len(p)), d, base), "do you use position_ids"),
        (lambda p, d, base: code_with(paper)(p, d, base)[:1].expand(len(p), d), "batch axis"),
        (lambda p, d, base: code_with(paper)(p, d, base) / 0, "must be finite"),
        (lambda p, d, base: torch.empty(4, d).copy_(code_with(paper)(p, d, base)), "one row for each position"),
    ],
)
def test_each_wrong_table_gets_a_diagnosis(attempt, diagnosis):
    with pytest.raises(checks.CheckFailed, match=diagnosis):
        lesson_02.code(attempt)


@pytest.mark.parametrize(
    ("attempt", "diagnosis"),
    [
        (lambda omega, k: (0, math.pi / 2 / omega), "the sines at p and q must agree"),
        (lambda omega, k: (2, 6), r"sin\(pω\) = 0.91, sin\(qω\) = −0.28"),
        (lambda omega, k: (0, 2 * math.pi / omega), "points the same way at both"),
        (
            lambda omega, k: (math.pi / 2 / omega - k / 2 - 0.1, math.pi / 2 / omega - k / 2 - 0.1),
            "points the same way",
        ),
        (lambda omega, k: 0, "must have shape"),
        (lambda omega, k: (0, math.nan), "must be finite"),
        (3, "hand in the function itself"),
    ],
)
def test_twins_that_prove_nothing_are_told_why(attempt, diagnosis):
    with pytest.raises(checks.CheckFailed, match=diagnosis):
        lesson_02.twins(attempt)


def test_twins_anywhere_on_the_wave_are_accepted(capsys):
    lesson_02.twins(lambda omega, k: (0.4 / omega, (math.pi - 0.4) / omega))
    assert "✔" in capsys.readouterr().out
