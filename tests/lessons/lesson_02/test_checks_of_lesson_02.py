"""Lesson 02: the checks of its exercises; each usual mistake gets an answer of its own."""

import math

import pytest
import torch
from tests.lessons.lesson_cells import check_calls, solutions

from clockwork.kit import checks
from clockwork.lessons.lesson_02 import checks as lesson_02
from clockwork.lessons.lesson_02 import plain_checks

LESSON = "02_deriving_the_sinusoid"


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5])
def test_the_stub_of_the_lesson_is_greeted_and_its_solution_passes(number, capsys):
    stub = check_calls(LESSON)[number - 1]
    solution = solutions(LESSON)[number - 1]
    names = {"torch": torch, "pi": math.pi, "sin": math.sin, "cos": math.cos, "checks": lesson_02}
    exec(stub, dict(names))
    assert "not attempted yet" in capsys.readouterr().out
    exec(solution + "\n" + stub.splitlines()[-1], dict(names))
    assert "✔" in capsys.readouterr().out


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
        (code_with(lambda i, d, base: base ** (2 * i / d)), "is the minus missing"),
        (code_with(lambda i, d, base: base ** (-4 * i / d)), "is the exponent doubled"),
        (code_with(lambda i, d, base: 10_000 ** (-2 * i / d)), "base 300 was asked for"),
        (code_with(lambda i, d, base: base ** (-i / d)), "the exponent is −i/d"),
        (code_with(paper, swap=True), "sine and cosine exchanged"),
        (code_with(paper, start=1), "do you count from 1"),
        (code_with(paper, width=-1), "must have shape"),
        (
            lambda p, d, base: torch.cat(code_with(paper)(p, d, base).view(len(p), -1, 2).unbind(-1), -1),
            "all sines come before all cosines",
        ),
        (lambda p, d, base: code_with(paper)(torch.arange(len(p)), d, base), "do you use position_ids"),
        (lambda p, d, base: code_with(paper)(p, d, base)[:1].expand(len(p), d), "batch axis"),
        (lambda p, d, base: code_with(paper)(p, d, base) / 0, "must be finite"),
        (code_with(lambda i, d, base: math.pi / 180 * paper(i, d, base)), "treated as degrees"),
        (code_with(lambda i, d, base: base ** (-i / (d // 2 - 1))), "divides i by d/2 − 1"),
        (lambda p, d, base: None, "is there a return"),
        (lambda p, d, base: torch.empty(4, d).copy_(code_with(paper)(p, d, base)), "one row for each position"),
        (lambda p, d, base: p * base ** (-torch.arange(0, d, 2) / d), "one column for each pair"),
    ],
)
def test_each_wrong_table_gets_a_diagnosis(attempt, diagnosis):
    with pytest.raises(checks.CheckFailed, match=diagnosis):
        lesson_02.table(attempt)


@pytest.mark.parametrize(
    ("attempt", "diagnosis"),
    [
        (lambda omega, k: (0, math.pi / 2 / omega), "the sines at p and q must agree"),
        (lambda omega, k: (0, math.pi * omega), "do you multiply by omega where you should divide"),
        (lambda omega, k: (0, math.pi), "your positions do not depend on omega"),
        (lambda omega, k: None, "is there a return"),
        (lambda omega, k: (2, 6), r"sin\(pω\) = 0.91, sin\(qω\) = −0.28"),
        (lambda omega, k: (0, 2 * math.pi / omega), "points the same way at both"),
        (
            lambda omega, k: (math.pi / 2 / omega - k / 2 - 0.1, math.pi / 2 / omega - k / 2 - 0.1),
            "points the same way",
        ),
        (lambda omega, k: 0, "two positions are needed, p and q"),
        (lambda omega, k: (0, math.nan), "must be finite"),
        (3, "hand in the function itself"),
    ],
)
def test_twins_that_prove_nothing_are_told_why(attempt, diagnosis):
    with pytest.raises(checks.CheckFailed, match=diagnosis):
        lesson_02.twins(attempt)


def test_twins_anywhere_on_the_wave_are_accepted(capsys):
    lesson_02.twins(lambda omega, k: (0.4 / omega, (math.pi - 0.4) / omega))
    lesson_02.twins(lambda omega, k: (7, 33 * math.pi / omega - 7))
    lesson_02.twins(lambda omega, k: (200 * math.pi / omega, 201 * math.pi / omega))
    assert capsys.readouterr().out.count("✔") == 3


def fitted(codes):
    matrix = torch.linalg.lstsq(codes[:-1], codes[1:], driver="gelsd").solution
    return torch.linalg.eigvals(matrix)


@pytest.mark.parametrize(
    ("attempt", "diagnosis"),
    [
        (lambda codes: fitted(codes).angle(), "keep the positive ones"),
        (lambda codes: fitted(codes).angle().abs(), "keep each once"),
        (lambda codes: fitted(codes).real.sort().values[::2], "these are cos ω:"),
        (lambda codes: fitted(codes).real, "these are cos ω, each twice"),
        (lambda codes: fitted(codes).imag, "these are ±sin ω"),
        (lambda codes: fitted(codes).imag[fitted(codes).imag > 0], "these are sin ω"),
        (lambda codes: [2 * math.pi / x for x in fitted(codes).angle().tolist() if x > 0], "these are periods"),
        (fitted, "take their angles"),
        (lambda codes: None, "is there a return"),
        (lambda codes: fitted(codes).abs(), "these are the lengths"),
        (lambda codes: torch.tensor([1.0, 0.1, 0.01, 0.001]), "3 speeds are hidden in it"),
        (torch.linalg.eigvals, "the table has no eigenvalues, the matrix of one step has"),
        (lambda codes: codes @ codes, r"shapes cannot be multiplied \([^;]*\)$"),
        (lambda codes: torch.rand(codes.shape[1] // 2), "are its eigenvalues of length 1"),
        (lambda codes: [], "4 speeds are hidden in it"),
        (lambda codes: "fast", "must be numbers"),
        (0.1, "must be a function"),
    ],
)
def test_speeds_that_are_not_the_hidden_ones_are_told_why(attempt, diagnosis):
    with pytest.raises(checks.CheckFailed, match=diagnosis):
        lesson_02.speeds(attempt)


def test_hidden_speeds_are_accepted_in_any_order(capsys):
    lesson_02.speeds(lambda codes: [angle for angle in fitted(codes).angle().flip(0) if angle > 0])
    assert "✔" in capsys.readouterr().out


def test_the_secret_matrix_leaves_no_column_a_wave_and_loses_no_speed():
    codes = lesson_02.mixed(torch.tensor([1.0, 0.1], dtype=torch.float64), 0)
    spectrum = torch.fft.rfft(codes, dim=0).abs()
    assert (spectrum.topk(8, dim=0).values[-1] > 0.05 * spectrum.max(0).values).all()
    assert torch.linalg.matrix_rank(codes) == 4


@pytest.mark.parametrize(
    ("attempt", "diagnosis"),
    [
        ([1, 0.1, 0.01, 0.001], "there two hands leave a gap"),
        ([1, 0.75, 0.5, 0.25], "evenly spaced, 0.25 rad apart, so all hands point the same way every 25 tokens"),
        ([0.1, 0.05, 0.01, 0.001], "neighbours look alike, so the fastest hand is too slow"),
        (
            [1, 0.2, 0.04, 0.008],
            "whole numbers, so all hands come round with the slowest, every 785 tokens: make the slowest hand slower",
        ),
        ([6.0, 1.0, 0.1, 0.01], "6.000 rad a token shows the same points as 0.283"),
        ([1, 0.1, 0.01, 0], "every speed must be above 0"),
        ([1, 1 / 5.2, 5.2**-2, 5.2**-3], "the slowest hand is round after 883 tokens, so make it slower"),
        ([8**-i for i in range(4)], "there two hands leave a gap: bring the speeds closer together"),
        ([1, 1, 0.1, 0.01], "two hands have the same speed"),
        ([1, 0.1, 0.01, -0.001], "a hand that turns backwards shows nothing new"),
        ([1, 0.1, 0.01], "must have shape"),
    ],
)
def test_speeds_that_confuse_positions_are_told_which(attempt, diagnosis):
    with pytest.raises(checks.CheckFailed, match=diagnosis):
        lesson_02.design(attempt)


def test_the_bound_of_the_design_is_out_of_the_papers_reach_and_within_a_readers():
    offsets = torch.arange(1, plain_checks.TEXT)

    def closest(speeds):
        angles = offsets[:, None] * torch.tensor(speeds, dtype=torch.float64)
        return min(
            math.dist(tip.flatten().tolist(), (0, 1) * 4) for tip in torch.stack([angles.sin(), angles.cos()], -1)
        )

    assert round(closest([1, 0.1, 0.01, 0.001]), 3) == 0.645
    working = [factor for factor in (5, 5.5, 6, 6.5, 6.9, 7, 7.5, 8) if closest([factor**-i for i in range(4)]) >= 0.8]
    assert 6.9 in working and len(working) >= 2, working
