"""The reader's own code: read as an expression and nothing else, and tried by the three demands."""

import json
import math
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from conftest import require
from traitlets import TraitError

from clockwork.kit import modules
from clockwork.kit.widgets import questions
from clockwork.lessons import lesson_02
from clockwork.lessons.lesson_02.demands import trial
from clockwork.lessons.lesson_02.expression import codes_of
from clockwork.lessons.lesson_02.views import Adversary
from clockwork.lessons.lesson_02.views.adversary import share

HAND = "sin(0.3*p), cos(0.3*p)"
CODES = [
    "p % 2, p // 2 % 2, p // 4 % 2, p // 8 % 2",
    "p, 1",
    "0.98**p * sin(0.3*p), 0.98**p * cos(0.3*p)",
    "sin(0.3*p)",
    HAND,
    "-p**2 + 3, 1_0.5e1",
    "2**-p / 3",
    "(-1)**p",
    "exp(-abs(p) / 10)",
    "sin(p*p), cos(p*p), sqrt(abs(p)) - floor(p / 3)",
    "sin(p), sin(p)",
    "sign(p) * log(1 + abs(p)), pi - e",
    "p % 7, -p // 3 % 2 + 1",
]
STRANGE = ["", "p +", "p q", "import os", "__import__('os')", "p.real", "(lambda: p)()", "[p]", "p if p else 1", "q"]
STRANGE += ["sin(p, p)", "sin", "p ^ 2", "p < 1", "'p'", "p,", "1j", "True", "f(p)", "p" * 200, ",".join(["p"] * 9)]


def test_an_expression_means_what_python_means_by_it():
    positions = np.arange(-20, 21)
    for text in CODES:
        wanted = [eval(f"[{text}]", {**vars(math), "p": float(p), "abs": abs, "sign": np.sign}) for p in positions]
        assert codes_of(text, positions) == pytest.approx(np.array(wanted, float))


@pytest.mark.parametrize("text", STRANGE)
def test_nothing_but_a_plain_expression_is_read(text):
    with pytest.raises(ValueError, match="a code must"):
        codes_of(text, np.arange(3))


def test_a_code_without_a_value_somewhere_is_refused_with_the_place():
    with pytest.raises(TraitError, match="got none at 0"):
        Adversary("log(abs(p))")


@pytest.mark.parametrize(
    ("text", "met"),
    [
        (CODES[0], (False, True, True)),
        ("p, 1", (True, True, False)),
        (CODES[2], (True, True, False)),
        ("sin(0.3*p)", (False, True, True)),
        (HAND, (True, True, True)),
        (f"{HAND}, 0", (True, False, True)),
        ("3*sin(p + 0.4), cos(p) + sin(p)", (True, True, True)),
        ("exp(-abs(p))", (False, True, True)),
    ],
)
def test_each_demand_is_missed_by_the_code_that_lacks_it_alone(text, met):
    assert trial(text).met == met


def test_the_error_the_growth_and_the_two_most_alike_are_those_of_naive_loops():
    found = trial("sin(p), cos(p), p / 100")
    codes = [(math.sin(p), math.cos(p), p / 100) for p in range(501)]
    apart = {(a, b): math.dist(codes[a], codes[b]) for a in range(501) for b in range(a + 1, 501)}
    first, second, distance = found.alike
    assert distance == pytest.approx(min(apart.values())) == pytest.approx(apart[first, second])
    assert found.growth == pytest.approx([math.hypot(1, 10_000) / math.hypot(1, 5)] * 2)
    lone = np.sin(0.3 * np.arange(-500, 501))
    factor = (lone[:-1] @ lone[1:]) / (lone[:-1] @ lone[:-1])
    wanted = np.linalg.norm(factor * lone[:-1] - lone[1:]) / np.linalg.norm(lone[1:])
    assert trial("sin(0.3*p)").miss == pytest.approx(wanted)


NEARLY = {  # of each code, how far apart the two most alike are
    "exp(-p)": "less than 0.000001",  # no two are equal
    "p % 2, p // 2 % 2, p // 4 % 2, p // 8 % 2": "0",
    "sin(p)": "less than 0.000001",
    "sin(0.3*p), cos(0.3*p)": "0.002664",
    "p, 1": "1.00",
}


