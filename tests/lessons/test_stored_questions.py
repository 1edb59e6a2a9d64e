"""The questions that a page shows where nothing runs are those of the question files."""

import re

import nbformat
import pytest
from tools import decided, lessons

from clockwork.kit import widgets
from clockwork.kit.widgets import questions

ASKED = r"\s*widgets\.ask\((.*)\)\s*"
PAGES = lessons.every()


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_stored_question_and_its_answers_are_those_of_the_question_file(path):
    for cell in lessons.code_cells(nbformat.read(path, as_version=4)):
        asked = re.fullmatch(ASKED, cell.source, flags=re.DOTALL)
        if asked:
            names = re.findall(r'"([^"]+)"', asked[1])
            shown = widgets.ask(*names, summary="summary=True" in asked[1])
            stored = "".join(output.get("data", {}).get("text/html", "") for output in cell.outputs)
            assert stored == shown._repr_mimebundle_()[0]["text/html"], f"run `python3 course.py lessons {path.stem}`"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_picture_has_the_tag_of_the_question_that_it_stores(path):
    """By the tag the tools know what a page asks; the words under the still are those of the question file."""
    for cell in lessons.code_cells(nbformat.read(path, as_version=4)):
        stored = "".join(output.get("data", {}).get("text/html", "") for output in cell.outputs)
        asked = set(decided.asked_in(cell)) if "ask(" not in cell.source else []
        placed = [one for one in map(questions.found, asked) if one.get("place")]
        assert all(questions.on_paper(one) in stored for one in placed), f"run `python3 course.py lessons {path.stem}`"
        if 'style="max-width:62em"><p>' in stored and "ask(" not in cell.source:
            assert placed, f"the cell must have a tag {decided.ASKS}<question> (its picture asks), got {cell.source!r}"
