"""Nothing comes back from a hidden test: not by memory, files, values, errors, times, pages or tables."""

import json
import re

import pytest
from classroom import PROBE, answer, cell, hand_in, notebook, page, pe_grade, table
from conftest import require

from pe_grading import __main__ as cli
from pe_grading import run, sandbox
from pe_grading.notebook import load_assignment, parse_submission
from pe_grading.sandbox import Limits, Sandbox

SECRET = 7351  # an input that only a teacher's own test knows
TEST = f'assert slopes({SECRET})[0] == 0.5, f"a long list begins with one half, got {{slopes({SECRET})!r}}"\n'


@pytest.fixture(scope="module")
def grade(tmp_path_factory):
    """Return `grade(source of slopes)`: the result with a teacher's own test of `slopes` after the visible ones."""
    require(sandbox.missing() is None, "install bubblewrap (the package `bubblewrap`)")
    hidden = tmp_path_factory.mktemp("hidden")
    (hidden / "probe").mkdir()
    (hidden / "probe" / "test_slopes.py").write_text(TEST)
    assignment = load_assignment(PROBE, 0, hidden)
    box = Sandbox(["numpy"], Limits(call_seconds=4, cell_seconds=4, student_seconds=10))
    names = run.trusted_names(assignment)

    def grade(source, *edits):
        book = notebook()
        for edit in (answer(source), *edits):
            edit(book)
        return run.grade(assignment, parse_submission(json.dumps(book).encode()), box, names)

    yield grade
    box.close()


RIGHT = "    return [2.0**-i for i in range(1, n + 1)]"
SEES = "SEEN = []\ndef slopes(n):\n    SEEN.append(n)\n"
WAYS = {
    "a global, told by the error of another function": (
        SEES + RIGHT,
        "def softmax(scores):\n    raise ValueError(repr(SEEN))",
    ),
    "its own error": (SEES + "    if n > 100: raise ValueError(repr(SEEN))\n" + RIGHT,),
    "the name of its own error": (SEES + "    if n > 100: raise type(f'Seen{n}', (Exception,), {})\n" + RIGHT,),
    "its own return value": (SEES + "    if n > 100: return [n]\n" + RIGHT,),
    "a value that is no list": (SEES + "    if n > 100: return {'seen': n}\n" + RIGHT,),
    "a file": (
        "import os\ndef slopes(n):\n    open('seen', 'a').write(str(n))\n" + RIGHT,
        "def softmax(scores):\n    raise ValueError(open('seen').read() if os.path.exists('seen') else '')",
    ),
    "shared memory": (
        "import mmap\nM = mmap.mmap(-1, 4096)\ndef slopes(n):\n    M[:5] = str(n).zfill(5).encode()\n" + RIGHT,
        "def softmax(scores):\n    raise ValueError(str(bytes(M[:5])))",
    ),
    "a thread that goes on": (
        "import threading\nBOX = []\ndef slopes(n):\n    threading.Thread(target=BOX.append, args=(n,)).start()\n"
        + RIGHT,
        "def softmax(scores):\n    raise ValueError(repr(BOX))",
    ),
    "the numbers that random draws": (
        "import random\ndef slopes(n):\n    random.seed(n)\n" + RIGHT,
        "import random\ndef softmax(scores):\n    raise ValueError(repr(random.randint(0, 10**6)))",
    ),
    "text on the way out": ("import sys\ndef slopes(n):\n    print(n)\n    sys.stderr.write(str(n))\n" + RIGHT,),
    "a lie about data": ("def slopes(n):\n    if n > 100: return type(f'Seen{n}', (), {})()\n" + RIGHT,),
}


@pytest.mark.parametrize("way", WAYS)
def test_no_input_of_a_hidden_test_comes_back(grade, way):
    sources = WAYS[way]
    result = grade(sources[0], *(answer(source, "softmax") for source in sources[1:]))
    told = json.dumps(result)
    assert str(SECRET) not in told
    assert "4711" not in told, "nor does the other hidden cell's seed"


def test_the_numbers_drawn_after_a_hidden_test_do_not_depend_on_it(grade):
    sources = WAYS["the numbers that random draws"]
    said = grade(sources[0], answer(sources[1], "softmax"))["tests"][1]["said"]
    import random

    random.seed(SECRET)
    assert str(random.randint(0, 10**6)) not in said


