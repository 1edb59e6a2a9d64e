"""Read what was graded, from the folder that the grader wrote."""

from __future__ import annotations

from pathlib import Path

from pe_grading import report
from pe_grading.rows import Graded, rows_of


def read(out: Path) -> list[Graded]:
    """Return all submissions of a folder of results, with the marks that were given by hand.

    Raises:
        ValueError: Nothing was graded into this folder.
    """
    found = report.all_kept(out)
    if not found:
        raise ValueError(f"--out must be a folder that submissions were graded into, got {out}")
    marks = {}
    if (out / "nbgrader" / "gradebook.db").exists():
        from pe_grading import gradebook

        marks = gradebook.marks(out / "nbgrader", list(found))
    return [rows_of(student, result, marks.get((student, name), {})) for (student, name), result in found.items()]
