"""What lesson 12 says in its sentences, computed once more by other means, with the rivals of each explanation."""

import itertools
import json
import math
import re

import nbformat
import numpy as np
import pytest
import torch
from tests.lessons.printed import numbers_of
from tools import lessons

from clockwork.kit import attention, configurations, tasks, training
from clockwork.kit.datafiles import data_file
from clockwork.lessons.lesson_12 import layers, todays_models
from pe_helpers import rotary_axes

PATHS = lessons.whole(lessons.NOTEBOOKS / "12_what_todays_models_do.ipynb")
CELLS = [cell for path in PATHS for cell in nbformat.read(path, as_version=4).cells]
PRINTED = "\n".join(output.get("text", "") for cell in CELLS for output in cell.get("outputs", []))
PARTS = json.loads(data_file("todays_models.json").read_text("utf-8"))["parts"]
LENGTHS = {"three_back": [32, 64, 128, 256], "who_came_first": [24, 48, 96, 192]}


numbers = numbers_of(PRINTED)


def accuracy(part, name=None):
    """Accuracies of the eight seeds at each length, straight from the file."""
    return np.array(PARTS[part][name or part.split("/")[-1]]["accuracy"])


def stopped(name):
    return accuracy(f"three_back/stopped/{name}", name)


def flips(a, b):
    """The exact two-sided p of a sign-flip test for paired results, counted one by one."""
    differences = [x - y for x, y in zip(a, b, strict=True)]
    seen = abs(sum(differences))
    patterns = list(itertools.product((-1, 1), repeat=len(differences)))
    as_far = [abs(sum(s * d for s, d in zip(signs, differences, strict=True))) >= seen - 1e-9 for signs in patterns]
    return sum(as_far) / len(patterns)


def test_llama_s_hands_are_counted_right_and_its_factor_covers_half_of_what_it_promises():
    waves = [2 * math.pi * 500_000 ** (2 * i / 128) for i in range(64)]
    assert numbers(r"64 hands: ") == [6.28, round(waves[-1])]
    within = sum(wave <= 8192 for wave in waves)
    assert f"\n{within} of them came round within 8,192 tokens" in PRINTED and within == 35
    assert f"\n{64 - within} hands had not come round" in PRINTED
    assert "after 65,536 tokens the first, after 65,536 the last" in PRINTED
    llama = configurations.find("Llama 3.1 8B")
    assert not llama.new_angles(llama.full, 65_536).any()
    assert llama.new_angles(llama.full, 65_537).sum() == 64 - within


def test_every_run_has_eight_seeds_at_one_to_eight_times_the_trained_length():
    for part, runs in PARTS.items():
        for run in runs.values():
            assert run["lengths"] == LENGTHS[part.split("/")[0]]
            assert np.shape(run["accuracy"]) == (2 if part == "three_back/four layers" else 8, 4)
    assert set(PARTS) == set(todays_models.parts())


def test_the_live_model_and_the_recorded_ones_learned_the_task():
    at_32, at_128 = numbers(r"at 32, 128: tensor")
    assert at_32 > 0.95 and at_128 > 0.85
    for name in ("rotary", "base 64", "base 64, fastest half", "small base", "fastest quarter"):
        assert stopped(name)[:, 0].min() > 0.95


def test_stopping_the_unfinished_hands_helps_and_stopping_four_others_does_not():
    whole = stopped("base 64")
    slow_stopped = stopped("base 64, fastest half")
    fast_stopped = stopped("base 64, slower half")
    assert slow_stopped[:, 2].mean() > 0.94 > 0.9 > whole[:, 2].mean()
    assert slow_stopped[:, 3].mean() > whole[:, 3].mean() + 0.15
    printed = {arm: numbers(rf"{arm} four stopped against all at 64, 128, 256: p =") for arm in ("slow", "fast")}
    for arm, results in (("slow", slow_stopped), ("fast", fast_stopped)):
        by_hand = [flips(results[:, i], whole[:, i]) for i in (1, 2, 3)]
        assert printed[arm] == [round(p, 4) for p in by_hand]
    assert max(printed["slow"]) < 0.01 < 0.2 < min(printed["fast"])


