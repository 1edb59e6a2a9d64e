"""Asserts with points of their own: each counts for itself, what has no points must hold, hidden ones stay hidden."""

import json

import pytest
from classroom import answer, cell, notebook
from conftest import require

from pe_grading import sandbox
from pe_grading.notebook import load_assignment, parse_submission
from pe_grading.run import grade, trusted_names
from pe_grading.sandbox import Limits, Sandbox

WEIGHTED = """assert len(slopes(2)) == 2, "two slopes"
assert slopes(1)[0] == 0.5, "the first is one half"  # 1 point
assert slopes(3)[2] == 1 / 8, (
    "each is half the one before"
)  # 0.5 points
### BEGIN HIDDEN TESTS
assert slopes(60)[59] == 2.0**-60, "also the sixtieth"  # 0.5 points
### END HIDDEN TESTS
"""


def source(tmp_path, test):
    book = notebook()
    cell(book, "test_slopes")["source"] = test
    path = tmp_path / "probe" / "probe.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(book), encoding="utf-8")
    return path


def test_the_points_of_asserts_must_add_up(tmp_path):
    with pytest.raises(ValueError, match=r"probe/test_slopes \(2\), got 2.5"):
        load_assignment(source(tmp_path, WEIGHTED.replace("# 1 point", "# 1.5 points")))
    test = load_assignment(source(tmp_path, WEIGHTED)).tests[0]
    assert list(test.weights.values()) == [1, 0.5, 0.5]
    assert load_assignment(source(tmp_path, "assert slopes(1)  # see the 2 points above\n")).tests[0].weights == {}


@pytest.fixture(scope="module")
def box():
    require(sandbox.missing() is None, "install bubblewrap (the package `bubblewrap`)")
    box = Sandbox(["numpy"], Limits(call_seconds=30, student_seconds=120))
    yield box
    box.close()


@pytest.mark.parametrize(
    "body, points, said",
    [
        ("[2.0**-i for i in range(1, n + 1)]", 2, ""),
        ("[0.5] * n", 1, "each is half the one before"),
        ("[1.0] + [2.0**-i for i in range(2, n + 1)]", 1, "the first is one half"),
        ("[2.0**-i if i < 9 else 0 for i in range(1, n + 1)]", 1.5, "also the sixtieth"),
        ("[2.0**-i for i in range(1, 100)]", 0, "two slopes"),
        ("1 / 0", 0, "ZeroDivisionError"),
    ],
)
def test_each_assert_counts_for_itself_and_what_has_no_points_must_hold(box, tmp_path, body, points, said):
    assignment = load_assignment(source(tmp_path, WEIGHTED))
    book = notebook()
    answer(f"def slopes(n):\n    return {body}\n")(book)
    result = grade(assignment, parse_submission(json.dumps(book).encode()), box, trusted_names(assignment))["tests"][0]
    assert result["points"] == points and result["passed"] == (points == 2)
    assert said in result["said"] + result["hint"] and result["hidden"] == (said == "also the sixtieth")
