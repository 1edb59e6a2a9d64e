"""The self-test after lesson 05 asks of every core lesson alike, and sends a reader to headings that exist."""

import re

import nbformat
import pytest
from tools import lessons

from clockwork.kit import widgets
from clockwork.kit.widgets import questions

QUESTIONS = questions.tables("core")
PAGE = nbformat.read(lessons.NOTEBOOKS / "05b_self_test.ipynb", as_version=4)


def headings(number):
    path = next(lessons.NOTEBOOKS.glob(f"{number}_*.ipynb"))
    text = "\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "markdown")
    return re.findall(r"^## (.+)$", text, flags=re.M)


def test_fifteen_questions_three_for_each_core_lesson_all_on_the_page():
    assert [table["lesson"] for table in QUESTIONS.values()] == [f"{n:02}" for n in range(1, 6) for _ in range(3)]
    asked = re.findall(r'"core/([\w-]+)"', "".join(cell.source for cell in PAGE.cells))
    assert asked == list(QUESTIONS)


def test_the_summary_names_each_core_lesson():
    shown = widgets.ask(*[f"core/{name}" for name in QUESTIONS], summary=True)
    assert list(shown.summary) == ["01", "02", "03", "04", "05"]
    assert shown.summary["02"] == "Deriving the sinusoid"


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_section_to_read_again_is_a_heading_of_its_lesson(name):
    section = QUESTIONS[name].get("section")
    assert section is None or section in headings(QUESTIONS[name]["lesson"])


def test_three_formats_and_more():
    kinds = {questions.question(f"core/{name}", table)["kind"] for name, table in QUESTIONS.items()}
    assert len(kinds) >= 3
