"""What lesson 11 says in its sentences: from the recorded runs, and for its three heads computed once more."""

import itertools
import json
import math
import re

import nbformat
import numpy as np
import pytest
from safetensors.numpy import load_file
from tests.lessons.printed import numbers_of
from tools import lessons

from clockwork.kit import pretrained
from clockwork.kit.datafiles import data_file
from clockwork.lessons.lesson_11 import figures, views

PAGES = lessons.whole(lessons.NOTEBOOKS / "11_inside_a_model_that_ships.ipynb")
CELLS = [cell for page in PAGES for cell in nbformat.read(page, as_version=4).cells]
PRINTED = "\n".join(output.get("text", "") for cell in CELLS for output in cell.get("outputs", []))
RESULTS = json.loads(data_file("smollm2.json").read_text("utf-8"))
BOTH = ("alice", "course")
KINDS = ("previous", "first", "induction")
SPEEDS = 100_000.0 ** (-np.arange(32) / 32)
UNFINISHED = SPEEDS * 8192 / (2 * np.pi) < 1
TOKENS = pretrained.heads()[1]
N = len(TOKENS)


numbers = numbers_of(PRINTED)


def pairs(kind, part):
    """The pairs of a recorded head as complex numbers."""
    values = load_file(data_file("smollm2_heads.safetensors"))[f"{kind}.{part}"].astype(float)
    return values[:, 0::2] + 1j * values[:, 1::2]


def scores(kind, speeds=SPEEDS, queries=0, keys=0, counted=slice(None)):
    """Scores from the definition: the real part of q̄·k, turned by the offset, summed over the pairs that count."""
    q, k = (pairs(kind, part)[:, counted] for part in "qk")
    offsets = np.subtract.outer(np.arange(N) + queries, np.arange(N) + keys)
    turned = np.exp(-1j * np.multiply.outer(offsets, speeds[counted]))
    return np.einsum("ah,bh,abh->ab", q.conj(), k, turned).real / 8


def softmax(scores):
    """The weights that come of scores, without those for later tokens."""
    grown = np.exp(scores - np.where(np.tri(N), scores, -np.inf).max(1, keepdims=True)) * np.tri(N)
    return grown / grown.sum(1, keepdims=True)


def weights(kind, *args, **kwargs):
    """Attention weights from the definition."""
    return softmax(scores(kind, *args, **kwargs))


def share(kind, stopped=(), counted=slice(None)):
    speeds = np.where(np.isin(np.arange(32), list(stopped)), 0, SPEEDS)
    found = weights(kind, speeds, counted=counted)
    if kind == "previous":
        return found[np.arange(1, N), np.arange(N - 1)].mean()
    if kind == "first":
        return found[1:, 0].mean()
    shares = []
    for query in range(N):
        after = [place + 1 for place in range(query) if TOKENS[place] == TOKENS[query]]
        if after:
            shares.append(found[query, after].sum())
    return np.mean(shares)


def printed_share(kind, choice):
    """What the lesson's table says of one kind of head."""
    return float(re.search(rf"(?m)^{choice} +(.*)$", PRINTED)[1].split()[KINDS.index(kind)])


@pytest.mark.parametrize("kind", KINDS)
def test_the_printed_shares_are_those_of_complex_arithmetic(kind):
    for choice, stopped in {
        "as it is": (),
        "fastest 4 stopped": range(4),
        "slowest 16 stopped": range(16, 32),
        "all stopped": range(32),
    }.items():
        assert printed_share(kind, choice) == pytest.approx(share(kind, stopped), abs=0.006)


def test_only_the_fastest_hands_make_the_previous_token_head():
    assert share("previous", range(4)) < 0.1
    for first in range(4, 32, 4):
        assert share("previous", range(first, first + 4)) > 0.7, "four hands elsewhere can go"
    assert share("previous", range(16, 32)) > 0.75, "so can sixteen slow ones"


