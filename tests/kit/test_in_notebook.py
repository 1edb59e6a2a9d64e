"""Exercises in a kernel: a wrong answer shows its message, everything below still runs, and a pass is remembered."""

import nbformat
import pytest
from nbclient import NotebookClient

from clockwork.kit import memory
from clockwork.kit.checks import CheckFailed

EXERCISE = """
from clockwork.kit.checks import CheckFailed, exercise
__name__ = "lesson_02"

@exercise
def half(answer):
    if answer() != 5:
        raise CheckFailed("half of 10 is <10> less 5")
    return "5 it is"
"""


@pytest.fixture
def reader(tmp_path, monkeypatch):
    monkeypatch.setenv("CLOCKWORK_ANSWERS", str(tmp_path / "answers.json"))


def run(*answers):
    """Run one cell an answer and return what each shows."""
    sources = [EXERCISE] + [f"half({answer})" for answer in answers]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    NotebookClient(notebook, kernel_name="python3", timeout=120).execute()  # raises where a cell does
    return [cell.outputs[0] for cell in notebook.cells[1:]]


def test_a_wrong_answer_or_broken_code_shows_what_is_wrong_and_run_all_goes_on(reader):
    blank, wrong, broken, right, late = run("...", "lambda: 20", "lambda: 1 / 0", "lambda: 5", "lambda: 20")
    assert blank.text.startswith("○ not attempted yet")
    assert wrong.data["text/plain"] == late.data["text/plain"] == "✘ half of 10 is <10> less 5"
    assert "&lt;10&gt;" in wrong.data["text/html"]
    assert broken.ename == "ZeroDivisionError"
    assert right.data["text/plain"] == "✔ 5 it is"
    assert memory.passed("02/half"), "a wrong answer after a right one takes the pass away"
    assert memory.load()["records"]["exercise/02/half"]["first"] is False


def test_outside_a_notebook_a_wrong_answer_raises_and_nothing_is_remembered(reader, capsys):
    place = {}
    exec(EXERCISE, place)
    with pytest.raises(CheckFailed):
        place["half"](lambda: 20)
    with pytest.raises(ZeroDivisionError):
        place["half"](lambda: 1 / 0)
    place["half"](lambda: 5)
    assert capsys.readouterr().out == "✔ 5 it is\n"
    assert memory.load()["records"] == {}