def test_it_is_not_the_standing_still_all_hands_may_turn_if_all_came_round_and_two_are_too_few():
    assert stopped("small base")[:, 3].min() > 0.99, "nothing stands still, and nothing is unfinished"
    assert stopped("fastest quarter")[:, 2].mean() < stopped("rotary")[:, 2].mean()
    assert flips(stopped("fastest quarter")[:, 2], stopped("rotary")[:, 2]) > 0.1, "no gain either way"
    at_64 = [stopped(name)[:, 1] for name in ("fastest quarter", "rotary")]
    assert [round(results.mean(), 2) for results in at_64] == [0.99, 0.96], "a little at twice the length"
    assert flips(*at_64) == pytest.approx(0.055, abs=5e-4)
    slowest = {base: 2 * math.pi * base ** (14 / 16) for base in (6.0, 64.0, 1e4)}
    assert slowest[6.0] < 32 < slowest[64.0]
    within = {base: sum(2 * math.pi * base ** (2 * i / 16) <= 32 for i in range(8)) for base in (6.0, 64.0, 1e4)}
    assert within == {6.0: 8, 64.0: 4, 1e4: 2}


def test_hands_that_never_came_round_do_not_fail_at_once():
    moving = [2 * math.pi * 64 ** (2 * i / 16) for i in range(4, 8)]
    assert min(moving) > 32, "none of the four that are left comes round in the trained length"
    unfinished = stopped("base 64, slower half")
    slow_stopped = stopped("base 64, fastest half")
    assert round(unfinished[:, 1].mean(), 2) == round(slow_stopped[:, 1].mean(), 2) == 0.98
    assert stopped("small base")[:, 1].mean() > 0.995, "so 0.98 is not the best"
    assert unfinished[:, 3].mean() < 0.65 < 0.9 < slow_stopped[:, 3].mean()


def counted(finished, unfinished):
    """Accuracy of eight seeds at 256 tokens, by how many hands came round in 32 tokens and how many did not."""
    return stopped(f"{finished} finished, {unfinished} unfinished")[:, 3]


def test_the_counted_hands_came_round_or_did_not():
    for finished, unfinished in todays_models.COUNTS:
        speeds = todays_models.counted(finished, unfinished).inv_freq
        turned = 32 * speeds / (2 * math.pi)
        assert (int((turned >= 1).sum()), int(((turned > 0) & (turned < 0.3)).sum())) == (finished, unfinished)


def test_unfinished_hands_harm_the_more_the_fewer_hands_came_round():
    cost = {
        finished: (counted(finished, 0) - counted(finished, others)) for finished, others in ((2, 4), (4, 4), (5, 3))
    }
    means = [costs.mean() for costs in cost.values()]
    assert means[0] > 0.2 and means[1] > 0.1 > 0.03 > means[2] > 0.01
    assert (cost[2] > 0).all() and (cost[4] > 0).all(), "in every seed"
    for finished in (1, 2, 3, 4):
        assert counted(finished, 0).mean() > counted(finished, 2).mean() + 0.05, f"beside {finished}, two cost answers"
    assert 0.01 < counted(5, 0).mean() - counted(5, 2).mean() < 0.02, "beside five, hardly any"
    assert abs(counted(6, 0).mean() - counted(6, 2).mean()) < 0.005, "beside six, two cost nothing to see"


def test_unfinished_hands_of_a_hundredth_of_a_radian_cost_nothing_though_they_leave_known_angles():
    turned = [speed * length for speed in (0.01, 0.01 * 0.8**3) for length in (32, 256)]
    assert turned[1] > turned[0] and turned[3] > turned[2] and max(turned) < 2 * math.pi, "never round, at no length"
    for count, others in ((4, 4), (2, 1)):
        name = f"{count} finished, {others} unfinished"
        at = {speed: accuracy("three_back/other speeds", f"{name} from {speed}")[:, 3] for speed in (0.15, 0.01, 0.001)}
        assert at[0.01].mean() > counted(count, 0).mean() - 0.015 > counted(count, others).mean() + 0.1
        assert (at[0.01] > counted(count, others)).all()
        assert at[0.001].mean() > counted(count, 0).mean() - 0.015
    assert at[0.15].mean() > counted(2, 0).mean() + 0.05, "one of these helps beside two"


def test_with_four_layers_the_distance_comes_back_slowly_and_longer_texts_do_not():
    part = "three_back/four layers"
    after = [accuracy(part, f"dropped, {steps}") for steps in ("a quarter longer", "four times as long", "eight times")]
    assert all((more[:, 0] > less[:, 0] + 0.2).all() for less, more in itertools.pairwise(after))
    assert (after[-1][:, 0] > accuracy(part, "none, four times the steps")[:, 0]).all()
    assert (accuracy(part, "rotary")[:, 2] > after[-1][:, 2] + 0.5).all()


