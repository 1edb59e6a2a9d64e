"""What goes wrong in one submission stops nobody: tables and all other pages are written, and the reason is told."""

import ast
import errno
import json
import os
import shutil
import subprocess
import sys
import types
from pathlib import Path

import pytest
from classroom import PROBE, answer, cell, code, grades, hand_in, notebook, page, pe_grade, review, table, why
from conftest import require

from pe_grading import __main__ as cli
from pe_grading import collect, report, sandbox, text
from pe_grading import notebook as notebook_module
from pe_grading.notebook import CELLS as NOTEBOOK_CELLS
from pe_grading.notebook import DECIDE, grader_version, load_assignment
from pe_grading.review import Queue


@pytest.fixture(autouse=True)
def boxed(monkeypatch):
    require(sandbox.missing() is None, "install bubblewrap (the package `bubblewrap`)")
    monkeypatch.setattr(cli, "test_sandbox", lambda options: None)  # its own tests are in test_batch


GRADER = Path(collect.__file__).parent
HALF = "\ud800"  # half an emoji


def half_in_the_essay(book):
    cell(book, "why")["source"] = f"The exponential {HALF} turns sums into products."


def half_in_a_name(book):
    book["cells"].append({**code("x = 1"), "metadata": {"nbgrader": {"grade_id": HALF, "grade": True}}})


@pytest.mark.parametrize(
    "edit",
    [
        answer(f"def slopes(n):\n    raise ValueError('{HALF}\\x1b[31m\\0')"),
        answer(f"def slopes(n):\n    return ['{HALF}'] * 3"),
        answer(f"def slopes(n):\n    return 1 # {HALF}"),
        half_in_the_essay,
        half_in_a_name,
    ],
    ids=["error", "value", "source", "essay", "grade id"],
)
def test_half_a_character_costs_nobody_a_table_or_a_page(tmp_path, edit):
    hand_in(tmp_path / "in", "ann")
    hand_in(tmp_path / "in", "bob", edit)
    assert pe_grade(tmp_path / "in", tmp_path / "out", "--gradebook") == 0
    assert set(grades(tmp_path / "out")) == {"ann", "bob"} and grades(tmp_path / "out")["ann"] == "6"
    assert page(tmp_path / "out", "ann") and page(tmp_path / "out", "bob")
    assert pe_grade(tmp_path / "in", tmp_path / "out", "--gradebook") == 0, "and again, with what is kept"


def test_names_of_any_bytes_and_lengths_are_graded(tmp_path):
    folder = tmp_path / "in"
    hand_in(folder, "ann", name="")
    for raw in (b"M\xfcller.ipynb", b"k" * 246 + b".ipynb", b"two\nlines.ipynb", b"\xe2\x80\xaereversed.ipynb"):
        shutil.copy(folder / "ann.ipynb", os.path.join(os.fsencode(folder), raw))
    assert pe_grade(folder, tmp_path / "out", "--assignment", "probe", "--gradebook") == 0
    found = grades(tmp_path / "out")
    assert len(found) == 5 and set(found.values()) == {"6"} and "Müller" in found
    assert pe_grade(folder, tmp_path / "out", "--assignment", "probe", "--gradebook") == 0
    for student in found:
        assert len(student.encode()) <= 100 and student.isprintable() and page(tmp_path / "out", student)


def test_two_names_that_look_the_same_are_two_students(tmp_path):
    folder = tmp_path / "in"
    hand_in(folder, "José")
    hand_in(folder, "Jose\u0301", answer("def slopes(n):\n    return 1"))
    pe_grade(folder, tmp_path / "out")
    assert sorted(grades(tmp_path / "out").values()) == ["4", "6"]
    assert any("second under this name" in what for _, _, what in review(tmp_path / "out"))


@pytest.mark.parametrize("raw", ["..", "a/b", "\ud800", "a" * 300, "", " ", "\x00\x01", "con\u202etrol"])
def test_a_name_is_safe_and_stays_safe(raw):
    name = text.name(raw) if "\ud800" not in raw else text.name(os.fsdecode(b"\xff\xfe"))
    assert name and not name.startswith(".") and "/" not in name and name.isprintable()
    assert len(name.encode()) <= text.NAME_BYTES
    assert name.encode() and text.encodable(name) == name


