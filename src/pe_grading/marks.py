"""Take marks in from a table: `python3 course.py grade marks marks.csv`, from the page of `marking` or a regrade table.

A row says `student,assignment,grade_id,points,comment`; one without points leaves the mark as it is. Several markers
hand in a table each. Marks go into the gradebook, where they stay when a submission is graded again; the tables and the
students' pages are written anew.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from pe_grading import commands, report, results
from pe_grading.marking import code_of_student
from pe_grading.roster import Person, read_rows, whose
from pe_grading.rows import Graded

Place = tuple[str, str, str]  # student, assignment, grade id


def main(arguments: list[str]) -> int:
    """Write the marks into the gradebook; return 0, or 2 where a row is wrong, and then none is written."""
    parser = commands.parser_for("marks", __doc__)
    parser.add_argument("tables", type=Path, nargs="+", help="student,assignment,grade_id,points,comment")
    commands.add_roster(parser)
    options = parser.parse_args(arguments)
    try:
        tables = {path.name: read_rows(path, "student", "assignment", "grade_id", "points") for path in options.tables}
        people = commands.roster_of(options).people
        graded = results.read(options.out)
        given = together(tables, names_of(options.out, graded, tables, people))
        changed = apply(options.out, given)
    except (ValueError, OSError, ModuleNotFoundError) as error:  # without nbgrader there is no gradebook
        print(f"pe-grade marks: {error}; nothing was changed", file=sys.stderr)
        return commands.BAD_ARGUMENT
    for line in changed:
        print(line)
    graded = results.read(options.out)
    report.write_results(options.out, graded)
    report.write_grades(options.out, graded)
    report.write_pages(options.out, graded)
    count = sum(mark.points is not None for mark in given.values())
    comments = sum(bool(mark.comments) for mark in given.values())
    taken = f"{commands.counted(count, 'mark')} and {commands.counted(comments, 'comment')}"
    print(f"{taken} taken into the gradebook, the tables and the students' pages")
    return 0


@dataclass
class Given:
    """What the tables say of one answer: points, None where no table gives any, and comments."""

    points: float | None = None
    table: str = ""
    comments: list[str] = field(default_factory=list)


def names_of(out: Path, graded: list[Graded], tables: dict[str, list[dict]], people: list[Person]) -> dict[str, str]:
    """Return which student each name in the tables means: a code of the marking page, or any of a student's names."""
    students = {one.student: one.called for one in graded}
    asked = {row["student"] for rows in tables.values() for row in rows}
    return {code_of_student(out, student): student for student in students} | whose(asked, students, people)


def together(tables: dict[str, list[dict[str, str]]], names: dict[str, str]) -> dict[Place, Given]:
    """Return what all tables say together, by student, assignment and grade id.

    Raises:
        ValueError: Points are no number, or two rows give one answer different points.
    """
    given: dict[Place, Given] = defaultdict(Given)
    apart = []
    for table, rows in tables.items():
        for row in rows:
            place = (names.get(row["student"], row["student"]), row["assignment"], row["grade_id"])
            comment = row.get("comment", "")
            if not row["points"] and not comment:
                continue
            mark = given[place]
            points = _number(row["points"], place) if row["points"] else mark.points
            if mark.points not in (None, points):
                apart.append(f"{', '.join(place)}: {mark.points:g} in {mark.table}, {points:g} in {table}")
            elif row["points"]:
                mark.points = points
                mark.table = table
            if comment and comment not in mark.comments:
                mark.comments.append(comment)
    if apart:
        raise ValueError(f"markers must agree on an answer's points, got {'; '.join(apart)}")
    return given


def apply(out: Path, given: dict[Place, Given]) -> list[str]:
    """Write all marks, or none where one of them cannot be; return a line on each mark that took another's place."""
    from nbgrader.api import MissingEntry

    from pe_grading import gradebook

    if not (out / "nbgrader" / "gradebook.db").is_file():
        raise ValueError(f"marks are kept in a gradebook, got none in {out}: grade once without --no-gradebook")
    beside = {}
    changed = []
    with gradebook.open_book(out / "nbgrader") as book:
        for place, mark in given.items():
            student, assignment, grade_id = place
            where = ", ".join(place)
            try:
                grade = book.find_grade(grade_id, assignment, assignment, student)
            except MissingEntry:
                raise ValueError(f"a mark must belong to something graded, got {where}") from None
            if mark.points is not None:
                if not 0 <= mark.points <= grade.max_score:
                    raise ValueError(f"points must be from 0 to {grade.max_score:g} ({where}), got {mark.points:g}")
                if grade.manual_score is not None and grade.score != mark.points:
                    changed.append(f"{where}: {grade.score:g} becomes {mark.points:g}")
                grade.manual_score = mark.points - (grade.extra_credit or 0)
                grade.needs_manual_grade = False
            words = "; ".join(mark.comments)
            if words and not _comment(book, grade_id, assignment, student, words):
                beside[place] = words
        book.db.commit()
    gradebook.keep_comments(out / "nbgrader", beside)
    return changed


def _comment(book, grade_id: str, assignment: str, student: str, words: str) -> bool:
    """Write a comment into the gradebook, which has a place for those on written answers; tell whether it took it."""
    from nbgrader.api import MissingEntry

    try:
        book.find_comment(grade_id, assignment, assignment, student).manual_comment = words
    except MissingEntry:
        return False
    return True


def _number(words: str, place: Place) -> float:
    try:
        return float(words)
    except ValueError:
        raise ValueError(f"points must be a number ({', '.join(place)}), got {words}") from None
