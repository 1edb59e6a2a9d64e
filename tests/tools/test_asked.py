"""The pages of questions and of misconceptions: each link lands, and each number is printed where the link leads."""

import ast
import re

import nbformat
import pytest
from tools import asked, lessons, site

SOURCE = (site.SITE / asked.PAGE).read_text("utf-8")
MISCONCEPTIONS = asked.questions((site.SITE / asked.MISCONCEPTIONS).read_text("utf-8"))
QUESTIONS = asked.questions(SOURCE)
PYTHON = re.compile(r"^```python[^\n]*\n(.*?)^```", re.M | re.S)
RECORDED = re.compile(r"`(\w+)/(\w+?__\w+)`")
CELLS = {
    (path.stem.split("_")[0], cell.id): cell
    for path in lessons.every()
    for cell in nbformat.read(path, as_version=4).cells
}


def test_every_question_of_the_page_is_read():
    assert len(QUESTIONS) == SOURCE.count("\n### ") >= 64


@pytest.mark.parametrize("question", QUESTIONS + MISCONCEPTIONS, ids=lambda question: question.ask)
def test_each_link_lands_and_each_number_is_printed_there(question):
    assert question.cells or question.run, "nothing shows it"
    assert [cell for cell in question.cells if cell not in CELLS] == []
    shown = set().union(*(asked.printed(CELLS[cell]) for cell in question.cells))
    shown |= asked.numbers_in(question.run + asked.output_of(question.run))
    assert asked.numbers(question.answer) - shown == set()


@pytest.mark.parametrize("page", sorted(site.SITE.glob("*.md")), ids=lambda page: page.stem)
def test_a_line_of_code_fits_the_page(page):
    code = "".join(PYTHON.findall(page.read_text("utf-8")))
    assert [line for line in code.splitlines() if len(line) > 88] == []


@pytest.mark.parametrize("question", QUESTIONS + MISCONCEPTIONS, ids=lambda question: question.ask)
def test_an_answer_is_short_and_people_can_type_for_it(question):
    assert 15 < len(question.answer.split()) < 120
    assert question.words


def test_each_misconception_has_a_question_for_the_class_and_its_wrong_answers_are_recorded():
    assert len(MISCONCEPTIONS) >= 15
    named = [name for question in MISCONCEPTIONS for name in RECORDED.findall(question.answer)]
    assert len(named) > 20 and len(named) == len(set(named))
    for assignment, name in named:
        code = (site.HOME / "assignments" / "wrong" / f"{assignment}.py").read_text("utf-8")
        assert f"def {name}(" in code, name
    assert [question.ask for question in MISCONCEPTIONS if "*Ask:*" not in question.answer] == []


def plain(text: str) -> str:
    """Return a text as one line, without links, quotes of code and emphasis."""
    return " ".join(re.sub(r"[`*]", "", asked.LINK.sub(r"\1", text)).split())


@pytest.mark.parametrize("question", [question for question in QUESTIONS if question.run], ids=lambda own: own.ask)
def test_a_run_asserts_in_code_what_a_sentence_of_its_answer_says(question):
    asserted = [node for node in ast.walk(ast.parse(question.run)) if isinstance(node, ast.Assert)]
    said = [ast.literal_eval(node.msg) if node.msg else "" for node in asserted]
    assert said and all(len(words.split()) >= 4 for words in said), "no assertion with the words that it stands for"
    assert [words for words in said if plain(words) not in plain(question.answer)] == []
    asked.output_of(question.run)  # fails where an assertion does


def test_every_run_on_a_page_belongs_to_a_question():
    runs = {page.name: len(asked.RUN.findall(page.read_text("utf-8"))) for page in site.SITE.glob("*.md")}
    assert {name: count for name, count in runs.items() if count} == {
        asked.PAGE: sum(bool(own.run) for own in QUESTIONS)
    }
