"""`attend`, `read` and `shift`: one source in two interpreters, and each usual mistake with a sentence of its own."""

import inspect
import math

import numpy as np
import pytest
import torch
from interpreters import in_micropython

from clockwork.kit import machine
from clockwork.kit.machine import parts, plain

ATTEND = """
def attend(x):
    scores = x @ x.T / sqrt(x.shape[1])
    weights = scores.softmax(-1)
    return weights @ x
"""
READ = """
def read(code):
    position = 0
    for i in range(7, -1, -1):
        speed = 10_000 ** (-i / 8)
        angle = atan2(code[2 * i], code[2 * i + 1]) % (2 * pi)
        turns = max(0, round((position * speed - angle) / (2 * pi)))
        position = (angle + turns * 2 * pi) / speed
    return position
"""
SHIFT = """
def shift(k):
    matrix = [[0] * 16 for _ in range(16)]
    for i in range(8):
        angle = k * 10_000 ** (-i / 8)
        a, b = 2 * i, 2 * i + 1
        matrix[a][a], matrix[a][b] = cos(angle), sin(angle)
        matrix[b][a], matrix[b][b] = -sin(angle), cos(angle)
    return matrix
"""
RIGHT = {"attend": ATTEND, "read": READ, "shift": SHIFT}
WRONG = {
    "attend": {
        "no root": ("/ sqrt(x.shape[1])", ""),
        "by d": ("sqrt(x.shape[1])", "x.shape[1]"),
        "times": ("/ sqrt", "* sqrt"),
        "root of 2": ("sqrt(x.shape[1])", "sqrt(2)"),
        "root of the length": ("x.shape[1]", "x.shape[0]"),
        "products": ("scores.softmax(-1)", "scores"),
        "powers": ("scores.softmax(-1)", "scores.exp()"),
        "columns": ("softmax(-1)", "softmax(0)"),
        "themselves": ("weights @ x", "x"),
        "weights": ("weights @ x", "weights"),
        "one row": ("weights @ x", "[sum(row[0] for row in weights), 0]"),
        "other way": ("x @ x.T /", "x.T @ x /"),
    },
    "read": {
        "slowest alone": ("range(7, -1, -1)", "range(7, 6, -1)"),
        "below 0": ("% (2 * pi)", ""),
        "hand 0 alone": ("range(7, -1, -1)", "[0]"),
        "exchanged": ("code[2 * i], code[2 * i + 1]", "code[2 * i + 1], code[2 * i]"),
        "half a dial": ("code[2 * i], code[2 * i + 1]", "code[2 * i] / (code[2 * i + 1] or 1e-9), 1"),
        "cut": ("round(", "floor("),
        "speeds turned round": ("-i / 8", "(i - 7) / 8"),
        "sixteen": ("-i / 8", "-i / 16"),
    },
    "shift": {
        "back": ("k * 10", "-k * 10"),
        "plus": ("-sin(angle)", "sin(angle)"),
        "halves": ("2 * i, 2 * i + 1", "i, i + 8"),
        "one step": ("k * 10", "10"),
        "square": ("k * 10", "k * k * 10"),
        "one speed": ("-i / 8", "0"),
        "degrees": ("angle = k", "angle = pi / 180 * k"),
        "growing": ("-i / 8", "i / 8"),
        "sixteen": ("-i / 8", "-i / 16"),
        "no sines": ("sin(angle)", "0"),
        "exchanged": (
            "cos(angle), sin(angle)\n        matrix[b][a], matrix[b][b] = -sin(angle), cos(angle)",
            "sin(angle), cos(angle)\n        matrix[b][a], matrix[b][b] = cos(angle), -sin(angle)",
        ),
        "narrow": ("return matrix", "return [row[:8] for row in matrix[:8]]"),
        "nothing": ("return matrix", "matrix"),
    },
}  # each is a change of the right text
ANSWER = "clockwork.kit.machine.plain.answer"


def said(found):
    return found.get("refused") or found["advice"]


def wrong(name):
    changes = WRONG[name].items()
    assert all(old in RIGHT[name] for _, (old, _) in changes)
    return {case: RIGHT[name].replace(old, new) for case, (old, new) in changes}


