"""What the class did not understand: the numbers by hand, copies found, honest answers left alone."""

import importlib.util
import json
import re
from dataclasses import replace

import pytest
from bs4 import BeautifulSoup
from classroom import PROBE, answer, code, notebook
from conftest import require
from test_lms import keep

from pe_grading import __main__ as cli
from pe_grading import history, overview, results, similarity
from pe_grading.notebook import load_assignment, parse_submission
from pe_grading.rows import rows_of

LONG = """
def slopes(n):
    {a} = []
    for {b} in range(n):
        {c} = 1.0
        for _ in range({b} + 1):
            {c} = {c} / 2
        if {c} > 0:
            {a}.append({c})
        else:
            {a}.append(float({c}))
    return {a}
"""
OTHERS = [
    "def slopes(n):\n    return list(np.exp2(-np.arange(1, n + 1)))\n",
    "def slopes(n):\n    return [1 / 2 ** (head + 1) for head in range(n)]\n",
    "def slopes(n):\n    values = np.full(n, 0.5)\n    return np.cumprod(values).tolist()\n",
    "def slopes(n):\n    s, out = 1, []\n    while len(out) < n:\n        s /= 2\n        out += [s]\n    return out",
]


def result(points):
    tests = [
        {"grade_id": f"t{i}", "points": p, "max": 2, "passed": p == 2, "said": "", "hint": f"hint {i}"}
        for i, p in enumerate(points)
    ]
    return {"assignment": "probe", "state": "graded", "max": 6, "problem": "", "tests": tests, "written": []}


def rows(points):
    return [rows_of(f"s{i}", result(p), {}) for i, p in enumerate(points)]


def test_difficulty_and_discrimination_are_those_of_a_count_by_hand():
    points = [(2, 2, 2), (2, 2, 0), (2, 0, 0), (2, 0, 2)]
    found = {item["grade_id"]: item for item in overview.items(rows(points))}
    assert [found[f"t{i}"]["difficulty"] for i in range(3)] == [1, 0.5, 0.5]
    assert [found[f"t{i}"]["missed"] for i in range(3)] == [0, 2, 2]
    assert found["t0"]["discrimination"] is None, "a test that everybody passes tells nothing"
    ours, others = [2, 2, 0, 0], [4, 2, 2, 4]
    mean = sum(others) / 4
    product = sum((a - 1) * (b - mean) for a, b in zip(ours, others, strict=True))
    size = (sum((a - 1) ** 2 for a in ours) * sum((b - mean) ** 2 for b in others)) ** 0.5
    assert found["t1"]["discrimination"] == pytest.approx(product / size)


def test_everybody_is_in_one_bar_of_the_distribution():
    summary = overview.summary(rows([(0, 0, 0), (2, 0, 0), (2, 2, 2), (2, 2, 2)]))
    assert [bin["count"] for bin in summary["bins"]] == [1, 0, 0, 1, 0, 0, 0, 0, 0, 2]
    assert summary["median"] == 4


def test_a_hint_is_counted_once_for_each_student_who_got_it():
    assert overview.hints(rows([(0, 2, 2), (0, 2, 0), (2, 2, 2)])) == [
        {"grade_id": "t0", "said": "hint 0", "count": 2},
        {"grade_id": "t2", "said": "hint 2", "count": 1},
    ]


def test_an_attempt_is_what_changed_the_points(tmp_path):
    for points in ((0, 0, 0), (0, 0, 0), (2, 2, 0)):
        history.remember(tmp_path, [("ann", result(points))], "now")
    history.remember(tmp_path, [("bob", result((2, 0, 0)))], "now")
    with (tmp_path / history.HISTORY).open("a") as stream:
        stream.write('{"cut off')
    assert history.attempts_in(tmp_path)["probe"] == [
        {"number": 1, "students": 2, "mean": 1},
        {"number": 2, "students": 1, "mean": 4},
    ]


@pytest.fixture
def compare():
    require(importlib.util.find_spec("copydetect"), "install copydetect")
    assignment = load_assignment(PROBE)

    def run(answers):
        found = {}
        for student, source in answers.items():
            book = notebook()
            answer(source)(book)
            book["cells"].append(code("import numpy as np\n"))
            found[student] = similarity.own_code(assignment, parse_submission(json.dumps(book).encode()))
        return [(pair.one, pair.other) for pair in similarity.similar(assignment, found)]

    return run


def test_a_copy_with_other_names_is_found_and_nobody_else(compare):
    answers = {f"honest {i}": source for i, source in enumerate(OTHERS)}
    answers |= {"ann": LONG.format(a="a", b="b", c="c"), "eve": LONG.format(a="result", b="head", c="slope")}
    assert compare(answers) == [("ann", "eve")]


def test_what_many_have_is_no_sign_of_copying(compare):
    book = LONG.format(a="a", b="b", c="c")
    assert compare({f"s{i}": book for i in range(6)}) == []


def test_the_page_needs_nothing_else_and_its_tables_can_be_read_aloud(tmp_path):
    keep(tmp_path, "<b>ann")
    keep(tmp_path, "bob", 16.0, written="there")
    assert cli.main(["overview", "--out", str(tmp_path)]) == 0
    html = (tmp_path / "overview.html").read_text(encoding="utf-8")
    soup = BeautifulSoup(html, "html.parser")
    assert not soup.find_all(["script", "link", "img", "iframe", "b"]) and "http:" not in html and "https:" not in html
    assert soup.html["lang"] == "en" and soup.title.string and "prefers-color-scheme:dark" in html
    for table in soup.find_all("table"):
        assert table.caption and all(cell.get("scope") for cell in table.find_all("th"))
    assert "Answers were not compared" in soup.text and len(results.read(tmp_path)) == 2


def test_every_sentence_of_the_page_is_apart_from_the_next(tmp_path):
    keep(tmp_path, "ann")
    graded = [replace(one, result={**one.result, "seconds": 3.0}) for one in results.read(tmp_path)]
    said = BeautifulSoup(overview.page(graded, {}, {}, {}), "html.parser").text
    assert "Grading ran one" in said and not re.search(r"[a-z0-9]\.[A-Z]", said)


def test_a_folder_without_results_is_refused(tmp_path, capsys):
    assert cli.main(["overview", "--out", str(tmp_path)]) == 2
    assert "--out must be a folder" in capsys.readouterr().err
