"""The page's engine beside torch in double precision: the same logits, losses, gradients and steps of AdamW."""

import functools
import math
import shutil

import numpy as np
import pytest
import torch
from conftest import require
from tools import playground, steered_models

from clockwork.kit import attention, tasks
from clockwork.kit.playground import kept

TASKS = {"three back": tasks.k_back, "who came first": tasks.who_came_first}
BATCH = 4
LENGTH = 20
STEPS = 30
SETTINGS = {"d": 16, "heads": 2, "layers": 2, "length": LENGTH, "rows": 4 * LENGTH, "rate": 0.005}
SETTINGS |= {"scale": 0.7, "base": 100.0, "slope": 0.3}
CASES = [
    pytest.param(code, task, causal, simd, id=f"{code}, {task}, {'mask' * causal}{'kernel' * simd}")
    for code in (*playground.CODES, "random")
    for task in TASKS
    for causal in (True, False)
    for simd in (True, False)
    if simd or task == "three back"
]


class Table(attention.Encoding):
    """Add a row to each position, and train none of them."""

    def __init__(self, rows):
        super().__init__()
        self.rows = rows

    def add(self, x, position_ids):
        return x + self.rows[position_ids]


def uniforms(seed):
    """Yield mulberry32's numbers, from 0 to 1."""
    word = 2**32
    state = (seed + 1) * 0x9E3779B9 % word
    while True:
        state = (state + 0x6D2B79F5) % word
        mixed = (state ^ state >> 15) * (state | 1) % word
        mixed ^= (mixed + (mixed ^ mixed >> 7) * (mixed | 61)) % word
        yield (mixed ^ mixed >> 14) / word


def random_rows(count, d):
    """Return rows from the normal distribution, drawn one number after another, then made as long as the sinusoid's."""
    drawn = uniforms(4_000_000)
    rows = [
        [math.sqrt(-2 * math.log(1 - next(drawn))) * math.cos(2 * math.pi * next(drawn)) for _ in range(d)]
        for _ in range(count)
    ]
    return torch.tensor([[math.sqrt(d / 2) * one / math.hypot(*row) for one in row] for row in rows]).double()


def model_in_torch(settings):
    """Return the torch model that the engine's settings describe."""
    if settings["code"] != "random":
        return playground.in_torch(settings)
    model = playground.in_torch(settings | {"code": "none"})
    model.encoding = Table(random_rows(LENGTH, settings["d"]))
    return model


@functools.cache
def in_torch(code, task, causal):
    """Return a batch, random weights by the engine's names, and what torch makes of them in double precision."""
    torch.manual_seed(1)
    model = model_in_torch(SETTINGS | {"code": code, "causal": causal}).double()
    weights = kept.named_as_in_the_engine(model)
    if code == "T5":
        torch.nn.init.normal_(weights["relative"])  # it begins with zeros, which would hide a bias in the wrong place
    start = {name: value.detach().clone() for name, value in weights.items()}
    tokens, targets = TASKS[task](BATCH, LENGTH, generator=torch.Generator().manual_seed(2))
    found = {"logits": model(tokens).detach(), "losses": []}
    optimizer = torch.optim.AdamW(model.parameters(), lr=SETTINGS["rate"], weight_decay=0.01)
    for step in range(STEPS):
        optimizer.zero_grad()
        loss = tasks.loss(model(tokens), targets)
        loss.backward()
        if step == 0:
            found["gradients"] = {name: value.grad.clone() for name, value in weights.items()}
        found["losses"].append(loss.item())
        optimizer.step()
    return tokens, targets, start, found


@functools.cache
def in_engine(code, task, causal, simd):
    """Return what the engine makes of the same."""
    require(shutil.which("node"), "node is missing: install Node.js")
    tokens, targets, start, _ = in_torch(code, task, causal)
    request = {"request": "compare", "settings": SETTINGS | {"code": code, "causal": causal}, "steps": STEPS}
    request |= {"tokens": tokens.flatten().tolist(), "targets": targets.flatten().tolist(), "batch": BATCH}
    request |= {"weights": {name: value.flatten().tolist() for name, value in start.items()}, "simd": simd}
    (found,) = playground.in_node([request])
    assert found["simd"] == simd
    assert set(found["names"]) == set(start)
    return found


@pytest.mark.parametrize(["code", "task", "causal", "simd"], CASES)
def test_the_engine_computes_torch_s_logits_and_gradients(code, task, causal, simd):
    expected = in_torch(code, task, causal)[-1]
    found = in_engine(code, task, causal, simd)
    assert np.allclose(found["logits"], expected["logits"].flatten(), atol=1e-4)
    assert found["loss"] == pytest.approx(expected["losses"][0], abs=1e-5)
    for name, gradient in expected["gradients"].items():
        largest = max(gradient.abs().max().item(), 1e-4)
        assert np.allclose(found["gradients"][name], gradient.flatten(), rtol=0, atol=1e-4 * largest), name


@pytest.mark.parametrize(["code", "task", "causal", "simd"], CASES)
def test_thirty_steps_of_training_have_torch_s_losses(code, task, causal, simd):
    expected = in_torch(code, task, causal)[-1]["losses"]
    assert expected[-1] < 0.9 * expected[0]  # something was learned of this batch
    assert np.allclose(in_engine(code, task, causal, simd)["losses"], expected, rtol=0, atol=1e-3)


def test_a_random_row_stays_with_its_position():
    require(shutil.which("node"), "node is missing: install Node.js")
    torch.manual_seed(1)
    model = attention.Transformer(
        16, Table(random_rows(2 * LENGTH, 32).float()), d_model=32, num_layers=1, causal=False
    )
    with torch.no_grad():
        for weight in model.parameters():
            weight.copy_(weight.half())  # as it is kept
    places = torch.randperm(2 * LENGTH)[:LENGTH]
    tokens = torch.randint(16, (LENGTH,))
    request = {"request": "steer", "kept": steered_models.kept(model, causal=False, code="random")}
    (found,) = playground.in_node([request | {"tokens": tokens.tolist(), "positions": places.tolist()}])
    expected = model(tokens, places).detach().flatten()
    assert np.allclose(found["logits"], expected, rtol=0, atol=1e-3 * float(expected.abs().max()))
