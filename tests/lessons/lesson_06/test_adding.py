"""Codes in few directions or all, a layer in which each token sees only itself, and what was recorded with them."""

import json
import math

import numpy as np
import pytest
import torch

from clockwork.kit import attention, glyphs, tasks, training
from clockwork.lessons.lesson_06 import adding
from clockwork.lessons.lesson_06 import train_adding as tool


@pytest.mark.parametrize(("directions", "d_model"), [(1, 8), (9, 32), (32, 32)])
def test_random_rows_are_as_long_as_the_sinusoid_s_and_lie_in_that_many_directions(directions, d_model):
    rows = adding.random_rows(40, d_model, directions, generator=torch.Generator().manual_seed(0)).double().numpy()
    np.testing.assert_allclose((rows**2).sum(1), d_model / 2, rtol=1e-5)
    assert (np.linalg.svd(rows, compute_uv=False) > 1e-4).sum() == directions
    assert len(np.unique(rows.round(4), axis=0)) == (40 if directions > 1 else 2)


def test_more_directions_than_numbers_are_refused():
    with pytest.raises(ValueError, match="directions must lie between 1 and d_model=8"):
        adding.random_rows(4, 8, 9)


@pytest.mark.parametrize("likeness", [0, 0.5, 0.957])
def test_drifting_rows_are_as_long_as_the_sinusoid_s_and_as_alike_as_asked_for(likeness):
    rows = adding.drifting_rows(400, 600, likeness, generator=torch.Generator().manual_seed(0)).double().numpy()
    np.testing.assert_allclose((rows**2).sum(1), 300, rtol=1e-5)
    for apart in (1, 3):
        cosine = (rows[apart:] * rows[:-apart]).sum(1) / 300
        assert cosine.mean() == pytest.approx(likeness**apart, abs=0.01)


def test_rows_that_are_all_equal_are_refused():
    with pytest.raises(ValueError, match="likeness must lie between 0 and 1"):
        adding.drifting_rows(4, 8, 1)


def test_fixed_rows_are_added_by_position_and_not_trained():
    rows = torch.arange(12.0).reshape(3, 4)
    encoding = adding.FixedRows(rows)
    x = torch.ones(2, 2, 4)
    torch.testing.assert_close(encoding.add(x, torch.tensor([2, 0])), x + rows[[2, 0]])
    assert not list(encoding.parameters())


def test_shuffled_rows_are_the_sinusoid_s_own_each_at_another_place_in_each_model():
    torch.manual_seed(0)
    first, second = adding.ShuffledSinusoid(), adding.ShuffledSinusoid()
    zeros, places = torch.zeros(32, 8, dtype=torch.float64), torch.arange(32)
    rows = first.add(zeros, places)
    sinusoid = attention.Sinusoid().add(zeros, places)
    assert sorted(map(tuple, rows.tolist())) == sorted(map(tuple, sinusoid.tolist()))
    assert not torch.equal(rows, sinusoid) and not torch.equal(rows, second.add(zeros, places))
    torch.testing.assert_close(first.add(zeros[:5], places[:5]), rows[:5])


@pytest.mark.parametrize(("given", "fastest"), [((), math.pi), ((1.2,), 1.2)])
def test_even_speeds_are_evenly_spaced_up_to_the_fastest(given, fastest):
    table = adding.EvenSpeeds(*given).add(torch.zeros(5, 6, dtype=torch.float64), torch.arange(5)).numpy()
    speeds = [fastest / 6, fastest / 2, 5 * fastest / 6]
    np.testing.assert_allclose(
        table, [[f(p * speed) for speed in speeds for f in (math.sin, math.cos)] for p in range(5)], atol=1e-9
    )


def test_a_token_that_sees_only_itself_gives_it_all_weight():
    torch.manual_seed(0)
    model = attention.Transformer(16, adding.OnlyItself(), d_model=32)
    weights = model.trace(torch.randint(16, (3, 7))).weights
    for layer in weights:
        torch.testing.assert_close(layer, torch.eye(7).expand_as(layer))


