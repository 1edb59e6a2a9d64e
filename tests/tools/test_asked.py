"""The page *Questions people ask*: each link lands, and each number is printed where the link leads."""

import nbformat
import pytest
from tools import asked, site

SOURCE = (site.SITE / asked.PAGE).read_text("utf-8")
QUESTIONS = asked.questions(SOURCE)
LESSONS = {path.stem.split("_")[0]: nbformat.read(path, as_version=4) for path in site.NOTEBOOKS.glob("*.ipynb")}
CELLS = {(lesson, cell.id): cell for lesson, notebook in LESSONS.items() for cell in notebook.cells}


def test_every_question_of_the_page_is_read():
    assert len(QUESTIONS) == SOURCE.count("\n### ") > 30


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.ask)
def test_each_link_lands_and_each_number_is_printed_there(question):
    assert question.cells, "no lesson shows it"
    assert [cell for cell in question.cells if cell not in CELLS] == []
    shown = set().union(*(asked.printed(CELLS[cell]) for cell in question.cells))
    assert asked.numbers(question.answer) - shown == set()


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.ask)
def test_an_answer_is_short_and_people_can_type_for_it(question):
    assert 15 < len(question.answer.split()) < 120
    assert question.words
