"""Grade a folder of submissions: `python course.py grade DIR` or `pe-grade DIR`.

Results go to --out: grades.csv, results.csv, review.csv, tables/ with a table for each assignment, feedback/ with a
page for each student, and nbgrader/, a course folder of nbgrader. Commands of their own go on from there: see COMMANDS.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import signal
import sys
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from tqdm import tqdm

from pe_grading import commands, history, report
from pe_grading.batch import fingerprint, grade_all
from pe_grading.classes import LOST, SALTS, class_seed
from pe_grading.cluster import SCHEME, grade_on
from pe_grading.collect import Submission, find_submissions
from pe_grading.notebook import Assignment, load_assignment, read_bytes
from pe_grading.review import Item, Queue
from pe_grading.roster import Person, match
from pe_grading.rows import Graded, rows_of, undecided
from pe_grading.run import not_graded
from pe_grading.sandbox import Limits, NoSandbox, Sandbox, check, control_group
from pe_grading.tests import check_before_grading

UNSAFE = "--unsafe: no sandbox. Students' code can read and change whatever you can. Use it for your own files only."
COMMANDS = (
    "export",
    "marking",
    "marks",
    "overview",
    "regrade",
    "send",
    "tests",
)  # a module each; what they do with what was graded
STAMPS = ("timestamp.txt", "submission_secret.txt")  # of a notebook that came by nbgrader's exchange
NAMED = 20  # who handed in nothing, in one line
BAD_ARGUMENT = 2
NO_SANDBOX = 3
NOT_GRADED = 4
NOT_WRITTEN = 5
INTERRUPTED = 130


def main(arguments: list[str] | None = None) -> int:
    """Grade a folder.

    Returns:
        0 when everything is graded and written; 2 for a wrong argument; 3 where no sandbox is possible; 4 when
        submissions could not be graded; 5 when a page, table or gradebook entry could not be written; 130 after an
        interrupt.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments and arguments[0] in COMMANDS:
        return importlib.import_module(f"pe_grading.{arguments[0]}").main(arguments[1:])
    options = parse(arguments)
    queue = Queue()
    try:
        assignments = load(options)
        options.people = commands.roster_of(options).people
        submissions = find_submissions(options.folder, assignments, options.assignment, queue, assignments)
    except (ValueError, OSError) as error:
        return say(str(error), BAD_ARGUMENT)
    if not submissions:
        known = ", ".join(assignments)
        for item in queue.items:
            say(item.what)
        return say(f"no submission of {known} in {options.folder} (looked for student/NAME/NAME.ipynb)", BAD_ARGUMENT)
    try:
        test_sandbox(options)
        with lock(options.out):
            check_before_grading([assignments[name] for name in sorted({s.assignment for s in submissions})], options)
            return grade(submissions, assignments, options, queue)
    except NoSandbox as error:
        return say(f"{error}. Nothing was graded; --unsafe would grade without protection", NO_SANDBOX)
    except (ConnectionError, ValueError) as error:
        return say(str(error), BAD_ARGUMENT)
    except BlockingIOError:
        return say(f"another run is writing to {options.out}: wait for it, or give another --out", BAD_ARGUMENT)


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    default = Limits()
    parser = argparse.ArgumentParser(
        prog="pe-grade",
        description=__doc__.splitlines()[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("folder", type=Path, help="student/assignment/assignment.ipynb, or see --assignment")
    parser.add_argument("--assignment", metavar="NAME", help="all notebooks are of this one: student.ipynb will do")
    parser.add_argument("--source", type=Path, default=Path("assignments/source"), help="the teacher's notebooks")
    parser.add_argument("--out", type=Path, default=Path("graded"), help="where results go")
    parser.add_argument("--hidden", type=Path, metavar="DIR", help="your own tests: DIR/assignment/grade_id.py")
    commands.add_roster(parser)
    parser.add_argument("--seed", type=class_seed, default=0, metavar="CLASS", help="the seed of this class's release")
    parser.add_argument("--jobs", type=int, default=processors(), help="processes")
    parser.add_argument("--backend", metavar="ADDRESS", help="grade on a Dask cluster: dask://scheduler:8786")
    parser.add_argument("--call-seconds", type=float, default=default.call_seconds, help="for one call or statement")
    parser.add_argument(
        "--student-seconds", type=float, default=default.student_seconds, help="for all cells, or tests"
    )
    parser.add_argument("--memory-mb", type=int, default=default.memory_mb, help="for one submission")
    parser.add_argument("--again", action="store_true", help="grade also what did not change")
    parser.add_argument("--no-gradebook", action="store_true", help="leave nbgrader's gradebook alone")
    parser.add_argument("--unsafe", action="store_true", help="no sandbox: for your own files only")
    options = parser.parse_args(arguments)
    if options.backend and not options.backend.startswith(SCHEME):
        parser.error(f"--backend must begin with {SCHEME}, got {options.backend}")
    seconds = options.call_seconds
    options.limits = Limits(seconds, seconds, options.student_seconds, options.memory_mb)
    return options


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def load(options: argparse.Namespace) -> dict[str, Assignment]:
    """Read the assignments that may have been handed in."""
    if not options.folder.is_dir():
        raise ValueError(f"there is no folder {options.folder}")
    if options.hidden and not options.hidden.is_dir():
        raise ValueError(f"there is no folder {options.hidden}")
    paths = sources(options)
    if options.assignment and options.assignment not in paths:
        raise ValueError(f"--assignment must be one of {', '.join(paths)}, got {options.assignment}")
    names = [options.assignment] if options.assignment else list(paths)
    return {name: load_assignment(paths[name], options.seed, options.hidden) for name in names}


def sources(options: argparse.Namespace) -> dict[str, Path]:
    """Return the teacher's notebook of each assignment."""
    return {path.stem: path for path in sorted(options.source.glob("*/*.ipynb")) if path.stem == path.parent.name}


def others(assignments: dict[str, Assignment], options: argparse.Namespace) -> dict[str, Assignment]:
    """Read the assignments that are not graded: a notebook of theirs, handed in here, is known by its cells."""
    found = {}
    for name, path in sources(options).items():
        with contextlib.suppress(ValueError, OSError):
            if name not in assignments:
                found[name] = load_assignment(path)
    return found


def test_sandbox(options: argparse.Namespace) -> None:
    """Say what protects the teacher's machine; raise NoSandbox where nothing would."""
    if options.unsafe:
        say(UNSAFE)
        return
    if options.backend:  # each worker tests its own
        return
    sandbox = Sandbox(["numpy"], options.limits)
    try:
        held = check(sandbox)
        held += ["a control group"] if control_group(options.limits) else []
        print("Sandbox:", ", ".join(held))
    finally:
        sandbox.close()


@contextlib.contextmanager
def lock(out: Path) -> Iterator[None]:
    """Keep other runs away from the folder of results; raise BlockingIOError where one is at work there."""
    out.mkdir(parents=True, exist_ok=True)
    with (out / ".lock").open("w") as stream:
        with contextlib.suppress(ModuleNotFoundError):
            import fcntl

            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield


def grade(
    submissions: list[Submission], assignments: dict[str, Assignment], options: argparse.Namespace, queue: Queue
) -> int:
    """Grade what changed, keep each result at once, and write tables and pages also after an interrupt."""
    prints = {s: fingerprint(s, assignments[s.assignment], options.limits, options.unsafe) for s in submissions}
    done = {s: not_graded(assignments[s.assignment], s.problem) for s in submissions if s.withheld}
    old = {s: None if options.again else report.kept(options.out, s, prints[s]) for s in submissions if s not in done}
    todo = [s for s, result in old.items() if result is None]
    print(f"{len(submissions)} submissions, {len(todo)} to grade")
    done |= {s: result for s, result in old.items() if result is not None}
    done = {s: {**result, "called": s.called} for s, result in done.items()}
    for submission, result in done.items():
        with queue.barrier("report", submission.student, submission.assignment):
            report.keep(options.out, submission, prints[submission], result)
    interrupted = False
    try:
        with tqdm(total=len(todo), unit="submission", disable=None) as bar:
            for submission, result in engine(todo, assignments, options):
                with held_back():
                    done[submission] = {**result, "called": submission.called}
                    with queue.barrier("report", submission.student, submission.assignment):
                        report.keep(options.out, submission, prints[submission], done[submission])
                    bar.update()
    except KeyboardInterrupt:
        interrupted = True
        left = sum(s not in done for s in submissions)
        graded = len(todo) - left
        say(f"interrupted: {graded} of {len(todo)} are graded and kept; the same command goes on", INTERRUPTED)
    try:
        with held_back():
            with queue.barrier("report"):
                fresh = [(s.student, done[s]) for s in todo if s in done]
                history.remember(options.out, fresh, datetime.now(UTC).isoformat(timespec="seconds"))
            publish(options, assignments, done, prints, queue)
            code = summarize(options.out, done, queue, len(submissions) - len(done))
    except KeyboardInterrupt:
        return INTERRUPTED
    return INTERRUPTED if interrupted else code


@contextlib.contextmanager
def held_back() -> Iterator[None]:
    """Let an interrupt wait until the block is done; a second one ends the block at once."""
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.default_int_handler:  # interrupts are ignored, or somebody else's
        yield
        return
    asked = []

    def note(*_: object) -> None:
        if asked:
            raise KeyboardInterrupt
        asked.append(True)
        say("interrupted: what is being written is finished first; press Ctrl-C again to leave it")

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if asked:
        raise KeyboardInterrupt


def engine(
    todo: list[Submission], assignments: dict[str, Assignment], options: argparse.Namespace
) -> Iterator[tuple[Submission, dict]]:
    """Grade here, or on a cluster."""
    assignments = {**others(assignments, options), **assignments} if todo else assignments
    if options.backend and todo:
        return grade_on(options.backend, todo, assignments, options.limits, options.unsafe)
    return grade_all(todo, assignments, options.limits, options.jobs, options.unsafe)


def publish(
    options: argparse.Namespace,
    assignments: dict[str, Assignment],
    done: dict[Submission, dict],
    prints: dict[Submission, str],
    queue: Queue,
) -> None:
    """Write the gradebook, the students' pages and the tables, of this run and of the runs before it."""
    out = options.out
    results = report.all_kept(out)
    results |= {(s.student, s.assignment): result for s, result in done.items()}
    current = {(s.student, s.assignment) for s in prints}
    if options.people:
        call_the_roll(options.people, results, queue)
    marks = {}
    if not options.no_gradebook:
        with queue.barrier("gradebook"):
            marks = hand_on(out, assignments, done, prints, list(results), queue)
    graded: list[Graded] = []
    for (student, assignment), result in sorted(results.items()):
        one = undecided(student, assignment)
        with queue.barrier("report", student, assignment):
            for stage, what in result["review"]:
                queue.add(student, assignment, stage, what)
            one = rows_of(student, result, marks.get((student, assignment), {}))
            if one.state == "mark again":
                queue.add(student, assignment, "mark", "an answer changed after it was marked; the old mark stands")
        graded.append(one)
    for name in assignments:
        earlier = [student for student, assignment in results if assignment == name and (student, name) not in current]
        if earlier:
            queue.add("", name, "collect", f"{len(earlier)} of earlier runs, not handed in now: {', '.join(earlier)}")
    with queue.barrier("report"):
        owners, _ = match(
            {student: result.get("called", student) for (student, _), result in results.items()}, options.people
        )
        report.keep_for_pages(out, assignments, {student: person.shown for student, person in owners.items()})
    visible, called = report.for_pages(out)
    for one in graded:
        if (one.student, one.assignment) in current:
            with queue.barrier("page", one.student, one.assignment):
                report.write_page(out, one, visible.get(one.assignment, {}), called.get(one.student, ""))
    for submission in prints:
        with queue.barrier("page", submission.student, submission.assignment):
            keep_stamps(out, submission)
    for write in (report.write_results, report.write_grades):
        with queue.barrier("report"):
            write(out, graded)
    with queue.barrier("report"):
        report.write_review(out, queue.items)


def keep_stamps(out: Path, submission: Submission) -> None:
    """Copy what nbgrader's exchange wrote beside a notebook: it returns no page without it."""
    for name in STAMPS:
        stamp = submission.path.with_name(name)
        if stamp.is_file() and not stamp.is_symlink():
            page = report.page_of(out, submission.student, submission.assignment)
            report.write(page.with_name(name), read_bytes(stamp))


def call_the_roll(people: list[Person], results: dict[tuple[str, str], dict], queue: Queue) -> None:
    """Say who of the class handed in nothing or under two names, and whose name is not in the roster."""
    for name in sorted({assignment for _, assignment in results}):
        called = {
            s: result.get("called", s) for (s, assignment), result in sorted(results.items()) if assignment == name
        }
        owners, strangers = match(called, people)
        there = {person.key for person in owners.values()}
        missing = [person for person in people if person.key not in there]
        if missing:
            names = [person.name or person.key for person in missing[:NAMED]]
            others = [f"{len(missing) - NAMED} others (see review.csv)"] if len(missing) > NAMED else []
            print(f"{name}: nothing from {'; '.join(names + others)}")
        for person in missing:
            queue.add(person.name or person.key, name, "collect", f"handed in nothing (in the roster: {person.key})")
        of_person: dict[str, list[str]] = defaultdict(list)
        for student, person in owners.items():
            of_person[person.key].append(student)
        for several in of_person.values():
            if len(several) > 1:
                queue.add(several[0], name, "collect", f"{' and '.join(several)} are one person: leave one of them")
        for student in strangers:
            queue.add(student, name, "collect", "is nobody in the roster, or fits two people")


def hand_on(
    out: Path,
    assignments: dict[str, Assignment],
    done: dict[Submission, dict],
    prints: dict[Submission, str],
    known: list[tuple[str, str]],
    queue: Queue,
) -> dict:
    """Write new results into nbgrader's gradebook, where it is installed; return the marks given by hand."""
    try:
        from pe_grading import gradebook
    except ModuleNotFoundError as error:
        say(f"{error.name} is not installed: no gradebook is written, the tables and pages are")
        return {}
    course = out / "nbgrader"
    with queue.barrier("gradebook"):
        gradebook.record(course, assignments, [(s, result, prints[s]) for s, result in done.items()], queue)
    return gradebook.marks(course, known)


def summarize(out: Path, done: dict[Submission, dict], queue: Queue, left: int = 0) -> int:
    """Print what came out, how many are not graded and what is to be looked at; return the exit status.

    `left` is how many an interrupt left for the next run.
    """
    missing = sum(result["state"] == "not graded" for result in done.values())
    unwritten = [item for item in queue.items if item.stage in ("gradebook", "report", "page")]
    seeds = sum("is --seed right?" in item.what for item in queue.items)
    if seeds > len(done) / 2:
        say(
            f"{seeds} of {len(done)} notebooks were made with another seed than they were graded with: "
            "is --seed right? " + LOST.format(file=SALTS)
        )
    for item in unwritten[:10]:
        say(_line(item))
    print(f"{out / 'grades.csv'}, results.csv, review.csv, tables/ and feedback/ are written")
    reviews = f"{len(queue.items)} things to look at in {out / 'review.csv'}" if queue.items else "nothing to look at"
    waiting = f", {left} left for the next run" if left else ""
    print(f"{len(done) - missing} graded, {missing} not graded{waiting}, {reviews}")
    if missing:
        return NOT_GRADED
    return NOT_WRITTEN if unwritten else 0


def _line(item: Item) -> str:
    return f"{item.stage}: {item.student or 'all students'} {item.assignment}: {item.what}"


def say(what: str, code: int = 0) -> int:
    """Tell the teacher, on the side, and return the exit status."""
    print(f"pe-grade: {what}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