def test_the_record_has_the_tool_s_settings_and_all_its_parts():
    table = json.loads(tool.DATA.read_text("utf-8"))
    assert set(table["parts"]) == set(tool.parts())
    assert table["seeds"] == list(tool.SEEDS) and table["learning_rates"] == {
        task: list(rates) for task, rates in tool.RATES.items()
    }
    assert table["stds"] == list(tool.STDS) and table["held"] == list(tool.HELD)
    assert table["fresh_seeds"] == list(tool.FRESH) and not set(tool.FRESH) & set(tool.SEEDS)
    assert table["steps"] == tool.STEPS and table["d_model"] == tool.D_MODEL
    for part in table["parts"]:
        for accuracy in adding.recorded(part).values():
            rows = {"loudness": tool.STDS, "held": tool.HELD, **tool.RATES}.get(part.split("/")[0], ())
            rows = tool.HELD[:1] if part == "held/longer/0.01" else rows
            assert accuracy.shape == ((len(rows), 8) if rows else (8,))
            assert accuracy.min() >= 0 and accuracy.max() <= 1


def test_few_directions_are_those_that_hold_999_per_mille_of_the_sinusoid():
    angles = np.arange(tool.POSITIONS)[:, None] * 10_000 ** (-np.arange(tool.D_MODEL // 2) / (tool.D_MODEL // 2))
    energy = np.linalg.svd(np.concatenate([np.sin(angles), np.cos(angles)], 1), compute_uv=False) ** 2
    share = energy.cumsum() / energy.sum()
    assert share[tool.FEW - 2] < 0.999 <= share[tool.FEW - 1]


def test_an_unknown_part_is_refused():
    with pytest.raises(ValueError, match="part must be one of"):
        adding.recorded("letters/none")


def test_tokens_that_are_held_stay_as_they_are_drawn_and_all_else_is_trained():
    def model():
        return adding.with_tokens_held(attention.Transformer(16, attention.Sinusoid(), d_model=8, embedding_std=0.02))

    torch.manual_seed(3)
    drawn = model().state_dict()
    trained = training.train(model, tasks.WHO_CAME_FIRST, (3,), steps=2, batch_size=4).state
    assert {name for name in trained if torch.equal(trained[name][0], drawn[name])} == {"embedding.weight"}
    assert drawn["embedding.weight"].std() < 0.03


@pytest.mark.slow
@pytest.mark.parametrize(("part", "row", "std", "held"), [("loudness/250", 4, 0.3, False), ("held", 1, 1.0, True)])
def test_the_slider_s_record_is_what_the_tool_trains(part, row, std, held):
    again = tool.accuracy(
        adding.DriftingRows, tasks.WHO_CAME_FIRST, std, tool.RATES["who_came_first"][0], seeds=tool.FRESH[:2], held=held
    )
    assert again == pytest.approx(adding.recorded(part)["drifting rows"][row, :2].tolist(), abs=0.05)


@pytest.mark.slow
def test_the_record_is_what_the_tool_trains():
    recorded = adding.recorded("who_came_first/quiet")["sinusoid, rows shuffled"][1]
    trained = training.train(
        lambda: attention.Transformer(16, adding.ShuffledSinusoid(), d_model=32, embedding_std=tool.TOKENS["quiet"]),
        tasks.WHO_CAME_FIRST,
        seeds=(0, 1),
        batch_size=16,
        learning_rate=tool.RATES["who_came_first"][1],
    )
    again = training.evaluate(trained, tasks.WHO_CAME_FIRST, [24]).accuracy[:, 0]
    torch.testing.assert_close(again, recorded[:2], atol=0.05, rtol=0)


def test_letters_that_are_fixed_pictures_are_always_drawn_alike_but_for_the_noise():
    looks = dict(tool.looks())
    letters = torch.tensor([0, 1, 0])
    clean = looks["fixed pictures, noise 0"](letters, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(clean[0], clean[2])
    noisy = looks["fixed pictures, noise 1"](letters, generator=torch.Generator().manual_seed(0))
    lengths = (noisy - clean).norm(dim=-1)
    assert (lengths - clean.norm(dim=-1).mean()).abs().max() < 0.35 * clean.norm(dim=-1).mean()
    assert looks["moving pictures"] is glyphs.draw