@pytest.mark.parametrize(("text", "apart"), NEARLY.items())
def test_only_equal_codes_are_told_to_be_0_apart(text, apart):
    view = Adversary(text)
    first, second, _ = view.trial().alike
    told = f"positions {first} and {second}, {apart} apart"
    assert view.describe().endswith(told)
    assert (apart == "0") == (codes_of(text, np.array([first, second])).std(0).max() == 0)


def test_the_page_tells_a_distance_in_the_same_words():
    values = [0, 1e-300, 9.9e-7, 1e-6, 0.00123, 0.0099, 0.01, 2.5, 1234.5]
    views = Path(lesson_02.__file__).parent / "views"
    script = own_text(views / "adversary.js").replace("export default view", "void ((one) => one)")
    script += f"console.log(JSON.stringify({values}.map(share)));"
    assert node("const fixed = (value) => value.toFixed(2);\n" + script) == [share(value) for value in values]


def test_the_code_that_the_picture_begins_with_is_the_one_that_the_page_offers_as_digits():
    script = own_text(Path(lesson_02.__file__).parent / "views/adversary.js")
    assert re.findall(r'^  digits: "(.+)",$', script, flags=re.M) == [Adversary().code]


def own_text(path):
    """Return a module without what it imports."""
    return modules.STYLE.sub("", modules.IMPORT.sub("", path.read_text("utf-8")))


def node(script, *arguments):
    """What a script prints, run by Node.js."""
    require(shutil.which("node"), "Node.js is missing: install it to run the pages' JavaScript")
    command = ["node", "--input-type=module", "-e", script, *arguments]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@pytest.mark.parametrize(
    ("answer", "met"),
    [
        ("squares", (False, True, True)),
        ("three", (True, False, True)),
        ("slanted", (True, True, True)),
        ("fading", (True, True, False)),
    ],
)
def test_of_the_codes_to_guess_from_one_passes_and_each_other_misses_one_demand(answer, met):
    guess = questions.tables("02")["another-code"]
    found = trial(guess["choices"][answer][0].strip("`"))
    assert found.met == met and all(met) == (answer == guess["answer"])


def test_no_matrix_steps_from_the_square_of_a_hand_to_the_next():
    p = np.arange(-500, 501)
    squares = np.stack([np.sin(0.3 * p) ** 2, np.cos(0.3 * p) ** 2])
    step = squares[:, 1:] @ np.linalg.pinv(squares[:, :-1])
    error = step @ squares[:, :-1] - squares[:, 1:]
    assert np.linalg.norm(error) / np.linalg.norm(squares[:, 1:]) == pytest.approx(0.33, abs=0.005)


def test_the_page_finds_the_same_and_refuses_the_same():
    script = own_text(Path(lesson_02.__file__).parent / "views/expression.js")
    script = (
        "const say = String;\n"
        + script
        + """
const tell = (text) => {
  try {
    const { miss, rank, growth, alike } = trialOf(text);
    return [miss, rank, ...growth, ...alike];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return null;
  }
};
console.log(JSON.stringify(JSON.parse(process.argv[1]).map(tell)));"""
    )
    found = node(script, json.dumps(CODES + STRANGE))
    for text, here in zip(CODES, found, strict=False):
        there = trial(text)
        wanted = [there.miss, there.rank, *there.growth, *there.alike]
        assert here == pytest.approx(wanted, rel=1e-4, abs=1e-6), text
    assert found[len(CODES) :] == [None] * len(STRANGE)


@pytest.mark.parametrize(
    ("typed", "instead"),
    [
        ("np.sin(p)", "write sin"),
        ("math.sin(0.3*p)", "write sin"),
        ("torch.cos(p)", "write cos"),
        ("[sin(p), cos(p)]", "sin(p), cos(p)"),
        ("sin(0.3p)", "0.3*p"),
        ("2 sin(p)", "2*sin("),
        ("2(p + 1)", "2*("),
        ("p^2", "**"),
    ],
)
def test_what_python_or_paper_would_take_is_told_what_to_write_instead(typed, instead):
    script = "const say = String;\n" + own_text(Path(lesson_02.__file__).parent / "views/expression.js")
    script += """
let said = "";
try { trialOf(JSON.parse(process.argv[1])); } catch (error) { said = error.message; }
console.log(JSON.stringify(said));"""
    assert instead in node(script, json.dumps(typed))