@pytest.mark.parametrize("kind", KINDS)
def test_removing_the_slow_half_loses_what_stopping_it_keeps_in_the_two_heads_that_look_for_content(kind):
    without_slow = share(kind, counted=slice(16))
    without_fast = share(kind, counted=slice(16, 32))
    assert printed_share(kind, "slowest 16 removed") == pytest.approx(without_slow, abs=0.006)
    assert printed_share(kind, "fastest 16 removed") == pytest.approx(without_fast, abs=0.006)
    if kind == "previous":
        assert without_fast < 0.05 < share(kind) + 0.05 < without_slow
    else:
        assert without_slow < 0.1 < 0.65 < share(kind, range(16, 32))
        assert without_fast > 0.65 * share(kind), "the rival: any sixteen are as good"


def test_the_sink_scores_high_for_the_first_token_alone():
    of_first = scores("first")[1:, 0]
    others = scores("first")[1:, 1:][np.tri(N - 1, dtype=bool)]
    assert of_first.min() > 4 and others.max() < 0
    assert of_first.mean() == pytest.approx(6.5, abs=0.1) and others.mean() == pytest.approx(-24.7, abs=0.1)


def test_two_of_the_heads_share_their_keys_and_not_their_queries():
    assert (pairs("first", "k") == pairs("induction", "k")).all()
    assert (pairs("first", "q") != pairs("induction", "q")).any()


def test_a_token_that_is_read_for_the_first_time_sends_the_induction_head_to_the_first_token():
    favourites = weights("induction").argmax(1)
    new = [query for query in range(N) if TOKENS[query] not in TOKENS[:query]]
    assert (favourites[new] == 0).all() and (favourites == 0).sum() == 46


def test_one_hand_of_each_speed_is_worth_less_to_head_a_than_the_fastest_four():
    spread = share("previous", [0, 10, 20, 31])
    assert share("previous", range(4)) + 0.1 < spread == pytest.approx(0.18, abs=0.006)
    assert spread == pytest.approx(share("previous", [0]), abs=0.01)


def test_the_fastest_four_hands_nearly_repeat_after_38_tokens_and_hand_8_does_not():
    turned = np.angle(np.exp(38j * SPEEDS))
    assert (np.abs(turned[[0, 2, 3]]) < 0.4).all() and turned[8] == pytest.approx(2.14, abs=0.01)
    found = weights("previous", np.where(np.arange(32) < 4, SPEEDS, 0))
    assert np.diagonal(found, -1).mean() == pytest.approx(0.56, abs=0.006)
    assert np.diagonal(found, -39).mean() == pytest.approx(0.17, abs=0.006)
    solved = weights("previous", np.where(np.isin(np.arange(32), [0, 1, 2, 8]), SPEEDS, 0))
    assert np.diagonal(solved, -1).mean() == pytest.approx(0.72, abs=0.006)


def test_head_a_jumps_over_a_gap_past_the_trained_length_and_with_the_slow_hands_stopped_over_some_gaps():
    jumps = {}
    for gap in RESULTS["gap_lengths"]:
        places = gap * (np.arange(N) >= 55)
        rows = [
            weights("previous", speeds, places, places)[55:, 1:55].sum(1).mean()
            for speeds in (SPEEDS, np.where(UNFINISHED, 0, SPEEDS))
        ]
        assert numbers(rf"gap +{gap:,}: weight across it ") == pytest.approx(rows, abs=0.006)
        jumps[gap] = rows
    assert all(jumps[gap][0] < 0.03 for gap in (0, 4_000, 8_000, 10_000, 12_000))
    assert jumps[16_000][0] > 0.9
    assert all(jumps[gap][0] > 0.99 for gap in (22_000, 32_000))
    assert all(jumps[gap][1] < 0.01 for gap in (12_000, 20_000))
    assert all(jumps[gap][1] > 0.6 for gap in (16_000, 22_000))


