"""The checks of lesson 11's exercises: a blank is greeted, the solution passes, each usual mistake is named."""

import math

import pytest
import torch
from tests.lessons.exercise_claims import claims, stubs_and_solutions

from clockwork.kit import pretrained
from clockwork.lessons.lesson_11 import checks, plain_checks
from pe_helpers import rope_scaling, rotary, sinusoidal


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
        (checks.unfinished, unfinished),
        (checks.unfinished, lambda *config: torch.tensor(unfinished(*config), dtype=torch.long)),
        (checks.four_hands, [0, 1, 2, 8]),
        (checks.four_hands, torch.tensor([8, 2, 1, 0])),
        (checks.longer, longer),
        (checks.longer, llama3),
    ],
    wrong=[
        (checks.unfinished, lambda *config: unfinished(*config, turn=1), "compare with 1 rad"),
        (checks.unfinished, lambda *config: unfinished(*config, power=1), "because i counts pairs"),
        (checks.unfinished, lambda d, b, n: unfinished(d, b, n, power=1, count=d), "you count features"),
        (checks.unfinished, lambda *config: unfinished(*config, turn=math.pi), "half of one"),
        (
            checks.unfinished,
            lambda d, b, n: [i for i in range(d // 2) if i not in unfinished(d, b, n)],
            "*do* finish a turn",
        ),
        (checks.unfinished, lambda *config: len(unfinished(*config)), "must return a list of hands"),
        (checks.unfinished, lambda *config: unfinished(*config)[1:], "make less than one turn"),
        (checks.unfinished, [20, 21], "must be a function"),
        (checks.four_hands, [0, 1, 2, 3], "for a slower hand"),
        (checks.four_hands, [0, 1, 2], "may still turn: 1"),
        (checks.four_hands, [28, 29, 30, 31], "none of these hands turns far enough"),
        (checks.four_hands, [0, 1, 20, 31], "more of the fastest"),
        (checks.four_hands, list(range(9)), "only 4 hands may turn"),
        (checks.four_hands, [0, 0, 1, 8], "different whole numbers"),
        (checks.four_hands, [0, 1, 2, 32], "hands from 0 to 31"),
        (checks.longer, lambda speeds, n, factor: speeds, "would come"),
        (checks.longer, lambda speeds, n, factor: speeds / factor, "interpolation slows all"),
        (checks.longer, ntk, "is slowed all the same"),
        (checks.longer, lambda speeds, n, factor: speeds * factor, "faster than before"),
        (checks.longer, lambda speeds, n, factor: -speeds, "backwards"),
        (
            checks.longer,
            lambda speeds, n, factor: torch.where(speeds * n < 2 * math.pi, 0, speeds),
            "slow it instead",
        ),
        (checks.longer, lambda speeds, n, factor: speeds[:5], "must have shape"),
    ],
)


@pytest.mark.parametrize("hands", [[0, 1, 2, 3], [0, 1, 2, 8], list(range(32))])
def test_the_plain_weights_are_those_that_the_packages_rotation_gives(hands):
    head = pretrained.heads()[0]["previous"]
    speeds = torch.zeros(32, dtype=torch.float64)
    speeds[hands] = sinusoidal.inv_freq(64, base=pretrained.BASE)[hands]
    q, k = (rotary.rotate(part, range(len(part)), inv_freq=speeds) for part in (head.q, head.k))
    future = torch.ones(len(q), len(q), dtype=torch.bool).triu(1)
    weights = (q @ k.T / 8).masked_fill(future, -torch.inf).softmax(-1)
    told = [weights.diagonal(-back).mean().item() for back in range(len(q))]
    assert plain_checks._by_offset(hands) == pytest.approx(told, abs=1e-4)


def test_the_fastest_four_hands_are_not_enough_and_the_greedy_four_are():
    fastest, greedy, everything = (
        plain_checks._by_offset(hands)[1] for hands in ([0, 1, 2, 3], [0, 1, 2, 8], list(range(32)))
    )
    assert fastest < plain_checks.SHARE - 0.03 < plain_checks.SHARE + 0.01 < greedy < everything


def test_the_unfinished_hands_are_those_whose_period_is_longer_than_training():
    for head_dim, base, trained_len in plain_checks.CONFIGS:
        periods = 2 * math.pi / sinusoidal.inv_freq(head_dim, base=base)
        assert (
            plain_checks._unfinished(head_dim, base, trained_len) == torch.nonzero(periods > trained_len)[:, 0].tolist()
        )
        assert plain_checks._unfinished(head_dim, base, trained_len) or base == 100


test_stubs_and_solutions = stubs_and_solutions("11_inside_a_model_that_ships", pi=math.pi, torch=torch, checks=checks)
