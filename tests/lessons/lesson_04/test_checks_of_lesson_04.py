"""The checks of lesson 04's exercises: a blank is greeted, the solution passes, each usual mistake is named."""

import math

import torch
from tests.lessons.exercise_claims import claims, stubs_and_solutions

from clockwork.lessons.lesson_04 import checks
from pe_helpers import sinusoidal


def moved(code, k, base=10_000, sign=1, power=2):
    """Turn each hand, in plain Python; all sines first."""
    half = len(code) // 2
    sines = []
    cosines = []
    for i in range(half):
        turn = sign * k / base ** (power * i / len(code))
        sines.append(code[i] * math.cos(turn) + code[half + i] * math.sin(turn))
        cosines.append(code[half + i] * math.cos(turn) - code[i] * math.sin(turn))
    return sines + cosines


def overwritten(code, k):
    code = list(code)
    half = len(code) // 2
    for i in range(half):
        turn = k / 10_000 ** (2 * i / len(code))
        code[i] = code[i] * math.cos(turn) + code[half + i] * math.sin(turn)
        code[half + i] = code[half + i] * math.cos(turn) - code[i] * math.sin(turn)
    return code


def with_signs(code, k, sine, cosine):
    """Add the second product of the new sine and of the new cosine with these signs; right are 1 and -1."""
    half = len(code) // 2
    turns = [k / 10_000 ** (2 * i / len(code)) for i in range(half)]
    old = list(zip(code[:half], code[half:], turns, strict=True))
    sines = [s * math.cos(turn) + sine * c * math.sin(turn) for s, c, turn in old]
    return sines + [c * math.cos(turn) + cosine * s * math.sin(turn) for s, c, turn in old]


def neighbours(code, k):
    """Take the code for an interleaved one."""
    halves = moved([*code[0::2], *code[1::2]], k)
    half = len(code) // 2
    return [number for pair in zip(halves[:half], halves[half:], strict=True) for number in pair]


def neighbours_in_halves(code, k):
    """Take the code for an interleaved one, and give all sines first."""
    return moved([*code[0::2], *code[1::2]], k)


def woven(code, k):
    """Turn the right pairs, and weave them in the end."""
    halves = moved(code, k)
    half = len(code) // 2
    return [number for pair in zip(halves[:half], halves[half:], strict=True) for number in pair]


def turning(k, strengths):
    """M_k with a strength for each hand, one 2 × 2 block a pair, written out."""
    matrix = torch.zeros(16, 16, dtype=torch.float64)
    for i, strength in enumerate(strengths):
        turn = k * 10_000.0 ** (-2 * i / 16)
        matrix[2 * i, 2 * i] = matrix[2 * i + 1, 2 * i + 1] = strength * math.cos(turn)
        matrix[2 * i, 2 * i + 1] = strength * math.sin(turn)
        matrix[2 * i + 1, 2 * i] = -strength * math.sin(turn)
    return matrix


def side(hand, strength=1.0):
    """A quarter turn of one hand: the score is the sine of its turn from q to p."""
    matrix = torch.zeros(16, 16, dtype=torch.float64)
    matrix[2 * hand, 2 * hand + 1] = strength
    matrix[2 * hand + 1, 2 * hand] = -strength
    return matrix


def sized(matrix, size=80.0):
    return matrix * size / matrix.norm()


LEARNED = torch.randn(16, 16, generator=torch.Generator().manual_seed(0), dtype=torch.float64)

