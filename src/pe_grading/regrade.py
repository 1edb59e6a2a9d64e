"""Answer requests to look again: `python3 course.py grade regrade requests.csv` adds to each what a teacher needs.

In: `student,assignment,grade_id,reason`. Out: the same with the points, the maximum, the state and why points were
lost, and the columns `points` and `comment` to fill in; `python3 course.py grade marks` takes that table in.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pe_grading import commands, report, results
from pe_grading.roster import read_rows, whose

ADDED = ["points now", "max", "state", "why", "points", "comment"]
NEEDED = ["student", "assignment", "grade_id", "reason"]


def main(arguments: list[str]) -> int:
    """Write the table; return 0, or 2 for a wrong argument."""
    parser = commands.parser_for("regrade", __doc__)
    parser.add_argument("requests", type=Path, help="student,assignment,grade_id,reason")
    commands.add_roster(parser)
    options = parser.parse_args(arguments)
    try:
        requests = read_rows(options.requests, *NEEDED)
        graded = results.read(options.out)
        people = commands.roster_of(options).people
    except (ValueError, OSError) as error:
        print(f"pe-grade regrade: {error}", file=sys.stderr)
        return commands.BAD_ARGUMENT
    found = {(one.student, one.assignment, row.grade_id): row for one in graded for row in one.rows}
    names = whose({request["student"] for request in requests}, {one.student: one.called for one in graded}, people)
    rows = []
    for request in requests:
        row = found.get((names.get(request["student"]), request["assignment"], request["grade_id"]))
        added = ["", "", "nothing was graded under these names", ""]
        if row:
            points = "" if row.points is None else f"{row.points:g}"
            added = [points, f"{row.most:g}", row.state, row.why]
        rows.append([*(request[name] for name in NEEDED), *added, "", ""])
    path = options.out / "regrade.csv"
    report.write(path, report.table([*NEEDED, *ADDED], rows))
    count = commands.counted(len(rows), "request")
    print(f"{path} is written: {count}. Fill in points, comment or both, then: grade marks {path}")
    return 0