def test_the_other_two_heads_look_for_something_in_the_tokens():
    assert share("first", range(32)) > 0.99
    assert share("induction", range(32)) > 0.5
    at_random = np.mean([1 / (query + 1) for query in range(N)])
    assert at_random < 0.1, "with equal weights hardly anything would go there"


def test_moving_queries_and_keys_together_changes_nothing_and_moving_one_of_them_does():
    for kind in KINDS:
        np.testing.assert_allclose(weights(kind, queries=10**6, keys=10**6), weights(kind), atol=1e-9)
        assert numbers(rf"{kind} +head: a weight changes by at most ")[0] < 1e-5
    angles = (np.arange(N) + 10**6).astype(np.float32)[:, None] * SPEEDS.astype(np.float32)
    q, k = (pairs("previous", part) * np.exp(1j * angles.astype(float)) for part in "qk")
    rounded = softmax((q @ k.conj().T).real / 8)
    assert 0.015 < np.abs(rounded - weights("previous")).max() < 0.03, "angles in 32 bits"
    assert np.abs(weights("previous", queries=1) - weights("previous")).max() > 0.5, "the rival: the keys stay behind"
    for text in BOTH:
        assert max(RESULTS["moved"]["largest_change"][text]) < 1e-4 < 0.5 * RESULTS["unrotated"]["all"][text][0]


def test_the_induction_head_depends_on_the_previous_token_head():
    found = {name: np.array(shares) for name, shares in RESULTS["induction"].items()}
    assert (found["all turn"] > 0.85).all() and (found["not 16"] < 0.2).all()
    assert (found["not head A"] < 0.25).all()
    assert (found["not its 8 neighbours"] > 0.85).all(), "the rival: another head of that layer"
    for other in ("not 18", "not 17", "not 11"):
        assert (found[other] > 0.6).all(), "the rivals: its own layer, a neighbour, a layer with such a head"
    previous = np.array([RESULTS["heads"]["previous"][text] for text in BOTH]).mean(0)
    assert np.unravel_index(previous.argmax(), previous.shape) == (16, 0) and previous[11].max() > 0.5
    three, _ = pretrained.heads()
    assert (three["previous"].layer, three["previous"].head) == (16, 0)
    assert (three["induction"].layer, three["induction"].head) == (18, 6)


def test_no_head_looks_two_to_eight_back_as_four_look_one_back():
    shares = {kind: np.mean(list(RESULTS["heads"][kind].values()), axis=0) for kind in ("previous", "2 to 8 back")}
    assert (shares["previous"] > 0.5).sum() == 4
    assert shares["2 to 8 back"].size == 270 and shares["2 to 8 back"].max() < 0.2


@pytest.mark.parametrize("text", BOTH)
def test_the_faster_the_hands_the_more_it_costs_to_stop_them(text):
    stopped = RESULTS["stopped"][text]
    rises = [stopped[2 * i][1] for i in range(4)]  # eight hands each
    for (rise, error), (other, _) in itertools.pairwise(rises[:3]):
        assert rise - other > 3 * error
    assert all(abs(rise) < 0.03 for rise, _ in rises[2:])
    assert abs(stopped[4][3][0]) < 0.03, "the slowest sixteen"
    assert 0 < stopped[3][4][0] < 0.1, "twenty, from hand 12 on"
    octaves = [rise for rise, _ in RESULTS["octaves"][text]]
    assert octaves[0] > 4 * max(octaves[1:]), "the fastest two cost by far the most"
    assert stopped[1][1][0] > 1.9 * (stopped[1][0][0] + stopped[2][0][0]), "costs do not add"
    assert stopped[1][1][0] > octaves[0], "all of the others together would cost more than the fastest two"


