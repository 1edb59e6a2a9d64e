"""The checks of lesson 07's exercises and its widget: each usual mistake is named, the rows are attention's own."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from traitlets import TraitError

from pe_helpers import attention, rotary, sinusoidal, widgets
from pe_helpers.checks import CheckFailed
from pe_helpers.checks.exercises import lesson_07

RIGHT = {scheme: lesson_07.DOORS[door] for scheme, (door, _) in lesson_07.PLACES.items()}
DATA = Path(__file__).resolve().parents[3] / "data" / "alibi_three_back.json"


def turn_half(x, position_ids, sign=1):
    angles = sign * position_ids[:, None] * sinusoidal.inv_freq(x.shape[-1])
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * angles.cos() - second * angles.sin(), first * angles.sin() + second * angles.cos()], -1)


def bound(k):
    return 1 / (k + 1)


def witness(k, n):
    return torch.where(torch.arange(n) <= k, 0.0, -20.0)


@pytest.mark.parametrize(
    ("check", "blank"),
    [
        (lesson_07.doors, [dict.fromkeys(RIGHT, ...)]),
        (lesson_07.doors, [None]),
        (lesson_07.half, [lambda x, position_ids: ...]),
        (lesson_07.falling, [lambda k: ..., lambda k, n: ...]),
        (lesson_07.falling, [bound, lambda k, n: None]),
    ],
)
def test_a_blank_is_greeted(check, blank, capsys):
    check(*blank)
    assert "not attempted yet" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        (lesson_07.doors, [RIGHT]),
        (lesson_07.half, [turn_half]),
        (lesson_07.falling, [bound, witness]),
        (lesson_07.falling, [bound, lambda k, n: torch.where(torch.arange(n) <= k, 0.0, -math.inf)]),
        (lesson_07.falling, [bound, lambda k, n: [0] * (k + 1) + [-9 - 3 * j for j in range(n - k - 1)]]),
    ],
)
def test_a_right_answer_passes(check, answer, capsys):
    check(*answer)
    assert "✔" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("check", "wrong", "diagnosis"),
    [
        (lesson_07.doors, ["score"], "must keep its 6 keys"),
        *((lesson_07.doors, [RIGHT | {name: lesson_07.DOORS[(place[0] + 1) % 3]}], place[1])
          for name, place in lesson_07.PLACES.items()),
        (lesson_07.doors, [RIGHT | {"rotary": "second"}], "must be one of"),
        (lesson_07.half, [lambda x, p: x], "nothing turns"),
        (lesson_07.half, [rotary.rotate], "this is the interleaved layout"),
        (lesson_07.half, [lambda x, p: turn_half(x, p, -1)], "turns backwards"),
        (lesson_07.half, [lambda x, p: rotary.rotate(x, -p)], "interleaved, and it turns backwards"),
        (
            lesson_07.half,
            [lambda x, p: turn_half(x, p).unflatten(-1, (2, -1)).mT.flatten(-2)],
            "still lies interleaved",
        ),
        (lesson_07.half, [lambda x, p: turn_half(x, torch.arange(x.shape[-2]))], "instead of using position_ids"),
        (lesson_07.half, [lambda x, p: 2 * turn_half(x, p)], "lengths change"),
        (lesson_07.half, [lambda x, p: turn_half(x, 2 * p)], "off by up to"),
        (lesson_07.half, [lambda x, p: x[..., :2]], "must have shape"),
        (lesson_07.half, [4], "hand in the function itself"),
        (lesson_07.falling, [lambda k: 1 / max(k, 1), witness], "the query itself included"),
        (lesson_07.falling, [lambda k: 1.0, witness], "which keys have at least as much weight"),
        (lesson_07.falling, [bound, lambda k, n: -torch.arange(n).sub(k).abs()], "rises from"),
        (lesson_07.falling, [bound, lambda k, n: torch.zeros(n)], "keys further back take weight away"),
        (lesson_07.falling, [bound, lambda k, n: -9.0 * torch.arange(n)], "nearer keys have more"),
        (lesson_07.falling, [bound, lambda k, n: torch.zeros(k)], "must have shape"),
        (lesson_07.falling, [0.25, witness], "bound(k) must be a function"),
    ],
)  # fmt: skip
def test_a_wrong_answer_gets_its_own_diagnosis(check, wrong, diagnosis):
    with pytest.raises(CheckFailed, match=re.escape(diagnosis)):
        check(*wrong)


@pytest.mark.parametrize("seed", range(20))
def test_no_falling_bias_beats_the_bound(seed):
    row = -torch.rand(12, generator=torch.Generator().manual_seed(seed)).mul(3).cumsum(0)
    weights = row.softmax(-1)
    assert all(weights[k] <= 1 / (k + 1) + 1e-7 for k in range(12))


def test_one_alibi_head_stays_under_the_bound_for_4000_steps_and_four_do_not():
    runs = {run["num_heads"]: run for run in json.loads(DATA.read_text())["runs"]}
    assert max(runs[1]["accuracy"]) < 0.25 + 0.02 < min(runs[4]["accuracy"])


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
    return widgets.Query(widgets.Cursor(position=widgets.Slider(3, range(10), "position (tokens)")), models, TOKENS)


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
    assert view.picture().axes


def test_query_shows_a_bias_only_where_the_third_door_is_used(view):
    for scheme in ("none", "sinusoid", "rotary"):
        view.scheme = scheme
        assert not view.numbers()["bias"].any()
    view.scheme = "ALiBi"
    assert (np.diff(view.numbers()["bias"]) > 0).all()


def test_query_refuses_a_position_that_the_sequence_does_not_reach(models):
    with pytest.raises(TraitError, match="position must stay below the sequence's length 10"):
        widgets.Query(widgets.Cursor(position=0), models, TOKENS)


def test_query_refuses_models_with_different_heads(models):
    models["other"] = attention.Transformer(4, attention.Encoding(), d_model=16, num_heads=4)
    with pytest.raises(TraitError, match="same number of heads"):
        widgets.Query(widgets.Cursor(position=widgets.Slider(0, range(10), "position")), models, TOKENS)
