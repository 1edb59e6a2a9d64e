"""The reader's machine: one source in two interpreters, at the model's doors, kept, and its wrong versions named."""

import math

import numpy as np
import pytest
import torch
from interpreters import in_micropython
from tools import playground

from clockwork.kit import attention, machine, memory
from clockwork.kit.checks.plain import CheckFailed, NotAttempted
from clockwork.kit.machine import diagnoses, lamps, plain
from clockwork.kit.playground.kept import named_as_in_the_engine
from clockwork.lessons.lesson_02.views.race import CODES

SINUSOID = """
def code(p):
    speeds = [10_000 ** (-i / 16) for i in range(16)]
    return [f(p * speed) for speed in speeds for f in (sin, cos)]
"""
ROTATE = """
def rotate(q, p):
    turned = []
    for i in range(len(q) // 2):
        x, y = q[2 * i], q[2 * i + 1]
        angle = p * 10_000 ** (-2 * i / len(q))
        turned += [x * cos(angle) - y * sin(angle), x * sin(angle) + y * cos(angle)]
    return turned
"""
HALF = """
def rotate(q, p):
    half = len(q) // 2
    first, second = [], []
    for i in range(half):
        x, y = q[i], q[half + i]
        angle = p * 10_000 ** (-i / half)
        first.append(x * cos(angle) - y * sin(angle))
        second.append(x * sin(angle) + y * cos(angle))
    return first + second
"""
ANSWER = "clockwork.kit.machine.diagnoses.told"
ADVICE = "clockwork.kit.machine.diagnoses.advice"
WRONG_CODES = {  # each is a change of the right text
    "degrees": ("p * speed", "p * speed * pi / 180"),
    "minus": ("-i / 16", "i / 16"),
    "pairs": ("-i / 16", "-i / 32"),
    "authors": ("-i / 16", "-i / 15"),
    "whole": ("-i / 16", "-i // 16"),
    "one speed": ("-i / 16", "0"),
    "even": ("10_000 ** (-i / 16)", "1 - i / 16"),
    "from 1": ("p * speed", "(p + 1) * speed"),
    "square": ("p * speed", "p * p * speed"),
    "cosine first": ("(sin, cos)", "(cos, sin)"),
    "sines": ("(sin, cos)", "(sin, sin)"),
    "halves": ("for speed in speeds for f in (sin, cos)", "for f in (sin, cos) for speed in speeds"),
    "width": ("for speed in speeds for f in (sin, cos)", "for speed in speeds for f in (sin,)"),
    "base": ("10_000", "500"),
}
WRONG_ROTATIONS = {
    "degrees": ("angle = p", "angle = pi / 180 * p"),
    "plus": ("- y * sin", "+ y * sin"),
    "minus": ("x * sin(angle) +", "-x * sin(angle) +"),
    "backwards": ("angle = p", "angle = -p"),
    "square": ("angle = p", "angle = p * p"),
    "from 1": ("angle = p", "angle = (p + 1)"),
    "order": ("turned += [", "turned += [x * sin(angle) + y * cos(angle), x * cos(angle) - y * sin(angle)] or ["),
    "halves side by side": ("q[2 * i], q[2 * i + 1]", "q[i], q[i + len(q) // 2]"),
    "new value": (
        "turned += [",
        "x = x * cos(angle) - y * sin(angle); turned += [x, x * sin(angle) + y * cos(angle)] or [",
    ),
    "exchanged": (
        "x * cos(angle) - y * sin(angle), x * sin(angle) + y * cos(angle)",
        "x * sin(angle) - y * cos(angle), x * cos(angle) + y * sin(angle)",
    ),
    "handed back": ("return turned", "return turned[::2] + turned[1::2]"),
    "one speed": ("-2 * i", "0 * i"),
    "growing": ("-2 * i", "2 * i"),
    "half the exponent": ("-2 * i", "-1 * i"),
    "still": ("angle = p", "angle = 0 * p"),
    "longer": ("return turned", "return [1.5 * number for number in turned]"),
    "base": ("10_000", "500"),
}


def changed(text, old, new):
    assert old in text
    return text.replace(old, new)