test_a_blank_is_greeted, test_a_right_answer_passes, test_a_wrong_answer_is_diagnosed = claims(
    right=[
        (checks.moved, moved),
        (checks.moved, lambda code, k: torch.tensor(moved(code, k))),
        (checks.before_after, side(4)),
        (checks.before_after, (3 * side(7)).tolist()),
        (checks.before_after, side(4) + side(5) + side(6)),
        (checks.budget, sized(turning(3, [1, 1, 1, 0, 0, 0, 0, 0]))),
        (checks.budget, sized(turning(3, [0.5**i for i in range(8)]))),
        (checks.budget, sized(turning(3, [1, 1, 0.5, 0, 0, 0, 0, 0])).tolist()),
    ],
    wrong=[
        (checks.moved, lambda code, k: code, "as it was"),
        (checks.moved, lambda code, k: moved(code, k, sign=-1), "other way"),
        (checks.moved, neighbours, "d/2 apart"),
        (checks.moved, neighbours_in_halves, "d/2 apart"),
        (checks.moved, woven, "put all sines first again"),
        (
            checks.moved,
            lambda code, k: moved(code, k)[len(code) // 2 :] + moved(code, k)[: len(code) // 2],
            "cosines come first",
        ),
        (checks.moved, overwritten, "*old* sine"),
        (checks.moved, lambda code, k: with_signs(code, k, sine=1, cosine=1), "new cosine needs a minus"),
        (checks.moved, lambda code, k: with_signs(code, k, sine=-1, cosine=-1), "new sine has no minus"),
        (checks.moved, lambda code, k: moved(code, k, power=1), "−2i/d"),
        (checks.moved, lambda code, k: moved(code, k, power=-2), "minus missing"),
        (checks.moved, lambda code, k: moved(code, k, base=500), "which ω"),
        (checks.moved, lambda code, k: [2 * number for number in moved(code, k)], "its length changes"),
        (checks.moved, lambda code, k: moved(code, k)[:2], "must give 8 numbers"),
        (checks.moved, lambda code, k: None, "is there a return?"),
        (checks.moved, [0, 1], "must be a function"),
        (checks.before_after, torch.zeros(16, 16), "zeros"),
        (checks.before_after, torch.eye(16), "symmetric"),
        (checks.before_after, side(4).T, "wrong way round"),
        (checks.before_after, side(0), "the key 4 tokens"),
        (checks.before_after, side(3), "the key 100 tokens"),
        (checks.before_after, turning(3, [1] * 8), "the same before and after"),
        (checks.before_after, side(4) + 0.1 * torch.eye(16), "for the key 1 token after"),
        (checks.before_after, sum(side(hand) for hand in range(8)), "half a turn"),
        (checks.before_after, side(4).triu(), "has one of them"),
        (checks.before_after, side(4).tril(), "has one of them"),
        (checks.before_after, LEARNED, "turns hands and does nothing else"),
        (checks.before_after, side(4)[:4], "a row for each number of the query's code"),
        (checks.budget, turning(3, [20] * 8), "same strength for all eight"),
        (checks.budget, turning(3, [50] * 8), "is above 80"),
        (checks.budget, sized(turning(-3, [1, 1, 1, 0, 0, 0, 0, 0])), "three *ahead*"),
        (checks.budget, sized(torch.eye(16, dtype=torch.float64)), "looks at itself"),
        (checks.budget, sized(turning(3, [0, 0, 1, 1, 1, 0, 0, 0])), "tell them apart"),
        (checks.budget, sized(turning(3, [1, 1, 0, 0, 0, 0, 0, 0])), "give some strength to a slower one"),
        (checks.budget, torch.full((16, 16), math.nan), "must be finite"),
        (checks.budget, torch.eye(8), "W must have shape (16, 16)"),
    ],
)


def test_the_limits_are_those_of_20_m_3():
    assert turning(3, [20] * 8).norm().item() == checks.SIZE
    codes = sinusoidal.table(64, 16, dtype=torch.float64)
    weights = (codes @ turning(3, [20] * 8) @ codes.T / 4).softmax(-1).diagonal(-3)
    assert round(weights.min().item(), 3) == 0.866


test_stubs_and_solutions = stubs_and_solutions(
    "04_relative_offsets", math=math, torch=torch, sinusoidal=sinusoidal, checks=checks
)
