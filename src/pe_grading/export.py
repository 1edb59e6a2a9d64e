"""Hand marks on to an LMS: `python3 course.py grade export --for canvas --roster roster.csv`."""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from datetime import datetime, timedelta
from pathlib import Path

import dateutil.tz

from pe_grading import commands, late, results, roster
from pe_grading.lms import FORMATS, Mark, Marks
from pe_grading.report import write
from pe_grading.roster import CANVAS_FILE, Person, Roster
from pe_grading.rows import Graded


def main(arguments: list[str]) -> int:
    """Write the file; return 0, or 2 for a wrong argument."""
    options = parse(arguments)
    try:
        return export(options)
    except (ValueError, OSError) as error:
        print(f"pe-grade export: {error}", file=sys.stderr)
        return commands.BAD_ARGUMENT


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the command line."""
    default = late.Policy()
    parser = commands.parser_for("export", __doc__)
    parser.add_argument("--for", dest="lms", choices=FORMATS, required=True, help="who reads the file")
    parser.add_argument("--roster", type=Path, required=True, help="id, name, email, section; or the LMS's own export")
    parser.add_argument("--to", type=Path, help="the file to write; without it, marks-LMS.csv in --out")
    parser.add_argument("--assignment", action="append", metavar="NAME", help="only this one; may be repeated")
    parser.add_argument("--deadlines", type=Path, help="a table assignment,due,student; with a student: an extension")
    parser.add_argument("--times", type=Path, help="a table student,assignment,time")
    parser.add_argument("--submitted", type=Path, help="the folder handed in, for nbgrader's timestamp.txt")
    parser.add_argument("--timezone", default="", help="of times that name none, such as Europe/Rome; empty: here")
    parser.add_argument("--percent-a-day", type=float, default=default.percent_a_day, help="lost for each started day")
    parser.add_argument("--percent-at-most", type=float, default=default.percent_at_most, help="that can be lost")
    parser.add_argument("--grace-minutes", type=float, default=default.grace_minutes, help="that cost nothing")
    return parser.parse_args(arguments)


def export(options: argparse.Namespace) -> int:
    """Write the file and say who is missing, who is unknown, what is pending and who was late."""
    people = roster.read_roster(options.roster)
    graded = results.read(options.out)
    most = {one.assignment: one.most for one in graded}
    names = options.assignment or sorted(most)
    if unknown := [name for name in names if name not in most]:
        raise ValueError(f"--assignment must be one that was graded ({', '.join(sorted(most))}), got {unknown[0]}")
    graded = [one for one in graded if one.assignment in names]
    owners, strangers = roster.match(sorted({one.student for one in graded}), people.people)
    marks, problems = marks_of(graded, owners, lateness(options, people, graded, owners), policy(options))
    path = options.to or options.out / f"marks-{options.lms}.csv"
    write(path, FORMATS[options.lms](people, marks, names, most))
    for name in names:
        missing = [p.name or p.key for p in people.people if (p.key, name) not in marks]
        if missing:
            print(f"{name}: nothing from {'; '.join(missing)}")
        pending = sum(mark.points is None for (_, assignment), mark in marks.items() if assignment == name)
        if pending:
            print(f"{name}: {pending} not decided yet (pending or not graded): their cells are empty")
    for problem in [*problems, *(f"{student} is nobody in the roster, or fits two people" for student in strangers)]:
        print(problem, file=sys.stderr)
    print(f"{path} is written: {len(marks)} marks, {len(strangers)} submissions of unknown people")
    return 0


def policy(options: argparse.Namespace) -> late.Policy:
    """Return what being late costs."""
    return late.Policy(options.percent_a_day, options.percent_at_most, options.grace_minutes)


def lateness(
    options: argparse.Namespace, people: Roster, graded: list[Graded], owners: dict[str, Person]
) -> dict[tuple[str, str], timedelta | None]:
    """Return how late each submission was, by student and assignment; None where only Canvas knows."""
    if not options.deadlines:
        return {}
    zone = dateutil.tz.gettz(options.timezone or None)
    if zone is None:
        raise ValueError(f"--timezone must be a name such as Europe/Rome, got {options.timezone}")
    times: dict[tuple[str, str], datetime] = {}
    if len({one.assignment for one in graded}) == 1:
        times |= late.times_in_roster(people, graded[0].assignment, zone)
    if options.submitted:
        times |= late.times_in_folder(options.submitted, zone)
    if options.times:
        times |= late.read_times(options.times, zone)
    due = late.read_deadlines(options.deadlines, zone)
    found: dict[tuple[str, str], timedelta | None] = {}
    for one in graded:
        person = owners.get(one.student)
        called = [one.student, *([person.key, person.name, person.email] if person else [])]
        time = next((times[name, one.assignment] for name in called if (name, one.assignment) in times), None)
        limit = next((due[name, one.assignment] for name in [*called, ""] if (name, one.assignment) in due), None)
        said_late = bool((canvas := CANVAS_FILE.match(one.student)) and canvas["late"])
        if time and limit:
            found[one.student, one.assignment] = max(time - limit, timedelta())
        elif limit and said_late:
            found[one.student, one.assignment] = None
        elif limit:
            print(f"{one.assignment}: when {one.student} handed in is not known; it counts as in time")
    return found


def marks_of(
    graded: list[Graded],
    owners: dict[str, Person],
    lateness: dict[tuple[str, str], timedelta | None],
    policy: late.Policy,
) -> tuple[Marks, list[str]]:
    """Return everybody's marks, and what a person has to decide: two submissions of one person count for nobody."""
    marks: Marks = {}
    problems = []
    found: dict[tuple[str, str], list[Graded]] = defaultdict(list)
    for one in graded:
        if one.student in owners:
            found[owners[one.student].key, one.assignment].append(one)
    for key, several in found.items():
        one = several[0]
        if len(several) > 1:
            names = ", ".join(sorted(other.student for other in several))
            problems.append(f"{one.assignment}: {names} belong to one person; the cell is empty until one is left")
            marks[key] = Mark(None, one.most, state="several")
            continue
        points = one.points if one.state == "complete" else None
        behind = lateness.get((one.student, one.assignment), timedelta())
        if behind is None:
            problems.append(f"{one.assignment}: {one.student} is late, but how late is in no table of times (--times)")
            marks[key] = Mark(None, one.most, one.pending, one.state, late="unknown")
            continue
        lost = policy.lost(behind, one.most)
        shown = f"{behind.total_seconds() / 86400:.2f} days" if behind else ""
        marks[key] = Mark(points, one.most, one.pending, one.state, lost, shown)
    return marks, problems
