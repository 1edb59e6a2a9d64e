"""The checks of lesson 07's exercises and its widgets: each usual mistake is named, the rows are attention's own."""

import math
import re

import numpy as np
import pytest
import torch
from tests.lessons.exercise_claims import stubs_and_solutions
from traitlets import TraitError

from clockwork.kit import attention, widgets
from clockwork.kit.checks import CheckFailed
from clockwork.lessons.lesson_07 import checks, plain_checks, views


def read(totals, slope, *, steps=3):
    """Take away the newest symbols one by one."""
    left = list(totals)
    for back in range(steps):
        newest = left.index(max(left))
        left[newest] -= math.exp(-slope * back) / sum(math.exp(-slope * i) for i in range(24))
    return left.index(max(left))


def once_each(totals, slope):
    """Sort the symbols by their weight, as if none occurred twice."""
    return sorted(range(16), key=lambda symbol: -totals[symbol])[3]


def undivided(totals, slope):
    """Take away e^(−slope · back), as if these already added up to 1."""
    left = list(totals)
    for back in range(3):
        left[left.index(max(left))] -= math.exp(-slope * back)
    return left.index(max(left))


def extra(position_ids, steep=4.0, back=3):
    p = position_ids
    return steep * torch.stack([2 * (p - back), -torch.ones(len(p))], 1), torch.stack([p, p**2], 1)


def hand(position_ids):
    """One slow hand, loud: its cosine has a peak at three back."""
    angles = torch.stack([position_ids - 3, position_ids]) * 0.01
    return 80_000 * torch.stack([angles[0].cos(), angles[0].sin()], 1), torch.stack(
        [angles[1].cos(), angles[1].sin()], 1
    )


def blind_to(model, tokens, tolerance=1e-4):
    mean = model(tokens).mean(0)
    gaps = [(model(other).mean(0) - mean).abs().max() for other in (tokens.flip(0), tokens.roll(1))]
    if max(gaps) < tolerance:
        return "order"
    return "mirrors" if gaps[0] < tolerance else "nothing"


def by_answers(model, tokens):
    answers = [model(other).mean(0).argmax() for other in (tokens, tokens.flip(0), tokens.roll(1))]
    if answers[0] == answers[1] == answers[2]:
        return "order"
    return "mirrors" if answers[0] == answers[1] else "nothing"


def mirror_only(model, tokens):
    gap = (model(tokens.flip(0)).mean(0) - model(tokens).mean(0)).abs().max()
    return "mirrors" if gap < 1e-4 else "nothing"


def mirror_is_order(model, tokens):
    return "order" if mirror_only(model, tokens) == "mirrors" else "nothing"


def bound(k):
    return 1 / (k + 1)


def witness(k, n):
    return torch.where(torch.arange(n) <= k, 0.0, -20.0)


