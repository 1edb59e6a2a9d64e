"""Lesson 12's checks accept right answers and name the error in wrong ones; its solutions pass."""

import math

import pytest
import torch
from tests.lessons.exercise_claims import claims, stubs_and_solutions

from clockwork.kit import configurations
from clockwork.lessons.lesson_12 import checks, plain_checks


def speeds(config, *, plus=1, pairs=2, over=None, slower=True, always=None, still=True, last=False, width=None):
    rope = config["rope_parameters"]
    head = width or config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"]
    share = rope.get("partial_rotary_factor", 1)
    turning = int(head * share) // 2
    whole = over or (head if rope["rope_type"] == "proportional" else int(head * share))
    factor = rope.get("factor", 1) if slower else 1
    base = always or rope["rope_theta"]
    made = [base ** (-plus * pairs * i / whole) / factor for i in range(turning)]
    rest = [0.0] * (head // 2 - turning) if still else []
    return rest + made[::-1] if last else made + rest


def unslowed(config):
    return speeds(config, slower=False)


def both_alike(config):
    """A quarter is a quarter: the exponent is always divided by what turns."""
    head = config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"]
    return speeds(config, over=int(head * config["rope_parameters"].get("partial_rotary_factor", 1)))


def always_whole(config):
    return speeds(config, over=config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"])


def multiplied(config):
    return [speed * config["rope_parameters"].get("factor", 1) ** 2 for speed in speeds(config)]


def whole_width(config):
    return speeds(config, width=config["hidden_size"])


def divided_only(config):
    return speeds(config, width=config["hidden_size"] // config["num_attention_heads"])


def features(config):
    return [speed for speed in speeds(config) for _ in range(2)]


def wavelengths(config):
    return [2 * math.pi / speed if speed else 0 for speed in speeds(config)]


def over_the_model(config):
    return speeds(config, over=config["hidden_size"])


def the_slow_ones(config):
    return speeds(config, last="partial_rotary_factor" in config["rope_parameters"])


RIGHT = {question: answer for question, answer, _, _ in plain_checks.QUESTIONS}


def audited(part, answer):
    question = next(question for question in RIGHT if part in question)
    return RIGHT | {question: answer}


def places(before, rows, columns, after, *, origin=True, gap=None, time=0, swap=False, equal=True):
    made = [[p, p, p] if equal else [p, 0, 0] for p in range(before)]
    for patch in range(rows * columns):
        row, column = divmod(patch, columns)
        start = before if origin else 0
        place = [start + time * patch, start + row, start + column]
        made.append([place[0], place[2], place[1]] if swap else place)
    start = before + (max(rows, columns) if gap is None else gap(rows, columns))
    return made + [[start + p] * 3 if equal else [start + p, 0, 0] for p in range(after)]


test_a_blank_is_greeted, test_a_right_answer_passes, test_a_wrong_answer_is_diagnosed = claims(
    right=[
        (checks.speeds, speeds),
        (checks.speeds, lambda config: torch.tensor(speeds(config), dtype=torch.float64)),
        (checks.audit, RIGHT),
        (checks.audit, {question: round(answer) for question, answer in RIGHT.items()}),
        (checks.places, places),
    ],
    wrong=[
        (checks.speeds, lambda config: speeds(config, plus=-1), "grow with i"),
        (checks.speeds, wavelengths, "these are wavelengths"),
        (checks.speeds, lambda config: speeds(config, always=10_000), "the base is 10,000 here"),
        (checks.speeds, lambda config: speeds(config, pairs=1), "i counts pairs"),
        (checks.speeds, over_the_model, "each head counts alone"),
        (checks.speeds, whole_width, "those of the whole width"),
        (checks.speeds, divided_only, "this model says its `head_dim`, 128"),
        (checks.speeds, features, "a hand is a *pair*"),
        (checks.speeds, unslowed, "the factor is left out"),
        (checks.speeds, multiplied, "*multiplied*"),
        (
            checks.speeds,
            always_whole,
            "GPT-NeoX-20B: for `default`, the exponent is divided by the features that turn",
        ),
        (
            checks.speeds,
            both_alike,
            "Gemma 4 26B, full layers: for `proportional`, the exponent is divided by all the",
        ),
        (checks.speeds, lambda config: speeds(config, last=True), "begins with the slowest hand"),
        (checks.speeds, the_slow_ones, "it is the first ones that turn"),
        (checks.speeds, lambda config: speeds(config, still=False), "give each the speed 0"),
        (checks.speeds, lambda config: None, "is there a return?"),
        (checks.speeds, [1.0], "must be a function"),
        (checks.audit, audited("hands in a head", 128), "a hand needs two"),
        (checks.audit, audited("came round", 32), "*after* scaling"),
        (checks.audit, audited("slowest hand", 2 * math.pi * 5e5), "hand 63 is the last of 64"),
        (checks.audit, audited("largest distance", 131_072), "what is promised"),
        (checks.audit, audited("Ministral", 16_384), "length before slowing"),
        (checks.audit, audited("of 256 that turn", 128), "how many pairs"),
        (checks.audit, audited("slowest of them", 2 * math.pi * 1e6 ** (126 / 128)), "divided by all 512"),
        (checks.audit, audited("of 256 that turn", 77), "a quarter of the pairs"),
        (checks.audit, {"hands": 64}, "keep its 7 keys"),
        (checks.places, lambda *sizes: places(*sizes, origin=False), "starts at 0 again"),
        (checks.places, lambda *sizes: places(*sizes, time=1), "a single moment"),
        (checks.places, lambda *sizes: places(*sizes, swap=True), "exchanged"),
        (checks.places, lambda *sizes: places(*sizes, equal=False), "its three axes must be equal"),
        (checks.places, lambda *sizes: places(*sizes, gap=lambda r, c: r * c), "counts its patches"),
        (checks.places, lambda *sizes: places(*sizes, gap=lambda r, c: max(r, c) - 1), "one further"),
        (checks.places, lambda b, r, c, a: [[p] * 3 for p in range(b + r * c + a)], "as if it were text"),
        (checks.places, lambda *sizes: places(*sizes)[:-1], "must be 12 places of 3 numbers"),
    ],
)


@pytest.mark.parametrize(("name", "config"), plain_checks.CONFIGURATIONS, ids=lambda part: str(part)[:24])
def test_the_right_speeds_are_those_of_the_package(name, config):
    from pe_helpers import rope_scaling

    width = {} if "head_dim" in config else {"head_dim": config["hidden_size"] // config["num_attention_heads"]}
    found, _ = rope_scaling.from_config(config, **width)
    right = plain_checks.ladder(config)
    assert right[: len(found)] == pytest.approx(found.tolist(), rel=1e-12)
    assert not any(right[len(found) :])


def test_the_audited_numbers_are_those_of_the_table():
    llama = configurations.find("Llama 3.1 8B")
    (kind,) = llama.attention
    before = kind.inv_freq_before
    ministral = configurations.find("Ministral 3 8B")
    gemma = configurations.find("Gemma 4 26B").attention[1]
    assert list(RIGHT.values()) == pytest.approx(
        [
            len(before),
            int((2 * math.pi / before <= 8192).sum()),
            2 * math.pi / before[-1].item(),
            max(n for n in range(65_000, 66_000) if not llama.new_angles(kind, n).any()),
            max(n for n in range(262_000, 263_000) if not ministral.new_angles(ministral.full, n).any()),
            gemma.turning,
            gemma.wavelengths()[-1].item(),
        ]
    )


test_stubs_and_solutions = stubs_and_solutions("12_what_todays_models_do", math=math, torch=torch, checks=checks)
