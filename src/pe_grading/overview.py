"""Show a teacher what the class did not understand: `python3 course.py grade overview` writes a page.

It holds the distribution, each test's difficulty and discrimination, the hints by how many got them, what handing in
again changed, and answers that have code in common.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from pathlib import Path
from statistics import median

import numpy as np

from pe_grading import commands, results
from pe_grading.collect import find_submissions
from pe_grading.history import attempts_in
from pe_grading.notebook import Assignment, load_assignment, parse_submission, read_bytes
from pe_grading.report import write
from pe_grading.rows import Graded
from pe_grading.similarity import Pair, own_code, similar

HINTS = 15  # shown of an assignment
PAIRS = 30
BINS = 10


def main(arguments: list[str]) -> int:
    """Write the page; return 0, or 2 for a wrong argument."""
    parser = commands.parser_for("overview", __doc__)
    commands.add_notebooks(parser)
    options = parser.parse_args(arguments)
    try:
        graded = results.read(options.out)
        folder = commands.submitted(options)
        paths = {name: options.source / name / f"{name}.ipynb" for name in sorted({one.assignment for one in graded})}
        assignments = {name: load_assignment(path, options.seed) for name, path in paths.items() if path.exists()}
        code = code_in(folder, assignments, options.assignment) if folder.is_dir() else {}
        path = options.out / "overview.html"
        write(path, page(graded, attempts_in(options.out), assignments, code))
    except (ValueError, OSError) as error:
        print(f"pe-grade overview: {error}", file=sys.stderr)
        return commands.BAD_ARGUMENT
    print(f"{path} is written")
    return 0


def code_in(folder: Path, assignments: dict[str, Assignment], only: str | None = None) -> dict[str, dict[str, str]]:
    """Return what was programmed, by assignment and student."""
    code: dict[str, dict[str, str]] = defaultdict(dict)
    for submission in find_submissions(folder, assignments, only):
        try:
            cells = parse_submission(read_bytes(submission.path))
        except ValueError:
            continue
        code[submission.assignment][submission.student] = own_code(assignments[submission.assignment], cells)
    return code


def page(
    graded: list[Graded],
    attempts: dict[str, list[dict]],
    assignments: dict[str, Assignment],
    code: dict[str, dict[str, str]],
) -> str:
    """Return the page, which needs no script and no network."""
    parts = []
    for name in sorted({one.assignment for one in graded}):
        own = [one for one in graded if one.assignment == name]
        pairs, why = _pairs(assignments.get(name), code.get(name, {}))
        tries = attempts.get(name, [])
        part = {"attempts": tries if len(tries) > 1 else [], "similar": pairs, "why_not_compared": why}
        parts.append({"name": name, **summary(own), "tests": items(own), "hints": hints(own), **part})
    return commands.fill("overview.html", assignments=parts)


def _pairs(assignment: Assignment | None, code: dict[str, str]) -> tuple[list[Pair] | None, str]:
    """Return what answers have in common, or None and why they were not compared."""
    if assignment is None or not code:
        return None, "what was handed in was not found; --submitted says where it is"
    try:
        return similar(assignment, code)[:PAIRS], ""
    except ModuleNotFoundError as error:
        return None, f"{error.name} is not installed"


def summary(graded: list[Graded]) -> dict:
    """Return the numbers of one assignment, and how the points are distributed."""
    marked = [one for one in graded if one.points is not None]
    shares = [one.points / one.most if one.most else 0 for one in marked]
    counts = Counter(min(int(share * BINS), BINS - 1) for share in shares)
    largest = max(counts.values(), default=1)
    width = 100 // BINS
    bins = [
        {"label": f"{width * n} to {width * (n + 1)} %", "count": counts[n], "percent": 100 * counts[n] // largest}
        for n in range(BINS)
    ]
    decided = [one.points for one in marked if one.state == "complete"]
    seconds = [one.result["seconds"] for one in graded if "seconds" in one.result]
    return {
        "submissions": len(graded),
        "not_graded": len(graded) - len(marked),
        "undecided": sum(bool(one.pending) for one in marked),
        "median": median(decided) if decided else None,
        "most": max(one.most for one in graded),
        "seconds": (median(seconds), max(seconds)) if seconds else None,
        "bins": bins,
    }


def items(graded: list[Graded]) -> list[dict]:
    """Return each test and written answer with its difficulty and discrimination, the most missed first.

    Difficulty is the mean share of its points. Discrimination is the correlation of its points with the points of all
    others of the same student, None where one of the two does not vary.
    """
    earned: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for one in graded:
        for row in one.rows:
            if row.points is not None and row.grade_id:
                earned[row.grade_id].append((row.points, row.most, (one.points or 0) - row.points))
    found = []
    for grade_id, triples in earned.items():
        points, most, others = np.array(triples, dtype=float).T
        share = points / np.where(most > 0, most, 1)
        varies = len(triples) > 2 and points.std() > 0 and others.std() > 0
        found.append(
            {
                "grade_id": grade_id,
                "missed": int((points < most).sum()),
                "marked": len(triples),
                "difficulty": float(share.mean()),
                "discrimination": float(np.corrcoef(points, others)[0, 1]) if varies else None,
            }
        )
    return sorted(found, key=lambda item: (item["difficulty"], item["grade_id"]))


def hints(graded: list[Graded]) -> list[dict]:
    """Return what was said about failed tests, by how many it was said to."""
    said = Counter()
    for one in graded:
        for row in one.rows:
            if row.state == "failed" and row.why:
                said[row.grade_id, row.why] += 1
    return [{"grade_id": i, "said": words, "count": n} for (i, words), n in said.most_common(HINTS)]
