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
from pe_grading.roster import BLACKBOARD_FILE, CANVAS_FILE, Person, Roster
from pe_grading.rows import Graded

Delays = dict[tuple[str, str], late.Delay]  # by a person's key, or the name of somebody unknown, and assignment


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
    commands.add_roster(parser, required=True)
    parser.add_argument("--to", type=Path, help="the file to write; without it, marks-LMS.csv in --out")
    parser.add_argument("--assignment", action="append", metavar="NAME", help="only this one; may be repeated")
    parser.add_argument("--deadlines", type=Path, help="a table assignment,due,student; with a student: an extension")
    parser.add_argument("--times", type=Path, help="a table student,assignment,time")
    parser.add_argument("--submitted", type=Path, help="the folder handed in, for nbgrader's timestamp.txt")
    parser.add_argument("--timezone", default="", help="of times that name none, such as Europe/Rome; empty: here")
    parser.add_argument("--percent-a-day", type=float, default=default.percent_a_day, help="lost for each started day")
    parser.add_argument("--percent-at-most", type=float, default=default.percent_at_most, help="that can be lost")
    parser.add_argument("--grace-minutes", type=float, default=default.grace_minutes, help="that cost nothing")
    parser.add_argument("--dry-run", action="store_true", help="list who pays what and why, and write nothing")
    return parser.parse_args(arguments)


def export(options: argparse.Namespace) -> int:
    """Write the file and say who is missing, who is unknown, what is pending and who was late."""
    rules = policy(options)
    people = commands.roster_of(options)
    graded = results.read(options.out)
    most = {one.assignment: one.most for one in graded}
    names = options.assignment or sorted(most)
    if unknown := [name for name in names if name not in most]:
        raise ValueError(f"--assignment must be one that was graded ({', '.join(sorted(most))}), got {unknown[0]}")
    graded = [one for one in graded if one.assignment in names]
    owners, strangers = roster.match({one.student: one.called for one in graded}, people.people)
    delays, problems = lateness(options, people, graded, owners)
    marks, undecided = marks_of(graded, owners, delays, rules)
    problems += undecided + [f"{student} is nobody in the roster, or fits two people" for student in strangers]
    path = options.to or options.out / f"marks-{options.lms}.csv"
    file = FORMATS[options.lms](people, marks, names, most)
    for line in who_pays(people, marks, delays) if options.dry_run else []:
        print(line)
    for name in names:
        missing = [p.name or p.key for p in people.people if (p.key, name) not in marks]
        if missing:
            print(f"{name}: nothing from {'; '.join(missing)}")
        pending = sum(mark.points is None for (_, assignment), mark in marks.items() if assignment == name)
        if pending:
            print(f"{name}: {pending} not decided yet (pending or not graded): their cells are empty")
    for problem in problems:
        print(problem, file=sys.stderr)
    decided = sum(mark.points is not None for mark in marks.values())
    late_ones = sum(bool(mark.lost) for mark in marks.values())
    pay = f", {late_ones} less for being late (--dry-run says who and why)" if late_ones else ""
    if not options.dry_run:
        write(path, file)
    done = "would be written" if options.dry_run else "is written"
    print(f"{path} {done}: {decided} marks{pay}, {len(strangers)} submissions of unknown people")
    return 0


def who_pays(people: Roster, marks: Marks, delays: Delays) -> list[str]:
    """Return a line for everybody whose mark a deadline or an extension touches: what it costs and why."""
    called = {person.key: person.name or person.key for person in people.people}
    lines = []
    for (key, assignment), mark in sorted(marks.items()):
        delay = delays.get((key, assignment))
        if delay is None or not (delay.extended or delay.by != timedelta()):
            continue
        costs = f"pays {mark.lost:g} of {mark.most:g} points" if mark.lost else "pays nothing"
        if mark.points is not None and mark.lost:
            costs += f", {mark.points:g} becomes {max(mark.points - mark.lost, 0):g}"
        elif delay.by is None:
            costs = "is late, but how late is in no table of times: no mark until one says it"
        lines.append(f"{assignment}: {called.get(key, key)} {costs} ({delay.told()})")
    return lines or ["nobody pays for being late, and nobody has an extension"]


def policy(options: argparse.Namespace) -> late.Policy:
    """Return what being late costs.

    Raises:
        ValueError: A number is out of its range, or an argument does nothing without another.
    """
    if not options.deadlines:
        given = ["percent_a_day", "grace_minutes", "times", "submitted", "timezone"]
        if used := [name for name in given if getattr(options, name)]:
            raise ValueError(f"--deadlines must be given with --{used[0].replace('_', '-')}, got none")
    return late.Policy(options.percent_a_day, options.percent_at_most, options.grace_minutes)


