"""The checks of lesson 11's exercises: a blank is greeted, the solution passes, each usual mistake is named."""

import math

import torch
from exercise_claims import claims, stubs_and_solutions

from pe_helpers import rope_scaling, sinusoidal
from pe_helpers.checks.exercises import lesson_11


def unfinished(head_dim, base, trained_len, turn=2 * math.pi, power=2, count=None):
    hands = []
    for i in range(count or head_dim // 2):
        if trained_len / base ** (power * i / head_dim) < turn:
            hands.append(i)
    return hands


def longer(inv_freq, trained_len, factor):
    """Slow what never finished a turn, and nothing else."""
    return [speed / factor if speed * trained_len < 2 * math.pi else speed for speed in inv_freq.tolist()]


def base_of(inv_freq):
    return 10_000.0 if len(inv_freq) == 64 else 100_000.0


def ntk(inv_freq, trained_len, factor):
    return rope_scaling.ntk_aware(2 * len(inv_freq), factor=factor, base=base_of(inv_freq))


def llama3(inv_freq, trained_len, factor):
    return rope_scaling.llama3(
        2 * len(inv_freq), factor=factor, original_max_position_embeddings=trained_len, base=base_of(inv_freq)
    )


test_a_blank_is_greeted, test_a_right_answer_passes, test_a_wrong_answer_is_diagnosed = claims(
    right=[
        (lesson_11.unfinished, unfinished),
        (lesson_11.unfinished, lambda *config: torch.tensor(unfinished(*config), dtype=torch.long)),
        (lesson_11.four_hands, [0, 1, 2, 8]),
        (lesson_11.four_hands, torch.tensor([8, 2, 1, 0])),
        (lesson_11.longer, longer),
        (lesson_11.longer, llama3),
    ],
    wrong=[
        (lesson_11.unfinished, lambda *config: unfinished(*config, turn=1), "compare with 1 rad"),
        (lesson_11.unfinished, lambda *config: unfinished(*config, power=1), "because i counts pairs"),
        (lesson_11.unfinished, lambda d, b, n: unfinished(d, b, n, power=1, count=d), "you count features"),
        (lesson_11.unfinished, lambda *config: unfinished(*config, turn=math.pi), "half of one"),
        (
            lesson_11.unfinished,
            lambda d, b, n: [i for i in range(d // 2) if i not in unfinished(d, b, n)],
            "*do* finish a turn",
        ),
        (lesson_11.unfinished, lambda *config: len(unfinished(*config)), "must return a list of hands"),
        (lesson_11.unfinished, lambda *config: unfinished(*config)[1:], "make less than one turn"),
        (lesson_11.unfinished, [20, 21], "must be a function"),
        (lesson_11.four_hands, [0, 1, 2, 3], "for a slower hand"),
        (lesson_11.four_hands, [0, 1, 2], "may still turn: 1"),
        (lesson_11.four_hands, [28, 29, 30, 31], "none of these hands turns far enough"),
        (lesson_11.four_hands, [0, 1, 20, 31], "more of the fastest"),
        (lesson_11.four_hands, list(range(9)), "only 4 hands may turn"),
        (lesson_11.four_hands, [0, 0, 1, 8], "different whole numbers"),
        (lesson_11.four_hands, [0, 1, 2, 32], "hands from 0 to 31"),
        (lesson_11.longer, lambda speeds, n, factor: speeds, "would come"),
        (lesson_11.longer, lambda speeds, n, factor: speeds / factor, "interpolation slows all"),
        (lesson_11.longer, ntk, "is slowed all the same"),
        (lesson_11.longer, lambda speeds, n, factor: speeds * factor, "faster than before"),
        (lesson_11.longer, lambda speeds, n, factor: -speeds, "backwards"),
        (
            lesson_11.longer,
            lambda speeds, n, factor: torch.where(speeds * n < 2 * math.pi, 0, speeds),
            "slow it instead",
        ),
        (lesson_11.longer, lambda speeds, n, factor: speeds[:5], "must have shape"),
    ],
)


def test_the_fastest_four_hands_are_not_enough_and_the_greedy_four_are():
    fastest = lesson_11._weights([0, 1, 2, 3]).diagonal(-1).mean()
    greedy = lesson_11._weights([0, 1, 2, 8]).diagonal(-1).mean()
    everything = lesson_11._weights(list(range(32))).diagonal(-1).mean()
    assert fastest < lesson_11.SHARE - 0.03 < lesson_11.SHARE + 0.01 < greedy < everything


def test_the_unfinished_hands_are_those_whose_period_is_longer_than_training():
    for head_dim, base, trained_len in lesson_11.CONFIGS:
        periods = 2 * math.pi / sinusoidal.inv_freq(head_dim, base=base)
        assert lesson_11._unfinished(head_dim, base, trained_len) == torch.nonzero(periods > trained_len)[:, 0].tolist()
        assert lesson_11._unfinished(head_dim, base, trained_len) or base == 100


test_stubs_and_solutions = stubs_and_solutions(
    "11_inside_a_model_that_ships", pi=math.pi, torch=torch, lesson_11=lesson_11
)
