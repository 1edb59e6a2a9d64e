"""Grade a folder of submissions: `python course.py grade DIR` or `pe-grade DIR`.

Results go to --out: grades.csv, results.csv, feedback/ with a page for each student, and a course folder of nbgrader.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from tqdm import tqdm

from pe_grading import report
from pe_grading.batch import Submission, find_submissions, fingerprint, grade_all
from pe_grading.marks import class_seed
from pe_grading.notebook import Assignment, load_assignment
from pe_grading.sandbox import Limits, NoSandbox, Sandbox, check

UNSAFE = "--unsafe: no sandbox. Students' code can read and change whatever you can. Use it for your own files only."


def main(arguments: list[str] | None = None) -> int:
    """Grade, and return 0; 2 for a wrong argument, 3 where no sandbox is possible, 130 after an interrupt."""
    options = parse(arguments)
    try:
        assignments = load(options)
        submissions = find_submissions(options.folder, list(assignments), options.assignment)
    except (ValueError, OSError) as error:
        return say(str(error), 2)
    if not submissions:
        known = ", ".join(assignments)
        return say(f"no submission of {known} in {options.folder} (looked for student/{known}/{known}.ipynb)", 2)
    limits = Limits(options.call_seconds, options.call_seconds, options.student_seconds, options.memory_mb)
    try:
        if options.unsafe:
            say(UNSAFE)
        else:
            sandbox = Sandbox(["numpy"], limits)
            print("Sandbox:", ", ".join(check(sandbox)))
            sandbox.close()
        code = grade(submissions, assignments, limits, options)
    except NoSandbox as error:
        return say(f"{error}. What is not graded yet stays so; --unsafe would grade without protection", 3)
    print(f"{options.out / 'grades.csv'}, results.csv and feedback/ are written")
    return code


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="pe-grade", description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="student/assignment/assignment.ipynb, or see --assignment")
    parser.add_argument("--assignment", metavar="NAME", help="all notebooks are of this one: student.ipynb will do")
    parser.add_argument("--source", type=Path, default=Path("assignments/source"), help="the teacher's notebooks")
    parser.add_argument("--out", type=Path, default=Path("graded"), help="where results go (graded)")
    parser.add_argument("--hidden", type=Path, metavar="DIR", help="your own tests: DIR/assignment/grade_id.py")
    parser.add_argument("--seed", type=class_seed, default=0, metavar="CLASS", help="the seed of this class's release")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (one for each core)")
    parser.add_argument("--call-seconds", type=float, default=10, help="for one call or cell (10)")
    parser.add_argument("--student-seconds", type=float, default=60, help="for one submission (60)")
    parser.add_argument("--memory-mb", type=int, default=1024, help="for one submission (1024)")
    parser.add_argument("--again", action="store_true", help="grade also what did not change")
    parser.add_argument("--no-gradebook", action="store_true", help="leave nbgrader's gradebook alone")
    parser.add_argument("--unsafe", action="store_true", help="no sandbox: for your own files only")
    return parser.parse_args(arguments)


def load(options: argparse.Namespace) -> dict[str, Assignment]:
    """Read the assignments that may have been handed in."""
    if not options.folder.is_dir():
        raise ValueError(f"there is no folder {options.folder}")
    if options.hidden and not options.hidden.is_dir():
        raise ValueError(f"there is no folder {options.hidden}")
    paths = {path.stem: path for path in sorted(options.source.glob("*/*.ipynb")) if path.stem == path.parent.name}
    if options.assignment and options.assignment not in paths:
        raise ValueError(f"--assignment must be one of {', '.join(paths)}, got {options.assignment}")
    names = [options.assignment] if options.assignment else list(paths)
    return {name: load_assignment(paths[name], options.seed, options.hidden) for name in names}


def grade(submissions: list[Submission], assignments: dict[str, Assignment], limits: Limits, options) -> int:
    """Grade what changed, keep each result at once, and write tables and pages also after an interrupt."""
    prints = {s: fingerprint(s, assignments[s.assignment], limits) for s in submissions}
    old = {s: None if options.again else report.kept(options.out, s, prints[s]) for s in submissions}
    todo = [s for s in submissions if old[s] is None]
    done = {s: result for s, result in old.items() if result is not None}
    print(f"{len(submissions)} submissions, {len(todo)} to grade")
    fresh: list[tuple[Submission, dict]] = []
    code = 0
    try:
        with tqdm(total=len(todo), unit="submission", disable=None) as bar:
            for submission, result in grade_all(todo, assignments, limits, max(1, options.jobs), options.unsafe):
                report.keep(options.out, submission, prints[submission], result)
                fresh.append((submission, result))
                bar.update()
    except KeyboardInterrupt:
        code = say(f"interrupted: {len(fresh)} of {len(todo)} are graded and kept; the same command goes on", 130)
    finally:
        done.update(fresh)
        marks = {} if options.no_gradebook else hand_on(options.out, assignments, done, prints)
        report.publish(options.out, list(done.items()), assignments, marks)
    return code


def hand_on(out: Path, assignments: dict[str, Assignment], done: dict, prints: dict) -> dict:
    """Write new results into nbgrader's gradebook, where it is installed; return the marks that it holds."""
    try:
        from pe_grading import gradebook
    except ModuleNotFoundError as error:
        say(f"{error.name} is not installed: no gradebook is written, the tables and pages are")
        return {}
    known = report.handed_on(out)
    fresh = [(s, result) for s, result in done.items() if known.get(f"{s.student}/{s.assignment}") != prints[s]]
    if fresh:
        gradebook.record(out, assignments, fresh)
        known |= {f"{s.student}/{s.assignment}": prints[s] for s, _ in fresh}
        report.write(out / "results" / "in_gradebook.json", json.dumps(known, indent=1))
    return gradebook.marks(out, list(done))


def say(what: str, code: int = 0) -> int:
    """Tell the teacher, on the side, and return the exit status."""
    print(f"pe-grade: {what}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
