"""The exam: each solution comes out of the numbers that its question states, by another way."""

import re
from itertools import combinations

import numpy as np
import pytest
from tools import exam

VARIANTS = [("spring A", number) for number in range(1, 9)]


def numbers(text):
    return [float(number.replace(",", "").replace("−", "-")) for number in re.findall(r"-?\d[\d,]*(?:\.\d+)?", text)]


def table(count, width, base):
    """The codes of positions by the paper's formula, entry by entry."""
    codes = np.zeros((count, width))
    for p in range(count):
        for i in range(0, width, 2):
            codes[p, i] = np.sin(p / base ** (i / width))
            codes[p, i + 1] = np.cos(p / base ** (i / width))
    return codes


def code_of_a_position(asked, answer):
    position, _, base = numbers(asked)[:3]
    return numbers(answer)[:4], table(int(position) + 1, 4, base)[-1]


def longest_wavelength(asked, answer):
    width, base = numbers(asked)[:2]
    angles = table(20_000 if width > 4 else 7_000, int(width), base)[:, -2:]
    turned = np.unwrap(np.arctan2(angles[:, 0], angles[:, 1]))
    return numbers(answer)[0] / (2 * np.pi * (len(turned) - 1) / (turned[-1] - turned[0])), 1


def position_from_hands(asked, answer):
    _, slow, _, fast = numbers(asked)[:4]
    near = np.arange(100 * slow - 2.5, 100 * slow + 2.6, 0.5).round(1)
    near = near[near % 1 == 0]
    return numbers(answer)[0], near[np.abs(np.exp(1j * near) - np.exp(1j * fast)).argmin()]


def one_step_as_a_matrix(asked, answer):
    speed, _, _, k = numbers(asked)
    angles = np.arange(50)[:, None] * speed
    codes = np.hstack([np.sin(angles), np.cos(angles)])
    best, *_ = np.linalg.lstsq(codes[: -int(k)], codes[int(k) :], rcond=None)
    return numbers(answer)[:4], best.T.ravel()


def score_of_two_codes(asked, answer):
    first, second = map(int, numbers(asked)[:2])
    codes = table(100, 4, 10_000)
    return numbers(answer)[0], codes[first] @ codes[second]


def chance_of_a_split(asked, answer):
    seeds = int(numbers(asked)[0])
    values = np.arange(2 * seeds)
    splits = [values[list(group)].sum() for group in combinations(values, seeds)]
    return numbers(answer)[1], sum(total >= values[seeds:].sum() for total in splits) * len(splits)


@pytest.mark.parametrize("seed, variant", VARIANTS)
@pytest.mark.parametrize(
    "question", [question for _, question in exam.QUESTIONS], ids=lambda question: question.__name__
)
def test_each_solution_comes_out_of_the_numbers_that_are_asked(question, seed, variant):
    _, asked, answer = exam.drawn(seed, variant)[[q for _, q in exam.QUESTIONS].index(question)]
    told, computed = globals()[question.__name__](asked, answer)
    tolerance = 0.006 if question.__name__ != "longest_wavelength" else 0.01
    assert told == pytest.approx(np.asarray(computed), abs=tolerance), (asked, answer)


def test_variants_have_numbers_of_their_own_and_a_seed_gives_the_same_again():
    pages = [exam.page(*chosen) for chosen in VARIANTS]
    assert len(set(pages)) == len(pages) and pages == [exam.page(*chosen) for chosen in VARIANTS]
    assert exam.page("spring B", 1) not in pages


def test_a_sheet_holds_no_solution_and_needs_nothing_else():
    for seed, variant in VARIANTS:
        sheet, solved = exam.page(seed, variant), exam.page(seed, variant, solved=True)
        for _, asked, answer in exam.drawn(seed, variant):
            assert asked[:30] in sheet and exam.escape(answer) in solved and exam.escape(answer) not in sheet
        assert "<script" not in sheet and "http" not in sheet
