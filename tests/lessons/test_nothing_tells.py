"""Nothing tells before the guess: between a prediction and the next heading, a lesson shows nothing that is not folded.

What explains an answer is the question's feedback; a run that decides it is veiled and opens with the guess; other
prose stands above the question.
"""

import re

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell
from tools import length, lessons

each_page = pytest.mark.parametrize("path", lessons.every(), ids=lambda path: path.stem)
FOLDED = re.compile(r"<details>.*?</details>", flags=re.S)
HEADING = re.compile(r"^#+ ", flags=re.M)


def telling(cells):
    """The cells that could tell the answer of a prediction that stands above them, before it is guessed."""
    found = []
    asked = set()
    for cell in cells:
        tags = set(length.tags(cell))
        if cell.cell_type == "markdown":
            text = FOLDED.sub("", cell.source).strip()
            before, *_ = HEADING.split(text, maxsplit=1)
            if asked and before.strip():
                found.append(cell)
            if HEADING.search(text):
                asked = set()
        elif "predict" in tags:
            asked |= {f"veil:{key[1:-1]}" for key in re.findall(length.QUESTION, cell.source)}
        elif asked and not ("hide-output" in tags and tags & asked):
            found.append(cell)
    return found


@each_page
def test_between_a_prediction_and_the_next_heading_all_is_folded(path):
    assert [cell.source[:80] for cell in telling(nbformat.read(path, as_version=4).cells)] == []


@each_page
def test_every_prediction_is_tagged_as_one(path):
    """So that the test above sees it: what a question file calls a prediction is tagged `predict` on the page."""
    from clockwork.kit import widgets

    for cell in nbformat.read(path, as_version=4).cells:
        keys = re.findall(r'"((?:\d\d|core)/[\w-]+)"', cell.source) if "widgets.ask(" in cell.source else []
        if any(one["predict"] for one in widgets.ask(*keys).questions) if keys else False:
            assert "predict" in length.tags(cell), cell.source


@each_page
def test_a_goal_or_a_step_below_a_guess_is_folded_as_code_too(path):
    """Its words say what there is to find: they stand in the picture, which opens with the guess."""
    for cell in nbformat.read(path, as_version=4).cells:
        if re.search(r"\bwidgets\.(?:Step|Challenge)\(", cell.source) and "hide-output" in length.tags(cell):
            assert "hide-input" in length.tags(cell), cell.source


def text(source):
    return new_markdown_cell(source)


def code(source, *tags):
    return new_code_cell(source, metadata={"tags": list(tags)})


ASK = code('widgets.ask("02/learning-curve")', "predict")
VEILED = code("1 + 1", "veil:02/learning-curve", "hide-output")


@pytest.mark.parametrize(
    ("cells", "caught"),
    [
        ([text("## Why?\n\nBefore."), ASK, VEILED, text("## Next\n\nAll is told here.")], 0),
        ([ASK, VEILED, text("It falls all at once.")], 1),
        ([ASK, text("It falls.\n\n## Next")], 1),
        ([ASK, text("<details><summary>Why?</summary>It falls.</details>")], 0),
        ([ASK, text("<details><summary>Why?</summary>It falls.</details>\n\nSo it falls.")], 1),
        ([ASK, code("print(falls)")], 1),
        ([ASK, code("print(falls)", "hide-output")], 1),
        ([ASK, code("1 + 1", "veil:02/learning-curve")], 1),
        ([ASK, code("1 + 1", "veil:02/another", "hide-output")], 1),
        ([ASK, code("views.Wave()", "explore")], 1),
        ([ASK, code('widgets.ask("02/other")', "predict"), VEILED], 0),
    ],
)
def test_what_tells_is_found(cells, caught):
    assert len(telling(cells)) == caught