@pytest.mark.parametrize("stage", ["keep", "write_page", "rows_of"])
def test_what_fails_for_one_is_a_row_in_the_review_and_others_are_done(tmp_path, monkeypatch, stage):
    hand_in(tmp_path / "in", "ann")
    hand_in(tmp_path / "in", "bob")
    home = cli if stage == "rows_of" else report
    real = getattr(home, stage)

    def fails(*arguments):
        if "bob" in str(arguments[:2]):
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(*arguments)

    monkeypatch.setattr(home, stage, fails)
    assert pe_grade(tmp_path / "in", tmp_path / "out") == cli.NOT_WRITTEN
    assert grades(tmp_path / "out")["ann"] == "6" and page(tmp_path / "out", "ann")
    assert any(student == "bob" and "No space left" in what for student, _, what in review(tmp_path / "out"))
    assert grades(tmp_path / "out")["bob"] == ("" if stage == "rows_of" else "6")


def test_a_kept_result_of_another_form_costs_nobody_a_table(tmp_path):
    hand_in(tmp_path / "in", "ann")
    kept = tmp_path / "out" / "results" / "probe"
    kept.mkdir(parents=True)
    old = {"assignment": "probe", "problem": "", "notes": [], "tests": []}
    (kept / "bob.json").write_text(json.dumps({"student": "bob", "fingerprint": "f", "result": old}))
    (kept / "eve.json").write_text(json.dumps({"student": "eve", "fingerprint": "f", "result": {**old, "state": "?"}}))
    (kept / "ida.json").write_text("{")
    pe_grade(tmp_path / "in", tmp_path / "out")
    assert grades(tmp_path / "out") == {"ann": "6", "eve": ""}
    assert any(student == "eve" and stage == "report" for student, stage, _ in review(tmp_path / "out"))


def test_a_gradebook_that_refuses_one_takes_the_others(tmp_path, monkeypatch):
    gradebook = pytest.importorskip("pe_grading.gradebook")
    for student in ("ann", "bob", "eve"):
        hand_in(tmp_path / "in", student)
    real = gradebook._fill

    def fails(notebook, assignment, cells, *more):
        if any("bob" in c.source for c in cells):
            raise RuntimeError("this one is refused")
        return real(notebook, assignment, cells, *more)

    hand_in(tmp_path / "in", "bob", lambda book: book["cells"].append(code("# bob")))
    monkeypatch.setattr(gradebook, "_fill", fails)
    assert pe_grade(tmp_path / "in", tmp_path / "out", "--gradebook") == cli.NOT_WRITTEN
    assert grades(tmp_path / "out") == {"ann": "6", "bob": "6", "eve": "6"}
    assert (tmp_path / "out" / "nbgrader" / "autograded" / "eve" / "probe" / "probe.ipynb").exists()
    assert ("bob", "gradebook", "RuntimeError: this one is refused") in review(tmp_path / "out")


def test_a_broken_gradebook_costs_no_table(tmp_path):
    hand_in(tmp_path / "in", "ann")
    (tmp_path / "out" / "nbgrader").mkdir(parents=True)
    (tmp_path / "out" / "nbgrader" / "gradebook.db").write_bytes(b"no database" * 100)
    assert pe_grade(tmp_path / "in", tmp_path / "out", "--gradebook") == cli.NOT_WRITTEN
    assert grades(tmp_path / "out") == {"ann": "6"} and page(tmp_path / "out", "ann")


def test_a_cell_of_megabytes_costs_only_itself(tmp_path):
    hand_in(tmp_path / "in", "ann", lambda book: book["cells"].insert(2, code("x = '" + "y" * (5 << 20) + "'")))
    pe_grade(tmp_path / "in", tmp_path / "out")
    assert grades(tmp_path / "out") == {"ann": "6"}
    assert "was left out" in page(tmp_path / "out", "ann")