@pytest.mark.parametrize("text", BOTH)
def test_slow_hands_cost_more_the_longer_the_text_and_fast_ones_as_much_in_any(text):
    assert RESULTS["ends"] == [64, 256, 1024, 1792]
    grown = RESULTS["grown"][text]
    assert all(abs(rise) < 0.03 for rise, _ in grown["slowest 16"][:2] + grown["slowest 12"][:2]), (
        "the first 256 tokens"
    )
    for (rise, error), (later, other) in itertools.pairwise(grown["slowest 16"][1:]):
        assert later - rise > 3 * math.hypot(error, other)
    assert grown["slowest 16"][3][0] > 0.6
    rise, error = grown["slowest 12"][3]
    assert rise > 5 * error
    fast = [rise for rise, _ in grown["0 to 3"]]
    assert max(fast[1:]) < 1.2 * min(fast[1:])


@pytest.mark.parametrize("text", BOTH)
def test_the_same_passage_alone_does_without_the_slowest_sixteen(text):
    (inside, error), (alone, _) = (RESULTS["grown_passage"][text][place] for place in ("in the text", "alone"))
    assert inside > max(0.3, 5 * error) and abs(alone) < 0.05


@pytest.mark.parametrize("text", BOTH)
def test_the_longer_the_text_the_more_hands_must_turn(text):
    rises = np.array(RESULTS["from_hand"][text])[..., 0]  # (first stopped hand 0, 4, … 28; parts)
    needed = [(rises[:, part] > 0.125).sum() for part in range(4)]
    assert needed == sorted(needed) and needed[3] - needed[0] >= 3, "groups of four that cannot be stopped"
    assert RESULTS["from_hand"][text][4] == RESULTS["grown"][text]["slowest 16"], "measured for two results, once"


@pytest.mark.parametrize("text", BOTH)
def test_with_slow_hands_stopped_far_tokens_do_the_harm(text):
    near = RESULTS["near_only"][text]
    seen, _ = RESULTS["grown"][text]["slowest 16"][3]
    (hidden, error), (whole, _) = near["slowest 16"], near["all turn"]
    assert seen > hidden + 10 * error, "the rival: the stopped hands hide what the model misses"
    assert abs(hidden - whole) < error, "hiding what is far costs both models the same"


@pytest.mark.parametrize("text", BOTH)
def test_hiding_far_tokens_changes_nothing_in_a_short_text_and_takes_the_harm_of_slow_hands_away(text):
    seen, near = (np.array(RESULTS[name][text])[..., 0] for name in ("from_hand", "near_from_hand"))
    assert near.shape == (9, 4), "hands stopped from 0, 4, … 32 on; parts"
    np.testing.assert_allclose(near[:8, :2], seen[:, :2], atol=2e-3)
    np.testing.assert_allclose(near[8, :2], 0, atol=2e-3)
    told = RESULTS["near_only"][text]
    assert near[[4, 8], 3] == pytest.approx([told["slowest 16"][0], told["all turn"][0]], abs=2e-3)
    assert np.abs(near[4:, 3] - near[8, 3]).max() < 0.03, "from hand 16 on, stopping costs nothing more"
    assert seen[4, 3] - near[4, 3] > 0.4


@pytest.mark.parametrize("text", BOTH)
def test_rounded_positions_cost_loss_and_rounded_cosines_none(text):
    rises = {step: {start: pair[0] for start, pair in runs.items()} for step, runs in RESULTS["bfloat16"][text].items()}
    for step in ("nothing", "cosines and sines", "speeds"):
        assert max(map(abs, rises[step].values())) < 0.001
    for step in ("positions", "angles"):
        assert 0.1 < rises[step]["0"] < 0.2 and rises[step]["7680"] > 1


def test_the_needed_hands_are_drawn_with_the_length_at_which_they_were_measured():
    figure = figures.needed(RESULTS)
    told = [text.get_text() for ax in figure.axes for text in ax.texts]
    assert {f"no full turn in {n} tokens" for n in ("256", "8,192")} <= set(told)
    lines = sorted({line.get_xdata()[0] for line in figure.axes[0].lines if line.get_linestyle() == "--"})
    assert lines == [(np.argmax(SPEEDS * n < 2 * np.pi) - 1) / 2 for n in (256, 8192)]