def test_at_twice_the_length_unfinished_hands_help_beside_one_or_two_and_at_eight_times_they_harm():
    def pair(finished, column):
        names = [f"{finished} finished, {unfinished} unfinished" for unfinished in (0, 1)]
        return [stopped(name)[:, column] for name in names]

    for finished in (1, 2):
        without, with_one = pair(finished, 1)
        assert (with_one > without).all() and with_one.mean() > 0.99
    for finished in (2, 3, 4):
        without, with_one = pair(finished, 3)
        assert without.mean() > with_one.mean() + 0.01
    without, with_one = pair(2, 3)
    assert without.mean() - with_one.mean() == pytest.approx(0.2, abs=0.02), "a fifth of the answers"


def test_where_the_slow_four_turn_alone_they_do_no_worse_than_all_eight_up_to_128_tokens():
    alone, whole = stopped("base 64, slower half"), stopped("base 64")
    for column in (1, 2):
        assert alone[:, column].mean() > whole[:, column].mean() and (alone > whole)[:, column].sum() == 6
        assert flips(alone[:, column], whole[:, column]) > 0.2, "no worse, and not surely better"
    fast = stopped("base 64, fastest half")
    assert abs(alone[:, 1].mean() - fast[:, 1].mean()) < 0.005, "at twice the length either half alone does as well"
    assert whole[:, 1].mean() < min(alone[:, 1].mean(), fast[:, 1].mean()) - 0.03, "and the mixture worse"


def test_under_either_rule_the_two_quarters_differ_by_less_than_the_rules_do():
    def slowest(base, hands, features):
        return 2 * math.pi * base ** (-2 * (1 - hands) / features)

    neox, gemma = (1e4, 12), (1e6, 64)
    default = [slowest(base, hands, 2 * hands) for base, hands in (neox, gemma)]
    proportional = [slowest(base, hands, 8 * hands) for base, hands in (neox, gemma)]
    assert [round(turn) for turn in (default[0], *proportional)] == [29_164, 52, 188]
    assert default[1] == pytest.approx(5e6, rel=0.03)
    by_rule = [d / p for d, p in zip(default, proportional, strict=True)]
    assert min(by_rule) > 500 > 200 > default[1] / default[0] > proportional[1] / proportional[0]
    assert slowest(1e4, 64, 128) / default[0] < 2, "with one base, the number of hands makes little of it"


def test_out_of_the_first_layer_positions_may_go_out_of_the_second_they_cost_a_quarter():
    both = accuracy("three_back/stopped/rotary", "rotary")[:, 2].mean()
    first_without, second_without = (
        accuracy("three_back/layers", name)[:, 2].mean() for name in ("none, rotary", "rotary, none")
    )
    assert abs(first_without - both) < 0.02 and both - second_without == pytest.approx(0.26, abs=0.01)


def test_gemma_4_s_moving_hands_never_nearly_agree_again_within_all_that_it_allows():
    speeds = [1e6 ** (-2 * i / 512) for i in range(64)]
    gemma = configurations.find("Gemma 4 26B")
    assert gemma.full.inv_freq[:64].tolist() == pytest.approx(speeds) and gemma.longest == 262_144
    most = max(np.cos(np.outer(part, speeds)).mean(1).max() for part in np.array_split(np.arange(4, 262_145), 64))
    assert numbers("4 to 262,144 tokens on: at most ") == [round(most, 2)] and most < 0.4


def spread(hands, slowest):
    """Accuracy of eight seeds at 256 tokens, of heads whose moving hands all came round."""
    return accuracy("three_back/speeds apart", f"{hands} hands, 1 to {slowest}")[:, 3]


def agree_again(speeds, farthest):
    """The largest mean cosine of the hands so many tokens further on, from 4 to the farthest."""
    return max(sum(math.cos(k * speed) for speed in speeds) / len(speeds) for k in range(4, farthest + 1))


def test_hands_that_all_came_round_are_enough_if_they_do_not_nearly_agree_again_and_not_otherwise():
    heads = todays_models.all_round()
    assert len(heads) == 18 == len({tuple(speeds.numpy().round(9)) for _, speeds in heads.values()})
    for name, (part, speeds) in heads.items():
        right = accuracy(part, name)[:, 3].mean()
        assert (32 * speeds >= 2 * math.pi - 1e-9).all(), f"{name}: all came round in 32 tokens"
        alike = agree_again(speeds.tolist(), 252)
        assert (right > 0.94) == (alike < 0.87) and (right < 0.87) == (alike > 0.88), name


