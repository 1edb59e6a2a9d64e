"""What lesson 11 says in its sentences: from the recorded runs, and for its three heads computed once more."""

import itertools
import json
import re

import nbformat
import numpy as np
import pytest
from safetensors.numpy import load_file
from tools import lessons

from pe_helpers import pretrained
from pe_helpers.datafiles import data_file

CELLS = nbformat.read(lessons.NOTEBOOKS / "11_inside_a_model_that_ships.ipynb", as_version=4).cells
PRINTED = "\n".join(output.get("text", "") for cell in CELLS for output in cell.get("outputs", []))
RESULTS = json.loads(data_file("smollm2.json").read_text("utf-8"))
BOTH = ("alice", "course")
KINDS = ("previous", "first", "induction")
SPEEDS = 100_000.0 ** (-np.arange(32) / 32)
TOKENS = pretrained.heads()[1]
N = len(TOKENS)


def numbers(line):
    """The numbers in the first printed line that matches, after the matched text."""
    found = re.search(line + r"(.*)", PRINTED)
    assert found, line
    return [float(number.replace(",", "")) for number in re.findall(r"-?\d[\d,]*\.?\d*", found[1])]


def pairs(kind, part):
    """The pairs of a recorded head as complex numbers."""
    values = load_file(data_file("smollm2_heads.safetensors"))[f"{kind}.{part}"].astype(float)
    return values[:, 0::2] + 1j * values[:, 1::2]


def weights(kind, speeds=SPEEDS, queries=0, keys=0):
    """Attention weights from the definition: a score is the real part of q̄·k, turned by the offset."""
    q, k = (pairs(kind, part) for part in "qk")
    offsets = np.subtract.outer(np.arange(N) + queries, np.arange(N) + keys)
    turned = np.exp(-1j * np.multiply.outer(offsets, speeds))
    scores = np.einsum("ah,bh,abh->ab", q.conj(), k, turned).real / 8
    grown = np.exp(scores - np.where(np.tri(N), scores, -np.inf).max(1, keepdims=True)) * np.tri(N)
    return grown / grown.sum(1, keepdims=True)


def share(kind, stopped=()):
    speeds = np.where(np.isin(np.arange(32), list(stopped)), 0, SPEEDS)
    found = weights(kind, speeds)
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


@pytest.mark.parametrize("kind", KINDS)
def test_the_printed_shares_are_those_of_complex_arithmetic(kind):
    printed = numbers(rf"(?m)^{kind} +stopped ")
    as_it_is, _, without_fast, _, without_slow, everything = printed
    for said, stopped in (
        (as_it_is, ()),
        (without_fast, range(4)),
        (without_slow, range(16, 32)),
        (everything, range(32)),
    ):
        assert said == pytest.approx(share(kind, stopped), abs=0.006)


def test_only_the_fastest_hands_make_the_previous_token_head():
    assert share("previous", range(4)) < 0.1
    for first in range(4, 32, 4):
        assert share("previous", range(first, first + 4)) > 0.7, "four hands elsewhere can go"
    assert share("previous", range(16, 32)) > 0.75, "so can sixteen slow ones"


def test_the_other_two_heads_look_for_something_in_the_tokens():
    assert share("first", range(32)) > 0.99
    assert share("induction", range(32)) > 0.5
    at_random = np.mean([1 / (query + 1) for query in range(N)])
    assert at_random < 0.1, "with equal weights hardly anything would go there"


def test_moving_queries_and_keys_together_changes_nothing_and_moving_one_of_them_does():
    for kind in KINDS:
        np.testing.assert_allclose(weights(kind, queries=10**6, keys=10**6), weights(kind), atol=1e-9)
        assert numbers(rf"{kind} +head: a weight changes by at most ")[0] < 1e-5
    assert np.abs(weights("previous", queries=1) - weights("previous")).max() > 0.5, "the rival: the keys stay behind"
    for text in BOTH:
        assert max(RESULTS["moved"]["largest_change"][text]) < 1e-4 < 0.5 * RESULTS["unrotated"]["all"][text][0]


