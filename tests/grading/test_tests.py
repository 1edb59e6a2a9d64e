"""The teacher's tests are tried on the solution and on recorded wrong answers before they cost anybody points."""

import pytest
from conftest import require
from tests.grading.classroom import HOSTILE, cell, grades, hand_in, notebook, pe_grade
from tests.grading.test_accidents import changed

from pe_grading import __main__ as cli
from pe_grading import sandbox
from pe_grading.notebook import load_assignment


@pytest.fixture(autouse=True)
def boxed(monkeypatch):
    require(sandbox.missing() is None, "install bubblewrap (the package `bubblewrap`)")
    monkeypatch.setattr(cli, "test_sandbox", lambda options: None)


def own_test(tmp_path, source):
    path = tmp_path / "hidden" / "probe" / "test_slopes.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source)
    return "--hidden", tmp_path / "hidden"


@pytest.mark.parametrize(
    "source, said",
    [
        ("assert slpes(3), 'typo'", "name 'slpes' is not defined"),
        ("assert slopes(3)[0] == 0.25, 'one quarter'", "one quarter"),
        ("assert slopes(3)[0].shape, 'no array'", "no attribute 'shape'"),
    ],
)
def test_a_test_that_the_solution_does_not_pass_marks_nobody_and_is_named(tmp_path, capsys, source, said):
    hand_in(tmp_path / "in", "ann")
    assert pe_grade(tmp_path / "in", tmp_path / "out", *own_test(tmp_path, source)) == cli.BAD_ARGUMENT
    told = capsys.readouterr().err
    assert said in told and "test_slopes" in told and "Nobody was graded" in told
    assert not (tmp_path / "out" / "grades.csv").exists()
    more = own_test(tmp_path, "assert slopes(3)[0] == 0.5, 'one half'")
    assert pe_grade(tmp_path / "in", tmp_path / "out", *more) == 0
    assert grades(tmp_path / "out") == {"ann": "6"}


def test_what_is_no_python_in_a_test_is_told_with_its_file_and_line(tmp_path, capsys):
    hand_in(tmp_path / "in", "ann")
    more = own_test(tmp_path, "x = 1\nassert slopes(3) = 2")
    assert pe_grade(tmp_path / "in", tmp_path / "out", *more) == cli.BAD_ARGUMENT
    told = capsys.readouterr().err
    assert "test_slopes.py" in told and "line 2" in told and "Traceback" not in told
    source = changed(tmp_path, "new", lambda book: cell(book, "test_softmax").update(source="assert (1"))
    with pytest.raises(ValueError, match=r"test_softmax.*line 1"):
        load_assignment(source / "probe" / "probe.ipynb")


def test_the_solution_is_tried_once_and_again_when_a_test_changes(tmp_path, monkeypatch):
    from pe_grading import tests

    tried = []
    monkeypatch.setattr(tests, "against_solution", lambda assignment, _: tried.append(assignment.name) or [])
    hand_in(tmp_path / "in", "ann")
    for more in ((), (), own_test(tmp_path, "assert slopes(1), 'one'")):
        assert pe_grade(tmp_path / "in", tmp_path / "out", *more) == 0
    assert tried == ["probe", "probe"]


WRONG = """
def slopes__all_one(n):
    '''the first slope is one half'''
    return [1.0] * n


def slopes__one_more_than_asked_beyond_nine(n):
    '''one slope for each head'''
    return [2.0**-i for i in range(1, n + 1 + (n > 9))]


def softmax__of_large_scores(scores):
    '''a hint that no test gives'''
    import numpy as np
    return np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
"""


def test_a_wrong_answer_that_passes_or_is_not_told_why_is_listed(tmp_path, capsys):
    (tmp_path / "wrong").mkdir()
    (tmp_path / "wrong" / "probe.py").write_text(WRONG)
    command = ["tests", "--source", HOSTILE, "--wrong", tmp_path / "wrong"]
    assert cli.main(list(map(str, command))) == 1
    said = capsys.readouterr().out.splitlines()
    assert "probe: the solution passes all 3 tests" in said
    assert "probe: slopes__one_more_than_asked_beyond_nine passes every test" in said
    assert any("softmax__of_large_scores" in line and "not told" in line for line in said)
    assert not any("all_one" in line for line in said) and "probe: test_slopes catches 1 of 3 wrong answers" in said
    command += own_test(tmp_path, "assert len(slopes(12)) == 12, 'one slope for each head'")
    (tmp_path / "wrong" / "probe.py").write_text(WRONG.replace("a hint that no test gives", "large scores overflow"))
    assert cli.main(list(map(str, command))) == 0


def test_a_solution_that_fails_is_told_by_the_command_too(tmp_path, capsys):
    right = cell(notebook(), "slopes")["source"]
    edit = lambda book: cell(book, "slopes").update(source=right.replace("2.0**", "3.0**"))  # noqa: E731
    source = changed(tmp_path, "new", edit)
    assert cli.main(["tests", "--source", str(source)]) == 1
    assert "does not pass test_slopes" in capsys.readouterr().out
    assert cli.main(["tests", "--source", str(tmp_path / "nothing")]) == cli.BAD_ARGUMENT