def test_without_hand_0_most_of_head_a_s_lost_weight_goes_to_the_first_token():
    before, after = (weights("previous", np.where(np.arange(32) < count, 0, SPEEDS)) for count in (0, 1))
    lost = (before - after).diagonal(-1)[1:].mean()
    won = (after - before)[2:, 0].mean()
    assert won > 0.6 * lost > 0.3
    assert [w[2:, 0].mean() for w in (before, after)] == pytest.approx([0.09, 0.55], abs=0.006)


def test_in_256_tokens_slow_hands_hardly_move():
    moved = np.degrees(256 * SPEEDS)
    assert moved[20] == pytest.approx(11, abs=0.1) and moved[16] == pytest.approx(46, abs=0.5)
    assert RESULTS["stopped"]["alice"][1][0][0] == pytest.approx(0.32, abs=0.006)
    assert RESULTS["stopped"]["alice"][2][0][0] == pytest.approx(0.28, abs=0.006)
    assert RESULTS["stopped"]["alice"][1][1][0] == pytest.approx(1.24, abs=0.006)


@pytest.mark.parametrize("part", ["q", "k"])
@pytest.mark.parametrize("text", BOTH)
def test_queries_and_keys_are_longest_where_training_never_finished_a_turn(text, part):
    lengths = np.array(RESULTS["norms"][part][text])
    assert set(np.argsort(lengths)[-2:]) == {23, 24}
    assert lengths[[23, 24]].mean() > 2.7 * lengths[:8].mean()
    turns = SPEEDS[[23, 24]] * 8192 / (2 * np.pi)
    assert (turns > 0.2).all() and (turns < 0.4).all()
    assert 256 * SPEEDS[23] < np.radians(5)


def harm(method, text):
    """By how much the text before the gap raises the loss after it, for each gap."""
    alone = RESULTS["gaps"]["alone"][text]
    losses = RESULTS["gaps"][method][text]
    return {gap: loss - alone for gap, loss in zip(RESULTS["gap_lengths"], losses, strict=True)}


@pytest.mark.parametrize("text", BOTH)
def test_a_text_before_a_gap_helps_less_and_less_and_far_beyond_the_trained_length_harms(text):
    found = harm("none", text)
    assert found[0] < -0.2
    assert found[0] < found[4000] < 0
    assert 0 < found[8000] < 0.35 and 0 < found[10_000] < 0.15, "nothing, or a little harm"
    assert found[20_000] > 1.5, "fading would end at 0"
    assert found[12_000] == pytest.approx({"alice": 0.9, "course": 0.58}[text], abs=0.006)


def test_alice_alone_is_harmed_before_the_trained_length_and_at_one_gap_alone():
    assert harm("none", "alice")[8000] == pytest.approx(0.33, abs=0.006)
    assert harm("none", "course")[8000] < 0.03
    near = RESULTS["gaps_between"]
    for text in BOTH:
        rises = dict(zip(near["gaps"], (rise for rise, _ in near[text]), strict=True))
        assert all(abs(rise) <= 0.105 for gap, rise in rises.items() if gap < 11_000)
        assert rises[11_000] > 0.25
        assert [rises[gap] for gap in (7_900, 8_100)] == pytest.approx(
            {"alice": [0.08, 0.10], "course": [0.05, 0.03]}[text], abs=0.006
        ), "the bump at 8,000 is narrow"
    bump = dict(zip(near["gaps"], (rise for rise, _ in near["alice"]), strict=True))
    assert max(bump[7_900], bump[8_100]) < harm("none", "alice")[8000] / 3


