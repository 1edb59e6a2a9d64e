"""Try the tests on the solution and on recorded wrong answers: `python3 course.py grade tests`.

Wrong answers lie in `wrong/<assignment>.py`: a function `name__what_is_wrong` stands for the answer `name`, and its
docstring is a part of the hint that its author must be shown.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import json
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from pe_grading import commands
from pe_grading.classes import class_seed
from pe_grading.notebook import Assignment, load_assignment
from pe_grading.report import write
from pe_grading.run import grade, plan, run_test, trusted_names
from pe_grading.sandbox import Broken, NoSandbox, Sandbox
from pe_grading.student import Student, proxy

CHECKED = "checked.json"  # in the folder of results: the tests that the solution passed
FOUND = 1  # the exit status where a test is wrong or a wrong answer passes


@dataclass(frozen=True)
class Wrong:
    """A recorded wrong answer: the function it stands for, what it is called, its code, and the hint for its author."""

    function: str
    name: str
    source: str
    hint: str


def main(arguments: list[str]) -> int:
    """Print what was found; return 0, 1 where a test is wrong or a wrong answer passes, or 2 for a wrong argument."""
    parser = commands.parser_for("tests", __doc__)
    parser.add_argument("--source", type=Path, default=Path("assignments/source"), help="the teacher's notebooks")
    parser.add_argument("--wrong", type=Path, default=Path("assignments/wrong"), help="recorded wrong answers")
    parser.add_argument("--hidden", type=Path, metavar="DIR", help="your own tests: DIR/assignment/grade_id.py")
    parser.add_argument("--seed", type=class_seed, default=0, metavar="CLASS", help="the seed of this class's release")
    parser.add_argument("--assignment", metavar="NAME", help="only this one")
    options = parser.parse_args(arguments)
    paths = sorted(path for path in options.source.glob("*/*.ipynb") if path.stem == path.parent.name)
    paths = [path for path in paths if options.assignment in (None, path.stem)]
    try:
        if not paths:
            raise ValueError(f"--source must hold NAME/NAME.ipynb, got {options.source}")
        found = False
        for path in paths:
            assignment = load_assignment(path, options.seed, options.hidden)
            with contextlib.closing(Sandbox(assignment.modules)) as sandbox:
                found |= _report(assignment, sandbox, options.wrong / f"{path.stem}.py")
    except (ValueError, OSError, NoSandbox) as error:
        print(f"pe-grade tests: {error}", file=sys.stderr)
        return commands.BAD_ARGUMENT
    return FOUND if found else 0


def _report(assignment: Assignment, sandbox: Sandbox, path: Path) -> bool:
    """Print how an assignment's tests do; tell whether something is wrong with them."""
    problems = against_solution(assignment, sandbox)
    for problem in problems:
        print(problem)
    if problems:
        return True
    print(f"{assignment.name}: the solution passes all {len(assignment.tests)} tests")
    if not path.exists():
        print(f"{assignment.name}: no wrong answers are recorded in {path}")
        return False
    catches = dict.fromkeys((test.grade_id for test in assignment.tests), 0)
    names = trusted_names(assignment)
    escaped = []
    recorded = wrong_answers(path)
    for wrong in recorded:
        result = grade(assignment, with_answer(assignment, wrong), sandbox, names)
        failed = [test for test in result["tests"] if not test["passed"]]
        for test in failed:
            catches[test["grade_id"]] += 1
        if not failed:
            escaped.append(f"{wrong.name} passes every test")
        elif not any(wrong.hint in test["hint"] + test["said"] for test in failed):
            escaped.append(f"{wrong.name} loses points, but its author is not told: {wrong.hint}")
    for what in escaped:
        print(f"{assignment.name}: {what}")
    for grade_id, count in catches.items():
        print(f"{assignment.name}: {grade_id} catches {count} of {len(recorded)} wrong answers")
    return bool(escaped)


def wrong_answers(path: Path) -> list[Wrong]:
    """Return the wrong answers that a file records."""
    code = path.read_text(encoding="utf-8")
    found = []
    for node in ast.parse(code).body:
        if isinstance(node, ast.FunctionDef) and "__" in node.name:
            function = node.name.partition("__")[0]
            source = f"{code}\n\ndef {function}(*arguments):\n    return {node.name}(*arguments)\n"
            found.append(Wrong(function, node.name, source, ast.get_docstring(node) or ""))
    return found


def with_answer(assignment: Assignment, wrong: Wrong) -> list:
    """Return the solved notebook's cells, with a wrong answer in the place of its function."""
    return [
        replace(cell, source=wrong.source) if wrong.function in assignment.answers.get(cell.grade_id, []) else cell
        for cell in assignment.cells
    ]


def against_solution(assignment: Assignment, sandbox: Sandbox) -> list[str]:
    """Run every test, hidden parts too, against the teacher's own solution; return a sentence on each that fails."""
    student = Student(sandbox, plan(assignment, assignment.cells), assignment.seed, assignment.functions)
    space = {**trusted_names(assignment), **{name: proxy(student, name) for name in assignment.functions}}
    found = []
    try:
        for test in assignment.tests:
            student.restart()
            student.prepare()
            result = run_test(test, test.source, space, student.deadline)
            if not result["passed"]:
                why = " ".join(filter(None, [result["said"], result["hint"]]))
                found.append(f"{assignment.name}: the solution itself does not pass {test.grade_id}: {why}")
    finally:
        student.close()
    return found


def check_before_grading(assignments: Iterable[Assignment], options: argparse.Namespace) -> None:
    """Let each assignment's solution pass its tests once before a class is marked by them.

    The solution is the teacher's own file: where no sandbox is wanted or needed here, it runs without one.

    Raises:
        NoSandbox: The machine failed.
        ValueError: A test does not hold for the solution; nobody should lose points by it.
    """
    path = options.out / CHECKED
    checked: dict[str, str] = {}
    with contextlib.suppress(OSError, ValueError):
        checked = json.loads(path.read_text(encoding="utf-8"))
    problems = []
    for assignment in assignments:
        mark = f"{assignment.digest} {json.dumps(asdict(options.limits))}"
        if checked.get(assignment.name) == mark:
            continue
        unsafe = bool(options.unsafe or options.backend)
        try:
            with contextlib.closing(Sandbox(assignment.modules, options.limits, unsafe)) as sandbox:
                found = against_solution(assignment, sandbox)
        except Broken as error:
            raise NoSandbox(f"the solution of {assignment.name} could not be run: {error}") from None
        problems += found
        if not found:
            checked[assignment.name] = mark
    write(path, json.dumps(checked, indent=1))
    if problems:
        raise ValueError(f"{'; '.join(problems)}. Nobody was graded: correct the test or the solution first")
