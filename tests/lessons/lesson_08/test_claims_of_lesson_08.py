"""What lesson 08 says in its sentences, computed once more by other means, with the rivals of each explanation."""

import itertools
import json
import math

import nbformat
import numpy as np
import pytest
import torch
from tests.lessons.printed import numbers_of
from tools import lessons

from clockwork.kit import attention, tasks, training
from clockwork.kit.datafiles import data_file
from clockwork.lessons.lesson_08 import beyond_the_length, lengths
from clockwork.lessons.lesson_08.views import stretch
from pe_helpers import rope_scaling

PATHS = lessons.whole(lessons.NOTEBOOKS / "08_beyond_the_training_length.ipynb")
CELLS = [cell for path in PATHS for cell in nbformat.read(path, as_version=4).cells]
PRINTED = "\n".join(output.get("text", "") for cell in CELLS for output in cell.get("outputs", []))
numbers = numbers_of(PRINTED)
PARTS = json.loads(data_file("beyond_the_length.json").read_text("utf-8"))["parts"]
SMALL = [1.0, 0.1, 0.01, 0.001]  # rad a token
RULES = ("none", "interpolation", "NTK-aware", "YaRN")
VOTERS = ("all", "A and B", "the others")


def first(run, where="96", part="no mask"):
    """The eight models' right answers about who came first, straight from the file."""
    return np.array(PARTS[f"who_came_first/{part}"][run][where])


def back(run, where="128", part="no mask"):
    return np.array(PARTS[f"three_back/{part}"][run][where])


def test_every_run_has_eight_seeds_and_every_part_is_made_by_the_command():
    assert set(PARTS) == set(beyond_the_length.parts())
    assert all(len(own) == 8 for runs in PARTS.values() for result in runs.values() for own in result.values())


def test_all_models_know_their_task_at_the_trained_length():
    assert first("none", "24").min() > 0.95
    assert back("none", "32").min() > 0.99
    assert first("none").mean() < 0.65 and 0.5 < back("none").mean() < 0.75


def test_without_a_mask_the_angles_break_who_came_first_and_not_the_number_of_keys():
    assert first("few keys, far apart", "24").mean() < 0.65
    assert first("many keys, close together").min() > 0.95
    assert first("none", "6, spread over 24", "spread").min() > 0.98, "and it is not that neighbours are missing"
    assert first("none", "24, spread over 96", "spread").mean() < 0.65
    assert first("hand 1 slowed by 4", "24, spread over 96", "spread").min() > 0.9, "nor anything but hand 1"


def held(task, part, mask, where):
    """The means of the remedies where something that the lesson holds fixed has another value."""
    runs = PARTS[f"{task}/{part}"]
    return {name: np.mean(runs[f"{name}, {mask}"][where]) for name in (*RULES, "window", "Self-Extend", "hand 1 alone")}


HELD = {"two layers": "128", "four layers": "128", "rate 0.01": "128", "eight times": "256"}
DEPTHS = ("two layers", "four layers")


@pytest.mark.parametrize(("part", "where"), HELD.items())
def test_with_a_mask_yarn_is_the_best_rule_at_any_depth_rate_and_length_that_was_tried(part, where):
    masked = held("three_back", part, "causal", where)
    slowing = {name: masked[name] for name in RULES}
    assert max(slowing, key=slowing.get) == "YaRN" and masked["YaRN"] > 0.8 > 0.65 > masked["NTK-aware"]
    assert masked["NTK-aware"] > masked["none"] + 0.05 and masked["interpolation"] < 0.1
    assert min(masked["window"], masked["Self-Extend"]) > 0.99
    assert abs(masked["hand 1 alone"] - masked["YaRN"]) < 0.03, "it is this hand"


@pytest.mark.parametrize("part", DEPTHS)
def test_with_a_mask_who_came_first_needs_no_remedy_and_the_window_harms_it(part):
    asked = held("who_came_first", part, "causal", "96")
    assert min(own for name, own in asked.items() if name != "window") > 0.95 > 0.9 > asked["window"]


@pytest.mark.parametrize(("part", "where"), HELD.items())
def test_without_a_mask_yarn_harms_3_back_at_any_depth_rate_and_length_that_was_tried(part, where):
    free = held("three_back", part, "no mask", where)
    assert free["YaRN"] < free["none"] - 0.05 and free["NTK-aware"] > free["YaRN"] + 0.2
    assert free["hand 1 alone"] < free["none"] - 0.05, "it is this hand"


