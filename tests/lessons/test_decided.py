"""A question's right answer is what a run of its lesson says; the lessons' own runs are in test_lessons.py."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from tools import decided, lessons

from clockwork.kit.widgets import questions

# `python -m tools.decided` lists the others' predictions that are still to do
DONE = questions.lessons()
CHOICE = {"ask": "How many?", "answer": "two", "choices": {"two": ["2", "Yes."], "four": ["4", "No."]}}
NUMBER = {"ask": "How many?", "answer": 2, "range": [0, 8], "within": 0.1}


@pytest.mark.parametrize("lesson", DONE)
def test_every_prediction_is_decided_or_says_why_not(lesson):
    assert decided.lacking(lesson) == []


@pytest.mark.parametrize("lesson", questions.lessons())
def test_nobody_is_both_decided_and_undecided_and_no_reader_gets_either(lesson):
    for name, table in questions.tables(lesson).items():
        assert len({"decided", "undecided"} & set(table)) < 2, name
        assert not {"decided", "undecided"} & set(questions.question(questions.key_of(lesson, name), table)), name


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a function that runs a page with one question and says what it contradicts."""

    def ran(table, *cells):
        monkeypatch.setattr(decided, "table", lambda key: table)
        monkeypatch.setattr(decided, "asked", lambda notebook: ["99/many"])
        path = tmp_path / "page.ipynb"
        nbformat.write(new_notebook(cells=list(cells)), path)
        done = lessons.execute(path)
        counts = [cell.execution_count for cell in done.notebook.cells]
        shown = [cell.outputs[0].execution_count for cell in done.notebook.cells if cell.outputs]
        assert counts == [1, 2] and shown == [2], "a question is no cell of the page"
        return decided.contradicted(done.said)

    return ran


VEILED = new_code_cell("count = 2", metadata={"tags": ["veil:99/many", "hide-output"]})
LATER = new_code_cell("count = 4\ncount")


def test_a_choice_is_bound_to_the_run_that_the_guess_unveils(run):
    held = CHOICE | {"decided": "{2: 'two', 4: 'four'}[count]"}
    assert run(held, VEILED, LATER) == []
    assert run(held | {"answer": "four"}, VEILED, LATER) == ["99/many: the answer is four, the run says two"]


def test_a_number_is_bound_to_the_end_of_the_page_where_no_run_is_veiled(run):
    held = NUMBER | {"decided": "count"}
    assert run(held, new_code_cell("count = 2"), LATER) == ["99/many: the answer is 2, the run says 4.0"]
    assert run(held | {"answer": 4}, new_code_cell("count = 2"), LATER) == []


@pytest.mark.parametrize("deaf", ["'two'", "'two' if count is not None else 'four'", "{1: 'two'}[len([count])]"])
def test_an_answer_that_no_run_could_change_is_refused(run, deaf):
    (said,) = run(CHOICE | {"decided": deaf}, VEILED, LATER)
    assert said.startswith("99/many: decided must depend on the run")


@pytest.mark.parametrize(
    "kept, expression",
    [
        ("torch.tensor([1.0, 3.0])", "'two' if kept[0] < kept[1] else 'four'"),
        ("{'a': 1.0, 'b': 3.0}", "'two' if kept['a'] < kept['b'] else 'four'"),
        ("lambda seed: seed + 1.0", "'two' if kept(1) == 2 else 'four'"),
        ("['a', 'b']", "'two' if len(kept) == 2 else 'four'"),
        ("json", "'two' if kept.loads('2') == 2 else 'four'"),
    ],
)
def test_what_a_run_holds_is_changed_whatever_it_is(run, kept, expression):
    cell = new_code_cell(f"import json, torch\nkept = {kept}", metadata={"tags": ["veil:99/many", "hide-output"]})
    assert run(CHOICE | {"decided": expression}, cell, LATER) == []
