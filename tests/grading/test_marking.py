"""Marking by hand: answers without names, rubrics to tick, marks and requests in tables that go in and out."""

import csv
import re

import pytest
from bs4 import BeautifulSoup
from classroom import HOSTILE, cell, grades, hand_in, page, pe_grade, table
from conftest import require

from pe_grading import __main__ as cli
from pe_grading import marking, sandbox
from pe_grading.notebook import load_assignment

SOURCES = sorted((HOSTILE.parent / "source").glob("*/*.ipynb"))
SENTENCE = "The exponential turns sums into products, </pre><script>alert(1)</script> so it cancels."


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_the_rows_of_every_rubric_add_up_to_its_points(path):
    for question in load_assignment(path).written:
        rows = marking.rubric_of(question)
        assert rows and sum(row["points"] for row in rows) == pytest.approx(question.points), rows


def test_a_row_of_a_rubric_has_the_points_that_it_names():
    (defence,) = load_assignment(HOSTILE.parent / "source" / "capstone" / "capstone.ipynb").written
    assert [row["points"] for row in marking.rubric_of(defence)] == [1, 2, 2, 1, 1, 1]


@pytest.fixture
def out(tmp_path):
    require(sandbox.missing() is None, "install bubblewrap (the package `bubblewrap`)")
    for student in ("ann", "bob"):
        hand_in(tmp_path / "in", student, lambda book: cell(book, "why").update(source=SENTENCE))
    assert pe_grade(tmp_path / "in", tmp_path / "out", "--gradebook") == 0
    return tmp_path / "out"


def test_marks_made_without_names_arrive_with_the_right_student_and_stay(out, tmp_path):
    assert cli.main(["marking", "--out", str(out), "--source", str(HOSTILE)]) == 0
    html = (out / "marking.html").read_text(encoding="utf-8")
    soup = BeautifulSoup(html, "html.parser")
    assert "ann" not in soup.main.text.split() and len(soup.find_all("script")) == 1 and SENTENCE in soup.main.pre.text
    assert not re.search(r"https?:", html)
    codes = [article["data-student"] for article in soup.find_all("article")]
    assert sorted(codes) == sorted(marking.code_of_student(out, student) for student in ("ann", "bob"))
    rows = [["student", "assignment", "grade_id", "points", "comment"]]
    rows += [[marking.code_of_student(out, "ann"), "probe", "why", "1", "well said"]]
    rows += [["bob", "probe", "test_softmax_hidden", "0.5", ""], ["bob", "probe", "why", "", ""]]
    with (tmp_path / "marks.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows(rows)
    assert cli.main(["marks", str(tmp_path / "marks.csv"), "--out", str(out)]) == 0
    assert grades(out) == {"ann": "7", "bob": "4.5"}
    assert pe_grade(tmp_path / "in", out, "--gradebook", "--again") == 0
    states = {row["student"]: (row["probe"], row["probe pending"]) for row in table(out / "grades.csv")}
    assert states == {"ann": ("7", ""), "bob": ("4.5", "1")}
    requests = "student,assignment,grade_id,reason\nbob,probe,test_softmax_hidden,it is right\neve,probe,why,mine\n"
    (tmp_path / "requests.csv").write_text(requests)
    assert cli.main(["regrade", str(tmp_path / "requests.csv"), "--out", str(out)]) == 0
    (tmp_path / "refused.csv").write_text(
        "student,assignment,grade_id,points,comment\nbob,probe,test_slopes,,it stands\n"
    )
    assert cli.main(["marks", str(tmp_path / "refused.csv"), "--out", str(out)]) == 0
    assert grades(out)["bob"] == "4.5", "a comment alone changes no mark"
    pe_grade(tmp_path / "in", out, "--gradebook")
    assert "it stands" in page(out, "bob") and "it stands" not in page(out, "ann")
    first, second = table(out / "regrade.csv")
    assert (first["points now"], first["max"], first["state"]) == ("0.5", "2", "marked")
    assert second["state"] == "nothing was graded under these names"
    text = (out / "regrade.csv").read_text().replace("0.5,2,marked,,,", "0.5,2,marked,,2,sorry")
    (out / "regrade.csv").write_text(text)
    assert cli.main(["marks", str(out / "regrade.csv"), "--out", str(out)]) == 0
    assert grades(out)["bob"] == "6"
    for wrong in ("bob,probe,why,9,", "bob,probe,nothing,1,", "zed,probe,why,1,", "bob,probe,why,many,"):
        (tmp_path / "bad.csv").write_text("student,assignment,grade_id,points,comment\nbob,probe,why,1,\n" + wrong)
        assert cli.main(["marks", str(tmp_path / "bad.csv"), "--out", str(out)]) == 2
        assert grades(out)["bob"] == "6", "one wrong row, and none is written"