def test_nothing_is_passed_over_in_silence(tmp_path, capsys):
    folder = tmp_path / "in"
    hand_in(folder, "ann")
    hand_in(folder, "loose", name="")
    hand_in(folder, "..name")
    hand_in(folder, "__MACOSX", name="._probe.ipynb")
    hand_in(folder, "gina", name="homework final (2).ipynb")
    hand_in(folder, "vera", name="probe/homework.ipynb")
    hand_in(folder, "ida", name="other.ipynb")
    (folder / "ida" / "other.ipynb").write_text('{"cells": []}')
    (folder / "empty").mkdir()
    (folder / "notes.txt").write_text("see you")
    hand_in(folder, "ann", name="probe/copy.ipynb")
    pe_grade(folder, tmp_path / "out")
    assert grades(tmp_path / "out") == {"ann": "6", "gina": "6", "vera": "6"}, "gina's notebook is known by its cells"
    said = " | ".join(what for _, _, what in review(tmp_path / "out"))
    assert "vera/probe/homework.ipynb was taken for probe" in said
    for name in ("loose.ipynb", "..name", "__MACOSX", "homework final (2).ipynb", "ida/other.ipynb", "empty", "notes"):
        assert name in said, name
    assert "ann/probe/copy.ipynb" in said
    assert "things to look at" in capsys.readouterr().out.splitlines()[-1]


def test_links_are_no_way_to_another_students_mark(tmp_path):
    folder = tmp_path / "in"
    honest = hand_in(folder, "alice")
    os.symlink(folder / "alice", folder / "mallory")
    (folder / "mary" / "probe").mkdir(parents=True)
    os.symlink(honest, folder / "mary" / "probe" / "probe.ipynb")
    (folder / "mike").mkdir()
    os.symlink(folder / "alice" / "probe", folder / "mike" / "probe")
    pe_grade(folder, tmp_path / "out")
    assert grades(tmp_path / "out") == {"alice": "6", "mallory": "", "mary": "", "mike": ""}
    assert {s for s, _, what in review(tmp_path / "out") if "link" in what} == {"mallory", "mary", "mike"}


def test_a_file_under_two_names_is_marked_for_nobody_until_a_person_has_looked(tmp_path):
    folder = tmp_path / "in"
    honest = hand_in(folder, "alice")
    hand_in(folder, "bob")
    (folder / "mallory" / "probe").mkdir(parents=True)
    os.link(honest, folder / "mallory" / "probe" / "probe.ipynb")
    assert pe_grade(folder, tmp_path / "out") == cli.NOT_GRADED
    assert grades(tmp_path / "out") == {"alice": "", "bob": "6", "mallory": ""}
    assert any(s == "alice" and "mallory" in what for s, _, what in review(tmp_path / "out"))


def bytes_of(student_folder, data, name="probe/probe.ipynb"):
    path = student_folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


WHOLE = PROBE.read_bytes()
UNREADABLE = {
    "empty": b"",
    "cut off": WHOLE[:900],
    "a page": b"<!doctype html><title>probe</title>",
    "a conflict": WHOLE.replace(b'"cells"', b'<<<<<<< HEAD\n"cells"', 1),
    "no notebook": b"[1, 2]",
}


def test_what_cannot_be_read_is_not_graded_and_never_0(tmp_path):
    folder = tmp_path / "in"
    for student, data in UNREADABLE.items():
        bytes_of(folder / student, data)
    bytes_of(folder / "zip", b"PK", "probe/probe.zip")
    bytes_of(folder / "code", b"x = 1", "probe/probe.py")
    hand_in(folder, "two", name="probe/a/one.ipynb")
    hand_in(folder, "two", name="probe/b/two.ipynb")
    assert pe_grade(folder, tmp_path / "out") == cli.NOT_GRADED
    assert grades(tmp_path / "out") == dict.fromkeys([*UNREADABLE, "zip", "code", "two"], "")
    assert {row["probe state"] for row in table(tmp_path / "out" / "grades.csv")} == {"not graded"}
    said = {student: what for student, stage, what in review(tmp_path / "out") if stage == "read"}
    assert said.keys() == {*UNREADABLE, "zip", "code", "two"}
    assert "probe.zip" in said["zip"] and "probe.py" in said["code"] and "2 notebooks" in said["two"]
    assert "probe.zip" in page(tmp_path / "out", "zip") and "not your fault" not in page(tmp_path / "out", "zip")


