"""What lesson 07 says in its sentences, computed once more by other means."""

import json
import math
import re
from itertools import combinations

import nbformat
import numpy as np
import pytest
import torch
from tools import lessons
from tools.train_alibi_three_back import THREE_BACK, Ramp

from pe_helpers import attention, tasks, training
from pe_helpers.datafiles import data_file

CELLS = nbformat.read(lessons.NOTEBOOKS / "07_three_doors.ipynb", as_version=4).cells
PRINTED = "\n".join(output.get("text", "") for cell in CELLS for output in cell.get("outputs", []))
RESULTS = json.loads(data_file("alibi_three_back.json").read_text(encoding="utf-8"))


def numbers(line):
    """The numbers in the first printed line that matches, after the matched text."""
    found = re.search(line + r"(.*)", PRINTED)
    assert found, line
    return [float(number) for number in re.findall(r"-?\d+\.?\d*(?:e-\d+)?", found[1])]


def recorded(part, scheme, **setup):
    """The accuracies of one recorded run."""
    found = [run for run in RESULTS[part] if run["scheme"] == scheme and setup.items() <= run.items()]
    assert len(found) == 1, (part, scheme, setup)
    return np.array(found[0]["accuracy"])


def softmax(scores):
    grown = np.exp(scores - scores.max(-1, keepdims=True))
    return grown / grown.sum(-1, keepdims=True)


def masked(scores):
    return np.where(np.tri(len(scores), dtype=bool), scores, -np.inf)


SPEEDS = 10_000 ** (-np.arange(8) / 8)


@pytest.mark.parametrize("seed", range(3))
def test_the_score_of_one_word_three_back_depends_on_the_place_at_door_1_alone(seed):
    draw = np.random.default_rng(seed)
    word = draw.standard_normal(32)
    w_q, w_k = draw.standard_normal((2, 32, 16)) / 32**0.5
    p = np.arange(60)
    waves = np.exp(1j * p[:, None] * 10_000 ** (-np.arange(16) / 16))
    codes = np.stack([waves.imag, waves.real], -1).reshape(60, 32)
    added = (word + codes) @ w_q @ ((word + codes) @ w_k).T
    q, k = (np.tile((word @ w).reshape(8, 2) @ [1, 1j], (60, 1)) for w in (w_q, w_k))
    turns = np.exp(1j * p[:, None] * SPEEDS)
    turned = ((q * turns) @ (k * turns).conj().T).real
    biased = (q @ k.conj().T).real - 0.7 * (p[:, None] - p)
    wander = [np.ptp(np.diagonal(scores, -3)) for scores in (added, turned, biased)]
    assert wander[0] > 1 and max(wander[1:]) < 1e-9


def test_a_ramp_by_door_2_gives_the_weights_of_a_ramp_by_door_3_and_another_slope_does_not():
    draw = np.random.default_rng(0)
    q, k = draw.standard_normal((2, 40, 16))
    p = np.arange(40)

    def by_door_2(slope):
        appended = np.concatenate([k, 4 * slope * p[:, None]], 1)
        return softmax(masked(np.concatenate([q, np.ones((40, 1))], 1) @ appended.T / 4))

    by_door_3 = softmax(masked(q @ k.T / 4 - 0.7 * (p[:, None] - p)))
    assert np.abs(by_door_2(0.7) - by_door_3).max() < 1e-12 < 0.01 < np.abs(by_door_2(0.5) - by_door_3).max()
    assert numbers("ALiBi by door 2 and by door 3: weights differ by ")[0] < 1e-5


def test_from_ln_2_on_each_token_outweighs_all_older_ones_and_below_it_does_not():
    for slope in (math.log(2), 0.7, 1.0, 2.0):
        weights = np.exp(-slope * np.arange(24))
        assert all(weights[i] > weights[i + 1 :].sum() for i in range(23)), slope
    for slope in (0.29, 0.5, 0.65):
        weights = np.exp(-slope * np.arange(24))
        assert weights[0] < weights[1:].sum(), slope


def falls(slope):
    return recorded("slopes", "ALiBi", slopes=[slope], learning_rate=0.005)


def ways(a, b):
    """Return the share of all splits whose difference of means is as large, in either direction."""
    both = np.concatenate([a, b])
    seen = abs(a.mean() - b.mean())
    gaps = []
    for chosen in combinations(range(len(both)), len(a)):
        inside = np.isin(np.arange(len(both)), chosen)
        gaps.append(abs(both[inside].mean() - both[~inside].mean()))
    return np.mean(np.array(gaps) >= seen - 1e-12)


def test_mirrored_texts_have_the_same_mean_logits_under_symmetric_alibi_for_all_weights():
    tokens = torch.randint(16, (12,), generator=torch.Generator().manual_seed(0))
    gaps = {}
    for name, encoding in (
        ("none", attention.Encoding()),
        ("ALiBi", attention.Alibi(symmetric=True)),
        ("rotary", attention.Rotary()),
        ("T5", attention.Relative(2)),
    ):
        for seed in range(3):
            torch.manual_seed(seed)
            model = attention.Transformer(16, encoding, d_model=32, num_heads=2).double()
            if name == "T5":
                torch.nn.init.normal_(model.encoding.table.weight)
            mean = [model(other).mean(0).detach() for other in (tokens, tokens.flip(0), tokens.roll(1))]
            gaps[name, seed] = [(other - mean[0]).abs().max().item() for other in mean[1:]]
    for seed in range(3):
        assert max(gaps["none", seed]) < 1e-12
        assert gaps["ALiBi", seed][0] < 1e-6 < 1e-4 < gaps["ALiBi", seed][1]
        assert min(*gaps["rotary", seed], *gaps["T5", seed]) > 1e-4


def test_a_constant_answer_scores_exactly_one_half_whatever_the_model_can_see():
    tokens, answers = tasks.WHO_CAME_FIRST.draw_test(256, 24, generator=torch.Generator().manual_seed(5))
    torch.manual_seed(0)
    model = attention.Transformer(16, attention.Rotary(), d_model=32)
    with torch.no_grad():
        model.head.bias[tasks.A] += 100
        assert tasks.accuracy(model(tokens), answers) == 0.5
        moved = (model(tokens).mean(-2) - model(tokens.flip(-1)).mean(-2)).abs().max()
    assert moved > 1e-3


@pytest.mark.parametrize(
    ("encoding", "apart"),
    [
        (attention.Encoding, False),
        (attention.Rotary, False),
        (lambda: Ramp([0.7, 0.1]), False),
        (attention.Sinusoid, True),
        (lambda: attention.Learned(12, 32, std=1.0), True),
    ],
)
@pytest.mark.parametrize("seed", range(2))
def test_one_repeated_symbol_can_be_counted_only_by_door_1_or_with_another_symbol_in_front(encoding, apart, seed):
    torch.manual_seed(seed)
    model = attention.Transformer(16, encoding(), d_model=32, num_heads=2, causal=True).double()
    spread = [model(torch.tensor(text))[1:].std(0).max().item() for text in ([3] * 12, [7] + [3] * 11)]
    assert (spread[0] > 1e-3) == apart and (apart or spread[0] < 1e-6) and spread[1] > 1e-2
