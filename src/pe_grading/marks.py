"""Take marks in from a table: `python3 course.py grade marks marks.csv`, from the page of `marking` or a regrade table.

A row says `student,assignment,grade_id,points,comment`; one without points leaves the mark as it is.
Marks go into the gradebook, where they stay when a submission is graded again; the tables are written anew.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pe_grading import commands, report, results
from pe_grading.marking import code_of_student
from pe_grading.roster import read_rows


def main(arguments: list[str]) -> int:
    """Write the marks into the gradebook; return 0, or 2 where a row is wrong, and then none is written."""
    parser = commands.parser_for("marks", __doc__)
    parser.add_argument("table", type=Path, help="student,assignment,grade_id,points,comment")
    options = parser.parse_args(arguments)
    try:
        count = apply(options.out, read_rows(options.table, "student", "assignment", "grade_id", "points"))
    except (ValueError, OSError) as error:
        print(f"pe-grade marks: {error}; nothing was changed", file=sys.stderr)
        return commands.BAD_ARGUMENT
    graded = results.read(options.out)
    report.write_results(options.out, graded)
    report.write_grades(options.out, graded)
    print(f"{count} marks are in the gradebook and the tables; grade once more for the students' pages")
    return 0


def apply(out: Path, rows: list[dict[str, str]]) -> int:
    """Write all marks, or none where one of them cannot be."""
    from nbgrader.api import MissingEntry

    from pe_grading import gradebook

    students = {one.student for one in results.read(out)}
    names = {code_of_student(out, student): student for student in students} | {name: name for name in students}
    rows = [row for row in rows if row["points"] or row.get("comment")]
    beside = {}
    with gradebook.open_book(out / "nbgrader") as book:
        for row in rows:
            student = names.get(row["student"], row["student"])
            assignment = row["assignment"]
            grade_id = row["grade_id"]
            try:
                grade = book.find_grade(grade_id, assignment, assignment, student)
            except MissingEntry:
                place = f"{student}, {assignment}, {grade_id}"
                raise ValueError(f"a mark must belong to something graded, got {place}") from None
            if row["points"]:
                points = _points(row["points"], grade.max_score, f"{student}, {grade_id}")
                grade.manual_score = points - (grade.extra_credit or 0)
                grade.needs_manual_grade = False
            if row.get("comment") and not _comment(book, grade_id, assignment, student, row["comment"]):
                beside[student, assignment, grade_id] = row["comment"]
        book.db.commit()
    gradebook.keep_comments(out / "nbgrader", beside)
    return sum(bool(row["points"]) for row in rows)


def _comment(book, grade_id: str, assignment: str, student: str, words: str) -> bool:
    """Write a comment into the gradebook, which has a place for those on written answers; tell whether it took it."""
    from nbgrader.api import MissingEntry

    try:
        book.find_comment(grade_id, assignment, assignment, student).manual_comment = words
    except MissingEntry:
        return False
    return True


def _points(words: str, most: float, what: str) -> float:
    try:
        points = float(words)
    except ValueError:
        points = -1.0
    if not 0 <= points <= most:
        raise ValueError(f"points must be a number from 0 to {most:g} ({what}), got {words}")
    return points
