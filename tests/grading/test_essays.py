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
        lambda book: book["cells"].append(code("for i in range(3):\n    print(i)  # try\nx = [1, 2]\nslopes(4)")),
    ],
    ids=["untouched", "emptied", "scratch code"],
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
    assert ours == {"grades.csv", "results.csv", "review.csv", "history.jsonl", ".lock"}
    exported = course / "out" / "nbgrader" / "grades.csv"  # where `nbgrader export` writes
    exported.write_text("theirs")
    before = (course / "out" / "grades.csv").read_bytes()
    pe_grade(course / "in", course / "out", "--gradebook", "--again")
    assert exported.read_text() == "theirs" and (course / "out" / "grades.csv").read_bytes() == before
