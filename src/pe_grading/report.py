"""Keep results on disk so that an interrupt loses nothing, and write the tables and pages that teachers hand on."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
from pathlib import Path

from pe_grading.batch import Submission
from pe_grading.feedback import page
from pe_grading.notebook import Assignment


def write(path: Path, text: str) -> None:
    """Write a file so that it is either the old one or the new one, never half of one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and path.read_bytes() == text.encode():
        return
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8", newline="")
    os.replace(part, path)


def state_of(out: Path, submission: Submission) -> Path:
    """Return where a submission's result is kept."""
    return out / "results" / submission.assignment / f"{submission.student}.json"


def keep(out: Path, submission: Submission, fingerprint: str, result: dict) -> None:
    """Keep a result, with what it holds for."""
    write(state_of(out, submission), json.dumps({"fingerprint": fingerprint, "result": result}, indent=1))


def kept(out: Path, submission: Submission, fingerprint: str | None = None) -> dict | None:
    """Return a kept result, only if it holds for this fingerprint."""
    with contextlib.suppress(OSError, ValueError, KeyError):
        state = json.loads(state_of(out, submission).read_text(encoding="utf-8"))
        if fingerprint in (None, state["fingerprint"]):
            return state["result"]
    return None


def handed_on(out: Path) -> dict[str, str]:
    """Return which results nbgrader's gradebook has: by "student/assignment", the fingerprint."""
    with contextlib.suppress(OSError, ValueError):
        return json.loads((out / "results" / "in_gradebook.json").read_text(encoding="utf-8"))
    return {}


def publish(out: Path, graded: list[tuple[Submission, dict]], assignments: dict[str, Assignment], marks: dict) -> None:
    """Write results.csv (one row for each test), grades.csv (one for each student) and the students' pages.

    Args:
        out: The folder.
        graded: Each submission with its result.
        assignments: By name.
        marks: By (student, assignment) and grade id, what a gradebook holds; it goes before the result.
    """
    rows, totals = [], {}
    for submission, result in sorted(graded, key=lambda pair: (pair[0].student, pair[0].assignment)):
        assignment = assignments[submission.assignment]
        known = marks.get((submission.student, submission.assignment), {})
        tests = [
            {**test, "points": known.get(test["grade_id"], {}).get("points", test["points"])}
            for test in result["tests"]
        ]
        written = [
            {"grade_id": w.grade_id, "max": w.points, "points": None, **known.get(w.grade_id, {})}
            for w in assignment.written
        ]
        visible = {test.grade_id: test.visible for test in assignment.tests}
        html = page(submission.student, {**result, "tests": tests}, visible, written)
        write(out / "feedback" / submission.student / submission.assignment / f"{submission.assignment}.html", html)
        for item in [*tests, *written]:
            state = {True: "passed", False: "failed"}.get(item.get("passed"), "by hand")
            why = result["problem"] or item.get("said") or item.get("hint") or ""
            points = "" if item["points"] is None else f"{item['points']:g}"
            rows.append([submission.student, assignment.name, item["grade_id"], points, f"{item['max']:g}", state, why])
        total = sum(item["points"] or 0 for item in [*tests, *written])
        totals.setdefault(submission.student, {})[assignment.name] = f"{total:g}"
    write(out / "results.csv", _csv(["student", "assignment", "grade_id", "points", "max", "state", "why"], rows))
    names = sorted({submission.assignment for submission, _ in graded})
    rows = [[student, *(points.get(name, "") for name in names)] for student, points in totals.items()]
    write(out / "grades.csv", _csv(["student", *names], rows))


def _csv(head: list[str], rows: list[list[str]]) -> str:
    """Return a table in which no cell is read as a formula by a spreadsheet."""
    stream = io.StringIO()
    table = csv.writer(stream, lineterminator="\n")
    table.writerow(head)
    for row in rows:
        cells = [" ".join(str(cell).replace("\0", "").split()) for cell in row]
        table.writerow(["'" + cell if cell[:1] in ("=", "+", "-", "@") else cell for cell in cells])
    return stream.getvalue()