def test_one_source_gives_the_same_numbers_in_cpython_and_on_the_site(tmp_path):
    texts = [("code", text) for text in (SINUSOID, *CODES.values(), "def code(p, n):\n    return [p / n]")]
    texts += [("code", changed(SINUSOID, *change)) for change in WRONG_CODES.values()]
    texts += [("rotate", ROTATE), *(("rotate", changed(ROTATE, *change)) for change in WRONG_ROTATIONS.values())]
    for (name, text), there in zip(texts, in_micropython([(ANSWER, one) for one in texts], tmp_path), strict=True):
        here = diagnoses.told(name, text)
        assert here.keys() == there.keys(), text
        assert here.get("advice") == there.get("advice"), "the page says the same"
        for part in here.keys() & {"near", "far", "turns"}:
            assert np.allclose(here[part], there[part], rtol=1e-6, atol=1e-6), (text, part)
        assert (here["source"], bool(here["moved"])) == (there["source"], bool(there["moved"]))


@pytest.mark.parametrize(
    ("name", "right", "changes"),
    [("code", SINUSOID, WRONG_CODES), ("rotate", ROTATE, WRONG_ROTATIONS)],
    ids=["code", "rotate"],
)
def test_each_usual_mistake_has_a_sentence_of_its_own(tmp_path, name, right, changes):
    assert diagnoses.advice(name, right) == ""
    sentences = {case: diagnoses.advice(name, changed(right, *change)) for case, change in changes.items()}
    assert all(sentences.values()), sentences
    assert len(set(sentences.values())) == len(sentences), sentences
    there = in_micropython([(ADVICE, [name, changed(right, *change)]) for change in changes.values()], tmp_path)
    assert there == list(sentences.values()), "the page says the same"


WRONG_HALVES = {
    "backwards": ("angle = p", "angle = -p"),
    "plus": ("- y * sin", "+ y * sin"),
    "minus": ("x * sin(angle) +", "-x * sin(angle) +"),
    "still": ("angle = p", "angle = 0 * p"),
    "one speed": ("(-i / half)", "0"),
    "growing": ("(-i / half)", "(i / half)"),
    "half the exponent": ("(-i / half)", "(-i / len(q))"),
    "side by side": ("first + second", "[n for pair in zip(first, second) for n in pair]"),
    "exchanged halves": ("first + second", "second + first"),
    "longer": ("return first + second", "return [1.5 * number for number in first + second]"),
}


def test_halves_are_as_right_as_neighbours_and_their_mistakes_are_named_too(tmp_path):
    for text, layout in ((ROTATE, "interleaved"), (HALF, "half")):
        turns = plain.answer("rotate", text)["turns"]
        assert diagnoses.rotation(turns) == diagnoses.rotation(turns, layout) == layout
        with pytest.raises(CheckFailed, match="pair here"):
            diagnoses.rotation(turns, "half" if layout == "interleaved" else "interleaved")
    wrong = [changed(HALF, *change) for change in WRONG_HALVES.values()]
    sentences = [diagnoses.advice("rotate", text) for text in wrong]
    assert all(sentences) and len(set(sentences)) == len(sentences), sentences
    assert not any("should give" in sentence for sentence in sentences), "none is only a number that misses"
    assert in_micropython([(ADVICE, ["rotate", text]) for text in wrong], tmp_path) == sentences


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("code", "def code(p):\n    p", "returned nothing"),
        ("code", "def code(p):\n    return 'p'", "numbers in a list"),
        ("code", "def code(p):\n    return [[p]]", "a list inside"),
        ("code", "def code(p):\n    return [p] * (p + 1)", "equally many"),
        ("code", "def code(p):\n    return [1 / (p - 3)]", "code(3) stopped"),
        ("code", "def code(p):\n    return [p] * 33", "at most 32"),
        ("code", "def code(p):\n    return [0]", "0 everywhere"),
        ("code", "def code(p):\n    return [1e308 * 10 * p]", "finite"),
        ("code", "def kode(p):\n    return [p]", "no function code"),
        ("code", "def code(p)\n    return [p]", "cannot read"),
        ("code", "import no_such_module\ndef code(p):\n    return [p]", "math and lists alone"),
        ("rotate", "def rotate(q, p):\n    return q[:4]", "as many numbers"),
        ("rotate", "def rotate(q, p):\n    return [number + p for number in q]", "linear"),
        ("rotate", "def rotate(q, p):\n    return [number ** 2 for number in q]", "linear"),
        ("rotate", "def rotate(q, p):\n    return [abs(number) for number in q]", "linear"),
    ],
)
def test_what_cannot_be_used_is_said_in_a_sentence(name, text, told):
    assert told in machine.answer(name, text)["refused"]


