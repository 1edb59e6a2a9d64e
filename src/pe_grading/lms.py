"""Write marks as the importers of Canvas, Moodle and Blackboard read them, or as a plain table.

Cells are written as they are: an apostrophe before an id, as a spreadsheet wants it, would match nobody. Where points
are not decided, a cell is empty, or `-` for Moodle, never 0.

Source: Canvas `lib/gradebook_importer.rb`, Moodle `grade/import/csv/classes/load_data.php`, Blackboard's help
"Working offline with grade data".
"""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass

from pe_grading.roster import Person, Roster

NO_GRADE = "-"  # to Moodle: leave the grade as it is; an empty cell in a new column could become a number


@dataclass(frozen=True)
class Mark:
    """What one person has in one assignment; `points` is None while something in it is not marked or graded."""

    points: float | None
    most: float
    pending: float = 0
    state: str = "complete"
    lost: float = 0  # points that being late costs; `points` are without them
    late: str = ""


Marks = dict[tuple[str, str], Mark]  # by a person's key and assignment


def canvas(roster: Roster, marks: Marks, names: list[str], most: dict[str, float]) -> str:
    """Return a file for Canvas: Grades > Import.

    People without any mark are left out, since an empty cell clears what Canvas holds.
    """
    columns = [_column(roster, name, r"{} \(\d+\)") for name in names]
    head = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *columns]
    rows = [["    Points Possible", "", "", "", "", *(f"{most[name]:g}" for name in names)]]
    for person in _with_marks(roster, marks, names):
        own = [person.name, person.id, person.sis_id, person.login, person.section]
        rows.append([*own, *(_points(marks.get((person.key, name))) for name in names)])
    return table(head, rows)


def moodle(roster: Roster, marks: Marks, names: list[str], most: dict[str, float]) -> str:
    """Return a file for Moodle: Grades > Import > CSV file, with the first column mapped to the same user field.

    Raises:
        ValueError: Somebody with a mark has none of the fields by which Moodle knows people.
    """
    fields = {"email": "Email address", "sis_id": "ID number", "login": "Username"}
    people = _with_marks(roster, marks, names)
    field = next((field for field in fields if all(getattr(person, field) for person in people)), None)
    if field is None:
        raise ValueError("for Moodle the roster must give everybody's email address, ID number or username")
    head = [fields[field], "Full name", *(_column(roster, name, r"(?:\w+: ?)?{}(?: \(.*\))?") for name in names)]
    rows = []
    for person in people:
        points = [_points(marks.get((person.key, name))) or NO_GRADE for name in names]
        rows.append([getattr(person, field), person.name, *points])
    return table(head, rows)


def blackboard(roster: Roster, marks: Marks, names: list[str], most: dict[str, float]) -> str:
    """Return a file for Blackboard: Upload grades.

    Raises:
        ValueError: Somebody with a mark has no username.
    """
    people = _with_marks(roster, marks, names)
    if nameless := [person.key for person in people if not person.login]:
        raise ValueError(f"for Blackboard the roster must give everybody's username, got none of {nameless[0]}")
    known = {name: _column(roster, name, r"{} \[Total Pts.*\].*") for name in names}
    new = {name: f"{name} [Total Pts: {most[name]:g} Score]" for name in names}
    usual = {"last": "Last Name", "first": "First Name", "login": "Username"}
    head = [roster.heading(holds, words) for holds, words in usual.items()]
    head += [new[n] if known[n] == n else known[n] for n in names]
    rows = []
    for person in people:
        first, _, last = person.name.rpartition(" ")  # where the roster does not say which is which
        rows.append(
            [
                person.last or last,
                person.first or first,
                person.login,
                *(_points(marks.get((person.key, name))) for name in names),
            ]
        )
    return table(head, rows, csv.QUOTE_ALL)


def plain(roster: Roster, marks: Marks, names: list[str], most: dict[str, float]) -> str:
    """Return a table of everybody, with points, maximum, pending points, state and what being late cost."""
    columns = ("", " max", " pending", " state", " late", " lost")
    head = ["id", "name", "email", "section", *(f"{name}{column}" for name in names for column in columns)]
    rows = []
    for person in roster.people:
        cells = []
        for name in names:
            mark = marks.get((person.key, name), Mark(None, most[name], state="missing"))
            pending = f"{mark.pending:g}" if mark.pending else ""
            lost = f"{mark.lost:g}" if mark.lost else ""
            cells += [_points(mark), f"{mark.most:g}", pending, mark.state, mark.late, lost]
        rows.append([person.key, person.name, person.email, person.section, *cells])
    return table(head, rows)


FORMATS = {"canvas": canvas, "moodle": moodle, "blackboard": blackboard, "csv": plain}


def _with_marks(roster: Roster, marks: Marks, names: list[str]) -> list[Person]:
    """Return the people who have points in something."""
    return [p for p in roster.people if any(_points(marks.get((p.key, name))) for name in names)]


def _points(mark: Mark | None) -> str:
    """Return what counts, or nothing while it is not decided."""
    if mark is None or mark.points is None:
        return ""
    return f"{max(mark.points - mark.lost, 0):.10g}"


def _column(roster: Roster, name: str, pattern: str) -> str:
    """Return the heading that the LMS itself gave an assignment, where the roster holds it, else its name."""
    form = re.compile(pattern.format(re.escape(name)), re.IGNORECASE)
    return next((heading for heading in roster.headings if form.fullmatch(heading)), name)


def table(head: list[str], rows: list[list[str]], quoting: int = csv.QUOTE_MINIMAL) -> str:
    """Return a table with its cells as they are."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\r\n", quoting=quoting)
    writer.writerows([head, *rows])
    return stream.getvalue()
