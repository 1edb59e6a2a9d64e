"""The way through real nbgrader: generate, grade, mark by hand, feedback, export; in the kernel and beside it."""

import csv
import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import nbformat
import pytest
from bs4 import BeautifulSoup
from conftest import require

from pe_grading import __main__ as cli
from pe_grading import sandbox
from pe_grading.release import main as release_all
from pe_grading.release import release

ASSIGNMENTS = Path(__file__).parents[2] / "assignments"
HOSTILE = ASSIGNMENTS / "hostile"
PROBE = HOSTILE / "probe" / "probe.ipynb"
SENTENCE = "The exponential turns sums into products."
EVIL = (
    "<script>alert(1)</script><img src=x onerror=alert(2)> [x](javascript:alert(3)) [y](java&#115;cript:alert(4))\n\n"
    "[z]: javascript:alert(5)\n\n[z] <svg/onload=alert(6)> [w](<\tjava\tscript:alert(7)>) "
    "$\\href{javascript:alert(8)}{x}$"
)


@pytest.fixture(autouse=True)
def tools():
    require(importlib.util.find_spec("nbgrader"), "install the extra `grade`")
    require(sandbox.missing() is None, "install bubblewrap (the package `bubblewrap`)")


def nbgrader(course, *arguments):
    """Run stock nbgrader in a course folder."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    home = {"HOME": str(course), "JUPYTER_CONFIG_DIR": str(course / ".jupyter"), "IPYTHONDIR": str(course / ".ipython")}
    command = [sys.executable, "-m", "nbgrader", *arguments]
    return subprocess.run(
        command, cwd=course, env={**os.environ, **home, "PATH": path}, capture_output=True, text=True, check=True
    )


def hand_in(folder, student, changes, text=SENTENCE):
    notebook = nbformat.reads(release(PROBE), as_version=4)
    source = nbformat.read(PROBE, as_version=4)
    for cell, whole in zip(notebook.cells, source.cells, strict=True):
        if cell.metadata.nbgrader.solution and not cell.metadata.nbgrader.grade:
            cell.source = changes.get(cell.id, whole.source)
        if cell.id == "why":
            cell.source = text
    path = folder / student / "probe" / "probe.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(notebook, path)


def pe_grade(folder, out):
    assert cli.main([str(folder), "--source", str(HOSTILE), "--out", str(out), "--jobs", "1"]) == 0


def grades(path):
    with path.open(newline="") as stream:
        return {row["student"]: row["probe"] for row in csv.DictReader(stream)}


@pytest.fixture
def course(tmp_path):
    """A graded class: ann is right, bob's slopes are wrong, eve wrote nothing, mal writes HTML."""
    handed = tmp_path / "handed in"
    hand_in(handed, "ann", {})
    hand_in(handed, "bob", {"slopes": "def slopes(n):\n    return [3.0**-i for i in range(1, n + 1)]"})
    hand_in(handed, "eve", {"slopes": "", "softmax": ""}, text="YOUR ANSWER HERE")
    hand_in(handed, "mal", {"slopes": "def slopes(n):\n    '''</pre><script>alert(9)</script>'''"}, text=EVIL)
    pe_grade(handed, tmp_path / "graded")
    return tmp_path / "graded" / "nbgrader"


def test_marks_by_hand_feedback_and_export_go_on_in_nbgrader(course):
    from pe_grading.gradebook import open_book

    assert grades(course.parent / "grades.csv") == {"ann": "6", "bob": "4", "eve": "0", "mal": "4"}
    with open_book(course) as book:
        for student, needs in (("ann", True), ("bob", True), ("eve", False)):
            assert book.find_grade("why", "probe", "probe", student).needs_manual_grade is needs
        grade = book.find_grade("why", "probe", "probe", "ann")
        grade.manual_score, grade.needs_manual_grade = 1.0, False
        book.find_comment("why", "probe", "probe", "ann").manual_comment = "well said <b>"
        book.find_grade("test_slopes", "probe", "probe", "bob").manual_score = 1.5
        book.db.commit()

    pe_grade(course.parents[1] / "handed in", course.parent)
    assert grades(course.parent / "grades.csv") == {"ann": "7", "bob": "5.5", "eve": "0", "mal": "4"}
    page = (course.parent / "feedback" / "ann" / "probe" / "probe.html").read_text()
    assert "7 of 7" in page and "well said &lt;b&gt;" in page
    nbgrader(course, "export", "--to", "lms.csv")
    with (course / "lms.csv").open() as stream:
        exported = {row["student_id"]: (float(row["score"]), float(row["max_score"])) for row in csv.DictReader(stream)}
    assert exported == {"ann": (7, 7), "bob": (5.5, 7), "eve": (0, 7), "mal": (4, 7)}

    nbgrader(course, "generate_feedback", "probe", "--force")
    html = (course / "feedback" / "bob" / "probe" / "probe.html").read_text()
    assert "the first slope is one half" in html
    assert "4711" not in html, "stock feedback must not carry the hidden tests"