@pytest.mark.parametrize(
    ("check", "blank"),
    [
        (checks.digits, [..., lambda totals, slope: ...]),
        (checks.digits, [0.8, lambda totals, slope: ...]),
        (checks.peak, [lambda position_ids: (..., ...)]),
        (checks.blindness, [lambda model, tokens: ...]),
        (checks.falling, [lambda k: ..., lambda k, n: ...]),
        (checks.falling, [bound, lambda k, n: None]),
    ],
)
def test_a_blank_is_greeted(check, blank, capsys):
    check(*blank)
    assert "not attempted yet" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        *((checks.digits, [slope, read]) for slope in (0.7, 0.8, 1.0, 2.0, 4.0)),
        (checks.peak, [extra]),
        (checks.peak, [hand]),
        (checks.blindness, [blind_to]),
        (checks.falling, [bound, witness]),
        (checks.falling, [bound, lambda k, n: torch.where(torch.arange(n) <= k, 0.0, -math.inf)]),
        (checks.falling, [bound, lambda k, n: [0] * (k + 1) + [-9 - 3 * j for j in range(n - k - 1)]]),
    ],
)
def test_a_right_answer_passes(check, answer, capsys):
    check(*answer)
    assert "✔" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("check", "wrong", "diagnosis"),
    [
        (checks.digits, [0.29, read], "all older tokens together weigh"),
        (checks.digits, [0.0, read], "must be above 0"),
        (checks.digits, [12.0, read], "rounding swallows it"),
        (checks.digits, [0.8, lambda totals, slope: read(totals, slope, steps=0)], "the symbol 0 back"),
        (checks.digits, [0.8, lambda totals, slope: read(totals, slope, steps=2)], "the symbol 2 back"),
        (checks.digits, [0.8, lambda totals, slope: read(totals, slope, steps=4)], "the symbol 4 back"),
        (checks.digits, [0.8, once_each], "may a symbol occur twice"),
        (checks.digits, [0.8, undivided], "divided by the sum of all 24"),
        (checks.digits, [0.8, lambda totals, slope: 3], "what is left without it"),
        (checks.digits, [0.8, lambda totals, slope: max(totals)], "must return a symbol"),
        (checks.digits, [0.8, lambda totals, slope: None], "is there a return?"),
        (checks.digits, [0.8, 3], "hand in the function itself"),
        (checks.peak, [lambda p: extra(p, back=0)], "does your score depend on i − j − 3"),
        (checks.peak, [lambda p: extra(p, steep=0.5)], "make it steeper"),
        (checks.peak, [lambda p: extra(p, steep=-4.0)], "a sign the wrong way round"),
        (checks.peak, [lambda p: extra(p, back=5)], "5 back, gets the most"),
        (checks.peak, [lambda p: extra(p)[0]], "two tensors"),
        (checks.peak, [lambda p: (torch.eye(200), torch.eye(200))], "at most 4 numbers"),
        (checks.peak, [lambda p: (torch.ones(200, 1), torch.ones(200, 2))], "equally many numbers"),
        (checks.peak, [lambda p: (torch.ones(3, 2), torch.ones(200, 2))], "a row for each of 200 positions"),
        (checks.blindness, [by_answers], "compare logits, not answers"),
        (checks.blindness, [mirror_only], "every order of the tokens"),
        (checks.blindness, [lambda model, tokens: blind_to(model, tokens, tolerance=0)], "up to rounding"),
        (checks.blindness, [mirror_is_order], "only one of all orders"),
        (checks.blindness, [lambda model, tokens: True], "must return one of"),
        (checks.falling, [lambda k: 1 / max(k, 1), witness], "the query itself included"),
        (checks.falling, [lambda k: 1.0, witness], "which keys have at least as much weight"),
        (checks.falling, [lambda k: k**k / (k + 1) ** (k + 1), witness], "0.105 is about the most"),
        (checks.falling, [bound, lambda k, n: -torch.arange(n).sub(k).abs()], "rises from"),
        (checks.falling, [bound, lambda k, n: torch.zeros(n)], "keys further back take weight away"),
        (checks.falling, [bound, lambda k, n: -9.0 * torch.arange(n)], "nearer keys have more"),
        (checks.falling, [bound, lambda k, n: torch.zeros(k)], "must have shape"),
        (checks.falling, [0.25, witness], "bound(k) must be a function"),
    ],
)  # fmt: skip
def test_a_wrong_answer_gets_its_own_diagnosis(check, wrong, diagnosis):
    with pytest.raises(CheckFailed, match=re.escape(diagnosis)):
        check(*wrong)


test_the_stubs_are_greeted_and_the_folded_solutions_pass = stubs_and_solutions(
    "07_three_doors", torch=torch, checks=checks
)


@pytest.mark.parametrize("slope", [0.3, 0.7, 2.0])
def test_totals_are_the_softmax_of_the_ramp_summed_by_symbol(slope):
    text = [3, 5, 3, 0, 1, 5]
    weights = torch.softmax(-slope * torch.arange(6.0, dtype=torch.float64), 0)
    summed = torch.zeros(16, dtype=torch.float64).index_add(0, torch.tensor(text), weights)
    np.testing.assert_allclose(plain_checks.totals_of(text, slope), summed)