def test_a_loop_without_an_end_is_stopped():
    assert (
        "loop without an end" in machine.answer("code", "def code(p):\n    while True:\n        pass", 0.2)["refused"]
    )


def test_the_engine_trains_with_the_rows_and_matrices_it_is_given():
    common = {"task": "three back", "length": 16, "rate": 0.005, "steps": 12, "causal": True, "seed": 3}
    given = {"code": "given"} | common
    rows = plain.answer("code", SINUSOID)["near"][:64]
    turns = plain.answer("rotate", ROTATE)["turns"]
    sly = diagnoses.told("rotate", changed(ROTATE, "angle = p", "angle = (p if p < 8 or p > 20 else 8)"))
    assert "praise" in sly, "the check lets it through"
    wrong = sly["turns"]
    asked = [
        common | {"code": "sinusoid"},
        given | {"table": rows},
        common | {"code": "rotary"},
        given | {"turns": turns},
        given | {"turns": wrong},
        given,
        common | {"code": "none"},
    ]
    found = [
        one["losses"] for one in playground.in_node({"request": "train", "settings": settings} for settings in asked)
    ]
    added, his_added, turned, his_turned, other, nothing, none = found
    assert np.allclose(added, his_added, atol=1e-5) and np.allclose(turned, his_turned, atol=1e-5)
    assert nothing == none, "where he gives nothing no built-in stands in"
    assert not np.allclose(turned, other, atol=1e-4), "a wrong function that passes the check changes the model"


class Asking(machine.Mine):
    """Queries are turned as if their words stood some places earlier, keys as they stand."""

    def turn(self, x, position_ids):
        asked = (position_ids - 5).clamp(min=0)
        return torch.stack([super().turn(x[0], asked), super().turn(x[1], position_ids)])


def test_the_knob_turns_queries_by_his_matrices_and_keys_stay():
    random = torch.Generator().manual_seed(1)
    turns = torch.randn(9, 8, 8, generator=random).tolist()  # no rotation: where a query stands counts
    encoding = Asking(rotate=lambda q, p: plain.product(turns[int(p)], q))
    model = attention.Transformer(16, encoding, d_model=32, num_layers=1)
    tokens = torch.randint(16, (1, 9), generator=random)
    request = {
        "request": "compare",
        "settings": {"code": "given", "turns": turns, "layers": 1},
        "weights": {name: value.flatten().tolist() for name, value in named_as_in_the_engine(model).items()},
        "tokens": tokens.flatten().tolist(),
        "batch": 1,
        "options": {"asked": [max(0, i - 5) for i in range(9)]},
    }
    there, unturned = playground.in_node([request, request | {"options": {}}])
    assert np.allclose(there["logits"], model(tokens).flatten().detach(), atol=2e-5)
    assert not np.allclose(there["logits"], unturned["logits"], atol=1e-2)


def test_the_lamps_of_a_turn_say_whether_words_keep_their_length():
    longer = changed(ROTATE, "return turned", "return [1.5 * number for number in turned]")
    growing = changed(ROTATE, "return turned", "return [(1 + p) * number for number in turned]")
    still = changed(ROTATE, "angle = p", "angle = 0 * p")
    met = {ROTATE: [1, 1, 1, 1, 1], longer: [1, 1, 1, 1, 1], still: [1, 0, 1, 1, 1], growing: [1, 1, 0, 0, 0]}
    for text, wanted in met.items():
        found = lamps.lamps(plain.answer("rotate", text), "rotate")
        assert [lamp.met for lamp in found] == [bool(one) for one in wanted], [lamp.tells for lamp in found]
        assert ("keep their length" in found[-1].tells) == (text in (ROTATE, still))


