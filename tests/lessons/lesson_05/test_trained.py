"""Trained models to walk through, and a learned table beside the sinusoid."""

import math

import numpy as np
import pytest
import torch
from traitlets import TraitError

from clockwork.kit import attention, tasks, training
from clockwork.lessons.lesson_05 import views


def train(encoding, seeds=(0, 1)):
    return training.train(
        lambda: attention.Transformer(16, encoding(), d_model=16), tasks.THREE_BACK, seeds, steps=2, batch_size=4
    )


@pytest.fixture(scope="module")
def models():
    return {"none": train(attention.Encoding), "rotary": train(attention.Rotary)}


def test_the_accuracy_and_the_map_are_those_of_the_chosen_model(models):
    view = views.TrainedModels(models, tasks.THREE_BACK, (24, 33), batch_size=16)
    view.cursor.model = "rotary"
    view.cursor.seed = 1
    view.cursor.length = 33
    score = training.evaluate(models["rotary"], tasks.THREE_BACK, (24, 33), batch_size=16).accuracy
    np.testing.assert_allclose(view.numbers()["accuracy"], score[1])
    tokens, _ = tasks.THREE_BACK.draw_test(2, 33, generator=torch.Generator().manual_seed(training.TEST_SEED))
    layer, head = view.heads[1, 1]
    weights = models["rotary"].model(1).trace(tokens[:1]).weights[layer][0, head, -24:, -24:].detach()
    np.testing.assert_allclose(view.numbers()["map"], weights, atol=1e-6)
    assert view.numbers()["target"] == pytest.approx(np.mean([weights[i, i - 3] for i in range(3, 24)]), abs=1e-6)
    assert view.describe() == f"rotary, seed 1, 33 tokens: {round(100 * float(score[1, 1]))}% right"


def test_the_view_starts_at_the_length_asked_for(models):
    view = views.TrainedModels(models, tasks.THREE_BACK, (24, 33, 48), start=48, batch_size=4)
    assert view.at("length") == 48
    with pytest.raises(TraitError, match="length must be one of 24, 33"):
        views.TrainedModels(models, tasks.THREE_BACK, (24, 33), start=48, batch_size=4)


def test_names_are_buttons_and_what_cannot_be_shown_is_refused(models):
    with pytest.raises(TraitError, match="models must all have the same seeds"):
        views.TrainedModels(models | {"other": train(attention.Sinusoid, (0, 2))}, tasks.THREE_BACK, (32,))
    with pytest.raises(TraitError, match="lengths must be at least 24"):
        views.TrainedModels(models, tasks.THREE_BACK, (16, 32))
    view = views.TrainedModels(models, tasks.THREE_BACK, (32,), batch_size=4)
    assert view.cursor.values("model") == ["none", "rotary"]
    with pytest.raises(TraitError, match="seed must be one of 0, 1"):
        view.cursor.seed = 7


@pytest.mark.parametrize(
    ("rows", "texts", "position", "said"),
    [
        (96, 32, 31, "row 31 has been trained"),
        (96, 32, 32, "row 32 is as it was drawn"),
        (96, 32, 95, "row 95 is as it was drawn"),
        (96, 32, 96, "there is no row 96: an IndexError"),
        (64, 128, 63, "row 63 has been trained"),
        (64, 128, 64, "there is no row 64"),
    ],
)
def test_a_position_has_a_trained_row_a_row_as_drawn_or_none(rows, texts, position, said):
    view = views.TwoTables(position=position, d_model=8, rows=rows, texts=texts)
    assert said in view.describe()
    numbers = view.numbers()
    assert numbers["numbers"] == 8 * rows and numbers["trained"] == 8 * min(rows, texts)
    angles = [position / 10_000 ** (2 * i / 8) for i in range(4)]
    assert numbers["code"] == pytest.approx([f(angle) for angle in angles for f in (math.sin, math.cos)])