def lateness(
    options: argparse.Namespace, people: Roster, graded: list[Graded], owners: dict[str, Person]
) -> tuple[Delays, list[str]]:
    """Return how late each submission was, by person or unknown student and assignment, and what could not be used.

    Raises:
        ValueError: A time cannot be read, or an extension is for nobody or for an assignment that has no deadline.
    """
    if not options.deadlines:
        return {}, []
    zone = dateutil.tz.gettz(options.timezone or None)
    if zone is None:
        raise ValueError(f"--timezone must be a name such as Europe/Rome, got {options.timezone}")
    keys = {one.student: owners[one.student].key if one.student in owners else one.student for one in graded}
    words = roster.read_words(options.words)
    rows = (
        late.times_in_roster(people, graded[0].assignment, zone, words)
        if len({g.assignment for g in graded}) == 1
        else []
    )
    rows += late.times_in_folder(options.submitted, zone) if options.submitted else []
    said = late.read_times(options.times, zone) if options.times else []
    deadlines = late.read_deadlines(options.deadlines, zone)
    named = {row.student for row in [*rows, *said, *deadlines] if row.student}
    found, _ = roster.match({name: name for name in named}, people.people)
    keys |= {name: person.key for name, person in found.items()}
    times: dict[tuple[str, str], datetime] = {}
    for row in rows:
        times[keys.get(row.student, row.student), row.assignment] = row.time
    own: dict[tuple[str, str], datetime] = {}  # a table of one's own comes before what a program kept
    for row in said:
        place = keys.get(row.student, row.student), row.assignment
        own[place] = max(row.time, own.get(place, row.time))
    for one in graded:
        if blackboard := BLACKBOARD_FILE.match(one.called):
            handed_in = datetime.strptime(blackboard["attempt"], "%Y-%m-%d-%H-%M-%S").replace(tzinfo=zone)
            times[keys[one.student], one.assignment] = handed_in
    times |= own
    general = {row.assignment: row.time for row in deadlines if not row.student}
    problems = _unused(options, deadlines, said, keys, general, {one.assignment for one in graded})
    extended = _extensions(options.deadlines.name, deadlines, keys, general)
    delays: Delays = {}
    for one in graded:
        place = keys[one.student], one.assignment
        limit = extended.get(place) or general.get(one.assignment)
        if limit is None:
            continue
        time = times.get(place)
        canvas = CANVAS_FILE.match(one.called)
        # days by the clock on the wall there, whatever zone a program wrote the time in
        by = max(time.astimezone(limit.tzinfo) - limit, timedelta()) if time else timedelta()
        if time is None and canvas and canvas["late"]:
            by = None
        elif time is None and not canvas:  # Canvas says in a file's name what is late
            problems.append(f"{one.assignment}: when {one.student} handed in is not known; it counts as in time")
        delays[place] = late.Delay(time, limit, place in extended, by)
    for name in sorted(general):
        known = [delay.by for (_, assignment), delay in delays.items() if assignment == name and delay.time]
        if len(known) > 2 and all(known):
            problems.append(f"{name}: all {len(known)} were late; is its deadline right?")
    return delays, problems


def _extensions(
    table: str, deadlines: list[late.Row], keys: dict[str, str], general: dict[str, datetime]
) -> dict[tuple[str, str], datetime]:
    """Return until when people have, by person and assignment.

    Raises:
        ValueError: Somebody has two, under two names, or less time than the class.
    """
    found: dict[tuple[str, str], datetime] = {}
    for row in deadlines:
        if not row.student:
            continue
        if found.setdefault((keys[row.student], row.assignment), row.time) != row.time:
            raise ValueError(f"{table}: an extension must be given once, {row.student} has two of {row.assignment}")
        if row.assignment in general and row.time < general[row.assignment]:
            due = general[row.assignment].strftime(late.SHOWN)
            raise ValueError(
                f"{table}: an extension must not be before the deadline of {row.assignment} ({due}), "
                f"{row.student} has {row.time.strftime(late.SHOWN)}"
            )
    return found


def _unused(
    options: argparse.Namespace,
    deadlines: list[late.Row],
    said: list[late.Row],
    keys: dict[str, str],
    general: dict[str, datetime],
    graded: set[str],
) -> list[str]:
    """Return what in the tables concerns nothing that was graded; raise ValueError where an extension would be lost."""
    name = options.deadlines.name
    if nobody := sorted({row.student for row in deadlines if row.student and row.student not in keys}):
        raise ValueError(
            f"{name}: an extension must be for somebody who is in the roster once, or handed in under this name, "
            f"got {'; '.join(nobody)}"
        )
    if nothing := sorted({row.assignment for row in deadlines if row.student} - {*general, *graded}):
        raise ValueError(f"{name}: an extension must be for something graded or due, got {'; '.join(nothing)}")
    problems = [f"{name}: nothing was graded of {what}" for what in sorted(set(general) - graded)]
    problems += [f"{name}: {what} has no deadline, nobody pays" for what in sorted(graded - set(general))]
    lost = sorted({row.student for row in said if row.student not in keys})
    return problems + [f"{options.times.name}: the time of {who} is not used, this fits nobody" for who in lost]


def marks_of(
    graded: list[Graded],
    owners: dict[str, Person],
    delays: Delays,
    rules: late.Policy,
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
        delay = delays.get(key)
        behind = delay.by if delay else timedelta()
        if behind is None:
            problems.append(f"{one.assignment}: {one.student} is late, but how late is in no table of times (--times)")
            marks[key] = Mark(None, one.most, one.pending, one.state, late="unknown")
            continue
        lost = rules.lost(behind, one.most)
        shown = f"{behind.total_seconds() / 86400:.2f} days" if behind else ""
        marks[key] = Mark(points, one.most, one.pending, one.state, lost, shown)
    return marks, problems
