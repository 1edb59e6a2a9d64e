"""The grader's own example, which has nothing to do with the course: its tests hold, and a class of it is graded."""

import importlib.metadata
import json

from conftest import require
from tests.grading.classroom import grades, pe_grade

import pe_grading
from pe_grading import __main__ as cli
from pe_grading import notebook, release, sandbox

EXAMPLE = release.Path(pe_grading.__file__).parent / "example"
SOURCE = EXAMPLE / "source" / "median" / "median.ipynb"


def test_the_examples_tests_pass_the_solution_and_catch_both_wrong_answers(capsys):
    require(sandbox.missing() is None, "install bubblewrap (the package `bubblewrap`)")
    arguments = ["tests", "--source", str(EXAMPLE / "source"), "--wrong", str(EXAMPLE / "wrong")]
    assert cli.main(arguments) == 0
    assert "test_median catches 2 of 2 wrong answers" in capsys.readouterr().out


def test_a_class_of_the_example_is_released_and_graded(tmp_path):
    require(sandbox.missing() is None, "install bubblewrap (the package `bubblewrap`)")
    blank = release.release(SOURCE)
    assert "ordered" not in blank and "two middle ones" not in blank
    answer = "def median(values):\n    return sorted(values)[len(values) // 2]"
    wrong = json.loads(blank)
    next(cell for cell in wrong["cells"] if cell["id"] == "median")["source"] = answer
    for student, text in (("ann", SOURCE.read_text()), ("bob", json.dumps(wrong)), ("eve", blank)):
        path = tmp_path / "in" / student / "median" / "median.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(text)
    assert pe_grade(tmp_path / "in", tmp_path / "out", source=EXAMPLE / "source") == 0
    assert grades(tmp_path / "out", "median") == {"ann": "2", "bob": "0", "eve": "0"}


def test_the_example_is_read_where_torch_is_not_installed(monkeypatch):
    def version(name):
        if name == "torch":
            raise importlib.metadata.PackageNotFoundError(name)
        return "1"

    monkeypatch.setattr(importlib.metadata, "version", version)
    notebook.grader_version.cache_clear()
    assert notebook.load_assignment(SOURCE).tests
    notebook.grader_version.cache_clear()
