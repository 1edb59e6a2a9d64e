"""The questions that a page shows where nothing runs are those of the question files."""

import re

import nbformat
import pytest
from tools import lessons

from clockwork.kit import widgets

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