def test_a_submission_that_changed_keeps_the_mark_given_by_hand(course):
    from pe_grading.gradebook import open_book

    with open_book(course) as book:
        grade = book.find_grade("why", "probe", "probe", "bob")
        grade.manual_score, grade.needs_manual_grade = 1.0, False
        book.db.commit()
    path = course.parents[1] / "handed in" / "bob" / "probe" / "probe.ipynb"
    path.write_text(path.read_text().replace("3.0**-i", "2.0**-i"))
    pe_grade(course.parents[1] / "handed in", course.parent)
    assert grades(course.parent / "grades.csv")["bob"] == "7"


def test_what_a_student_wrote_is_inert_where_the_teacher_opens_it(course):
    from nbconvert import HTMLExporter

    notebook = nbformat.read(course / "autograded" / "mal" / "probe" / "probe.ipynb", as_version=4)
    nbformat.validate(notebook)
    assert all(set(cell.get("attachments", {})) == set() for cell in notebook.cells)
    bare = nbformat.read(PROBE, as_version=4)
    scripts = [
        len(BeautifulSoup(HTMLExporter().from_notebook_node(n)[0], "html.parser").find_all("script"))
        for n in (bare, notebook)
    ]
    soup = BeautifulSoup(HTMLExporter().from_notebook_node(notebook)[0], "html.parser")
    assert scripts[0] == scripts[1]
    for tag in soup.find("main").find_all(True):
        assert tag.name not in ("script", "img", "iframe", "object", "embed")
        assert not [a for a in tag.attrs if a.startswith("on")]
        address = re.sub(r"[\x00-\x20]", "", tag.get("href", ""))  # browsers drop these before they look for a scheme
        assert urlsplit(address).scheme in ("", "http", "https"), address


def test_the_students_notebook_is_what_nbgrader_generates(tmp_path):
    from pe_grading.cell_markup import STUB

    sources = tmp_path / "source"
    for path in sorted(ASSIGNMENTS.glob("source/*/*.ipynb")):
        (sources / path.stem).mkdir(parents=True)
        (sources / path.stem / path.name).write_text(path.read_text())
    stub = json.dumps({"python": f"# YOUR CODE HERE\n{STUB}"})
    (tmp_path / "nbgrader_config.py").write_text(f"c = get_config()\nc.ClearSolutions.code_stub = {stub}\n")
    nbgrader(tmp_path, "generate_assignment", "--assignment=*")
    release_all(["--source", str(sources), "--to", str(tmp_path / "ours")])
    released = sorted(tmp_path.glob("release/*/*.ipynb"))
    assert len(released) == len(list(sources.iterdir())) >= 6
    for path in released:
        theirs = nbformat.read(path, as_version=4)
        ours = nbformat.read(tmp_path / "ours" / path.name, as_version=4)
        for one, other in zip(theirs.cells, ours.cells, strict=True):
            other.metadata.pop("tags", None)
            assert one == other


def test_stock_nbgrader_gives_the_same_marks_in_its_kernel(course, tmp_path):
    stock = tmp_path / "stock"
    (stock / "source" / "probe").mkdir(parents=True)
    (stock / "source" / "probe" / "probe.ipynb").write_text(PROBE.read_text())
    nbgrader(stock, "generate_assignment", "probe")
    for student in ("ann", "bob", "eve"):
        hand = tmp_path / "handed in" / student / "probe" / "probe.ipynb"
        (stock / "submitted" / student / "probe").mkdir(parents=True)
        (stock / "submitted" / student / "probe" / "probe.ipynb").write_text(hand.read_text())
    nbgrader(stock, "autograde", "probe")
    nbgrader(stock, "export", "--to", "lms.csv")
    with (stock / "lms.csv").open() as stream:
        scores = {row["student_id"]: float(row["score"]) for row in csv.DictReader(stream)}
    assert scores == {"ann": 6, "bob": 4, "eve": 0}