@pytest.mark.parametrize("part", DEPTHS)
def test_without_a_mask_no_rule_that_slows_hands_serves_both_tasks_and_self_extend_does(part):
    free, side = held("three_back", part, "no mask", "128"), held("who_came_first", part, "no mask", "96")
    assert side["none"] < 0.75 < 0.9 < side["YaRN"]
    assert (
        max(min(free[name], side[name]) for name in RULES) < 0.7 < 0.95 < min(free["Self-Extend"], side["Self-Extend"])
    )


def test_what_is_held_fixed_makes_the_printed_tables_of_both_masks():
    for mask in ("causal", "no mask"):
        for name in (*RULES, "window", "Self-Extend"):
            wanted = [
                held(task, part, mask, where)[name]
                for task, where in (("three_back", "128"), ("who_came_first", "96"))
                for part in ("two layers", "four layers")
            ]
            assert numbers(rf"\n{mask}  +3 back, layers[^ø]*?\n{name} +(?=\d\.)") == pytest.approx(wanted, abs=0.0055)


def moved(run, part="gaps under the mask"):
    """Right answers of the second half of a text of 32, by where it begins."""
    return {int(key.split()[-1]): np.array(own) for key, own in PARTS[f"three_back/{part}"][run].items()}


@pytest.mark.parametrize("part", ["gaps under the mask", "gaps under the mask, four layers"])
def test_with_a_mask_3_back_is_lost_at_new_angles_of_hand_1_and_comes_back_when_it_has_come_round(part):
    free, slow = moved("none", part), moved("hand 1 slowed by 4", part)
    assert min(free[start].min() for start in (16, 20)) > 0.99
    assert max(free[start].mean() for start in (48, 52, 56)) < 0.3
    assert free[80].min() > 0.95 and free[84].mean() > 0.95, "further away still"
    assert max(free[start].mean() for start in (112, 116)) < 0.3, "hand 1 leaves the known angles once more"
    assert min(own.mean() for own in slow.values()) > 0.95, "hand 1 alone, the same places"
    twice = moved("hand 1 slowed by 2", part)
    assert twice[48].mean() > 0.95 > 0.5 > twice[96].mean(), "the bad places move with the hand"


def test_many_keys_do_no_harm_where_hand_1_is_at_known_angles_and_fewer_do_not_help():
    runs = PARTS["three_back/under the mask"]
    none, fewer, slowed = (np.array(runs[name]["128"]) for name in ("none", "as many keys", "hand 1 alone"))
    assert slowed.min() > 0.94 and (fewer < none + 0.1).all() and none.max() < 0.45
    live = numbers(r"128 keys, hand 1 slowed by 4, two seeds: tensor\(\[")
    assert min(live[0], live[1]) > 0.9


def test_with_the_paper_s_ramp_3_back_would_be_lost():
    places = {"paper": "hand 0 by 2.83, hand 1 by 4.00", "program": "hand 0 by 1.00, hand 1 by 4.00"}
    lost, kept = (back(places[name], part="map under the mask") for name in ("paper", "program"))
    assert lost.max() < 0.1 < 0.94 < kept.min()


def test_a_factor_that_follows_the_length_spares_short_texts_and_slows_hand_1_too_little_at_twice_the_length():
    dynamic = rope_scaling.dynamic_ntk(8, factor=1.0, seq_len=64, original_max_position_embeddings=32)
    assert dynamic.tolist() == pytest.approx(rope_scaling.ntk_aware(8, factor=2.0).tolist())
    fixed, follows = (back("NTK-aware", "64", part) for part in ("under the mask", "causal mask"))
    assert (fixed > follows + 0.05).all()
    assert back("YaRN", "64", "causal mask").min() > 0.99, "by YaRN a factor of two is enough"


def test_training_on_a_raised_base_is_ahead_early_and_interpolation_needs_the_most_steps():
    further = {
        run: {k: np.array(own) for k, own in result.items()} for run, result in PARTS["three_back/further"].items()
    }
    assert (further["base 500,000"]["10"] > further["none"]["10"]).all()
    assert [round(further[run]["10"].mean(), 2) for run in ("none", "base 500,000")] == [0.67, 0.82]
    for run, own in further.items():
        assert (own["40"].mean() > 0.99) == (run != "interpolation"), run
        assert (own["20"].mean() > 0.95) == (run != "interpolation"), run
    late = further["interpolation"]
    assert [round(late[where].mean(), 2) for where in ("40", "80", "short")] == [0.08, 0.60, 0.57]


