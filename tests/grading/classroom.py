"""A small class on the assignment `probe`: hand in, grade from the command line, read the tables."""

import contextlib
import csv
import json
from pathlib import Path

import psutil

from pe_grading import __main__ as cli

HOSTILE = Path(__file__).parents[2] / "assignments" / "hostile"
PROBE = HOSTILE / "probe" / "probe.ipynb"


def notebook():
    """The right notebook, as a dict."""
    return json.loads(PROBE.read_text(encoding="utf-8"))


def cell(book, grade_id):
    return next(c for c in book["cells"] if c["metadata"].get("nbgrader", {}).get("grade_id") == grade_id)


def code(source):
    return {
        "cell_type": "code",
        "id": "extra",
        "metadata": {},
        "source": source,
        "outputs": [],
        "execution_count": None,
    }


def text(source, **more):
    return {"cell_type": "markdown", "id": "extra", "metadata": {}, "source": source, **more}


def hand_in(folder, student, edit=None, name="probe/probe.ipynb"):
    """Write a submission; `edit(book)` changes the right notebook."""
    book = notebook()
    if edit:
        edit(book)
    path = folder / student / name if name else folder / f"{student}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(book), encoding="utf-8")
    return path


def answer(source, grade_id="slopes"):
    """Return an edit that replaces an answer."""
    return lambda book: cell(book, grade_id).update(source=source)


def pe_grade(folder, out, *more, source=HOSTILE):
    """Grade with one process and no gradebook, unless told otherwise; return the exit status."""
    fixed = ["--source", str(source), "--out", str(out), "--jobs", "1"]
    more = list(map(str, more))
    if "--gradebook" in more:
        more.remove("--gradebook")
    else:
        fixed.append("--no-gradebook")
    return cli.main([str(folder), *fixed, *more])


def table(path):
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def grades(out, assignment="probe"):
    return {row["student"]: row[assignment] for row in table(out / "grades.csv")}


def review(out):
    return [(row["student"], row["stage"], row["what"]) for row in table(out / "review.csv")]


def why(out, student):
    return {row["grade_id"]: row["why"] for row in table(out / "results.csv") if row["student"] == student}


def page(out, student, assignment="probe"):
    return (out / "feedback" / student / assignment / f"{assignment}.html").read_text(encoding="utf-8")


def descendants():
    """The processes that this one started, and those that they started: the only ones that a test may end."""
    return psutil.Process().children(recursive=True)


def runs_students_code(process):
    """Say whether a process is a part of a sandbox; one that has just ended is not."""
    with contextlib.suppress(psutil.Error):
        return "pe_grading.worker" in process.cmdline()
    return False