@pytest.mark.parametrize("name", ["probe.ipynb.txt", "probe.ipynb.json", "probe.IPYNB", "probe.ipynb "])
def test_what_a_browser_or_windows_makes_of_a_name_is_still_a_notebook(tmp_path, name):
    hand_in(tmp_path / "in", "ann", name=name)
    hand_in(tmp_path / "in", "bob", name=f"probe/{name}")
    hand_in(tmp_path / "in", "cem", name=f"probe/deeper/{name}")
    pe_grade(tmp_path / "in", tmp_path / "out")
    assert grades(tmp_path / "out") == {"ann": "6", "bob": "6", "cem": "6"}


def test_who_handed_in_only_what_jupyter_saved_on_its_own_is_named(tmp_path):
    hand_in(tmp_path / "in", "ann", name=".ipynb_checkpoints/probe-checkpoint.ipynb")
    hand_in(tmp_path / "in", "bob")
    pe_grade(tmp_path / "in", tmp_path / "out")
    assert ("ann", "collect") in {(student, stage) for student, stage, _ in review(tmp_path / "out")}


@pytest.mark.parametrize(
    "cells", [[], {"0": notebook()["cells"][0]}, [code(" ")], [None]], ids=["none", "no list", "blank", "null"]
)
def test_a_notebook_with_nothing_in_it_is_not_graded_and_never_0(tmp_path, cells):
    hand_in(tmp_path / "in", "ann", lambda book: book.update(cells=cells))
    pe_grade(tmp_path / "in", tmp_path / "out")
    (row,) = table(tmp_path / "out" / "grades.csv")
    assert (row["probe"], row["probe state"]) == ("", "not graded")


@pytest.mark.parametrize("before", ["    ", " ", "\t", "\n\n    "])
def test_a_cell_that_is_indented_as_a_whole_is_read_as_a_notebook_reads_it(tmp_path, before):
    indent = before.lstrip("\n")
    right = "def slopes(n):\n    return [2.0**-i for i in range(1, n + 1)]"
    hand_in(tmp_path / "in", "ann", answer(before + right.replace("\n", "\n" + indent)))
    pe_grade(tmp_path / "in", tmp_path / "out")
    assert grades(tmp_path / "out") == {"ann": "6"}


def test_words_around_a_fence_cost_nothing_where_a_cell_became_text(tmp_path):
    right = "def slopes(n):\n    return [2.0**-i for i in range(1, n + 1)]"
    words = f"My answer:\n\n```python\n{right}\n```\n\nIs it right?"
    hand_in(tmp_path / "in", "ann", lambda book: cell(book, "slopes").update(cell_type="markdown", source=words))
    pe_grade(tmp_path / "in", tmp_path / "out")
    assert grades(tmp_path / "out") == {"ann": "6"}


def test_cells_that_nobody_needs_cost_nothing_and_too_many_are_told(tmp_path):
    def many(source):
        return lambda book: book["cells"].__setitem__(slice(0, 0), [code(source) for _ in range(NOTEBOOK_CELLS)])

    hand_in(tmp_path / "in", "ann", many(" "))
    hand_in(tmp_path / "in", "bob", many("pass"))
    pe_grade(tmp_path / "in", tmp_path / "out")
    states = {row["student"]: (row["probe"], row["probe state"]) for row in table(tmp_path / "out" / "grades.csv")}
    assert states["ann"][0] == "6"
    assert states["bob"] == ("", "not graded")