def test_the_induction_head_depends_on_the_layer_of_the_previous_token_head():
    found = {name: np.array(shares) for name, shares in RESULTS["induction"].items()}
    assert (found["all turn"] > 0.85).all() and (found["not 16"] < 0.2).all()
    for other in ("not 18", "not 17", "not 11"):
        assert (found[other] > 0.6).all(), "the rivals: its own layer, a neighbour, a layer with such a head"
    previous = np.array([RESULTS["heads"]["previous"][text] for text in BOTH]).mean(0)
    assert np.unravel_index(previous.argmax(), previous.shape) == (16, 0) and previous[11].max() > 0.5
    three, _ = pretrained.heads()
    assert (three["previous"].layer, three["previous"].head) == (16, 0)
    assert (three["induction"].layer, three["induction"].head) == (18, 6)


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
    assert octaves[0] > sum(octaves[1:]), "the fastest two are worth more than all the others, each stopped alone"


@pytest.mark.parametrize("part", ["q", "k"])
@pytest.mark.parametrize("text", BOTH)
def test_queries_and_keys_are_longest_where_training_never_finished_a_turn(text, part):
    lengths = np.array(RESULTS["norms"][part][text])
    assert set(np.argsort(lengths)[-2:]) == {23, 24}
    assert lengths[[23, 24]].mean() > 2.7 * lengths[:8].mean()
    turns = SPEEDS[[23, 24]] * 8192 / (2 * np.pi)
    assert (turns > 0.2).all() and (turns < 0.4).all()
    assert 256 * SPEEDS[23] < np.radians(5)


@pytest.mark.parametrize("text", BOTH)
def test_a_text_before_a_gap_helps_then_does_nothing_then_harms(text):
    losses = dict(zip(RESULTS["gap_lengths"], RESULTS["gaps"]["none"][text], strict=True))
    alone = RESULTS["gaps"]["alone"][text]
    assert losses[0] < alone - 0.2
    assert losses[0] < losses[4000] < alone
    assert abs(losses[10_000] - alone) < 0.2, "worth about nothing"
    assert losses[20_000] > alone + 1.5, "fading would end at the loss without it"


@pytest.mark.parametrize("text", BOTH)
def test_the_slow_hands_are_to_blame_and_no_others(text):
    at = RESULTS["gap_lengths"].index(20_000)
    as_trained = RESULTS["gaps"]["none"][text][at]
    without = RESULTS["gaps"]["slow hands stopped"][text]
    assert without[at] < as_trained - 1.5
    assert without[at] == pytest.approx(RESULTS["gaps"]["alone"][text], abs=0.2)
    for other in ("fastest 4", "hands 8 to 19"):
        assert RESULTS["culprits"][other][text] > without[at] + 1.5, "the rival: it is enough to stop some hands"
    turns = SPEEDS * 8192 / (2 * np.pi)
    assert (turns[:20] >= 1).all() and (turns[20:] < 1).all(), "twelve hands never finish a turn in training"


@pytest.mark.parametrize("text", BOTH)
def test_the_remedies_mend_it_and_interpolation_pays_without_a_gap(text):
    at = RESULTS["gap_lengths"].index(20_000)
    gaps = {name: losses[text] for name, losses in RESULTS["gaps"].items() if name != "alone"}
    for remedy in ("interpolation", "ntk", "yarn"):
        assert gaps[remedy][at] < gaps["none"][at] - 0.5
    assert gaps["interpolation"][0] > gaps["none"][0] + 0.5
    for spared in ("ntk", "yarn"):
        assert abs(gaps[spared][at] - RESULTS["gaps"]["alone"][text]) < 0.2, "no harm, and little help"
        assert gaps[spared][0] < gaps["interpolation"][0] - 0.5


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
        near, _, _, hundred, _, far = scores
        if kind == "first":
            assert abs(far - near) < 0.5
        elif kind == "induction":
            assert hundred > near > far
        else:
            assert near > 0 > max(scores[2:])


def test_a_few_hundred_runs_on_three_texts_were_enough():
    assert RESULTS["cpu_seconds"] < 1500
    assert set(RESULTS["usual"]) == {*BOTH, "licence"}
    assert all(losses["256"] > 2 for losses in RESULTS["usual"].values()), "none is recited by heart"
    for rise, error in (RESULTS["stopped_third"][name] for name in ("slowest 8", "slowest 12")):
        assert abs(rise) < 0.03 + 3 * error
    assert RESULTS["stopped_third"]["fastest 4"][0] > 0.5