def test_the_model_that_always_says_a_does_so_and_sees_the_order():
    (model,) = [model for name, model, _ in checks._patients() if "always says A" in name]
    tokens = torch.randint(16, (50, 12), generator=torch.Generator().manual_seed(0))
    answers, mirrored = model(tokens).mean(-2), model(tokens.flip(-1)).mean(-2)
    assert (answers.argmax(-1) == 0).all() and (answers - mirrored)[:, 1:].abs().amax(-1).min() > 1e-3


@pytest.mark.parametrize("seed", range(20))
def test_no_falling_bias_beats_the_bound(seed):
    row = -torch.rand(12, generator=torch.Generator().manual_seed(seed)).mul(3).cumsum(0)
    weights = row.softmax(-1)
    assert all(weights[k] <= 1 / (k + 1) + 1e-7 for k in range(12))


TOKENS = torch.arange(10) % 4


@pytest.fixture
def models():
    made = {}
    for name, encoding in (
        ("none", attention.Encoding()),
        ("sinusoid", attention.Sinusoid()),
        ("rotary", attention.Rotary()),
        ("ALiBi", attention.Alibi()),
    ):
        torch.manual_seed(0)
        made[name] = attention.Transformer(4, encoding, d_model=16, num_heads=2, causal=True)
    return made


@pytest.fixture
def view(models):
    return views.Query(widgets.Cursor(position=widgets.Slider(3, range(10), "position (tokens)")), models, TOKENS)


@pytest.mark.parametrize("scheme", ["none", "sinusoid", "rotary", "ALiBi"])
@pytest.mark.parametrize("position", [0, 9])
def test_query_shows_what_attention_computes(view, models, scheme, position):
    view.scheme = scheme
    view.head = 1
    view.cursor.position = position
    shown = view.numbers()
    seen = [float(score + bias) for score, bias in zip(shown["score"], shown["bias"], strict=True)]
    total = sum(math.exp(value - max(seen)) for value in seen)
    by_hand = [math.exp(value - max(seen)) / total for value in seen]
    inside = models[scheme].trace(TOKENS).weights[0][1, position, : position + 1].detach()
    np.testing.assert_allclose(by_hand, inside, atol=1e-6)
    np.testing.assert_allclose(shown["weight"], inside, atol=1e-6)
    assert f"position {position}, scheme {scheme}, head 1" in view.describe()


def test_query_shows_a_bias_only_where_the_third_door_is_used(view):
    for scheme in ("none", "sinusoid", "rotary"):
        view.scheme = scheme
        assert not view.numbers()["bias"].any()
    view.scheme = "ALiBi"
    assert (np.diff(view.numbers()["bias"]) > 0).all()


def test_query_refuses_a_position_that_the_sequence_does_not_reach(models):
    with pytest.raises(TraitError, match="position must stay below the sequence's length 10"):
        views.Query(widgets.Cursor(position=0), models, TOKENS)


def test_query_refuses_models_with_different_heads(models):
    models["other"] = attention.Transformer(4, attention.Encoding(), d_model=16, num_heads=4)
    with pytest.raises(TraitError, match="same number of heads"):
        views.Query(0, models, TOKENS)


def test_query_with_one_head_has_no_buttons_for_it(models):
    one = {name: attention.Transformer(4, model.encoding, d_model=16, num_heads=1) for name, model in models.items()}
    view = views.Query(4, one, TOKENS)
    assert view.at("position") == 4 and list(view.cursor.values("position")) == list(range(10))
    assert "head" not in view.sliders and "head 0" in view.describe()


MEASURED = {1 / 256: [0.2, 0.3], 0.29: [0.5, 0.6], 0.7: [0.9, 0.8]}


@pytest.mark.parametrize("slope", MEASURED)
def test_slope_shows_the_softmax_of_the_ramp_and_the_mean_of_the_seeds(slope):
    view = views.Slope(MEASURED, slope=slope)
    weights = torch.softmax(-slope * torch.arange(24.0, dtype=torch.float64), 0)
    shown = view.numbers()
    np.testing.assert_allclose(shown["weights"], weights[:13])
    assert shown["accuracy"] == [pytest.approx(sum(MEASURED[slope]) / 2)]
    assert view.said()["weight"] == f"{weights[3]:.3f}"
