"""Grade one submission: the tests run here, the student's functions in a sandbox.

The source of a test cell is the same as in the notebook. Each name of a student's function stands here for a call into
the sandbox that carries plain data; nothing the student's code does there can reach the tests. What students see is
tested first. Then each cell with hidden tests gets a process of its own, and of what happens there a student learns
whether it passed, the fixed words of the teacher's hint, and nothing else.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import io
import itertools
import random
import signal
import sys
import traceback
import types

import numpy as np

from pe_grading.cell_markup import SEED_LINE, same, with_seed
from pe_grading.essays import find_written
from pe_grading.notebook import Assignment, Cell, Test, code_of
from pe_grading.protocol import Deadline
from pe_grading.sandbox import Broken, Sandbox
from pe_grading.student import Step, Student, StudentRaised, Unanswered, proxy
from pe_grading.text import sentence
from pe_grading.worker import ASSIGNMENTS, DEFINITIONS

TOO_LONG = "the test took too long with what your functions returned"
UNUSABLE = "the test could not use what your functions returned"


class OutOfTime(BaseException):
    """The time for a test is used up."""


def unreadable(assignment: Assignment, problem: str) -> dict:
    """Return the result of a submission in which nothing can be read: no marks until a person has decided."""
    result = {**_outline(assignment, "not graded", problem), "unreadable": True}
    result["review"] = [["read", f"not graded: {sentence(problem)}"]]
    return result


def not_graded(assignment: Assignment, problem: str) -> dict:
    """Return the result of a submission that the grader or the machine failed on: no marks at all, and the reason."""
    result = _outline(assignment, "not graded", problem)
    result["review"] = [["run", f"not graded: {sentence(problem)}"]]
    return result


def _outline(assignment: Assignment, state: str, problem: str = "") -> dict:
    """Return a result without marks; `state` is "graded" or "not graded"."""
    most = sum(test.points for test in assignment.tests) + sum(cell.points for cell in assignment.written)
    result = {"assignment": assignment.name, "state": state, "max": most, "problem": sentence(problem)}
    return {**result, "notes": [], "tests": [], "written": [], "review": []}


def grade(
    assignment: Assignment, cells: list[Cell], sandbox: Sandbox, base: dict, written_with: tuple[int, ...] = ()
) -> dict:
    """Return the result of one submission as plain data.

    Code that this Python cannot read gets no marks, and is not graded where a newer one wrote it.

    Args:
        assignment: What is asked.
        cells: What was handed in.
        sandbox: Where it runs.
        base: The names that the tests may use.
        written_with: The Python that the notebook says it was written with.

    Raises:
        Broken: The sandbox or the machine failed; nothing can be said about the submission.
    """
    written, unmatched = find_written(assignment, cells)
    student = Student(sandbox, plan(assignment, cells), assignment.seed, assignment.functions)
    space = {**base, **{name: proxy(student, name) for name in assignment.functions}}
    results = {}
    before = {}
    try:
        for test in assignment.tests:
            before[test.grade_id] = dict(space)
            if test.has_visible:
                student.prepare()
                results[test.grade_id] = run_test(test, test.shown, space, student.deadline)
        for test in assignment.tests:
            so_far = results.get(test.grade_id, {"passed": True})
            if test.has_hidden and (so_far["passed"] or test.weights):
                student.restart()
                student.prepare()
                space = before[test.grade_id]
                results[test.grade_id] = run_test(test, test.source, space, student.deadline, with_hidden=True)
    finally:
        student.close()
    if student.not_python and written_with > sys.version_info[:2]:
        theirs = ".".join(map(str, written_with))
        return unreadable(assignment, f"written with Python {theirs}, graded with an older one: {student.not_python}")
    result = _outline(assignment, "graded")
    result["notes"] = student.notes
    result["tests"] = [results.get(test.grade_id) or _result(test, "", passed=True) for test in assignment.tests]
    result["written"] = [answer.summary() for answer in written]
    result["review"] = [["read", what] for what in (*seeds_that_differ(assignment, cells), *unmatched.summary())]
    return result


def plan(assignment: Assignment, cells: list[Cell]) -> list[Step]:
    """Return what to run of a submission: the given cells it lost, then its own, with the answers each one holds."""
    shown = [test.visible for test in assignment.tests]
    lost = [source for source in assignment.given if not any(same(source, cell.source) for cell in cells)]
    steps = [Step(source, name="a cell of the course") for source in lost]
    tests = {test.grade_id for test in assignment.tests}
    for number, cell in enumerate(cells, 1):
        wanted = assignment.answers.get(cell.grade_id, [])
        source = code_of(cell)
        defines = [name for name in assignment.functions if f"def {name}(" in source]
        is_test = cell.grade_id in tests and not defines
        untouched = any(same(source, stub) for stub in assignment.stubs.values())
        if is_test or untouched or any(same(source, test) for test in shown):
            continue
        if cell.kind == "code" or defines:
            source = with_seed(source, assignment.seed)
            steps.append(Step(source, wanted, sorted({*wanted, *defines}), f"cell {number}"))
    return steps


def seeds_that_differ(assignment: Assignment, cells: list[Cell]) -> list[str]:
    """Return a sentence where a notebook was made for a class with another seed than it is graded with."""
    if not any(SEED_LINE.search(source) for source in assignment.given):
        return []
    found = [match for cell in cells if cell.kind == "code" and (match := SEED_LINE.search(cell.source))]
    if not found or found[0][0].split("=")[1].strip() == str(assignment.seed):
        return []
    return [f"the notebook says {found[0][0][:40]}, it was graded with {assignment.seed} (is --seed right?)"]


def run_test(test: Test, source: str, space: dict, deadline: Deadline, with_hidden: bool = False) -> dict:
    """Run a test cell, or the part of it that students see, and return its result."""
    random.seed(test.grade_id)
    seed = int(hashlib.sha256(test.grade_id.encode()).hexdigest()[:8], 16)
    np.random.seed(seed)
    if "torch" in sys.modules:
        sys.modules["torch"].default_generator.manual_seed(seed)
    first = None
    earned = 0.0
    for code, weight in _pieces(test, source):
        wrong = _try(test, code, space, deadline, with_hidden)
        first = first or wrong
        if wrong and not weight:
            break
        earned += 0 if wrong else weight
    if first:
        return _result(test, *first, points=earned)
    return _result(test, "", passed=True)


@functools.lru_cache(maxsize=1000)  # every submission is tested by the same
def _pieces(test: Test, source: str) -> list[tuple[types.CodeType, float]]:
    """Return what runs together, with its points: asserts that have points of their own alone, the rest between them.

    What has no points must not fail: it ends the test. A test without such asserts is one piece.
    """
    body = ast.parse(source).body
    alone = itertools.groupby(body, key=lambda node: node.lineno if node.lineno in test.weights else 0)
    return [
        (compile(ast.Module(list(statements), []), _file(test), "exec"), test.weights.get(line, 0.0))
        for line, statements in alone
    ]


def _try(
    test: Test, code: types.CodeType, space: dict, deadline: Deadline, with_hidden: bool
) -> tuple[str, str, bool] | None:
    """Run a part of a test; return what to say of its error, the hint, and whether it is a hidden one's, or None."""
    try:
        with contextlib.redirect_stdout(io.StringIO()), alarm(deadline):
            exec(code, space)
    except Broken:
        raise
    except BaseException as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == _file(test)]
        line = lines[-1] if lines else test.hidden_from
        hidden = with_hidden and line >= test.hidden_from
        said, hint = _of_hidden(error, test, line) if hidden else _of_visible(error, test)
        return said, hint, hidden
    return None