@pytest.mark.parametrize("name", RIGHT)
def test_each_usual_mistake_has_its_sentence_in_both_interpreters(tmp_path, name):
    assert said(plain.answer(name, RIGHT[name])) == ""
    sentences = {case: said(plain.answer(name, text)) for case, text in wrong(name).items()}
    assert all(sentences.values()), sentences
    assert len(set(sentences.values())) == len(sentences), sentences
    there = in_micropython([(ANSWER, [name, text]) for text in (RIGHT[name], *wrong(name).values())], tmp_path)
    assert [said(one) for one in there[1:]] == list(sentences.values()) and said(there[0]) == ""


def test_attend_is_torch_s_attention_and_runs_on_tensors_too():
    attend = plain.load("attend", ATTEND)
    x = torch.randn(5, 3, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    right = torch.nn.functional.scaled_dot_product_attention(x[None], x[None], x[None])[0]
    assert torch.allclose(attend(x), right)
    assert np.allclose(attend(parts.Matrix(x.tolist())).tolist(), right)


def test_the_matrix_of_the_page_computes_what_tensors_do():
    draw = torch.Generator().manual_seed(1)
    a, b, c = (torch.randn(*shape, generator=draw, dtype=torch.float64) for shape in ((3, 4), (4, 2), (3, 4)))
    ours = [parts.Matrix(one.tolist()) for one in (a, b, c)]
    for act in (
        lambda a, b, c: a @ b,
        lambda a, b, c: a.T @ c,
        lambda a, b, c: (a + c) * c - 2 * a / 3,
        lambda a, b, c: a.softmax(-1),
        lambda a, b, c: a.softmax(0),
        lambda a, b, c: a.exp(),
    ):
        assert np.allclose(act(*ours).tolist(), act(a, b, c))
    with pytest.raises(ValueError, match="do not fit"):
        ours[0] @ ours[2]
    with pytest.raises(ValueError, match="do not fit"):
        ours[0] + ours[1]


def test_a_bag_answers_with_a_coin_and_the_index_tells_tom_from_dog(tmp_path):
    codes = ("", "def code(p):\n    return [p]", "def code(p):\n    return [16 * (p + 1)]")
    texts = [[ATTEND, code] for code in codes]
    bag, index, large = (parts.who_is_hurt(*text) for text in texts)
    assert [parts.share_dog(bag["means"], one) for one in parts.KNOWN] == [0.5, 0.5]
    assert [parts.share_dog(index["means"], one) for one in parts.KNOWN] == [1, 0]
    assert [parts.points(found["means"]) for found in (bag, index, large)] == [1, 24, 4]
    x = np.array(parts.rows_of("a dog bit tom", lambda p: [p]))
    weights = np.exp(x @ x.T / math.sqrt(2))
    outputs = weights / weights.sum(1, keepdims=True) @ x
    assert np.allclose(index["means"][parts.ORDERS.index("a dog bit tom")], outputs.mean(0))
    there = in_micropython([("clockwork.kit.machine.parts.who_is_hurt", text) for text in texts], tmp_path)
    for here, other in zip((bag, index, large), there, strict=True):
        assert np.allclose(here["means"], other["means"])


def test_a_wrong_function_that_runs_changes_what_is_answered():
    last = ATTEND.replace("weights @ x", "[list(x[-1])] * len(x)")
    found = plain.answer("attend", last)
    assert found["advice"] and parts.share_dog(found["means"], parts.KNOWN[0]) == 1, "nothing stands in for his"


@pytest.mark.parametrize("p", [0, 1, 4321, 12_345, 19_000])
def test_the_right_reading_reads_and_the_right_shift_moves_any_position(p):
    assert abs(plain.load("read", READ)(parts.code_of(p, 1)) - p) < 0.5
    moved = np.array(plain.load("shift", SHIFT)(3)) @ parts.code_of(p)
    assert np.allclose(moved, parts.code_of(p + 3))
    assert np.allclose(parts.code_of(p)[::2], [math.sin(p * 10_000 ** (-i / 8)) for i in range(8)])


def test_all_three_are_kept_in_the_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(machine, "in_notebook", lambda: True)
    for name, text in RIGHT.items():
        machine.put(name, plain.alone(name, text))
    names = {}
    exec((tmp_path / machine.FILE).read_text("utf-8"), names)
    assert names["read"](parts.code_of(4321, 1)) == pytest.approx(4321, abs=0.5) and len(names["shift"](2)) == 16
    assert inspect.getsource(plain).count('"attend"'), "the order of the lessons names it"
    for name in RIGHT:
        machine.memory.remember(f"machine/{name}", None)
