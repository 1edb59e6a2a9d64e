"""The checks of lesson 08's exercises: a blank is greeted, the solution passes, each usual mistake is named."""

import math

import pytest
from tests.lessons.exercise_claims import claims, stubs_and_solutions

from clockwork.lessons.lesson_08 import checks, plain_checks
from pe_helpers import rope_scaling


def new_hands(
    trained, now, trained_len, seq_len, causal, *, whole=None, equal=1 + 1e-9, everywhere=False, as_yes=False
):
    whole = whole or (2 * math.pi if causal else math.pi)
    met = [trained_len * speed for speed in trained]
    yes = [(everywhere or m < whole) and seq_len * speed > m * equal for m, speed in zip(met, now, strict=True)]
    return yes if as_yes else [i for i, new in enumerate(yes) if new]


def variant(**changes):
    return lambda *case: new_hands(*case, **changes)


def others(*case):
    return [i for i in range(len(case[0])) if i not in new_hands(*case)]


def unfinished(trained, now, trained_len, seq_len, causal):
    return [i for i, speed in enumerate(trained) if trained_len * speed < (2 if causal else 1) * math.pi]


def steps(trained, now, trained_len, seq_len, causal):
    return new_hands(trained, now, trained_len - 1, seq_len - 1, causal)


def as_speeds(*case):
    return [case[0][i] for i in new_hands(*case)]


def unslowed(trained, now, *rest):
    return new_hands(trained, trained, *rest)


def raised(hand, factor, base, head_dim):
    return base * factor ** (head_dim / (2 * hand))


def rivals(speeds, k, reach, tolerance, *, both=True, need=all, off=plain_checks._off, itself=False, sign=1, shift=0):
    offsets = [o for o in range(-reach, reach + 1 if both else 0) if itself or o != -k]
    found = [o for o in offsets if need(off((o + k) * speed) <= tolerance for speed in speeds)]
    return [sign * o + shift for o in found]


def rival_variant(**changes):
    return lambda *case: rivals(*case, **changes)


def ahead(speeds, k, reach, tolerance):
    return [-o for o in rivals(speeds, k, reach, tolerance)]


test_the_stubs_are_greeted_and_the_folded_solutions_pass = stubs_and_solutions(
    "08_beyond_the_training_length", math=math, checks=checks
)
test_a_blank_is_greeted, test_a_right_answer_passes, test_a_wrong_answer_is_diagnosed = claims(
    right=[
        (checks.new_hands, new_hands),
        (checks.new_hands, lambda *case: tuple(reversed(new_hands(*case)))),
        (checks.raised, raised),
        (checks.rivals, rivals),
    ],
    wrong=[
        (checks.new_hands, variant(whole=2 * math.pi), "half a turn each way is the whole dial"),
        (checks.new_hands, variant(whole=math.pi), "only a whole turn shows every angle"),
        (checks.new_hands, variant(everywhere=True), "cannot reach a new one"),
        (checks.new_hands, unfinished, "do they turn further now"),
        (checks.new_hands, variant(equal=1 - 1e-9), "exactly as far as in training"),
        (checks.new_hands, unslowed, "at the speeds of `now`"),
        (checks.new_hands, others, "wanted are the others"),
        (checks.new_hands, variant(as_yes=True), "yes or no for each hand"),
        (checks.new_hands, steps, "you count n − 1 steps"),
        (checks.new_hands, as_speeds, "you return the speeds"),
        (checks.new_hands, lambda *case: len(new_hands(*case)), "you return one number"),
        (checks.new_hands, lambda *case: None, "is there a return"),
        (checks.new_hands, 3, "the function itself"),
        (checks.raised, lambda hand, factor, base, d: base * factor, "a *power* of it"),
        (checks.raised, lambda hand, factor, base, d: base**factor, "not raised to the factor"),
        (checks.raised, lambda hand, factor, base, d: base / factor, "a smaller base"),
        (checks.raised, lambda hand, factor, base, d: base * factor ** (-d / 2 / hand), "*faster*"),
        (checks.raised, lambda hand, factor, base, d: base * factor ** (2 * hand / d), "upside down"),
        (checks.raised, lambda hand, factor, base, d: base * factor ** (d / hand), "where is the 2"),
        (checks.raised, lambda hand, factor, base, d: base * factor ** (d / (d - 2)), "the *slowest* hand"),
        (checks.raised, lambda hand, factor, base, d: base * factor ** (d / 2 * hand), "(d / 2)·i"),
        (checks.raised, lambda hand, factor, base, d: base ** (-2 * hand / d) / factor, "the hand's new speed"),
        (checks.raised, lambda hand, factor, base, d: base, "1.000 times slower, not 4"),
        (checks.raised, lambda hand, factor, base, d: -base, "above 0"),
        (checks.rivals, rival_variant(itself=True), "the right token itself"),
        (checks.rivals, rival_variant(off=abs), "a whole turn more makes no difference"),
        (checks.rivals, rival_variant(off=lambda angle: angle % (2 * math.pi)), "a little *behind*"),
        (checks.rivals, rival_variant(need=any), "*all* of them have to agree"),
        (checks.rivals, rival_variant(both=False), "offsets run both ways"),
        (checks.rivals, ahead, "the other way round"),
        (checks.rivals, rival_variant(shift=3), "not from the token 3 back"),
        (checks.rivals, lambda *case: len(rivals(*case)), "you return one number"),
    ],
)


def test_the_base_that_slows_the_slowest_hand_is_the_package_s():
    speeds = rope_scaling.ntk_aware(16, factor=4.0)
    assert speeds[-1].item() == pytest.approx(raised(7, 4.0, 10_000.0, 16) ** (-14 / 16))


def test_hands_are_new_where_a_walk_through_all_offsets_finds_an_angle_outside_of_those_of_training():
    def walked(trained, now, trained_len, seq_len, causal):
        new = []
        for i, (before, after) in enumerate(zip(trained, now, strict=True)):
            sides = (1,) if causal else (1, -1)
            met = [side * step / 50 * before for side in sides for step in range(50 * trained_len + 1)]
            places = {round(math.degrees(angle) % 360 / 2) % 180 for angle in met}
            here = {round(math.degrees(o * after * side) % 360 / 2) % 180 for o in range(seq_len + 1) for side in sides}
            if here - places:
                new.append(i)
        return new

    for case in plain_checks.CASES:
        trained = case[0]
        slow = [i for i, speed in enumerate(trained) if speed >= 0.01]  # two degrees tell these apart
        assert [i for i in walked(*case) if i in slow] == [i for i in plain_checks.reached(*case) if i in slow], case
    assert plain_checks.reached([0.1], [0.1], 24, 96, False) == [0]
