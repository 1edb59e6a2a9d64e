"""What lesson 15's side paths say of learned speeds, from the record and from a few trainings done once more."""

import math

import pytest
import torch

from clockwork.kit import datafiles
from clockwork.lessons.lesson_15 import learned_speeds, measure, readers
from pe_helpers import sinusoidal

AFTER = "days after"


def test_held_hands_write_the_lessons_code():
    hours = torch.tensor([[0.0, 6.0, 30.0]]).expand(readers.SEEDS, -1)
    hands = learned_speeds.turning([24.0, 10.0])
    torch.testing.assert_close(hands(hours), readers.code(hours, [24.0, 10.0]), atol=1e-5, rtol=0)


def test_time2vec_is_one_straight_line_and_sines():
    hours = torch.tensor([[1.0, 50.0]]).expand(readers.SEEDS, -1)
    hands = learned_speeds.time2vec(24.0, linear=True).requires_grad_(False)
    code = hands(hours)
    assert code.shape == (readers.SEEDS, 2, learned_speeds.SINES + 1)
    for seed in (0, 7):
        for place, days in enumerate((1 / 24, 50 / 24)):
            sines = [math.sin(w * days + b) for w, b in zip(hands.speeds[seed], hands.phases[seed], strict=True)]
            line = hands.linear[seed, 0] * days + hands.linear[seed, 1]
            torch.testing.assert_close(code[seed, place], torch.tensor([*sines, line]), atol=1e-5, rtol=0)


def test_held_hands_predict_what_the_lessons_do():
    for name, way in (("24 h", "24 h alone"), ("as for words", "as for words")):
        for when in ("recorded days", AFTER):
            mine = learned_speeds.mean(learned_speeds.best("hours/given", f"{name}, speeds at 0.0")[when])
            assert mine == pytest.approx(readers.error("hours", way, when), abs=0.05)
    held = learned_speeds.best("hours/given", "as for words, speeds at 0.0")["hours"][0]
    assert held == pytest.approx(sinusoidal.wavelengths(16).tolist(), abs=0.01)


def after(part, name):
    return learned_speeds.mean(learned_speeds.best(part, name)[AFTER])


def test_random_speeds_that_learn_predict_no_better_than_a_flat_line_and_a_day_is_far_from_most_starts():
    flat = measure.rhythm(torch.arange(0, 24, 0.01)).std(correction=0).item()
    for unit in learned_speeds.UNITS:
        for rate in learned_speeds.SPEED_RATES:
            name = f"{unit}, speeds at {rate}"
            assert after("hours/time2vec", name) > flat - 0.005
            assert unit == "hours" or not learned_speeds.came("hours/time2vec", name)
        assert after("hours/time2vec, no linear term", f"{unit}, speeds at 0.01") > flat - 0.03
    assert min(learned_speeds.best("hours/time2vec", "hours, speeds at 0.01")[AFTER]) < 0.1


def test_a_chosen_hand_stays_at_a_low_rate_and_is_lost_at_a_higher_one():
    for rate, error, came in ((0.0, 0.01, 8), (1e-3, 0.02, 8), (1e-2, 0.3, 0), (1e-1, 0.3, 0)):
        name = f"24 h, speeds at {rate}"
        assert after("hours/given", name) == pytest.approx(error, abs=0.01)
        assert learned_speeds.came("hours/given", name) == came
    assert 1e-2 * measure.RECORD > math.tau > 1e-3 * measure.RECORD * 2


def test_hands_for_words_that_learn_predict_well_in_the_networks_that_came_to_a_day():
    found = learned_speeds.best("hours/given", "as for words, speeds at 0.01")
    came = [any(abs(hand - 24) < 0.1 for hand in hands) for hands in found["hours"]]
    assert sum(came) == 2
    good, bad = (
        [error for error, here in zip(found[AFTER], came, strict=True) if here == asked] for asked in (True, False)
    )
    assert max(good) < 0.08 < 0.12 < min(bad)


def test_a_hand_comes_to_a_day_from_where_it_is_less_than_half_a_turn_off_within_the_record():
    for weeks, part, starts, rates in (
        (4, "hours/starts", learned_speeds.STARTS, learned_speeds.START_RATES),
        (1, "hours/starts, one week", learned_speeds.WIDER, learned_speeds.START_RATES[1:]),
    ):
        for start in starts:
            off = abs(weeks * 168 / start - weeks * 7)
            for rate in rates:
                came = learned_speeds.came(part, f"{start} h, speed at {rate}")
                assert came == 8 if off < 0.45 else came <= 7
                assert off < 1.3 or came == 0


def test_the_spread_of_a_timesteps_speeds_counts_for_more_than_their_training():
    def error(part, scale, rate):
        return learned_speeds.mean(learned_speeds.best(part, f"scale {scale}, speeds at {rate}")["error"])

    slow, fast = (
        {rate: error("timestep/32 waves", scale, rate) for rate in learned_speeds.TIMED_RATES} for scale in (1, 16)
    )
    assert min(slow.values()) > 0.5 > 0.08 > max(fast.values())
    assert fast[1.0] < 0.55 * fast[0.0] and list(fast.values()) == sorted(fast.values(), reverse=True)
    for scale, others in ((1, 16), (16, 1)):
        for rate in (0.01, 0.1):
            held = error("denoiser/16 numbers", scale, 0.0)
            assert error("denoiser/16 numbers", scale, rate) == pytest.approx(held, abs=0.003)
            assert (held < error("denoiser/16 numbers", others, 0.0)) == (scale == 1)
    for part in ("timestep/32 waves", "denoiser/16 numbers"):
        for runs in datafiles.read_part(learned_speeds.NAME, part).values():
            assert max(run["moved"] for run in runs.values()) < 1


@pytest.mark.slow
def test_what_is_recorded_of_a_start_is_found_again():
    (again,) = learned_speeds.predicted(lambda: learned_speeds.turning([23.9]), 1e-3, (1e-2,)).values()
    recorded = learned_speeds.best("hours/starts", "23.9 h, speed at 0.001")
    assert again["hours"] == [pytest.approx(hours, abs=0.05) for hours in recorded["hours"]]
    assert again[AFTER] == pytest.approx(recorded[AFTER], abs=0.03)
