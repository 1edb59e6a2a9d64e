"""The checks of lesson 05's exercises, and its widget: a blank is greeted, the solution passes, mistakes are named."""

import itertools
import math
import re
import statistics

import numpy as np
import pytest
import torch
from lesson_cells import check_calls, solutions
from traitlets import TraitError

from pe_helpers import attention, sinusoidal, tasks, training, widgets
from pe_helpers.checks import CheckFailed
from pe_helpers.checks.exercises import lesson_05

LESSON = "05_learned_vs_fixed"
CHECKS = [lesson_05.size, lesson_05.start, lesson_05.p_value]


def start(std):
    return lambda max_len, d_model: std * torch.randn(max_len, d_model, generator=torch.Generator().manual_seed(1))


def permutation(a, b, sides=2, at_least=True):
    seen = statistics.mean(a) - statistics.mean(b)
    hits = 0
    total = 0
    for chosen in itertools.combinations(range(len(a) + len(b)), len(a)):
        both = [*a, *b]
        left = [both[i] for i in chosen]
        right = [x for i, x in enumerate(both) if i not in chosen]
        gap = statistics.mean(left) - statistics.mean(right)
        gap, limit = (abs(gap), abs(seen)) if sides == 2 else (gap * math.copysign(1, seen), abs(seen))
        hits += gap >= limit - 1e-9 if at_least else gap > limit + 1e-9
        total += 1
    return hits / total


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("blank", [None, ...])
def test_a_blank_is_greeted(check, blank, capsys):
    check(blank)
    assert "not attempted yet" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("check", "solution"),
    [
        (lesson_05.size, [2048 * 1024, 1536 * 1024, 2048]),
        (lesson_05.start, start(1 / math.sqrt(2))),
        (lesson_05.p_value, permutation),
    ],
)
def test_a_right_answer_passes(check, solution, capsys):
    check(solution)
    assert "✔" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("check", "wrong", "diagnosis"),
    [
        (lesson_05.size, [2048 * 1024, 1536 * 1024, 2049], "count from 0"),
        (lesson_05.size, [2048 * 1024, 1536 * 1024, 512], "only an untrained one"),
        (lesson_05.size, [2048 + 1024, 1536 * 1024, 2048], "2048 × 1024"),
        (lesson_05.size, [2048 * 1024, 512 * 1024, 2048], "that are trained"),
        (lesson_05.size, [2048 * 1024, 1536, 2048], "each has 1024 numbers"),
        (lesson_05.size, [2048 * 1024, 0, 2048], "get no gradient"),
        (lesson_05.size, [2048 * 1024, 7, 2048], "512 are looked up"),
        (lesson_05.size, [2048, 1024], "must have shape (3,)"),
        (lesson_05.size, [math.nan, 1, 2], "must be finite"),
        (lesson_05.size, "many", "must be numbers"),
        (lesson_05.start, start(1.0), "√2 times too long"),
        (lesson_05.start, start(0.02), "35 times too short"),
        (lesson_05.start, lambda n, d: start(1.0)(n, d) / d**0.5, "rows of length 1"),
        (lesson_05.start, lambda n, d: start(1.0)(n, d) * d**0.5 / 2, "square of the length"),
        (lesson_05.start, start(0.3), "rows have length"),
        (lesson_05.start, torch.zeros, "all rows are 0"),
        (lesson_05.start, lambda n, d: start(0.7)(1, d).expand(n, d), "same code"),
        (lesson_05.start, sinusoidal.table, "the sinusoid itself"),
        (lesson_05.start, lambda n, d: start(0.7)(d, n), "must have shape (300, 8)"),
        (lesson_05.start, lambda n, d: math.nan * torch.zeros(n, d), "must be finite"),
        (lesson_05.start, 0.7, "must be a function"),
        (lesson_05.p_value, lambda a, b: permutation(a, b, sides=1), "one direction only"),
        (lesson_05.p_value, lambda a, b: permutation(a, b, at_least=False), "at least this difference"),
        (lesson_05.p_value, lambda a, b: abs(statistics.mean(a) - statistics.mean(b)), "difference of the means"),
        (lesson_05.p_value, lambda a, b: 0.1, "go through every split"),
        (lesson_05.p_value, lambda a, b: math.nan, "must be finite"),
        (lesson_05.p_value, 0.1, "must be a function"),
    ],
)
def test_each_usual_mistake_is_named(check, wrong, diagnosis):
    with pytest.raises(CheckFailed, match=re.escape(diagnosis)):
        check(wrong)


def test_three_seeds_against_three_cannot_be_surer_than_a_tenth():
    assert lesson_05.exact([0.0, 0.0, 0.0], [1.0, 1.0, 1.0]) == pytest.approx(2 / math.comb(6, 3)) == pytest.approx(0.1)
    assert lesson_05.exact([0.1, 0.2], [0.1, 0.2]) == 1


def test_the_stubs_run_and_the_folded_solutions_pass(capsys):
    calls = check_calls(LESSON)
    answers = solutions(LESSON)
    assert len(calls) == len(answers) == 3
    for call, answer in zip(calls, answers, strict=True):
        place = {"torch": torch, "lesson_05": lesson_05}
        exec(call, place)
        assert "not attempted yet" in capsys.readouterr().out
        exec(answer, place)
        exec(call.strip().splitlines()[-1], place)
        assert "✔" in capsys.readouterr().out


@pytest.fixture(scope="module")
def models():
    def train(encoding, seeds=(0, 1)):
        make = lambda: attention.Transformer(16, encoding(), d_model=16)  # noqa: E731
        return training.train(make, tasks.THREE_BACK, seeds, steps=2, batch_size=4)

    return {"none": train(attention.Encoding), "rotary": train(attention.Rotary)}, train


def test_the_widget_shows_the_accuracy_and_the_map_of_the_chosen_model(models):
    view = widgets.TrainedModels(models[0], tasks.THREE_BACK, (24, 33), batch_size=16)
    view.cursor.encoding = "rotary"
    view.cursor.seed = 1
    view.cursor.length = 33
    score = training.evaluate(models[0]["rotary"], tasks.THREE_BACK, (24, 33), batch_size=16).accuracy
    np.testing.assert_allclose(view.numbers()["accuracy"], score[1])
    tokens, _ = tasks.THREE_BACK.draw_test(2, 33, generator=torch.Generator().manual_seed(training.TEST_SEED))
    layer, head = view.heads[1, 1]
    weights = models[0]["rotary"].model(1).trace(tokens[:1]).weights[layer][0, head, -24:, -24:]
    np.testing.assert_allclose(view.numbers()["map"], weights.detach(), atol=1e-6)
    assert view.describe() == f"rotary, seed 1, 33 tokens: {round(100 * float(score[1, 1]))}% right"
    assert view.picture() is not None


def test_the_widget_refuses_what_it_cannot_show(models):
    ready, train = models
    with pytest.raises(TraitError, match="models must all have the same seeds"):
        widgets.TrainedModels(ready | {"other": train(attention.Sinusoid, (0, 2))}, tasks.THREE_BACK, (32,))
    with pytest.raises(TraitError, match="lengths must be at least 24"):
        widgets.TrainedModels(ready, tasks.THREE_BACK, (16, 32))
    view = widgets.TrainedModels(ready, tasks.THREE_BACK, (32,), batch_size=4)
    with pytest.raises(TraitError, match="seed must be one of 0, 1"):
        view.cursor.seed = 7