def test_what_can_be_read_to_its_end_is_graded(tmp_path):
    folder = tmp_path / "in"
    bytes_of(folder / "nul", WHOLE + bytes(500))
    bytes_of(folder / "twice", WHOLE + WHOLE)
    bytes_of(folder / "deep", WHOLE, "probe/sinusoid final/probe.ipynb")
    bytes_of(folder / "unpacked", WHOLE, "probe.ipynb/probe.ipynb")
    assert pe_grade(folder, tmp_path / "out") == 0
    assert grades(tmp_path / "out") == {"nul": "6", "twice": "6", "deep": "6", "unpacked": "6"}
    assert any(student == "deep" and "sinusoid final" in what for student, _, what in review(tmp_path / "out"))
    assert not any("passed over" in what for *_, what in review(tmp_path / "out"))


def test_three_whose_names_become_one_are_three(tmp_path):
    folder = tmp_path / "in"
    hand_in(folder, "Case")
    hand_in(folder, "case", answer("def slopes(n):\n    return 1"))
    hand_in(folder, "case (2)", answer("def softmax(scores):\n    return scores", "softmax"))
    assert pe_grade(folder, tmp_path / "out") == 0
    assert grades(tmp_path / "out") == {"Case": "6", "case (3)": "4", "case (2)": "2"}


@pytest.mark.parametrize("only", [(), ("--assignment", "probe")], ids=["all of them", "this one alone"])
def test_the_notebook_of_another_assignment_is_not_graded_as_this_one(tmp_path, only):
    book = notebook()
    for each in book["cells"]:
        mark = each["metadata"].get("nbgrader", {})
        if mark.get("grade") or mark.get("solution"):
            mark["grade_id"] = "other_" + mark["grade_id"]
            each["source"] = each["source"].replace("slopes(", "hills(").replace("softmax(", "valleys(")
    for name, content in (("probe", WHOLE), ("other", json.dumps(book).encode())):
        bytes_of(tmp_path / "source", content, f"{name}/{name}.ipynb")
    bytes_of(tmp_path / "in" / "ann", json.dumps(book).encode())
    hand_in(tmp_path / "in", "bob")
    assert pe_grade(tmp_path / "in", tmp_path / "out", *only, source=tmp_path / "source") == cli.NOT_GRADED
    assert grades(tmp_path / "out") == {"ann": "", "bob": "6"}
    assert [what for student, _, what in review(tmp_path / "out") if student == "ann"] == [
        "not graded: this is the notebook of other, handed in as probe"
    ]


def test_a_forgotten_seed_is_told(tmp_path, capsys):
    for student in ("ann", "bob"):
        hand_in(
            tmp_path / "in", student, lambda book: cell(book, "setup").update(source="import numpy as np\n\nSEED = 77")
        )
    pe_grade(tmp_path / "in", tmp_path / "out")
    assert "2 of 2 notebooks" in capsys.readouterr().err
    assert any("SEED = 77" in what for _, _, what in review(tmp_path / "out"))
    pe_grade(tmp_path / "in", tmp_path / "out", "--seed", 77)
    assert "seed" not in capsys.readouterr().err


def test_two_runs_do_not_write_into_one_folder(tmp_path, capsys):
    hand_in(tmp_path / "in", "ann")
    with cli.lock(tmp_path / "out"):
        assert pe_grade(tmp_path / "in", tmp_path / "out") == cli.BAD_ARGUMENT
    assert "another run" in capsys.readouterr().err


def changed(tmp_path, name, edit):
    """A source folder with a changed probe."""
    book = notebook()
    edit(book)
    path = tmp_path / name / "probe" / "probe.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(book))
    return path.parents[1]


def test_changed_points_are_graded_again(tmp_path):
    hand_in(tmp_path / "in", "ann")
    pe_grade(tmp_path / "in", tmp_path / "out")
    source = changed(tmp_path, "new", lambda b: cell(b, "test_slopes")["metadata"]["nbgrader"].update(points=10))
    pe_grade(tmp_path / "in", tmp_path / "out", source=source)
    assert grades(tmp_path / "out") == {"ann": "14"}


def test_the_version_of_the_grader_is_part_of_what_a_result_holds_for(tmp_path, monkeypatch):
    first = load_assignment(PROBE).digest
    monkeypatch.setattr(notebook_module, "grader_version", lambda: "another")
    assert load_assignment(PROBE).digest != first


