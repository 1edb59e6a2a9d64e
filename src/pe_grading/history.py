"""Keep what every attempt earned, so that a teacher sees what handing in again changed."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from statistics import mean

HISTORY = "history.jsonl"


def remember(out: Path, graded: list[tuple[str, dict]], when: str) -> None:
    """Add students' results to the history; what is the same as the last time is not a new attempt."""
    last = {(entry["student"], entry["assignment"]): entry["points"] for entry in _history(out)}
    lines = []
    for student, result in graded:
        points = {test["grade_id"]: test["points"] for test in result["tests"]}
        if result["state"] == "graded" and last.get((student, result["assignment"])) != points:
            entry = {"time": when, "student": student, "assignment": result["assignment"], "points": points}
            lines.append(json.dumps(entry) + "\n")
    with (out / HISTORY).open("a", encoding="utf-8") as stream:
        stream.writelines(lines)


def attempts_in(out: Path) -> dict[str, list[dict]]:
    """Return of each assignment, for each attempt, how many made it and the mean points of their tests."""
    tries: dict[tuple[str, str], list[float]] = defaultdict(list)
    for entry in _history(out):
        tries[entry["assignment"], entry["student"]].append(sum(entry["points"].values()))
    by_number: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for (assignment, _), points in tries.items():
        for number, value in enumerate(points, 1):
            by_number[assignment][number].append(value)
    found = {}
    for assignment, numbers in by_number.items():
        attempts = sorted(numbers.items())
        found[assignment] = [{"number": n, "students": len(values), "mean": mean(values)} for n, values in attempts]
    return found


def _history(out: Path) -> list[dict]:
    """Return the entries of the history; a line that was cut off is left out."""
    entries = []
    if (out / HISTORY).exists():
        for line in (out / HISTORY).read_text(encoding="utf-8").splitlines():
            try:
                entries.append(json.loads(line))
            except ValueError:
                continue
    return entries
