"""Exercises in a kernel: a wrong answer shows its message, everything below still runs, and a pass is remembered."""

import nbformat
import pytest
from nbclient import NotebookClient

from pe_helpers import memory
from pe_helpers.checks import CheckFailed
from pe_helpers.checks.exercises import lesson_02


def answers(*three):
    asked = (
        "longest wavelength in tokens, d_model=4, base=100",
        "length of row 17, d_model=32",
        "sum of row 0, d_model=32",
    )
    return f"{{{', '.join(f'{name!r}: {answer}' for name, answer in zip(asked, three, strict=True))}}}"


BLANK, WRONG, RIGHT = answers("...", "...", "..."), answers(62.83, 32, 16), answers(62.83, 4, 16)


@pytest.fixture
def reader(tmp_path, monkeypatch):
    monkeypatch.setenv("CLOCKWORK_ANSWERS", str(tmp_path / "answers.json"))


def run(*attempts):
    """Run one cell an attempt and return what each says."""
    sources = ["from pe_helpers.checks.exercises import lesson_02"]
    sources += [attempt if attempt.startswith("lesson") else f"lesson_02.by_head({attempt})" for attempt in attempts]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    NotebookClient(notebook, kernel_name="python3", timeout=120).execute()  # raises where a cell does
    return [cell.outputs[0] for cell in notebook.cells[1:]]


def test_a_wrong_answer_shows_its_message_and_run_all_goes_on(reader):
    blank, wrong, right, late = run(BLANK, WRONG, RIGHT, WRONG)
    assert blank.text.startswith("○ not attempted yet")
    assert wrong.data["text/plain"].startswith("✘ ") and "✘</b> " in wrong.data["text/html"]
    assert right.data["text/plain"] == "✔ all three follow from the formula alone"
    assert late.data["text/plain"] == wrong.data["text/plain"]
    assert memory.passed("02/by_head"), "a wrong answer after a right one takes the pass away"
    assert memory.load()["records"]["exercise/02/by_head"]["first"] is False


def test_an_error_in_the_reader_s_own_code_is_shown_and_run_all_goes_on(reader):
    broken, right = run("lesson_02.twins(lambda omega, k: omega.sine)", RIGHT)
    assert broken.ename == "AttributeError" and "sine" in broken.evalue
    assert right.data["text/plain"].startswith("✔")


def test_outside_a_notebook_a_wrong_answer_raises_and_nothing_is_remembered(reader, capsys):
    with pytest.raises(CheckFailed):
        lesson_02.by_head(eval(WRONG))
    lesson_02.by_head(eval(RIGHT))
    assert capsys.readouterr().out == "✔ all three follow from the formula alone\n"
    assert memory.load()["records"] == {}
