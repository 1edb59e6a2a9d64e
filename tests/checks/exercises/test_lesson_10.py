"""The checks of lesson 10's exercises: a blank is greeted, the solution passes, each usual mistake is named."""

import math

import torch
from exercise_claims import claims, stubs_and_solutions

from pe_helpers.checks.exercises import lesson_10

RIGHT = {report: answer for report, (answer, _) in lesson_10.REPORTS.items()}


def code(position_ids, d_model, *, base=10_000.0, start=0, swap=False, half=False):
    if d_model % 2:
        raise ValueError("d_model must be even")
    angles = (position_ids.double() + start)[:, None] * base ** (-torch.arange(0, d_model, 2) / d_model)
    parts = [angles.sin(), angles.cos()][:: -1 if swap else 1]
    return torch.cat(parts, -1) if half else torch.stack(parts, -1).flatten(1)


def apart(encoding, length):
    codes = encoding.add(torch.zeros(2, length, 64), torch.arange(length))[0].double()
    return bool(torch.pdist(codes).min() > 1e-6)


test_the_stubs_are_greeted_and_the_folded_solutions_pass = stubs_and_solutions("10_spot_the_bug", torch=torch)
test_a_blank_is_greeted, test_a_right_answer_passes, test_a_wrong_answer_is_diagnosed = claims(
    right=[(lesson_10.which_test, RIGHT), (lesson_10.repaired, code), (lesson_10.accepts, apart)],
    wrong=[
        (lesson_10.which_test, dict.fromkeys(RIGHT, "rotation"), "before training"),
        (lesson_10.which_test, dict.fromkeys(RIGHT, "colour"), "is no test"),
        (lesson_10.which_test, {"x": 1}, "must keep its 3 keys"),
        (lesson_10.repaired, lambda p, d: code(p, d, swap=True), "exchanged"),
        (lesson_10.repaired, lambda p, d: code(p, d, start=1), "count from 1"),
        (lesson_10.repaired, lambda p, d: code(p, d, half=True), "the sines stand before the cosines"),
        (lesson_10.repaired, lambda p, d: code(p, d, base=100.0), "which base"),
        (lesson_10.repaired, lambda p, d: code(p.bfloat16(), d), "positions 1 and 2 have the same code"),
        (lesson_10.repaired, lambda p, d: code(p, d) * math.nan, "finite"),
        (lesson_10.repaired, lambda p, d: code(p, d - d % 2), "must be refused with a ValueError"),
        (lesson_10.repaired, 3, "the function itself"),
        (lesson_10.accepts, lambda e, n: False, "refuses the sound encoding"),
        (lesson_10.accepts, lambda e, n: True, "every token gets the same code"),
        (lesson_10.accepts, lambda e, n: apart(e, 100), "how far does your test look"),
        (lesson_10.accepts, lambda e, n: "yes", "True or False"),
    ],
)
