"""Each layer uses its own encoding, and louder scores grow with the logarithm of how many keys a query sees."""

import math

import pytest
import torch

from clockwork.kit import attention, tasks, training
from clockwork.lessons.lesson_12 import layers, todays_models

SIZES = {"d_model": 32, "num_heads": 2, "causal": True}


def made(*encodings):
    torch.manual_seed(0)
    return layers.transformer(16, encodings, **SIZES)


def tokens():
    return torch.randint(16, (2, 12), generator=torch.Generator().manual_seed(0))


def test_a_layer_without_positions_is_the_only_one_that_does_not_turn():
    turned = made(attention.Rotary(), attention.Rotary()).trace(tokens())
    mixed = made(attention.Rotary(), attention.Encoding()).trace(tokens())
    torch.testing.assert_close(mixed.queries[0], turned.queries[0])
    torch.testing.assert_close(mixed.hidden[1], turned.hidden[1])
    assert not torch.allclose(mixed.queries[1], turned.queries[1])
    later = made(attention.Rotary(), attention.Encoding()).trace(tokens(), torch.arange(12) + 1000)
    torch.testing.assert_close(later.queries[1], mixed.queries[1], atol=1e-4, rtol=1e-4)
    assert not torch.allclose(later.queries[0], mixed.queries[0])


def test_with_the_same_encoding_everywhere_it_is_the_ordinary_model():
    torch.manual_seed(0)
    ordinary = attention.Transformer(16, attention.Rotary(), **SIZES)
    torch.testing.assert_close(made(attention.Rotary(), attention.Rotary())(tokens()), ordinary(tokens()))


def test_scores_grow_with_the_logarithm_beyond_the_trained_length_and_not_before():
    louder = layers.LogLength(attention.Rotary(), trained=8)
    x = torch.randn(2, 1, 12, 16, generator=torch.Generator().manual_seed(0))
    q, k = louder.turn(x, torch.arange(12))
    plain_q, plain_k = attention.Rotary().turn(x, torch.arange(12))
    torch.testing.assert_close(k, plain_k)
    for p in range(12):
        factor = max(1.0, math.log(p + 1) / math.log(8))
        torch.testing.assert_close(q[:, p], factor * plain_q[:, p])


def test_louder_scores_keep_the_inner_bias():
    louder = layers.LogLength(attention.Alibi(), trained=8)
    torch.testing.assert_close(louder.bias(2, torch.arange(5)), attention.Alibi().bias(2, torch.arange(5)))


def test_exchanged_encodings_keep_the_trained_weights(unchecked):
    task = tasks.THREE_BACK
    trained = training.train(todays_models.make(("rotary", "rotary"), True), task, [0, 1], steps=2)
    dropped = todays_models.with_encodings(trained, todays_models.make(("none", "none"), True))
    assert all(torch.equal(dropped.state[name], tensor) for name, tensor in trained.state.items())
    assert not torch.allclose(dropped(tokens()), trained(tokens()))
    back = todays_models.with_encodings(dropped, todays_models.make(("rotary", "rotary"), True))
    torch.testing.assert_close(back(tokens()), trained(tokens()))


def test_further_training_starts_from_each_seed_s_own_weights(unchecked):
    task = tasks.THREE_BACK
    make = todays_models.make(("none", "none"), True)
    trained = training.train(make, task, [3, 5], steps=2)
    further = todays_models.continued(trained, make, task, steps=0)
    assert all(torch.equal(further.state[name], tensor) for name, tensor in trained.state.items())


def test_a_part_that_was_not_recorded_is_refused_by_name():
    with pytest.raises(ValueError, match="got 'four_back'"):
        layers.recorded("four_back")