def test_a_hidden_test_tells_one_of_few_things(grade):
    """What a student can choose is which of these it is, and of the asserts which fails: no more."""
    ways = {
        "[]": ("a long list", "a long list begins with one half, got …"),
        "1 / 0": ("slopes(…) raised an error", ""),
        "None": ("the test could not use what your functions returned", ""),
        "while_true()": ("slopes(…) took longer than 4 s", ""),
    }
    for what, (said, hint) in ways.items():
        helper = "def while_true():\n    while True: pass\n" if "while" in what else ""
        wrong = "[0.1]" if what == "[]" else what
        source = f"{helper}def slopes(n):\n    if n > 100: return {wrong}\n" + RIGHT
        test = grade(source)["tests"][0]
        assert test["hidden"] and not test["passed"]
        assert (test["hint"] == hint) if hint else (test["said"] == said and test["hint"] == ""), test


def test_a_look_up_table_made_from_feedback_has_nothing_to_hold(tmp_path):
    """The whole way: page, tables, kept notes. Only the kept file knows that the test exists."""
    require(sandbox.missing() is None, "install bubblewrap (the package `bubblewrap`)")
    (tmp_path / "hidden" / "probe").mkdir(parents=True)
    (tmp_path / "hidden" / "probe" / "test_slopes.py").write_text(TEST)
    hand_in(tmp_path / "in", "ann", answer(SEES + "    if n > 100: return SEEN\n" + RIGHT))
    pe_grade(tmp_path / "in", tmp_path / "out", "--hidden", tmp_path / "hidden", "--gradebook")
    row = next(r for r in table(tmp_path / "out" / "results.csv") if r["grade_id"] == "test_slopes")
    assert row["state"] == "failed" and row["why"] == "a long list begins with one half, got …"
    told = [path for path in (tmp_path / "out").rglob("*") if path.is_file() and path.name != "gradebook.db"]
    told = [path for path in told if "source" not in path.parts]
    assert len(told) > 8
    assert not [path for path in told if str(SECRET).encode() in path.read_bytes()]
    assert re.search("a long list begins", page(tmp_path / "out", "ann"))


def test_every_hidden_cell_sees_a_process_in_which_nothing_was_called(grade):
    counts = "CALLS = []\ndef slopes(n):\n    CALLS.append(n)\n    few = [0.5, 0.25, 0.125, 0.0625]\n"
    counts += "    return few[:n] if n < 9 else [len(CALLS) / 8]"
    assert grade(counts)["tests"][0]["passed"], "right only if the three visible calls of this cell come before"


def test_locks_on_shared_files_are_no_way_between_two_sandboxes(grade):
    source = (
        "import fcntl, json\n"
        "def tries():\n"
        "    for lock in (lambda f: fcntl.flock(f, fcntl.LOCK_EX), lambda f: fcntl.lockf(f, fcntl.LOCK_SH)):\n"
        "        try:\n            lock(open(json.__file__, 'rb'))\n            return True\n"
        "        except PermissionError:\n            pass\n    return False\n"
        "def slopes(n):\n    if tries(): return []\n" + RIGHT
    )
    assert grade(source)["tests"][0]["passed"]


def test_words_of_a_hidden_message_are_the_teachers_alone(tmp_path):
    def two_tests(book):
        cell(book, "test_softmax_hidden")["source"] = (
            "### BEGIN HIDDEN TESTS\n"
            "got = softmax(np.zeros((1, 2)))\n"
            "for why, wrong in {'you forgot to divide': 1.0}.items():\n"
            "    if np.allclose(got, wrong):\n        raise AssertionError(why)\n"
            "raise AssertionError(f'got {got}')\n"
            "### END HIDDEN TESTS"
        )

    require(sandbox.missing() is None, "install bubblewrap (the package `bubblewrap`)")
    book = notebook()
    two_tests(book)
    path = tmp_path / "probe.ipynb"
    path.write_text(json.dumps(book))
    assignment = load_assignment(path)
    box = Sandbox(["numpy"])
    try:
        hints = []
        for source in (
            "def softmax(scores):\n    return np.exp(scores)",
            "def softmax(scores):\n    return scores + 0.123",
        ):
            tried = notebook()
            answer(source, "softmax")(tried)
            cells = parse_submission(json.dumps(tried).encode())
            hints.append(run.grade(assignment, cells, box, run.trusted_names(assignment))["tests"][2]["hint"])
    finally:
        box.close()
    assert hints == ["you forgot to divide", "got …"]
    assert cli.NOT_GRADED