def test_neither_the_number_of_hands_nor_how_far_apart_their_speeds_are_decides():
    heads = todays_models.all_round()
    apart, crowded = "6 hands, back after 50", "6 crowded hands"
    assert heads[apart][1].max() > 1 and heads[apart][1].min() < 0.26
    assert heads[crowded][1].tolist() == sorted({1.0, 0.988, 0.962, 0.826, 0.811, 0.8}, reverse=True)
    assert all(
        abs(50 * speed / (2 * math.pi) - round(50 * speed / (2 * math.pi))) < 1e-9 for speed in heads[apart][1].tolist()
    )
    assert agree_again(heads[apart][1].tolist(), 32) < 0.9, "training did not show it"
    fallen = {name: accuracy("three_back/in step", name) for name in (apart, "4 hands, back after 50", crowded)}
    assert all(scores[:, 0].min() > 0.99 for scores in fallen.values()), "each learned the task"
    assert fallen[apart][:, 3].max() < 0.65 < 0.9 < fallen[crowded][:, 3].min()
    assert spread(6, "0.80").max() < fallen[crowded][:, 3].min(), "as many hands in one range, other speeds"


def test_where_heads_that_come_back_are_wrong_they_name_a_symbol_at_which_all_hands_are_back():
    rivals = [3 + 50 * times for times in (1, 2, 3, 4)]
    assert list(todays_models.RIVALS) == rivals and rivals[-1] + 50 == 253, "only three places have a fifth"
    named = {name: run["wrong, at rivals"] for name, run in PARTS["three_back/in step"].items()}
    for name in ("6 hands, back after 50", "4 hands, back after 50"):
        assert min(named[name]) > 0.99
    assert max(share for share in named["6 crowded hands"] if share is not None) < 0.25, "by chance"


def test_stopping_the_unfinished_ones_and_finishing_two_more_do_as_well_as_each_other():
    assert round(counted(4, 4).mean(), 2) == 0.85
    stop, two_more = counted(4, 0), counted(6, 2)
    assert min(stop.mean(), two_more.mean()) > 0.99 and flips(stop, two_more) > 0.05


def test_the_counts_are_no_matter_of_time_and_do_not_carry_over_to_wider_heads():
    longer = accuracy("three_back/four times the steps", "4 finished, 4 unfinished")[:, 3]
    assert flips(longer, counted(4, 4)) > 0.2
    wide = {
        (heads, count): accuracy(
            "three_back/twice the width", f"{heads} heads of {32 // heads} hands, {count} finished, {count} unfinished"
        )[:, 3].mean()
        for heads, count in ((4, 4), (2, 4), (2, 8))
    }
    assert wide[2, 4] < min(wide[4, 4], wide[2, 8]) - 0.05


def test_the_moving_hands_of_wider_heads_cover_the_same_speeds():
    speeds = todays_models.wider(8, 8, 16).inv_freq
    known = todays_models.counted(4, 4).inv_freq
    assert speeds[[0, 7, 8, 15]].tolist() == pytest.approx(known[[0, 3, 4, 7]].tolist())
    assert (32 * speeds[:8] > 2 * math.pi).all() and (32 * speeds[8:] < 2 * math.pi).all()
    assert torch.allclose(todays_models.wider(4, 4, 8).inv_freq, known, rtol=0.06), "nearly those of eight hands"


def test_a_key_that_is_not_turned_folds_into_the_query_and_a_turned_one_for_each_offset_anew():
    rng = np.random.default_rng(1)
    c, W, q = rng.normal(size=40), rng.normal(size=(8, 40)), rng.normal(size=8)
    assert q @ (W @ c) == pytest.approx((W.T @ q) @ c)

    def turned(k):
        angles = k * 10_000.0 ** (-np.arange(4) / 4)
        first, second = q[0::2], q[1::2]
        even, odd = first * np.cos(angles) - second * np.sin(angles), first * np.sin(angles) + second * np.cos(angles)
        return W.T @ np.stack([even, odd], 1).ravel()

    assert np.linalg.norm(turned(1) - turned(5)) > 0.3 * np.linalg.norm(turned(1))
    for line in ("score ", "key rotated by 1: ", "key rotated by 5: "):
        assert len(set(numbers(line)[-2:])) == 1, "the same score, wherever the matrix is applied"


def test_not_every_moving_hand_must_have_come_round():
    several = [counted(5, 3), counted(6, 2), stopped("base 12")[:, 3]]  # three, two and two unfinished hands
    every = [
        counted(2, 0),
        stopped("base 64, fastest half")[:, 3],
    ]  # two and four moving hands, all of which came round
    assert min(accuracies.mean() for accuracies in several) > max(accuracies.mean() for accuracies in every)