@pytest.mark.parametrize("text", BOTH)
def test_no_group_of_slow_hands_costs_what_all_sixteen_cost(text):
    at_the_end = {choice: rises[3][0] for choice, rises in RESULTS["grown"][text].items() if choice != "usual"}
    groups = [at_the_end[group] for group in ("16 to 19", "20 to 23", "24 to 27", "28 to 31")]
    assert max(groups) < 0.14 and max(groups[2:]) < 0.025
    assert at_the_end["slowest 16"] > 3 * sum(groups)


@pytest.mark.parametrize("text", BOTH)
def test_the_slow_hands_do_most_of_the_harm_and_no_others_as_much(text):
    as_trained = RESULTS["gaps"]["none"][text][RESULTS["gap_lengths"].index(20_000)]
    without = RESULTS["gaps"]["slow hands stopped"][text][RESULTS["gap_lengths"].index(20_000)]
    assert without < as_trained - 1.5
    assert max(harm("slow hands stopped", text)[gap] for gap in (12_000, 20_000, 32_000)) < 0.1
    after, alone = RESULTS["culprits"]["slowest 12"][text]
    assert after == without and abs(after - alone) < 0.15
    for other in ("fastest 4", "hands 8 to 19"):
        after, alone = RESULTS["culprits"][other][text]
        assert after > without + 1.5 and after - alone > 0.6, "the rival: it is enough to stop some hands"
    assert RESULTS["culprits"]["slowest 4"][text][0] > 6, "four of the twelve are not enough"
    assert RESULTS["culprits"]["none"][text] == [as_trained, RESULTS["gaps"]["alone"][text]]
    after, alone = RESULTS["culprits"]["fastest 4"][text]
    assert after - alone == pytest.approx({"alice": 1.66, "course": 0.69}[text], abs=0.006)
    assert not UNFINISHED[:20].any() and UNFINISHED[20:].all(), "twelve hands never finish a turn in training"


@pytest.mark.parametrize("text", BOTH)
def test_the_harm_is_not_that_of_a_first_token_too_far_away(text):
    as_trained = RESULTS["culprits"]["none"][text][0]
    assert RESULTS["across"]["all but the first token"][text] == pytest.approx(as_trained, abs=0.03)
    of_first = RESULTS["across"]["the first token alone"][text] - RESULTS["gaps"]["alone"][text]
    assert of_first == pytest.approx({"alice": 0.5, "course": 0.3}[text] * harm("none", text)[20_000], abs=0.05)


def test_the_first_training_took_the_slow_hands_further_than_8192_tokens_do_now():
    then = 2048 * 10_000.0 ** (-np.arange(32) / 32)  # rad; settings of the first training: 2,048 tokens, base 10,000
    assert then[20] / (2 * np.pi) == pytest.approx(1, abs=0.05) and then[31] == pytest.approx(0.27, abs=0.005)
    tokens_now = then / SPEEDS
    assert tokens_now[[20, 31]] == pytest.approx([8600, 19_100], abs=50)
    assert (tokens_now[20:] > 8192).all(), "the larger base keeps them where they had been"
    assert [hand for hand in range(20, 32) if tokens_now[hand] < 10_000] == [20, 21, 22]
    assert (tokens_now[20:] < 20_000).all() and then[20] > 2 * np.pi > then[21]


def test_the_rings_are_those_of_the_longer_training_and_a_hand_that_came_round_meets_nothing_new():
    then = 2048 * 10_000.0 ** (-np.arange(32) / 32)
    view = views.Gap()
    for gap in RESULTS["gap_lengths"]:
        view.gap = gap
        fresh = [max(then[hand], 8192 * SPEEDS[hand]) < min(gap * SPEEDS[hand], 2 * np.pi) for hand in range(20, 32)]
        assert view.beyond() == sum(fresh), gap
    view.gap = 10_000
    assert view.beyond() == 2
    view.gap = 20_000
    assert view.beyond() == 11
    view.method = "yarn"
    assert view.beyond() == 0


