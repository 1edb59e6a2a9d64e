"""Keep results on disk so that an interrupt loses nothing, and write the tables and pages that teachers hand on."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
from pathlib import Path

from pe_grading.collect import Submission
from pe_grading.feedback import page
from pe_grading.notebook import Assignment
from pe_grading.review import Item
from pe_grading.rows import Graded

FOR_PAGES = "pages.json"


def write(path: Path, content: str | bytes) -> None:
    """Write a file so that it is either the old one or the new one, never half of one."""
    data = content.encode() if isinstance(content, str) else content
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and path.read_bytes() == data:
        return
    part = path.with_name(".part")
    part.write_bytes(data)
    os.replace(part, path)


def state_of(out: Path, submission: Submission) -> Path:
    """Return where a submission's result is kept."""
    return out / "results" / submission.assignment / f"{submission.student}.json"


def keep(out: Path, submission: Submission, fingerprint: str, result: dict) -> None:
    """Keep a result, with what it holds for."""
    state = {"student": submission.student, "fingerprint": fingerprint, "result": result}
    write(state_of(out, submission), json.dumps(state, indent=1))


def kept(out: Path, submission: Submission, fingerprint: str | None = None) -> dict | None:
    """Return a kept result, only if it holds for this fingerprint; one on which the machine failed holds for none."""
    with contextlib.suppress(OSError, ValueError, KeyError):
        state = json.loads(state_of(out, submission).read_text(encoding="utf-8"))
        again = state["result"].get("state") == "not graded" and not state["result"].get("unreadable")
        if fingerprint in (None, state["fingerprint"]) and not again:
            return state["result"]
    return None


def all_kept(out: Path) -> dict[tuple[str, str], dict]:
    """Return every result that is kept in a folder, also of earlier runs, by student and assignment."""
    found = {}
    for path in sorted((out / "results").glob("*/*.json")):
        with contextlib.suppress(OSError, ValueError, KeyError):
            state = json.loads(path.read_text(encoding="utf-8"))
            if "state" in state["result"]:  # an older grader kept less
                found[state["student"], state["result"]["assignment"]] = state["result"]
    return found


def page_of(out: Path, student: str, assignment: str) -> Path:
    """Return where a student's page on one assignment is."""
    return out / "feedback" / student / assignment / f"{assignment}.html"


def write_page(out: Path, graded: Graded, visible: dict[str, str], name: str = "") -> None:
    """Write a student's page on one assignment; `visible` is what students see of each test."""
    write(page_of(out, graded.student, graded.assignment), page(graded, visible, name))


def keep_for_pages(out: Path, assignments: dict[str, Assignment], names: dict[str, str]) -> None:
    """Keep what pages say besides results: what students see of each test, and what students are called."""
    visible, known = for_pages(out)
    for name, assignment in assignments.items():
        visible[name] = {test.grade_id: test.visible for test in assignment.tests}
    write(out / FOR_PAGES, json.dumps({"visible": visible, "names": known | names}, indent=1))


def for_pages(out: Path) -> tuple[dict[str, dict[str, str]], dict[str, str]]:
    """Return what `keep_for_pages` kept."""
    with contextlib.suppress(OSError, ValueError, KeyError):
        kept = json.loads((out / FOR_PAGES).read_text(encoding="utf-8"))
        return kept["visible"], kept["names"]
    return {}, {}


def write_pages(out: Path, graded: list[Graded]) -> None:
    """Write the pages that there are anew."""
    visible, names = for_pages(out)
    for one in graded:
        if page_of(out, one.student, one.assignment).exists():
            write_page(out, one, visible.get(one.assignment, {}), names.get(one.student, ""))


def write_results(out: Path, graded: list[Graded]) -> None:
    """Write results.csv: a row for each test and each written answer."""
    head = ["student", "assignment", "grade_id", "points", "max", "state", "why"]
    rows = [
        [one.student, one.assignment, row.grade_id, _number(row.points), _number(row.most), row.state, row.why]
        for one in graded
        for row in one.rows
    ]
    write(out / "results.csv", table(head, rows))


def write_grades(out: Path, graded: list[Graded]) -> None:
    """Write grades.csv, a row for each student, and tables/<assignment>.csv, with a column for each test.

    A number of points counts what is decided; what is not stands in the column "pending" beside it.
    """
    names = sorted({one.assignment for one in graded})
    students = sorted({one.student for one in graded})
    found = {(one.student, one.assignment): one for one in graded}
    head = ["student", *(f"{name}{column}" for name in names for column in ("", " max", " pending", " state"))]
    rows = []
    for student in students:
        cells = [_total(found[student, name]) if (student, name) in found else [""] * 4 for name in names]
        rows.append([student, *(cell for total in cells for cell in total)])
    write(out / "grades.csv", table(head, rows))
    for name in names:
        own = [one for one in graded if one.assignment == name]
        columns = list(dict.fromkeys(row.grade_id for one in own for row in one.rows if row.grade_id))
        rows = []
        for one in sorted(own, key=lambda one: one.student):
            points = {row.grade_id: _number(row.points) for row in one.rows}
            rows.append([one.student, *_total(one), *(points.get(column, "") for column in columns)])
        write(out / "tables" / f"{name}.csv", table(["student", "points", "max", "pending", "state", *columns], rows))


def write_review(out: Path, items: list[Item]) -> None:
    """Write review.csv: what a person has to look at."""
    rows = [[item.student, item.assignment, item.stage, item.what] for item in items]
    write(out / "review.csv", table(["student", "assignment", "stage", "what"], rows))


def table(head: list[str], rows: list[list[str]]) -> str:
    """Return a table in which no cell is read as a formula by a spreadsheet."""
    stream = io.StringIO()
    lines = csv.writer(stream, lineterminator="\n")
    lines.writerow(head)
    for row in rows:
        cells = [" ".join(str(cell).replace("\0", "").split()) for cell in row]
        lines.writerow(["'" + cell if cell[:1] in ("=", "+", "-", "@") else cell for cell in cells])
    return stream.getvalue()


def _total(one: Graded) -> list[str]:
    """Return points so far, maximum, pending points and state as cells of a table."""
    pending = _number(one.pending) if one.pending else ""
    return [_number(one.points), _number(one.most), pending, one.state]


def _number(points: float | None) -> str:
    return "" if points is None else f"{points:g}"
