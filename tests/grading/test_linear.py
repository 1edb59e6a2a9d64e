"""What students wrote is read in a time that grows with its length: twice as much costs twice, not four times.

Every text here would hold a quadratic search for hours.
"""

import ast
import json
import os

import pytest
from conftest import require
from tests.grading.classroom import PROBE, cell, code, grades, hand_in, notebook, pe_grade, review, text

from pe_grading import batch, essays, sandbox, similarity, worker
from pe_grading.notebook import FENCE, Cell, load_assignment, parse_submission

MANY = 1 << 20
MAGIC = "import torch\n{}\n("


@pytest.mark.parametrize(
    "essay",
    ["![" * MANY, "![](data:" * MANY, "](" + " " * MANY, "](data:image/png;base64,A" * MANY, "[" * MANY + "](data:"],
    ids=["signs of a picture", "beginnings", "blanks", "pictures without an end", "brackets"],
)
def test_an_essay_of_signs_is_read(essay):
    assert essays._inline_pictures(essay) == (essay, {})


def test_an_essay_of_a_hundred_thousand_pictures_keeps_a_few_and_says_so():
    answer = essays.Written("why", 1)
    answer.add(Cell("markdown", "![](data:image/png;base64,AAAA)\n" * 100_000), "in place")
    assert len(answer.pictures) == essays.PICTURES and len(answer.text) <= essays.TEXT_LIMIT
    assert any("pictures" in what for what in answer.lost)


@pytest.mark.parametrize(
    "source",
    [
        MAGIC.format("\n" * MANY),
        MAGIC.format(" \t" * MANY),
        MAGIC.format("\n%" + "a" * MANY),
        MAGIC.format("\n" + "a." * (MANY >> 3)),
        MAGIC.format("\n" + "a" + "?" * MANY + " " * MANY + "x"),
        MAGIC.format("\na" + " " * MANY + "=" + " " * MANY),
        ">>> (" + "\n..." * MANY + "." * MANY + "\n" + " \t" * MANY,
    ],
    ids=["blank lines", "blanks", "a long magic", "a long name", "question marks", "a long assignment", "prompts"],
)
def test_a_cell_of_blanks_and_signs_is_parsed_or_refused(source):
    with pytest.raises((SyntaxError, ValueError)):
        worker.parse(source)
    assert batch.libraries_of([Cell("code", source)]) in (set(), {"torch"})


def test_fences_are_looked_for_line_by_line():
    assert FENCE.sub("", "\n" * MANY) == "\n" * MANY
    assert FENCE.sub("", "  ```python\nx = 1\n\t```\n") == "\nx = 1\n\n"


@pytest.mark.parametrize(
    "source",
    [
        ">>> def f(x):\n...     return x + 1\n...\n>>> y = f(...)\n2",
        "In [3]: def f(x):\n   ...:     return x + 1\n   ...:\nIn [4]: y = f(...)",
    ],
    ids=["python", "jupyter"],
)
def test_a_pasted_session_is_read_as_a_notebook_reads_it(source):
    assert ast.unparse(ast.Module(worker.parse(source)[:2], [])) == "def f(x):\n    return x + 1\ny = f(...)"


def test_magics_are_still_taken_out():
    source = (
        "%matplotlib inline\n!pip install x\nx?\nx.y??\nfiles = !ls\nn = %time 1\nfor i in (1,):\n    %time i\ny = 7"
    )
    assert [type(node).__name__ for node in worker.parse(source)] == ["Pass"] * 6 + ["For", "Assign"]
    assert len(worker.parse("%time x = 1\nx = 5")) == 1


def test_a_notebook_that_once_held_a_class_for_days_is_graded(tmp_path):
    require(sandbox.missing() is None, "install bubblewrap (the package `bubblewrap`)")
    hand_in(tmp_path / "in", "ann", lambda book: cell(book, "why").update(source="![" * 300_000))
    hand_in(tmp_path / "in", "bob", lambda book: book["cells"].append(code(MAGIC.format("\n" * 400_000))))
    hand_in(tmp_path / "in", "eve", lambda book: book["cells"].append(text("```" + "\n" * 400_000)))
    assert pe_grade(tmp_path / "in", tmp_path / "out") == 0
    assert grades(tmp_path / "out") == {"ann": "6", "bob": "6", "eve": "6"}


def test_the_comparison_leaves_out_what_the_grader_leaves_out():
    book = notebook()
    book["cells"].append(code("x = 1\n" * 200_000))
    book["cells"].append(code("def own(a):\n    return a"))
    compared = similarity.own_code(load_assignment(PROBE), parse_submission(json.dumps(book).encode()))
    assert "def own" in compared and len(compared) < 10_000


def test_a_folder_called_like_a_notebook_stops_nobody(tmp_path):
    require(sandbox.missing() is None, "install bubblewrap (the package `bubblewrap`)")
    folder = tmp_path / "in"
    for student in ("ann", "zoe"):
        hand_in(folder, student)
    os.makedirs(folder / "bob" / "probe" / "probe.ipynb")
    os.makedirs(folder / "eve" / "probe.ipynb")
    hand_in(folder, "ida", name="probe/probe.ipynb/probe.ipynb")
    pe_grade(folder, tmp_path / "out")
    assert grades(tmp_path / "out") == {"ann": "6", "bob": "", "eve": "", "ida": "6", "zoe": "6"}
    told = {student for student, _, what in review(tmp_path / "out") if "no notebook was handed in" in what}
    assert told == {"bob", "eve"}
