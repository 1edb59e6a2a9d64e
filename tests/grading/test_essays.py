"""Every written answer reaches the teacher, wherever it stands; a changed one is marked again, and pending is not 0."""

import base64
import importlib.util
import json

import nbformat
import pytest
from classroom import PROBE, cell, code, grades, hand_in, notebook, pe_grade, review, table, text
from conftest import require

from pe_grading import __main__ as cli
from pe_grading import essays, sandbox
from pe_grading.notebook import load_assignment, parse_submission

STUBS = load_assignment(PROBE).stubs
SENTENCE = "The exponential turns sums into products, so a constant added to all scores cancels."
PIXEL = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(40)).decode()
PICTURE = {"drawing.png": {"image/png": PIXEL}}


def found(edit):
    """Return the written answer of a notebook, and what the review queue says."""
    book = notebook()
    cell(book, "why")["source"] = "YOUR ANSWER HERE"
    edit(book)
    cells = parse_submission(json.dumps(book).encode())
    (answer,), unmatched = essays.find_written(load_assignment(PROBE), cells)
    return answer, unmatched


def in_place(book):
    cell(book, "why")["source"] = SENTENCE


def below(book):
    book["cells"].append(text(SENTENCE))


def below_an_empty_prompt(book):
    cell(book, "why")["source"] = ""
    book["cells"].append(text(SENTENCE))


def above_the_prompt(book):
    book["cells"].insert(book["cells"].index(cell(book, "why")), text(SENTENCE))


def without_metadata(book):
    in_place(book)
    for each in book["cells"]:
        each["metadata"] = {}


def with_another_id(book):
    in_place(book)
    cell(book, "why")["metadata"]["nbgrader"]["grade_id"] = "why-copy"


def moved_to_the_top(book):
    in_place(book)
    moved = cell(book, "why")
    book["cells"].remove(moved)
    book["cells"].insert(0, moved)


def retyped_at_the_top(book):
    book["cells"].insert(0, text(SENTENCE))


def as_code(book):
    cell(book, "why").update(cell_type="code", source=SENTENCE)


def as_comments_without_metadata(book):
    book["cells"].append(code("# " + SENTENCE))
    book["cells"].remove(cell(book, "why"))


def raw(book):
    book["cells"].append({**text(SENTENCE), "cell_type": "raw"})


def in_the_question(book):
    cell(book, "title")["source"] += "\n\n" + SENTENCE


def in_two_cells(book):
    one, other = SENTENCE.split(", ")
    cell(book, "why")["source"] = one + ","
    book["cells"].append(text(other))


EXPECTED = "I expected it to be false (one sine repeats). For d=96 the distance is 0.03, [not] more."
AS_CODE = {
    "a sentence": EXPECTED,
    "lines": "I expected it to be false\n\n(one sine repeats).\nFor d=96 the distance = 0.03\nand that's the reason",
    "quotes": f'"""{EXPECTED}"""',
    "print": f'print("{EXPECTED}")',
    "a name": f"answer = '{EXPECTED}'",
    "quotes without an end": f'"""\n{EXPECTED}',
    "an apostrophe": "It doesn't repeat because one sine doesn't tell us where the token stands",
    "Chinese": "我认为这是错误的,因为正弦函数会重复出现",
    "comments": f"# {EXPECTED}\nx = 3",
    "beside code": f"d = 96\nprint(d)\n{EXPECTED}\nx = [1, 2]",
}


@pytest.mark.parametrize("way", AS_CODE)
@pytest.mark.parametrize("place", ["below", "above", "in the answer's cell"])
def test_an_essay_in_a_code_cell_reaches_the_teacher(way, place):
    def edit(book):
        at = book["cells"].index(cell(book, "why"))
        if place == "in the answer's cell":
            if way == "comments":
                pytest.skip("comments in an answer explain its code")
            cell(book, "slopes")["source"] += "\n\n" + AS_CODE[way]
        else:
            book["cells"].insert(at + (place == "below"), code(AS_CODE[way]))

    answer, _ = found(edit)
    words = [word for word in AS_CODE[way].split() if word.isalpha()]
    assert answer.state == "elsewhere" and all(word in answer.text for word in words)


def test_a_docstring_that_became_the_essay_is_found():
    def edit(book):
        source = cell(book, "slopes")["source"]
        cell(book, "slopes")["source"] = source.replace('slopes."""', f'slopes.\n\n    {EXPECTED}\n    """')

    assert found(edit)[0].state == "elsewhere"


