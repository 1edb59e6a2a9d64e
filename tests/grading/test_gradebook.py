"""The gradebook is written in batches; what goes wrong in one submission costs the others of its batch nothing."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from classroom import PROBE, hand_in
from conftest import require

from pe_grading.collect import Submission
from pe_grading.notebook import load_assignment
from pe_grading.review import Queue


@pytest.mark.parametrize("batch", [1, 2, 100])
def test_one_that_cannot_be_written_costs_the_others_nothing(tmp_path, monkeypatch, batch):
    require(importlib.util.find_spec("nbgrader"), "install nbgrader")
    from pe_grading import gradebook

    monkeypatch.setattr(gradebook, "BATCH", batch)
    assignment = load_assignment(PROBE)
    tests = [
        {"grade_id": t.grade_id, "points": 1, "max": 2, "passed": False, "said": "", "hint": ""}
        for t in assignment.tests
    ]
    written = [{"grade_id": "why", "max": 1, "state": "blank", "digest": "d"}]
    result = {"assignment": "probe", "state": "graded", "problem": "", "tests": tests, "written": written}
    graded = []
    for student in ("ann", "bob", "eve"):
        path = hand_in(tmp_path / "in", student)
        graded.append((Submission(student, "probe", path), result, "f"))
    score = gradebook._score

    def break_for_bob(book, submission, *rest):
        score(book, submission, *rest)
        if submission.student == "bob":
            raise OSError("the disk is full")

    monkeypatch.setattr(gradebook, "_score", break_for_bob)
    queue = Queue()
    gradebook.record(tmp_path / "course", {"probe": assignment}, graded, queue)
    assert [(item.student, item.what) for item in queue.items] == [("bob", "OSError: the disk is full")]
    marks = gradebook.marks(tmp_path / "course", [(student, "probe") for student in ("ann", "bob", "eve")])
    assert marks.keys() == {("ann", "probe"), ("eve", "probe")}
    assert {m["points"] for marks in marks.values() for name, m in marks.items() if name != "why"} == {1}
    recorded = json.loads((tmp_path / "course" / "recorded.json").read_text())
    assert recorded.keys() == {"ann/probe", "eve/probe"}


def test_a_new_gradebook_has_nbgraders_version_and_starts_no_program(tmp_path, monkeypatch):
    require(importlib.util.find_spec("nbgrader"), "install nbgrader")
    from nbgrader import api
    from sqlalchemy import text

    from pe_grading import gradebook

    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    asked_by_nbgrader = api.get_alembic_version()
    monkeypatch.setattr(api, "get_alembic_version", api.get_alembic_version)
    monkeypatch.setattr(subprocess, "Popen", None)
    with gradebook.open_book(tmp_path) as book:
        assert book.db.execute(text("SELECT version_num FROM alembic_version")).scalar() == asked_by_nbgrader