def test_the_gradient_through_given_matrices_is_torch_s():
    random = torch.Generator().manual_seed(0)
    turns = torch.randn(6, 8, 8, generator=random).tolist()  # no rotation: the transpose is not the inverse
    model = attention.Transformer(16, machine.Mine(rotate=lambda q, p: plain.product(turns[int(p)], q)), d_model=32)
    tokens = torch.randint(16, (2, 6), generator=random)
    targets = torch.randint(16, (2, 6), generator=random)
    loss = torch.nn.functional.cross_entropy(model(tokens).flatten(0, 1), targets.flatten())
    loss.backward()
    weights = named_as_in_the_engine(model)
    request = {
        "request": "compare",
        "settings": {"code": "given", "turns": turns},
        "weights": {name: value.flatten().tolist() for name, value in weights.items()},
        "tokens": tokens.flatten().tolist(),
        "targets": targets.flatten().tolist(),
        "batch": 2,
        "steps": 0,
    }
    (found,) = playground.in_node([request])
    assert found["loss"] == pytest.approx(loss.item(), abs=1e-5)
    for name, value in weights.items():
        assert np.allclose(found["gradients"][name], value.grad.flatten(), atol=2e-5), name


def test_his_functions_at_the_doors_of_the_model_are_the_course_s_encodings():
    tokens = torch.randint(16, (2, 20), generator=torch.Generator().manual_seed(0))
    for right, mine in (
        (attention.Sinusoid(), machine.Mine(code=plain.load("code", SINUSOID))),
        (attention.Rotary(), machine.Mine(rotate=plain.load("rotate", ROTATE))),
    ):
        model = attention.Transformer(16, right, d_model=32)
        expected = model(tokens)
        model.encoding = mine
        assert torch.allclose(model(tokens), expected, atol=1e-5)
        model.encoding = machine.Mine()
        assert not torch.allclose(model(tokens), expected, atol=1e-2), "nothing stands in for him"


def test_a_function_that_is_kept_is_found_in_the_next_lesson_and_in_one_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(machine, "in_notebook", lambda: True)
    memory.clear()
    with pytest.raises(NotAttempted):
        machine.mine("code")
    machine.put("rotate", plain.alone("rotate", ROTATE))
    file = tmp_path / machine.FILE
    file.write_text(file.read_text("utf-8") + "\n\ndef helper():\n    return 7\n", "utf-8")
    machine.put("code", "def code(p):\n    return [p]")
    machine.put("code", "def code(p):\n    return [2 * p]")
    names = {}
    exec(file.read_text("utf-8"), names)
    assert names["code"](4) == [8] and names["helper"]() == 7
    assert names["rotate"]([1, 0], 0) == [1, 0]
    assert file.read_text("utf-8").count("def code") == 1
    assert machine.mine("code")(4) == [8]
    file.unlink()
    assert machine.mine("code")(4) == [8], "the answers have it, too"
    exec(machine.kept(), names)
    memory.clear()


@pytest.mark.parametrize(
    ("text", "met"),
    [
        (CODES["index"], [1, 1, 1, 0, 0]),
        (CODES["digits"], [1, 0, 0, 1, 1]),
        (CODES["one sine"], [1, 0, 0, 1, 0]),
        (CODES["one hand"], [1, 0, 1, 1, 1]),
        (CODES["eight hands"], [1, 1, 1, 1, 1]),
        ("def code(p, n):\n    return [p / n]", [0, 0, 1, 0, 0]),
        ("def code(p):\n    return [sin(0.01 * p), cos(0.01 * p)]", [1, 0, 1, 1, 1]),
        ("def code(p):\n    return [0.97**p * sin(0.3 * p), 0.97**p * cos(0.3 * p)]", [1, 0, 1, 1, 0]),
        ("def code(p):\n    return [sin(1e-5 * p), cos(1e-5 * p)]", [1, 0, 1, 1, 1]),
    ],
)
def test_each_lamp_says_what_the_code_promises(text, met):
    found = lamps.lamps(plain.answer("code", text))
    assert [lamp.met for lamp in found] == [bool(one) for one in met], [lamp.tells for lamp in found]


def test_one_hand_cannot_be_both_far_reaching_and_sharp():
    for speed in np.linspace(0.001, math.pi, 200):
        near = np.array([[math.sin(speed * p), math.cos(speed * p)] for p in range(plain.REACH)])
        assert lamps.alike(near)[2] < lamps.APART
