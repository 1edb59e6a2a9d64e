"""Make rows of results: the one place where a result, and a mark given by hand, become what tables and pages show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Marks = Mapping[str, dict]  # by grade id, what a gradebook holds: "points", "comment", "again" (to be marked again)


@dataclass(frozen=True)
class Row:
    """One test or written answer of one submission.

    `points` is None while nobody has marked it. `state` is "passed" or "failed" (tests), "blank", "pending", "marked"
    or "mark again" (by hand; the old mark stands until then), or "not graded" (the grader failed, not the student).
    """

    grade_id: str
    points: float | None
    most: float
    state: str
    why: str = ""
    comment: str = ""


@dataclass(frozen=True)
class Graded:
    """One submission with its result and its rows."""

    student: str
    assignment: str
    result: dict
    rows: list[Row]

    @property
    def called(self) -> str:
        """The name that the folder or file had."""
        return self.result.get("called", self.student)

    @property
    def points(self) -> float | None:
        """The points so far; None where the submission is not graded."""
        return None if self.state == "not graded" else sum(row.points or 0 for row in self.rows)

    @property
    def most(self) -> float:
        """The points that can be had."""
        return sum(row.most for row in self.rows)

    @property
    def pending(self) -> float:
        """The points that nobody has decided on yet."""
        return sum(row.most for row in self.rows if row.points is None)

    @property
    def state(self) -> str:
        """What is left to do: "not graded", "pending", "mark again" or "complete"."""
        states = {row.state for row in self.rows}
        return next((state for state in ("not graded", "pending", "mark again") if state in states), "complete")


def rows_of(student: str, result: dict, marks: Marks) -> Graded:
    """Return a submission's rows; a mark given by hand comes before the result."""
    if result["state"] == "not graded":
        row = Row("", None, result["max"], "not graded", result["problem"])
        return Graded(student, result["assignment"], result, [row])
    rows = [_test_row(test, result["problem"], marks.get(test["grade_id"], {})) for test in result["tests"]]
    rows += [_written_row(answer, marks.get(answer["grade_id"], {})) for answer in result["written"]]
    return Graded(student, result["assignment"], result, rows)


def undecided(student: str, assignment: str) -> Graded:
    """Return the row of a submission whose result cannot be read: no points, until a person has looked."""
    why = "its result could not be read; review.csv says why"
    result = {"assignment": assignment, "problem": why, "notes": [], "tests": []}
    return Graded(student, assignment, result, [Row("", None, 0, "not graded", why)])


def _test_row(test: dict, problem: str, mark: dict) -> Row:
    state = "passed" if test["passed"] else "failed"
    points = test["points"]
    if mark.get("by_hand"):
        state = "mark again" if mark["again"] else "marked"
        points = mark["points"]
    why = problem or " ".join(filter(None, [test["said"], test["hint"]]))
    return Row(test["grade_id"], points, test["max"], state, why, mark.get("comment", ""))


def _written_row(answer: dict, mark: dict) -> Row:
    state = "pending"
    points = None
    why = ""
    if mark.get("by_hand"):
        state = "mark again" if mark["again"] else "marked"
        points = mark["points"]
    elif answer["state"] == "blank":
        state = "blank"
        points = 0.0
    elif answer["state"] == "elsewhere":
        why = "not in its place"
    return Row(answer["grade_id"], points, answer["max"], state, why, mark.get("comment", ""))