def grader_with(tmp_path, changed):
    """A copy of the grader in which one file is changed."""
    folder = tmp_path / changed.replace("/", "-")
    shutil.copytree(GRADER, folder, ignore=shutil.ignore_patterns("__pycache__"))
    with (folder / changed).open("a") as stream:
        stream.write("# changed\n")
    return folder


def imported_by(module, found):
    """The modules of the grader that a module loads, and those that these load."""
    if module not in found:
        found.add(module)
        for node in ast.walk(ast.parse((GRADER / f"{module}.py").read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pe_grading."):
                imported_by(node.module.partition(".")[2], found)
    return found


def test_a_changed_page_or_table_forces_nobody_to_be_graded_again_and_a_changed_test_runner_does(tmp_path):
    now = grader_version()
    for name in ("feedback.py", "report.py", "overview.py", "marking.py", "pages/overview.html", "lms.py"):
        assert grader_version(grader_with(tmp_path, name)) == now, name
    for name in ("run.py", "student.py", "worker.py", "essays.py"):
        assert grader_version(grader_with(tmp_path, name)) != now, name


def test_another_python_grades_again(monkeypatch):
    now = grader_version()
    monkeypatch.setattr(notebook_module, "sys", types.SimpleNamespace(version_info=(3, sys.version_info.minor + 1)))
    assert grader_version.__wrapped__() != now


def test_all_that_a_test_runs_through_has_a_say_in_the_version():
    without_a_say = {"diagnosis"}  # why no sandbox can be built
    assert imported_by("run", imported_by("worker", set())) - without_a_say <= set(DECIDE)


def test_one_assignments_table_leaves_the_others_alone(tmp_path):
    book = notebook()
    other = tmp_path / "source" / "other" / "other.ipynb"
    other.parent.mkdir(parents=True)
    other.write_text(json.dumps(book))
    (tmp_path / "source" / "probe").mkdir()
    shutil.copy(PROBE, tmp_path / "source" / "probe" / "probe.ipynb")
    hand_in(tmp_path / "one", "ann", name="")
    hand_in(tmp_path / "one", "bob", name="")
    hand_in(tmp_path / "two", "ann", answer("def slopes(n):\n    return 1"), name="")
    for folder, name in (("one", "probe"), ("two", "other")):
        pe_grade(tmp_path / folder, tmp_path / "out", "--assignment", name, source=tmp_path / "source")
    rows = {row["student"]: row for row in table(tmp_path / "out" / "grades.csv")}
    assert rows["ann"]["probe"] == "6" and rows["ann"]["other"] == "4"
    assert rows["bob"]["probe"] == "6" and rows["bob"]["other"] == ""
    assert len(table(tmp_path / "out" / "tables" / "probe.csv")) == 2
    assert {row["assignment"] for row in table(tmp_path / "out" / "results.csv")} == {"probe", "other"}


def test_a_syntax_error_is_called_one_with_its_line(tmp_path):
    hand_in(
        tmp_path / "in", "ann", answer('def softmax(scores):\n    """Text."""\n    return np.exp(scores', "softmax")
    )
    pe_grade(tmp_path / "in", tmp_path / "out")
    said = why(tmp_path / "out", "ann")
    for grade_id in ("test_softmax", "test_softmax_hidden"):
        assert "is not valid Python" in said[grade_id] and "line 3" in said[grade_id], said
        assert "overflow" not in said[grade_id] and "adds up" not in said[grade_id]


def test_what_only_a_newer_python_reads_is_not_graded(tmp_path):
    def written_with(version, source, language="python"):
        def edit(book):
            answer(source, "softmax")(book)
            book["metadata"]["language_info"] = {"name": language, "version": version}

        return edit

    newer, same, right = (
        f"3.{sys.version_info.minor + 2}.1",
        sys.version.split()[0],
        cell(notebook(), "softmax")["source"],
    )
    hand_in(tmp_path / "in", "ann", written_with(newer, right + "\n(later) syntax"))
    hand_in(tmp_path / "in", "bob", written_with(same, right + "\n(later) syntax"))
    hand_in(tmp_path / "in", "eve", written_with(newer, right))
    hand_in(tmp_path / "in", "ida", written_with("three", right))
    hand_in(tmp_path / "in", "lea", written_with("4.3.1", right + "\n(later) syntax", "R"))
    pe_grade(tmp_path / "in", tmp_path / "out")
    got = grades(tmp_path / "out")
    assert got["ann"] == "" and got["eve"] == got["ida"] == "6" and float(got["bob"]) < 6 and float(got["lea"]) < 6
    said = page(tmp_path / "out", "ann")
    assert newer.rsplit(".", 1)[0] in said and "softmax" in said


def test_a_function_that_raises_is_told_so_and_gets_no_hint_for_wrong_values(tmp_path):
    raises = "def softmax(scores):\n    if scores.max() > 100:\n        raise KeyError('big')\n"
    hand_in(
        tmp_path / "in",
        "ann",
        answer(raises + "    weights = np.exp(scores)\n    return weights / weights.sum(-1, keepdims=True)", "softmax"),
    )
    hand_in(tmp_path / "in", "bob", answer("def slopes(n):\n    return [][n]"))
    pe_grade(tmp_path / "in", tmp_path / "out")
    assert why(tmp_path / "out", "ann")["test_softmax_hidden"] == "softmax(…) raised an error"
    assert why(tmp_path / "out", "bob")["test_slopes"] == "slopes(…) raised IndexError: list index out of range"


def test_the_limits_stand_in_one_place(capsys):
    default, page = sandbox.Limits(), (PROBE.parents[2] / "README.md").read_text(encoding="utf-8")
    options = cli.parse(["somewhere"])
    assert options.limits == default
    for words in (f"{default.call_seconds:g} s a call", f"{default.student_seconds:g} s", f"{default.disk_mb} MB"):
        assert words in page, words


def test_an_interrupt_through_course_py_still_writes_the_tables():
    """The command that `course.py` starts hears the interrupt alone, and may take its time to save."""
    home = PROBE.parents[3]
    slow = (
        "import os, signal, sys, time\n"
        "def stop(*_):\n    time.sleep(2)\n    print('tables written')\n    sys.exit(130)\n"
        "signal.signal(signal.SIGINT, stop)\n"
        "os.killpg(0, signal.SIGINT)\n"
        "time.sleep(60)\n"
    )
    program = f"import course, sys\nsys.exit(course.become([sys.executable, '-c', {slow!r}]))"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=home, capture_output=True, text=True, start_new_session=True)
    assert done.returncode == 130 and "tables written" in done.stdout


def test_a_submission_folder_may_itself_be_a_link(tmp_path):
    hand_in(tmp_path / "real", "ann")
    os.symlink(tmp_path / "real", tmp_path / "in")
    found = collect.find_submissions(tmp_path / "in", ["probe"])
    assert [submission.problem for submission in found] == [""]


def test_what_an_interrupt_left_stands_in_the_last_line(tmp_path, capsys):
    cli.summarize(tmp_path, {}, Queue(), left=72)
    assert "72 left for the next run" in capsys.readouterr().out.splitlines()[-1]
    cli.summarize(tmp_path, {}, Queue())
    assert "left" not in capsys.readouterr().out.splitlines()[-1]


def test_what_a_teacher_makes_beside_the_course_is_not_offered_to_git():
    home = PROBE.parents[3]
    require((home / ".git").exists() and shutil.which("git"), "run this in a clone, with git")
    names = [
        "graded/grades.csv",
        "submitted/a/probe.ipynb",
        "handout/order.ipynb",
        "roster.csv",
        "marks.csv",
        "due.csv",
    ]
    names += ["marks-1-of-2.csv", "requests.csv", "times.csv", "private-tests/order/test_x.py"]
    ignored = subprocess.run(["git", "check-ignore", *names], cwd=home, capture_output=True, text=True).stdout.split()
    assert ignored == names
