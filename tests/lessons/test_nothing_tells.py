"""Nothing tells before the guess: between a prediction and the next heading, a lesson shows nothing that is not folded.

What explains an answer is the question's feedback; a run that decides it is veiled and opens with the guess; other
prose stands above the question.
"""

import re

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell
from tools import decided, length, lessons

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
        elif "predict" in tags or (cell.cell_type == "code" and "ask(" not in cell.source and decided.asked_in(cell)):
            asked |= set(decided.asked_in(cell))
        elif asked and not (folds_itself(cell) and decided.veiled_in(cell) & asked):
            found.append(cell)
    return found


def folds_itself(cell):
    """Whether what tells is out of sight: in a folded output, or behind a veil of the kit."""
    whole = any(tag.startswith("veil:") for tag in length.tags(cell))
    return not whole or "hide-output" in length.tags(cell)


@each_page
def test_between_a_prediction_and_the_next_heading_all_is_folded(path):
    assert [cell.source[:80] for cell in telling(nbformat.read(path, as_version=4).cells)] == []


@each_page
def test_every_prediction_is_tagged_as_one(path):
    """So that the test above sees it: what a question file calls a prediction is tagged `predict` on the page."""
    from clockwork.kit import widgets

    for cell in nbformat.read(path, as_version=4).cells:
        keys = decided.asked_in(cell) if "widgets.ask(" in cell.source else []
        if any(one["predict"] for one in widgets.ask(*keys).questions) if keys else False:
            assert "predict" in length.tags(cell), cell.source


@each_page
def test_a_goal_or_a_step_below_a_guess_is_folded_as_code_too(path):
    """Its words say what there is to find: they stand in the picture, which opens with the guess."""
    for cell in nbformat.read(path, as_version=4).cells:
        if re.search(r"\bwidgets\.(?:Step|Challenge)\(", cell.source) and "hide-output" in length.tags(cell):
            assert "hide-input" in length.tags(cell), cell.source


def told(question, title):
    """The words of five letters or more that a title shares with the right choice alone."""
    right, wrong = set(), words(question["ask"])
    for key, choice, _ in question["items"]:
        if key == question["answer"]:
            right = words(choice)
        else:
            wrong |= words(choice)
    return (right - wrong) & words(title)


def words(told):
    return set(re.findall(r"[a-z]{5,}", re.sub("<[^>]*>", "", told).lower()))


@each_page
def test_the_title_of_a_fold_below_a_guess_has_no_word_of_the_right_choice_alone(path):
    from clockwork.kit import widgets

    asked = []
    for cell in nbformat.read(path, as_version=4).cells:
        if "predict" in length.tags(cell):
            keys = decided.asked_in(cell)
            asked += [one for one in widgets.ask(*keys).questions if one["kind"] == "choice"]
        elif cell.cell_type == "markdown":
            asked = [] if HEADING.search(cell.source) else asked
            for title in re.findall("<summary>(.*?)</summary>", cell.source):
                assert not any(told(question, title) for question in asked), title


def test_a_title_that_tells_is_found():
    items = [["any", "any four from further back", ""], ["first", "the first four of the text", ""]]
    question = {"ask": "Which four make the loss fall?", "items": items, "answer": "first"}
    assert told(question, "What if the first four fall far behind?") == {"first"}
    assert not told(question, "And in a much longer text, further back?")


def text(source):
    return new_markdown_cell(source)


def code(source, *tags):
    return new_code_cell(source, metadata={"tags": list(tags)})


ASK = code('widgets.ask("02/learning-curve")', "predict")
PICTURE = code("clock.who_is_hurt()", "asks:00/hurt")
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
        ([text("## Who?\n\nBefore."), PICTURE, text("## Next\n\nAll is told here.")], 0),
        ([PICTURE, text("It changes at the dog.")], 1),
        ([PICTURE, code("print(shares)")], 1),
        ([PICTURE, code('plots.show(figures.shares(), asks="00/hurt")')], 0),
        ([PICTURE, code('plots.show(figures.shares(), asks="00/none")')], 1),
        ([ASK, code('with veil.printed("02/learning-curve"):\n    print(1)')], 0),
    ],
)
def test_what_tells_is_found(cells, caught):
    assert len(telling(cells)) == caught
