"""The checks of lesson 10's exercises: a blank is greeted, the solutions pass, each usual mistake is named."""

import math

import pytest
import torch
from tests.lessons.exercise_claims import claims, stubs_and_solutions

from clockwork.lessons.lesson_10 import checks, faulty_encodings, plain_checks
from clockwork.lessons.lesson_10.faulty_encodings import Sound

pytestmark = pytest.mark.usefixtures("unchecked")  # encodings are examined as a reader's are


def named(rows, *, first_row=True, second_pair=True, step=True):
    """Name a table's fault; each keyword leaves one look out."""
    if abs(rows[0][0] - 1) < 1e-6:
        return "exchanged"
    if abs(rows[0][0]) < 1e-6 and abs(rows[0][1]) < 1e-6:
        return "halves"
    if first_row and abs(rows[0][0]) > 1e-6:
        return "counts from 1"
    speed = math.atan2(rows[1][2], rows[1][3]) - step * math.atan2(rows[0][2], rows[0][3])
    return "doubled exponent" if second_pair and abs(speed - 10_000 ** (-2 / len(rows[0]))) > 1e-6 else "sound"


def turned(
    x, position_ids, factor, *, count=False, slow=True, pairs="half", sign=1, bits=torch.float64, cast=True, split=False
):
    d = x.shape[-1]
    omega = 10_000.0 ** (-torch.arange(0, d, 2, dtype=bits) / d)
    places = torch.arange(x.shape[-2]) if count else position_ids
    angles = sign * places.to(bits)[:, None] * omega / (factor if slow else 1)
    cos, sin = angles.cos(), angles.sin()
    if split:
        first, second = x.chunk(2, dim=-1)
        return x * cos.repeat_interleave(2, -1) + torch.cat([-second, first], -1) * sin.repeat_interleave(2, -1)
    first, second = x.chunk(2, dim=-1) if pairs == "half" else (x[..., 0::2], x[..., 1::2])
    parts = [first * cos - second * sin, first * sin + second * cos]
    made = torch.cat(parts, -1) if pairs == "half" else torch.stack(parts, -1).flatten(-2)
    return made.to(x.dtype) if cast else made


test_the_stubs_are_greeted_and_the_folded_solutions_pass = pytest.mark.slow(
    stubs_and_solutions("10_spot_the_bug", torch=torch, faulty_encodings=faulty_encodings, math=math, checks=checks)
)


test_a_blank_is_greeted, test_a_right_answer_passes, test_a_wrong_answer_is_diagnosed = claims(
    right=[(checks.diagnosis, named), (checks.repaired, turned)],
    wrong=[
        (checks.diagnosis, lambda rows: named(rows, second_pair=False), "how far does the *second* pair turn?"),
        (
            checks.diagnosis,
            lambda rows: named(rows, first_row=False, step=False),
            "look at row 0 before you look at speeds",
        ),
        (checks.diagnosis, lambda rows: "sound", "(0, 1, 0, 1, …)"),
        (checks.diagnosis, lambda rows: "wrong", "one of sound, counts from 1"),
        (checks.diagnosis, lambda rows: None, "is there a return?"),
        (checks.diagnosis, 3, "must be a function"),
        (checks.repaired, lambda x, p, f: turned(x, p, f, count=True), "position_ids are not used"),
        (checks.repaired, lambda x, p, f: turned(x, p, f, slow=False), "the factor is not used"),
        (checks.repaired, lambda x, p, f: turned(x, p, 1 / f), "it divides the speeds"),
        (checks.repaired, lambda x, p, f: turned(x, p, f, pairs="neighbours"), "neighbours turn together"),
        (checks.repaired, lambda x, p, f: turned(x, p, f, split=True), "a turn keeps lengths"),
        (checks.repaired, lambda x, p, f: turned(x, p, f, sign=-1), "which half gets the minus"),
        (checks.repaired, lambda x, p, f: turned(x, p, f, bits=torch.float32), "how many bits hold the angle?"),
        (checks.repaired, lambda x, p, f: turned(x, p, f, cast=False), "cast the result, not the angles"),
        (checks.repaired, lambda x, p, f: turned(x, p + 2, f), "not by the promised angle"),
        (checks.repaired, lambda x, p, f: turned(x, p, f)[..., :-1], "must have shape"),
    ],
)


def test_every_table_of_exercise_1_has_its_fault_and_no_other():
    for word in plain_checks.WORDS:
        rows = torch.tensor(plain_checks.rows_of(word, 8), dtype=torch.float64)
        kind = {
            "sound": Sound,
            "counts from 1": faulty_encodings.OffByOne,
            "exchanged": faulty_encodings.Swapped,
            "halves": faulty_encodings.Concatenated,
            "doubled exponent": faulty_encodings.DoubledExponent,
        }[word]
        torch.testing.assert_close(rows, kind().table(torch.arange(5), 8, torch.float64), atol=1e-12, rtol=0)


def test_the_rewritten_encoding_keeps_every_promise():
    from clockwork.lessons.lesson_10.encoding_tests import PROPERTIES, examine

    sound_enough = [name for name in PROPERTIES if name != "shuffle"]  # which needs the doors of a model
    assert examine(checks.Rewritten(), sound_enough) == {}