def test_stopping_the_slow_hands_is_no_free_remedy():
    cost = {
        text: {gap: harm("slow hands stopped", text)[gap] - harm("none", text)[gap] for gap in (4000, 10_000)}
        for text in BOTH
    }
    assert cost["alice"] == pytest.approx({4000: 0.38, 10_000: 0.57}, abs=0.006)
    assert abs(cost["course"][4000]) < 0.03 and cost["course"][10_000] == pytest.approx(0.22, abs=0.006)
    left = [[harm("slow hands stopped", text)[gap] for gap in (10_000, 16_000, 22_000)] for text in BOTH]
    assert left[0] == pytest.approx([0.67, 1.00, 0.92], abs=0.006)
    assert left[1] == pytest.approx([0.23, 0.41, 0.40], abs=0.006)
    stays = [harm("slow hands stopped", "alice")[gap] / harm("none", "alice")[gap] for gap in (16_000, 22_000)]
    assert stays == pytest.approx([1 / 3, 1 / 3], abs=0.04), "a third of the harm"


@pytest.mark.parametrize("text", BOTH)
def test_the_remedies_mend_it_at_20_000_tokens_and_interpolation_pays_without_a_gap(text):
    for remedy in ("interpolation", "ntk", "yarn"):
        assert harm(remedy, text)[20_000] < harm("none", text)[20_000] - 0.5
    assert harm("interpolation", text)[0] > harm("none", text)[0] + 0.5
    assert 0.7 < min(harm("interpolation", text).values()) < max(harm("interpolation", text).values()) < 1.5
    for spared in ("ntk", "yarn"):
        assert abs(harm(spared, text)[20_000]) < 0.06, "no harm, and no help"
        assert harm(spared, text)[0] < harm("interpolation", text)[0] - 0.5
    assert max(harm("yarn", text).values()) < 0.2


def test_ntk_aware_scaling_harms_again_where_hand_20_leaves_its_trained_angles():
    assert [harm("ntk", text)[32_000] for text in BOTH] == pytest.approx([0.65, 0.41], abs=0.006)
    slower = 4 ** (20 / 31)
    assert slower == pytest.approx(2.4, abs=0.05) and 20_000 < 8192 * slower < 20_100


def test_a_score_need_not_fall_with_distance():
    for kind in KINDS:
        q, k = (pairs(kind, part) for part in "qk")
        favourite = k[weights(kind).argmax(1)]
        scores = [
            (q.conj() * favourite * np.exp(-1j * d * SPEEDS)).real.sum(1).mean() / 8
            for d in (1, 2, 10, 100, 1000, 8000)
        ]
        printed = numbers(rf"(?m)^{kind} +1, 2, 10, 100, 1,000, 8,000 tokens apart:")
        assert printed == pytest.approx(scores, abs=0.06)
        near, second, _, hundred, _, far = scores
        if kind == "first":
            assert abs(far - near) < 0.5
        elif kind == "induction":
            assert hundred > near > far
            repeated = weights(kind).argmax(1) > 0
            beyond = (q.conj() * favourite * np.exp(-8000j * SPEEDS)).real.sum(1)[repeated].mean() / 8
            assert repeated.sum() == 109 - 46 and beyond < 0
        else:
            assert near > second > 0
            third = (q.conj() * favourite * np.exp(-3j * SPEEDS)).real.sum(1).mean() / 8
            assert max(third, *scores[2:]) < -5


def test_a_few_hundred_runs_on_three_texts_were_enough():
    assert RESULTS["cpu_seconds"] < 1500
    assert set(RESULTS["usual"]) == {*BOTH, "licence"}
    assert all(losses["256"] > 2 for losses in RESULTS["usual"].values()), "none is recited by heart"
    for rise, error in (RESULTS["stopped_third"][name] for name in ("slowest 8", "slowest 12")):
        assert abs(rise) < 0.03 + 3 * error
    assert RESULTS["stopped_third"]["fastest 4"][0] > 0.5