def _of_visible(error: BaseException, test: Test) -> tuple[str, str]:
    """Return what to say of an error in a test that students see, and the teacher's hint if the error is one."""
    if isinstance(error, OutOfTime):
        return TOO_LONG, ""
    if isinstance(error, StudentRaised):
        return str(error), ""
    if isinstance(error, AssertionError) and _is_hint(error, test):
        return "", str(error)
    prefix = "" if isinstance(error, AssertionError) else f"{UNUSABLE}: "
    return f"{prefix}{type(error).__name__}: {error}", ""


def _of_hidden(error: BaseException, test: Test, line: int) -> tuple[str, str]:
    """Return the same of a hidden test, in words that no student's code can choose."""
    if isinstance(error, OutOfTime):
        return TOO_LONG, ""
    if isinstance(error, Unanswered):
        return str(error), ""
    if isinstance(error, StudentRaised):
        return f"{error.function}(…) raised an error", ""
    if isinstance(error, AssertionError):
        return "", _fixed_words(test, line, str(error))
    return UNUSABLE, ""


@contextlib.contextmanager
def alarm(deadline: Deadline):
    """Raise OutOfTime in this process when the deadline is over, where the system can."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def ring(*_):
        if deadline.left() < -1:  # a call of the student's has ended by itself before that
            raise OutOfTime

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, max(deadline.left(), 0) + 1.5, 0.5)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def trusted_names(assignment: Assignment) -> dict:
    """Run the definitions of the given cells here, once: the names that tests may use besides the answers."""
    space: dict = {"__name__": "tests", "np": np, "SEED": assignment.seed}
    if any(module.split(".")[0] == "torch" for module in assignment.modules):
        import torch

        torch.set_num_threads(1)
        space["torch"] = torch
    for source in assignment.given:
        for statement in ast.parse(source).body:
            if isinstance(statement, (*DEFINITIONS, *ASSIGNMENTS)):
                with contextlib.suppress(Exception, SystemExit):
                    exec(compile(ast.Module([statement], []), "given", "exec"), space)
    return space


def _file(test: Test) -> str:
    return f"<{test.grade_id}>"


def _is_hint(error: AssertionError, test: Test) -> bool:
    """Tell whether the message was written as a hint: by an assert of the test cell or by a check's `CheckFailed`."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return bool(str(error)) and (last.filename == _file(test) or type(error).__name__ == "CheckFailed")


def _fixed_words(test: Test, line: int, message: str) -> str:
    """Return the message of the assert, or of the raised AssertionError, at a line, without the values it shows."""
    nodes = list(ast.walk(ast.parse(test.source)))
    if any(isinstance(node, ast.Constant) and node.value == message for node in nodes):
        return message
    found = [node for node in nodes if isinstance(node, (ast.Assert, ast.Raise))]
    found = [node for node in found if node.lineno <= line <= node.end_lineno]
    if not found:
        return ""
    node = max(found, key=lambda node: node.lineno)
    message = node.msg if isinstance(node, ast.Assert) else next(iter(getattr(node.exc, "args", [])), None)
    parts = message.values if isinstance(message, ast.JoinedStr) else [message]
    words = [str(part.value) if isinstance(part, ast.Constant) else "…" for part in parts]
    return "" if words == ["…"] else "".join(words)


def _result(
    test: Test, said: str, hint: str = "", hidden: bool = False, passed: bool = False, points: float = 0
) -> dict:
    points = test.points if passed else points
    result = {"grade_id": test.grade_id, "points": points, "max": test.points, "passed": passed}
    return {**result, "said": sentence(said), "hint": sentence(hint, 1500), "hidden": hidden}