def test_with_a_mask_3_back_reads_hand_1_less_and_hand_0_more():
    for hand, sign in ((0, 1), (1, -1)):
        free, masked = (back(f"hand {hand} stopped", "32", f"hands read{said}") for said in ("", " under the mask"))
        assert (sign * (free[:, None] - masked) > 0.05).all(), hand


def test_sharper_scores_neither_mend_nor_explain():
    for run in ("1.20", "1.44", "2.00", "3.00"):
        assert abs(first(f"scores times {run}").mean() - first("none").mean()) < 0.01
    for task in (first, back):  # YaRN's own factor of the scores
        assert abs(task("YaRN, scores times 1.30").mean() - task("YaRN").mean()) < 0.005
    for run in ("1.20", "1.40", "2.00", "3.00"):
        assert -0.05 < back(f"scores times {run}").mean() - back("none").mean() < 0.005


def test_one_remedy_is_the_best_for_one_task_and_the_worst_for_the_other_in_all_models():
    remedies = ("none", "interpolation", "NTK-aware", "YaRN")
    orders = {name: first(name).mean() for name in remedies}
    distances = {name: back(name).mean() for name in remedies}
    assert max(orders, key=orders.get) == "interpolation" == min(distances, key=distances.get)
    assert max(distances, key=distances.get) == "NTK-aware"
    assert (first("interpolation") > first("NTK-aware") + 0.2).all()
    assert (back("NTK-aware") > back("interpolation") + 0.5).all()
    assert (back("YaRN") < back("none")).all(), "YaRN makes it worse"
    assert abs(orders["NTK-aware"] - orders["none"]) < 0.05


def test_without_a_mask_short_texts_pay_for_a_factor_of_four():
    for name in ("none", "interpolation", "NTK-aware", "YaRN"):
        assert (first(name, "96", "by four") == first(name)).all() and (
            back(name, "128", "by four") == back(name)
        ).all()
    paid = {name: back(name, "32", "by four").mean() for name in ("NTK-aware", "YaRN", "interpolation")}
    assert paid == pytest.approx({"NTK-aware": 0.97, "YaRN": 0.55, "interpolation": 0.07}, abs=0.0051)


@pytest.mark.parametrize("length", [32, 128])
def test_as_many_keys_are_hidden_as_by_the_window_and_never_those_that_the_answer_needs(length):
    near, any_keys = (
        kind(window=31).bias(1, torch.arange(length)) for kind in (beyond_the_length.Loud, beyond_the_length.AnyKeys)
    )
    seen = any_keys == 0
    assert (seen.sum(1) == (near == 0).sum(1)).all()
    assert seen.diagonal().all() and seen.diagonal(-3).all()
    assert length == 32 or seen[100].nonzero().min() < 60, "far keys, too"


def test_no_factor_for_hand_1_suits_both_tasks():
    factors = [f"hand 1 slowed by {factor:g}" for factor in beyond_the_length.SLOWER]
    both = {name: (first(name, "96", "hand 1").mean(), back(name, "128", "hand 1").mean()) for name in factors}
    assert both["hand 1 slowed by 2"] == pytest.approx((0.81, 0.77), abs=0.005)
    assert max(min(pair) for pair in both.values()) < 0.8
    assert max(pair[0] for pair in both.values()) > 0.98 and max(pair[1] for pair in both.values()) > 0.94


def test_the_mean_over_all_tokens_hides_that_two_of_them_are_misread():
    beside = PARTS["who_came_first/beside 3 back"]
    means = {scored: {where: np.mean(own) for where, own in result.items()} for scored, result in beside.items()}
    assert min(min(beside[scored]["24"]) for scored in ("all", "A and B")) > 0.99
    assert means["all"]["48"] > 0.99 > 0.9 > means["A and B"]["48"] and means["loss of all"]["48"] < 0.05
    assert means["all"]["48, 40 apart"] == pytest.approx(0.96, abs=0.005)
    assert means["A and B"]["48, 40 apart"] == pytest.approx(0.19, abs=0.005)
    assert sum(own < 0.5 for own in beside["A and B"]["48, 40 apart"]) == 7


