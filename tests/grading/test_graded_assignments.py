"""All assignments through the real grader: blanks get nothing, solutions everything, wrong answers their hint."""

from pathlib import Path

import nbformat
import pytest
from conftest import require

from pe_grading import sandbox
from pe_grading.batch import parse_submission
from pe_grading.notebook import load_assignment
from pe_grading.release import release, sources
from pe_grading.run import grade, trusted_names
from pe_grading.sandbox import Limits, Sandbox
from pe_grading.tests import wrong_answers

HOME = Path(__file__).parents[2] / "assignments"
SOURCES = {path.stem: path for path in sources(HOME / "source")}
CLASS = 1


@pytest.fixture(scope="module", params=SOURCES)
def graded_by(request):
    """One assignment with a warm sandbox: `mark(text of a notebook)` grades it."""
    require(sandbox.missing() is None, "install bubblewrap (the package `bubblewrap`)")
    assignment = load_assignment(SOURCES[request.param], CLASS)
    box, names = Sandbox(assignment.modules, Limits(call_seconds=30, student_seconds=120)), trusted_names(assignment)

    def mark(text):
        return grade(assignment, parse_submission(text.encode()), box, names)["tests"]

    yield assignment, mark
    box.close()


def with_answer(path, function, source):
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code" and f"def {function}(" in cell.source and cell.metadata.nbgrader.solution:
            cell.source = source
    return nbformat.writes(notebook)


def test_a_blank_gets_nothing_and_is_told_what_is_missing(graded_by):
    assignment, mark = graded_by
    for test in mark(release(assignment.path, CLASS)):
        assert not test["passed"] and "is not written yet" in test["said"] + test["hint"], test


def test_the_solution_gets_everything(graded_by):
    assignment, mark = graded_by
    assert [test for test in mark(assignment.path.read_text(encoding="utf-8")) if not test["passed"]] == []


def test_each_wrong_answer_loses_points_and_reads_its_hint(graded_by):
    assignment, mark = graded_by
    answers = wrong_answers(HOME / "wrong" / f"{assignment.name}.py")
    assert {wrong.function for wrong in answers} == set(assignment.functions)
    for wrong in answers:
        failed = [
            test for test in mark(with_answer(assignment.path, wrong.function, wrong.source)) if not test["passed"]
        ]
        assert failed, wrong.name
        assert any(wrong.hint in test["hint"] + test["said"] for test in failed), (wrong.name, wrong.hint, failed)


def test_one_wrong_answer_costs_only_its_own_tests(graded_by):
    assignment, mark = graded_by
    for function in assignment.functions:
        broken = with_answer(assignment.path, function, f"def {function}(*arguments):\n    return None")
        failed = {test["grade_id"] for test in mark(broken) if not test["passed"]}
        own = {test.grade_id for test in assignment.tests if f"{function}(" in test.source}
        assert failed and failed <= own
