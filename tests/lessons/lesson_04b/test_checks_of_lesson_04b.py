"""The checks of lesson 04b's exercises: a blank is greeted, the solution passes, each usual mistake is named."""

import cmath
import math

from tests.lessons.exercise_claims import claims, stubs_and_solutions

from clockwork.lessons.lesson_04b import checks


def score(a, b, angle):
    turned = complex(*b) * cmath.exp(1j * angle)
    return a[0] * turned.real + a[1] * turned.imag


def rotated(x, p, base=10_000, power=2, sign=1):
    """Turn number i and number i + d/2 as one complex number."""
    half = len(x) // 2
    turned = []
    for i in range(half):
        turn = cmath.exp(sign * 1j * p * base ** (-power * i / len(x)))
        turned.append(complex(x[i], x[half + i]) * turn)
    return [z.real for z in turned] + [z.imag for z in turned]


def by_neighbours(x, p):
    first_then_second = rotated([*x[0::2], *x[1::2]], p)
    half = len(x) // 2
    return [number for i in range(half) for number in (first_then_second[i], first_then_second[half + i])]


def in_place(x, p):
    x = list(x)
    half = len(x) // 2
    for i in range(half):
        angle = p / 10_000 ** (2 * i / len(x))
        x[i] = x[i] * math.cos(angle) - x[half + i] * math.sin(angle)
        x[half + i] = x[i] * math.sin(angle) + x[half + i] * math.cos(angle)
    return x


def two_pluses(x, p):
    half = len(x) // 2
    angles = [p / 10_000 ** (2 * i / len(x)) for i in range(half)]
    plus = [x[i] * math.cos(angle) + x[half + i] * math.sin(angle) for i, angle in enumerate(angles)]
    return plus + rotated(x, p)[half:]


def degrees(x, p):
    half = len(x) // 2
    turned = []
    for i in range(half):
        angle = p / 10_000 ** (2 * i / len(x)) * math.pi / 180
        turned.append(complex(x[i], x[half + i]) * cmath.exp(1j * angle))
    return [z.real for z in turned] + [z.imag for z in turned]


def squared(x, p):
    half = len(x) // 2
    turned = [complex(x[i], x[half + i]) * cmath.exp(1j * p * p / 10_000 ** (2 * i / len(x))) for i in range(half)]
    return [z.real for z in turned] + [z.imag for z in turned]


def with_a_code(x, p):
    half = len(x) // 2
    angles = [p / 10_000 ** (2 * i / len(x)) for i in range(half)]
    code = [math.sin(angle) for angle in angles] + [math.cos(angle) for angle in angles]
    return [one + other for one, other in zip(x, code, strict=True)]


def halves(rows):
    return rows[0::2] + rows[1::2]


def neighbours(rows):
    half = len(rows) // 2
    return [rows[i + n] for i in range(half) for n in (0, half)]


test_a_blank_is_greeted, test_a_right_answer_passes, test_a_wrong_answer_is_diagnosed = claims(
    right=[
        (checks.score, score),
        (checks.rotated, rotated),
        (checks.rotated, lambda x, p: tuple(rotated(x, p))),
        (checks.reordered, halves),
    ],
    wrong=[
        (checks.score, lambda a, b, angle: score(a, b, 0), "before anything is turned"),
        (checks.score, lambda a, b, angle: score(a, b, -angle), "the other way"),
        (checks.score, lambda a, b, angle: score(a, b, 0) * math.cos(angle), "a sine comes in"),
        (checks.score, lambda a, b, angle: score(a, b, 0) + math.cos(angle), "codes are not added"),
        (checks.score, lambda a, b, angle: 0.123, "turn b by the angle"),
        (checks.score, lambda a, b, angle: [1.0, 2.0], "a score is one number"),
        (checks.rotated, lambda x, p: x, "as it was"),
        (checks.rotated, by_neighbours, "you turn neighbours together"),
        (checks.rotated, lambda x, p: rotated(x, p, sign=-1), "the other way"),
        (checks.rotated, lambda x, p: rotated(x, p, power=1), "−2i/d"),
        (checks.rotated, lambda x, p: rotated(x, p, power=-2), "minus missing"),
        (checks.rotated, lambda x, p: rotated(x, p, power=0), "at one speed"),
        (checks.rotated, lambda x, p: rotated(x, p, base=500), "which ω"),
        (checks.rotated, squared, "square of the position"),
        (checks.rotated, degrees, "degrees"),
        (checks.rotated, two_pluses, "both halves have a plus"),
        (checks.rotated, in_place, "*old* first number"),
        (checks.rotated, lambda x, p: rotated(x, p)[len(x) // 2 :] + rotated(x, p)[: len(x) // 2], "changed places"),
        (checks.rotated, with_a_code, "nothing is added"),
        (checks.rotated, lambda x, p: [2 * number for number in rotated(x, p)], "length changes"),
        (checks.rotated, lambda x, p: rotated(x, p)[:1], "must give 2 numbers"),
        (checks.rotated, lambda x, p: None, "is there a return?"),
        (checks.reordered, lambda rows: rows, "old order"),
        (checks.reordered, neighbours, "the way back"),
        (checks.reordered, lambda rows: rows[len(rows) // 2 :] + rows[: len(rows) // 2], "changed places"),
        (checks.reordered, lambda rows: rows[1::2] + rows[0::2], "second number of each pair comes first"),
        (checks.reordered, lambda rows: rows[::-1], "must come first"),
        (checks.reordered, lambda rows: rows[:1] * len(rows), "must come back once"),
        (checks.reordered, lambda rows: rows[:1], "must give 8 rows"),
        (checks.reordered, lambda rows: [1] * len(rows), "with its own numbers"),
    ],
)

test_the_stubs_are_greeted_and_the_folded_solutions_pass = stubs_and_solutions("04b_turn_the_words", checks=checks)