@pytest.mark.parametrize(("window", "group"), [(1, 5), (4, 5), (8, 6), (5, 3)])
def test_self_extend_turns_near_keys_by_the_distance_and_far_ones_by_the_groups(window, group):
    draw = np.random.default_rng(0)
    q, k = draw.standard_normal((2, 40, 4, 2)) @ [1, 1j]
    encoding = beyond_the_length.SelfExtend(group=group, window=window)
    stacked = torch.tensor(np.stack([np.stack([x.real, x.imag], -1).reshape(40, 8) for x in (q, k)]))
    places = torch.arange(40)
    turned_q, turned_k = encoding.turn(stacked, places)
    found = turned_q @ turned_k.T / math.sqrt(8) + encoding.bias(1, places)
    for i, j in itertools.product(range(40), repeat=2):
        away = i - j
        if abs(away) >= window:
            shift = window - window // group
            away = i // group - j // group + (shift if away > 0 else -shift)
        turns = np.exp(1j * away * np.array(SMALL))
        assert found[i, j].item() == pytest.approx((q[i] * turns * k[j].conj()).real.sum() / math.sqrt(8), abs=1e-9)


def test_self_extend_s_groups_are_the_smallest_within_the_trained_distances():
    def farthest(length, window, group):
        return max(p // group + window - window // group for p in range(length))

    for window, trained_to in itertools.product((1, 2, 4, 8, 16), (24, 32)):
        group = beyond_the_length.smallest_group(window, trained_to)
        assert farthest(4 * trained_to, window, group) < trained_to <= farthest(4 * trained_to, window, group - 1)
    groups = [95 // 5 - (95 - away) // 5 + 4 for away in (20, 60, 95)]
    assert numbers("0 away seems 0; .*?; 20 away seems ")[::2] == groups and groups[-1] == 23


def test_self_extend_saves_both_tasks_if_three_back_is_in_the_window_and_far_keys_are_grouped():
    def extended(read, window, where):
        names = PARTS["three_back/Self-Extend" if read is back else "who_came_first/Self-Extend"]
        (name,) = [name for name in names if name.startswith(f"window {window},") and "causal" not in name]
        return read(name, where, "Self-Extend")

    for window in (4, 8):
        assert extended(back, window, "128").min() > 0.99 and extended(first, window, "96").mean() > 0.97
    assert extended(first, 4, "96").mean() == pytest.approx(0.99, abs=0.005)
    assert extended(back, 2, "128").max() < 0.25 and extended(back, 1, "128").max() < 0.1
    assert extended(first, 2, "96").min() > 0.95, "the groups carry the side"
    assert first("window", "96", "by four").mean() < 0.67, "hidden, the far keys are missed"
    assert extended(first, 16, "96").mean() == pytest.approx(0.93, abs=0.005)
    for name in ("none", "interpolation", "window"):
        worst = min(
            first(f"{name}, causal", part="Self-Extend").mean(), back(f"{name}, causal", part="Self-Extend").mean()
        )
        assert worst < 0.85, name
    best = "window 4, groups of 5, causal"
    assert first(best, part="Self-Extend").min() > 0.98 and back(best, part="Self-Extend").min() > 0.99


@pytest.mark.slow
def test_self_extend_saves_3_back_of_models_of_fresh_seeds():
    make, settings = beyond_the_length.make(attention.Rotary), beyond_the_length.SETTINGS
    models = training.train(make, tasks.THREE_BACK, (100, 101), steps=400, **settings)
    saved = beyond_the_length.changed(models, beyond_the_length.SelfExtend(group=5, window=4))
    lost = beyond_the_length.changed(models, beyond_the_length.SelfExtend(group=5, window=2))
    assert min(beyond_the_length.tested(saved, tasks.THREE_BACK, 128)) > 0.97
    assert max(beyond_the_length.tested(lost, tasks.THREE_BACK, 128)) < 0.3


def test_in_16_bits_neighbours_far_away_get_the_same_bias():
    slopes = [2.0**-i for i in range(1, 9)]  # those of eight heads
    for kept, exact in ((torch.bfloat16, 2**8), (torch.float16, 2**11)):
        for slope in slopes:
            own = [torch.tensor(slope * distance).to(kept).item() for distance in range(exact + 2)]
            assert len(set(own[: exact + 1])) == exact + 1 and own[exact] == own[exact + 1]
        assert PRINTED.count(str([exact] * 8)) == 1


def test_a_decoder_interpolated_by_thirds_names_the_token_at_the_angle_of_three():
    for asked in range(3, 13):
        runs = PARTS["three_back/named"][f"by {asked / 3:.2f}"]
        shares = {int(where.split()[1]): np.array(own) for where, own in runs.items()}
        most = [max(shares, key=lambda k: shares[k][seed]) for seed in range(8)]
        assert most == [asked] * 8


def test_interpolation_keeps_the_angle_and_stretches_the_distance():
    assert back("interpolation", "64, 6 back").min() > 0.8 and back("interpolation", "64").max() < 0.12
    assert 0.35 < back("interpolation", "128, 12 back").mean() < 0.75 and back("interpolation").max() < 0.12
    asked = {k: back("interpolation", f"128, {k} back", "neighbours").mean() for k in (10, 11, 12, 13, 14)}
    assert asked[12] > asked[11] > 0.2 < asked[13] and max(asked[10], asked[14]) < 0.12
    for remedy in ("none", "NTK-aware", "YaRN"):
        assert back(remedy, "128, 12 back").max() < 0.12, "a model whose hand 0 keeps its step stays at 3 back"


def test_hands_2_and_3_reach_new_angles_and_do_no_harm_and_hand_1_decides():
    for i in (2, 3):
        assert 24 * SMALL[i] < math.pi and 96 * SMALL[i] > 24 * SMALL[i]
    assert abs(first("slowed 0011") - first("slowed 0000")).mean() < 0.03
    assert abs(back("slowed 0011") - back("slowed 0000")).mean() < 0.05
    assert first("slowed 0100").min() > 0.95
    for choice in ("1000", "0010", "0001", "1011"):
        assert first(f"slowed {choice}").mean() < 0.65, choice
    assert back("slowed 1000").max() < 0.12 and back("slowed 0100").mean() < back("slowed 0000").mean() - 0.15


def test_hands_2_and_3_are_not_read_and_hand_1_is_read_for_a_side_and_both_fast_hands_for_a_distance():
    assert first("hands 2 and 3 backwards", "24", "hands read").min() > 0.99
    assert back("hands 2 and 3 backwards", "32", "hands read").min() > 0.99
    assert first("hand 0 stopped", "24", "hands read").min() > 0.95
    assert first("hand 1 stopped", "24", "hands read").mean() < 0.65
    assert back("hand 0 stopped", "32", "hands read").max() < 0.5
    assert back("hand 1 stopped", "32", "hands read").max() < 0.6


def by_gap(run):
    return {int(key.split()[1]): np.array(own) for key, own in PARTS["who_came_first/gaps"][run].items()}


def test_past_half_a_turn_of_hand_1_all_models_answer_the_wrong_way_round_and_past_a_whole_one_right_again():
    trained = by_gap("none")
    half, whole = math.pi / 0.1, 2 * math.pi / 0.1
    assert all((own == 0).all() for apart, own in trained.items() if half + 15 < apart < whole - 1)
    assert trained[47].max() == 0, "not once"
    assert all(own.min() > 0.95 for apart, own in trained.items() if apart <= 16 or whole + 1 < apart <= whole + 16.5)
    assert trained[95].mean() < 0.5, "once more on the other side"
    tipping = [np.ptp(trained[apart]) for apart in (32, 33, 34, 35, 36)]
    assert min(tipping) > 0.2 and (trained[34].min(), trained[34].max()) == pytest.approx((0.02, 0.5), abs=0.006)
    wrong = [apart for apart, own in trained.items() if own.max() == 0]
    assert wrong == [apart for apart in trained if 47 <= apart <= 61] and 0 < trained[44].max() < 0.05
    assert trained[61].max() == 0 and trained[64].min() > 0.99, "where both sides were trained, a step"
    assert trained[24].mean() == pytest.approx(0.95, abs=0.005) and trained[31].mean() == pytest.approx(0.55, abs=0.005)
    slowed = by_gap("hand 1 slowed by 4")
    assert min(own.min() for own in slowed.values()) > 0.98


def test_in_long_texts_a_and_b_answer_by_the_dial_and_the_other_tokens_blur_it():
    told = {who: {apart: first(who, f"96, {apart} apart", "votes") for apart in (9, 49, 79)} for who in VOTERS}
    assert told["A and B"][9].min() == told["A and B"][79].min() == 1 and told["A and B"][49].max() == 0
    for who in ("all", "the others"):
        assert told[who][9].mean() < 0.8 and told[who][49].mean() > 0.2 and told[who][79].mean() < 0.9
    for apart in (9, 49, 79):
        printed = numbers(rf"A and B +{apart} apart")
        assert printed == pytest.approx([told[who][apart].mean() for who in VOTERS], abs=0.0051)
    assert all(first(who, f"24, {apart} apart", "votes").min() > 0.95 for who in VOTERS for apart in (4, 9, 14, 19))


def test_in_six_models_the_texts_of_96_mix_right_and_wrong_distances_and_two_are_half_right_at_nearly_all():
    told = np.array([own for where, own in lengths.recorded("who_came_first/votes")["all"].items() if "96" in where])
    mixed = (told.min(0) < 0.35) & (told.max(0) > 0.95)
    assert mixed.sum() == 6
    assert ((told[:, ~mixed] > 0.35) & (told[:, ~mixed] < 0.65)).sum(0).min() >= len(told) - 1


def test_at_unknown_angles_the_eight_models_disagree_and_at_misread_ones_they_agree():
    told = {apart: first("none", f"24, {apart} apart", "gaps") for apart in (28, 47)}
    assert (told[28].min(), told[28].max()) == pytest.approx((0.51, 1.0), abs=0.006)
    assert told[47].max() == 0


def test_a_hand_is_misread_from_where_the_other_side_s_angles_were_trained():
    for speed, longest, half, other in ((0.005, 512, 629, 746), (0.1, 24, 32, 40)):
        assert math.ceil(math.pi / speed) == half
        assert math.ceil((2 * math.pi - (longest - 1) * speed) / speed) == other, "no distance is the length"


def test_63_tokens_on_the_fast_hands_agree_and_3_back_breaks_there_in_short_texts_too():
    left = {o: [abs(math.remainder(o * speed, 2 * math.pi)) for speed in SMALL[:2]] for o in range(1, 128)}
    assert [o for o, (fast, slow) in left.items() if max(fast, slow) < 0.2] == [63]
    assert left[63] == [pytest.approx(0.17, abs=0.005), pytest.approx(0.02, abs=0.005)]
    moved = {int(key.split()[-1]): np.array(own) for key, own in PARTS["three_back/gaps"]["none"].items()}
    assert min(moved, key=lambda shift: moved[shift].mean()) == 63 and moved[63].mean() < 0.65
    for shift in (16, 32, 40, 80, 88, 96):
        assert moved[shift].min() > 0.97, "new angles alone do no harm"
    slowed = {
        int(key.split()[-1]): np.array(own) for key, own in PARTS["three_back/gaps"]["hand 1 slowed by 1.59"].items()
    }
    alone = np.array(PARTS["three_back/gaps"]["hand 1 slowed by 1.59, long"]["128"])
    assert alone.mean() == pytest.approx(0.90, abs=0.005) and back("NTK-aware").mean() - alone.mean() < 0.03
    parted = {
        int(key.split()[-1]): np.array(own) for key, own in PARTS["three_back/gaps"]["hand 0 slowed by 1.05"].items()
    }
    assert parted[63].mean() > 0.9 > 0.65 > moved[63].mean(), "hand 0 changed alone, and no angle brought back"
    assert abs(math.remainder(88, 2 * math.pi)) < left[63][0], "at 88 hand 0 agrees even better"
    assert abs(math.remainder(8.8, 2 * math.pi)) > 2 and moved[88].min() > 0.97, "and hand 1 does not"
    assert slowed[63].min() > 0.9, "parted, the hands no longer agree there"
    assert min(slowed, key=lambda shift: slowed[shift].mean()) == 96, "near the slowed hand's own whole turn"


def test_the_remedies_of_the_page_are_the_formulas_of_published_programs():
    omega = [10_000 ** (-2 * i / 8) for i in range(4)]
    ntk = [(10_000 * 4 ** (8 / 6)) ** (-2 * i / 8) for i in range(4)]
    assert rope_scaling.ntk_aware(8, factor=4.0).tolist() == pytest.approx(ntk)
    assert rope_scaling.interpolation(8, factor=4.0).tolist() == pytest.approx([speed / 4 for speed in omega])
    yarn = rope_scaling.yarn(8, factor=4.0, original_max_position_embeddings=32)[0]
    assert (torch.tensor(omega) / yarn).tolist() == pytest.approx([1, 4, 4, 4])
    assert numbers(r"NTK-aware +times slower: tensor\(\[") == pytest.approx(
        [w / v for w, v in zip(omega, ntk, strict=True)], abs=6e-4
    )


@pytest.mark.parametrize(("head_dim", "length", "factor", "hand"), [(8, 32, 4, 0), (96, 4096, 32, 29)])
def test_yarn_s_ramp_runs_over_turns_in_the_paper_and_over_the_numbers_of_hands_in_programs(
    head_dim, length, factor, hand
):
    hands = range(head_dim // 2)
    speeds = [10_000 ** (-2 * i / head_dim) for i in hands]
    rounds = [length * speed / (2 * math.pi) for speed in speeds]
    of_32, of_1 = (math.log(length / (2 * math.pi * times)) / math.log(10_000) * head_dim / 2 for times in (32, 1))
    first, last = max(math.floor(of_32), 0), math.ceil(of_1)

    def slower(kept):
        kept = min(max(kept, 0), 1)
        return 1 / (kept + (1 - kept) / factor)

    paper = [slower((turned - 1) / 31) for turned in rounds]
    program = [slower((last - i) / (last - first)) for i in hands]
    keys = {"factor": factor, "original_max_position_embeddings": length}
    assert (torch.tensor(speeds) / rope_scaling.yarn(head_dim, **keys)[0]).tolist() == pytest.approx(program)
    assert max(hands, key=lambda i: paper[i] / program[i]) == hand
    printed = numbers(rf"(?m)^ *{head_dim // 2} hands: hand +")
    assert printed == pytest.approx([hand, rounds[hand], paper[hand], program[hand]], abs=0.051)
    assert paper[hand] > 2.5 * program[hand]


def test_the_published_head_has_14_hands_that_did_not_come_round_and_longrope_slows_them_by_63_to_65():
    turns = [4096 * 10_000 ** (-2 * i / 96) / (2 * math.pi) for i in range(48)]
    unfinished = [i for i, own in enumerate(turns) if own < 1]
    assert unfinished == list(range(34, 48))
    slowed = [stretch.LONG[i] for i in unfinished]
    assert min(slowed) > 63 and max(slowed) < 65
    assert round(stretch.LONG[15]) == 18 and round(turns[15]) == 37
    outside = {rule: int(stretch.Stretch(method=rule, factor=32).new().sum()) for rule in stretch.METHODS}
    assert outside == {"none": 14, "interpolation": 0, "NTK-aware": 13, "YaRN": 0, "Llama 3": 0, "LongRoPE": 0}
    assert int(stretch.Stretch(method="none", factor=2).new().sum()) == 14
    none = stretch.speeds("none", 32)
    alone = {rule: int(np.isclose(none, stretch.speeds(rule, 32), rtol=1e-6).sum()) for rule in ("YaRN", "Llama 3")}
    assert alone == {"YaRN": 16, "Llama 3": 27}


def test_longrope_s_long_list_against_its_short_one_slows_by_less_than_the_factor():
    short, between = stretch.SHORT[34:], np.divide(stretch.LONG, stretch.SHORT)[34:]
    assert (min(short), max(short)) == (2.03, 2.84)
    assert (between.min(), between.max()) == pytest.approx((22.8, 31.5), abs=0.05) and between.max() < 32


def nearest_to_three_back(slower):
    """How near hands 0 and 1 come, in a text of 128, to where they point 3 back: the larger of both errors, in rad."""
    far = {o: max(abs(math.remainder(o * speed, 2 * math.pi)) for speed in (1, 0.1 / slower)) for o in range(10, 128)}
    return min(far, key=far.get), min(far.values())


def test_slower_is_not_worse_3_back_falls_where_hands_0_and_1_nearly_agree_again():
    low, high = [], []
    for slower in (1.00, 1.12, 1.26, 1.41, 1.59, 1.78):
        where, error = nearest_to_three_back(2 ** (round(6 * math.log2(slower)) / 6))
        share = back(f"hand 0 by 1.00, hand 1 by {slower:.2f}", part="map").mean()
        (low if share < 0.8 else high).append((slower, where, error))
    assert [(slower, where) for slower, where, _ in low] == [(1.0, 63), (1.12, 69), (1.41, 88), (1.78, 113)]
    assert [slower for slower, *_ in high] == [1.26, 1.59], "NTK-aware's is 1.59"
    assert max(error for *_, error in low) < 0.2 < 0.3 < min(error for *_, error in high)
    slowed = {key: np.array(own) for key, own in PARTS["three_back/gaps"]["hand 1 slowed by 1.41"].items()}
    assert min(slowed, key=lambda key: slowed[key].mean()) == "32, second half from 88", "where the two agree now"
    assert slowed["32, second half from 88"].mean() < 0.6 < 0.99 < slowed["32, second half from 63"].min()


def test_the_mask_alone_carries_the_order_to_any_length_tried_and_not_the_distance():
    sweep_runs = json.loads(data_file("sweep.json").read_text("utf-8"))["runs"]

    def swept(task, scheme, length):
        (run,) = [
            r
            for r in sweep_runs
            if (r["config"]["task"], r["config"]["scheme"]) == (task, scheme) and r["config"]["embedding_std"] == 1.0
        ]
        return np.array(run["accuracy"])[:, run["lengths"].index(length)]

    assert swept("who_came_first", "none, causal", 96).min() > 0.9
    assert swept("who_came_first", "alibi, causal", 96).mean() > 0.95
    assert swept("three_back", "none, causal", 128).mean() < 0.25
    assert swept("three_back", "alibi, causal", 128).mean() < 0.5
    distance = {code: back(code, "128", "codes under the mask").mean() for code in ("rotary", "sinusoid", "T5's table")}
    distance["ALiBi"] = swept("three_back", "alibi, causal", 128).mean()
    assert max(distance, key=distance.get) == "T5's table" and distance["T5's table"] > 0.55
    for code in ("rotary", "sinusoid", "T5's table"):
        assert first(code, "96", "codes under the mask").mean() > 0.9


@pytest.mark.slow
def test_under_a_causal_mask_yarn_keeps_3_back_of_models_of_fresh_seeds():
    make, settings = beyond_the_length.make(attention.Rotary, causal=True), beyond_the_length.SETTINGS
    models = training.train(make, tasks.THREE_BACK, (100, 101), steps=400, **settings)
    speeds = {"none": torch.tensor(SMALL), "YaRN": torch.tensor([1.0, 0.025, 0.0025, 0.00025])}
    right = {
        name: beyond_the_length.tested(
            beyond_the_length.changed(models, attention.Rotary(inv_freq=own)), tasks.THREE_BACK, 128
        )
        for name, own in speeds.items()
    }
    assert min(right["YaRN"]) > 0.9 and max(right["none"]) < 0.6


@pytest.mark.slow
def test_slowing_hand_1_alone_saves_models_of_fresh_seeds():
    models = training.train(
        beyond_the_length.make(attention.Rotary),
        tasks.WHO_CAME_FIRST,
        (100, 101),
        steps=250,
        **beyond_the_length.SETTINGS,
    )
    usual = beyond_the_length.tested(models, tasks.WHO_CAME_FIRST, 96)
    slowed = beyond_the_length.changed(models, attention.Rotary(inv_freq=beyond_the_length.slowed_by({1: 4.0})))
    others = beyond_the_length.changed(models, attention.Rotary(inv_freq=torch.tensor([0.25, 0.1, 0.0025, 0.00025])))
    assert np.mean(beyond_the_length.tested(slowed, tasks.WHO_CAME_FIRST, 96)) > np.mean(usual) + 0.2
    assert np.mean(beyond_the_length.tested(others, tasks.WHO_CAME_FIRST, 96)) < np.mean(usual) + 0.1


def test_recorded_parts_are_found_by_name_and_others_are_refused():
    assert set(lengths.recorded("who_came_first/codes under the mask")) == {"rotary", "sinusoid", "T5's table"}
    with pytest.raises(ValueError, match="part must be one of"):
        lengths.recorded("who_came_first")
    choices = {"slowed " + "".join(bits) for bits in itertools.product("01", repeat=4)}
    assert choices < set(lengths.recorded("three_back/no mask"))