def test_an_essay_in_a_code_cell_beside_an_answer_is_told():
    def both(book):
        in_place(book)
        book["cells"].append(code(f'print("{EXPECTED}")'))

    assert "I expected it" in str(found(both)[1].summary())


SCRATCH = {
    "loops": "for x in range(3):\n    if x is not None and x in (1, 2) or not x:\n        print(x, 'is the number')",
    "a lambda": "f = lambda a, b: a if a is not b else b\nasync def g():\n    await f(1, 2)\n    yield from ()",
    "imports": "from numpy import array as a, zeros as b\nimport numpy as np, math as m\nglobal_x = a\ndel b",
    "a class": "class A(dict, metaclass=type):\n    x: int = 3\n    def f(self): return 'no text'",
    "magics": "%pip install numpy torch matplotlib scipy pandas\n!ls all of my files in here and there\n%%time",
    "a match": "match x:\n    case [a, b] if a is b: pass\n    case _: raise ValueError from None",
}


@pytest.mark.parametrize("what", SCRATCH)
def test_scratch_code_is_no_essay(what):
    assert found(lambda book: book["cells"].append(code(SCRATCH[what])))[0].state == "blank"


def test_the_solutions_own_comments_are_no_essay():
    def edit(book):
        cell(book, "slopes")["source"] += "\n    # each slope is half of the one before it, as the text says"

    assert found(edit)[0].state == "blank"


@pytest.mark.parametrize("sign", ['"', "'", '\\"', '"""', "'" * 3, "#", "\\", "a b ", '"\\'])
def test_a_cell_of_signs_is_looked_through_once(sign):
    answer, _ = found(lambda book: book["cells"].append(code("x = 1 " + sign * 200_000)))
    assert answer.state in ("blank", "elsewhere")


EDITS = [
    in_place,
    below,
    below_an_empty_prompt,
    above_the_prompt,
    without_metadata,
    with_another_id,
    moved_to_the_top,
    retyped_at_the_top,
    as_code,
    as_comments_without_metadata,
    raw,
    in_the_question,
    in_two_cells,
]


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.__name__)
def test_a_written_answer_is_found(edit):
    answer, _ = found(edit)
    assert answer.state != "blank"
    assert " ".join(answer.text.split()).removeprefix("# ") == SENTENCE


def test_what_stands_elsewhere_is_given_to_the_teacher_with_a_question_mark():
    answer, unmatched = found(retyped_at_the_top)
    assert answer.state == "elsewhere" and any("may be the answer" in said for said in unmatched.summary())
    answer, unmatched = found(in_place)
    assert answer.state == "in place" and unmatched.summary() == []


def test_text_beside_an_answer_is_in_the_review_queue():
    def both(book):
        in_place(book)
        book["cells"].insert(0, text("A word to the teacher: I was ill."))

    answer, unmatched = found(both)
    assert answer.text == SENTENCE
    assert unmatched.summary() == ["text in cell 1 belongs to no question: A word to the teacher: I was ill."]


@pytest.mark.parametrize(
    "edit",
    [
        lambda book: None,
        lambda book: cell(book, "why").update(source="  \n"),
        lambda book: [cell(book, name).update(source=STUBS[name]) for name in STUBS],
        lambda book: book["cells"].append(code("for i in range(3):\n    print(i)  # try\nx = [1, 2]\nslopes(4)")),
    ],
    ids=["untouched", "emptied", "not written yet", "scratch code"],
)
def test_what_is_blank_stays_blank(edit):
    assert found(edit)[0].state == "blank"


def test_pictures_come_along_and_nothing_else_does():
    svg = base64.b64encode(b"<svg onload='alert(1)'/>").decode()
    attachments = {**PICTURE, "evil.svg": {"image/svg+xml": svg}, "x": {"text/html": "<script>"}, "y": 7}

    def edit(book):
        cell(book, "why").update(
            source=f"See ![](attachment:drawing.png) and ![two](data:image/png;base64,{PIXEL})", attachments=attachments
        )

    answer, unmatched = found(edit)
    assert [list(bundle) for bundle in answer.pictures.values()] == [["image/png"], ["image/png"]]
    assert all(f"attachment:{name}" in answer.text for name in answer.pictures) and "base64" not in answer.text
    assert len([said for said in unmatched.summary() if "left out" in said]) == 3


def test_a_picture_alone_is_an_answer():
    answer, _ = found(lambda book: cell(book, "why").update(source="", attachments=PICTURE))
    assert answer.state == "in place" and answer.text == "\n\n![](attachment:drawing.png)"