def test_two_hands_agree_elsewhere_and_four_do_not():
    def most_alike(base, count):
        omega = [base ** (-2 * i / 16) for i in range(count)]
        return max((math.fsum(math.cos((k - 3) * w) for w in omega) / count, k) for k in range(5, 128))

    assert most_alike(1e4, 2) == (pytest.approx(0.976, abs=1e-3), 22)
    assert most_alike(64.0, 4)[0] < 0.8


def test_louder_scores_hold_the_weight_of_one_lead_lose_smaller_ones_and_raise_larger_ones():
    louder = []
    for n in (32, 128, 512, 131_072):
        gaps = [(lead, lead * math.log(n) / math.log(32)) for lead in (2.0, math.log(31), 5.0)]
        wanted = [1 / (1 + (n - 1) * math.exp(-gap)) for which in zip(*gaps, strict=True) for gap in which]
        assert numbers(rf"{n:,} keys: ") == [round(weight, 3) for weight in wanted]
        louder.append(wanted[3:])
    small, middle, large = zip(*louder, strict=True)
    assert small[0] > 0.1 > 0.01 > small[-1] and max(middle) - min(middle) < 0.03 and large[0] < 0.9 < large[-1]


def test_louder_scores_do_not_mend_these_models():
    for name in ("rotary", "base 64", "base 64, fastest half"):
        part = f"three_back/stopped/{name}"
        plain, growing, louder = (
            accuracy(part, key)[:, 3].mean() for key in (name, f"{name}, growing at test", f"{name}, louder at test")
        )
        assert growing < plain and louder < plain + 0.005


def test_the_mask_alone_orders_and_does_not_measure():
    order = {name: accuracy("who_came_first/layers", name)[:, 2] for name in ("rotary, none", "none, rotary")}
    assert min(results.min() for results in order.values()) > 0.9
    assert accuracy("who_came_first/stopped/none", "none")[:, 2].mean() > 0.95
    assert accuracy("three_back/stopped/none", "none")[:, 0].max() < 0.3
    after = {task: accuracy(f"{task}/dropped", "dropped, a quarter longer")[:, 0].mean() for task in LENGTHS}
    assert after["who_came_first"] > 0.9 and after["three_back"] < 0.35
    assert accuracy("three_back/dropped", "dropped, as long again")[:, 0].mean() < 0.35, "nor with more training"


def test_two_glyphs_that_move_together_keep_their_score_if_hands_turn():
    for name in ("one number, 8 columns", "one number, 12 columns", "a ladder for each axis", "one ladder, dealt out"):
        here, moved, end, beside = numbers(rf"(?m)^{name} +")
        assert here == moved
        assert (end == beside) == (name == "one number, 8 columns"), "the end of a row is next to the next row's start"
    narrow, wide = (numbers(rf"(?m)^one number, {columns} columns +")[0] for columns in (8, 12))
    assert abs(narrow - wide) > 0.1


def test_equal_axes_are_one_axis_on_one_ladder_only():
    assert numbers("one ladder, dealt out: at most ")[0] == 0
    assert numbers("a ladder for each axis: at most ")[0] > 1
    p = np.arange(50)[:, None]
    one = np.cos(p * 1e4 ** (-np.arange(16) / 16))
    each = np.cos(p * np.tile(1e4 ** (-np.arange(8) / 8), 2))
    assert np.abs(one - each).max() == pytest.approx(numbers("a ladder for each axis: at most ")[0], abs=2e-3)
    speeds, axes = rotary_axes.axial(32)
    ladder = 1e4 ** (-np.arange(16) / 16)
    for axis in (0, 1):
        np.testing.assert_allclose(speeds[axes == axis], ladder[::2], err_msg="every second speed, for either axis")


def test_a_sink_takes_weight_from_every_key():
    scores = np.exp([0.3, -0.2, 0.1, 0.0])
    for sink in (-4, 0, 4):
        kept = scores.sum() / (scores.sum() + math.exp(sink))
        assert numbers(re.escape(f"sink {sink:+d}: "))[0] == round(kept, 2)


@pytest.mark.slow
def test_a_stopped_hand_s_model_trained_here_agrees_with_the_recorded_ones():
    make = todays_models.make(("base 64, fastest half",) * 2, True)
    settings = {"steps": 400, **todays_models.SETTINGS}
    trained = training.train(make, tasks.THREE_BACK, [0], **settings)
    found = training.evaluate(trained, tasks.THREE_BACK, [32, 128], batch_size=64).accuracy[0]
    recorded = layers.recorded("three_back/stopped/base 64, fastest half")["base 64, fastest half"]["accuracy"]
    assert found[0] > 0.95 and found[1] > recorded[:, 2].min() - 0.1
    assert isinstance(trained.skeleton, attention.Transformer) and torch.isfinite(found).all()