@pytest.fixture
def course(tmp_path, monkeypatch):
    """A graded class in nbgrader's gradebook: ann and bob wrote, eve did not, ida wrote at the top."""
    require(importlib.util.find_spec("nbgrader"), "install the extra `grade`")
    require(sandbox.missing() is None, "install bubblewrap (the package `bubblewrap`)")
    monkeypatch.setattr(cli, "test_sandbox", lambda options: None)

    def writes(words, at_top=False, **more):
        def edit(book):
            cell(book, "why").update(source="YOUR ANSWER HERE" if at_top else words, **more)
            if at_top:
                book["cells"].insert(0, text(words))

        return edit

    hand_in(tmp_path / "in", "ann", writes(SENTENCE, attachments=PICTURE))
    hand_in(tmp_path / "in", "bob", writes(SENTENCE))
    hand_in(tmp_path / "in", "eve", writes("YOUR ANSWER HERE"))
    hand_in(tmp_path / "in", "ida", writes(SENTENCE, at_top=True))
    assert pe_grade(tmp_path / "in", tmp_path / "out", "--gradebook") == 0
    return tmp_path


def states(out):
    return {
        row["student"]: (row["points"], row["state"]) for row in table(out / "results.csv") if row["grade_id"] == "why"
    }


def test_marking_and_handing_in_again(course):
    from pe_grading.gradebook import open_book

    out = course / "out"
    rows = {row["student"]: row for row in table(out / "grades.csv")}
    assert states(out) == {
        "ann": ("", "pending"),
        "bob": ("", "pending"),
        "eve": ("0", "blank"),
        "ida": ("", "pending"),
    }
    assert [rows["ann"][f"probe{column}"] for column in ("", " max", " pending", " state")] == [
        "6",
        "7",
        "1",
        "pending",
    ]
    assert rows["eve"]["probe pending"] == "" and rows["eve"]["probe state"] == "complete"
    assert table(out / "tables" / "probe.csv")[0]["why"] == "", "pending is not 0"
    shown = nbformat.read(out / "nbgrader" / "autograded" / "ida" / "probe" / "probe.ipynb", as_version=4)
    assert SENTENCE in "".join(c.source for c in shown.cells if c.metadata.get("nbgrader", {}).get("grade_id") == "why")
    shown = nbformat.read(out / "nbgrader" / "autograded" / "ann" / "probe" / "probe.ipynb", as_version=4)
    nbformat.validate(shown)
    assert [c.attachments for c in shown.cells if c.get("attachments")] == [PICTURE]

    with open_book(out / "nbgrader") as book:
        for student in ("ann", "bob"):
            grade = book.find_grade("why", "probe", "probe", student)
            grade.manual_score, grade.needs_manual_grade = 0.75, False
        book.db.commit()
    pe_grade(course / "in", out, "--gradebook")
    assert states(out)["ann"] == ("0.75", "marked") and grades(out)["ann"] == "6.75"

    hand_in(course / "in", "ann", lambda book: cell(book, "why").update(source="Something else."))
    hand_in(
        course / "in", "bob", lambda book: (cell(book, "why").update(source=SENTENCE), book["cells"].append(code("1")))
    )
    for _ in range(2):
        pe_grade(course / "in", out, "--gradebook")
        assert states(out)["ann"] == ("0.75", "mark again"), "the old mark stays in sight"
        assert states(out)["bob"] == ("0.75", "marked"), "the same words keep their mark"
        assert any(student == "ann" and stage == "mark" for student, stage, _ in review(out))
    with open_book(out / "nbgrader") as book:
        grade = book.find_grade("why", "probe", "probe", "ann")
        assert grade.needs_manual_grade and grade.manual_score == 0.75
        grade.manual_score, grade.needs_manual_grade = 0.25, False
        book.db.commit()
    pe_grade(course / "in", out, "--gradebook")
    assert states(out)["ann"] == ("0.25", "marked")


def test_nbgraders_files_and_ours_have_folders_of_their_own(course):
    ours = {path.name for path in (course / "out").iterdir() if path.is_file()}
    assert ours == {"grades.csv", "results.csv", "review.csv", "history.jsonl", "checked.json", "pages.json", ".lock"}
    exported = course / "out" / "nbgrader" / "grades.csv"  # where `nbgrader export` writes
    exported.write_text("theirs")
    before = (course / "out" / "grades.csv").read_bytes()
    pe_grade(course / "in", course / "out", "--gradebook", "--again")
    assert exported.read_text() == "theirs" and (course / "out" / "grades.csv").read_bytes() == before
