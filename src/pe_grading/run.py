"""Grade one submission: the tests run here, the student's functions in a sandbox.

The source of a test cell is the same as in the notebook. Each name of a student's function stands here for a call into
the sandbox that carries plain data; nothing the student's code does there can reach the tests.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import io
import random
import signal
import sys
import time
import traceback

import numpy as np

from pe_grading.marks import same, with_seed
from pe_grading.notebook import Assignment, Cell, Test, code_of
from pe_grading.sandbox import Sandbox
from pe_grading.student import Student, StudentRaised, Unanswered, proxy
from pe_grading.worker import DEFINITIONS


class OutOfTime(BaseException):
    """A student's time is used up."""


def failed(assignment: Assignment, problem: str) -> dict:
    """Return the result of a submission that could not be graded."""
    tests = [_result(test, "") for test in assignment.tests]
    return {"assignment": assignment.name, "problem": problem, "notes": [], "tests": tests}


def grade(assignment: Assignment, cells: list[Cell], sandbox: Sandbox, base: dict) -> dict:
    """Return the result of one submission as plain data; `base` holds the names that the tests may use."""
    result = {"assignment": assignment.name, "problem": "", "notes": [], "tests": []}
    student = Student(sandbox, plan(assignment, cells), assignment.seed)
    space = {**base, **{name: proxy(student, name) for name in assignment.functions}}
    try:
        for test in assignment.tests:
            student.dead = "" if time.monotonic() < student.deadline else "no time is left for this test"
            result["tests"].append(run_test(test, space, student.deadline))
        result["notes"] = student.notes[:20]
    finally:
        student.close()
    return result


def plan(assignment: Assignment, cells: list[Cell]) -> list[tuple[str, list[str]]]:
    """Return what to run of a submission: the given cells it lost, then its own, with the answers each one holds."""
    shown = [test.visible for test in assignment.tests]
    lost = [source for source in assignment.given if not any(same(source, cell.source) for cell in cells)]
    steps = [(source, []) for source in lost]
    tests = {test.grade_id for test in assignment.tests}
    for cell in cells:
        wanted = assignment.answers.get(cell.grade_id, [])
        source = code_of(cell)
        defines = any(f"def {name}(" in source for name in assignment.functions)
        is_test = cell.grade_id in tests and not defines
        untouched = any(same(source, stub) for stub in assignment.stubs.values())
        if is_test or untouched or any(same(source, test) for test in shown):
            continue
        if cell.kind == "code" or defines:
            steps.append((with_seed(source, assignment.seed), wanted))
    return steps


def run_test(test: Test, space: dict, deadline: float) -> dict:
    """Run one test cell and return its result."""
    random.seed(test.grade_id)
    seed = int(hashlib.sha256(test.grade_id.encode()).hexdigest()[:8], 16)
    np.random.seed(seed)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(seed)
    try:
        with contextlib.redirect_stdout(io.StringIO()), alarm(deadline - time.monotonic()):
            exec(compile(test.source, f"<{test.grade_id}>", "exec"), space)
        return _result(test, "", passed=True)
    except OutOfTime:
        return _result(test, "the test took too long with what your functions returned")
    except BaseException as error:
        frames = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == f"<{test.grade_id}>"]
        line, hidden = frames[-1] if frames else 1, test.hides(frames[-1] if frames else 1)
        says = str(error)[:1500] if isinstance(error, AssertionError) else ""
        own = says and not isinstance(error, StudentRaised) and _is_teachers(error, test)
        hint = says if own else _hint(test, line)
        kind = "" if isinstance(error, StudentRaised) else f"{type(error).__name__}: "
        said = "" if own or (hidden and not isinstance(error, Unanswered)) else f"{kind}{error}"
        return _result(test, said[:600], hint, hidden)


@contextlib.contextmanager
def alarm(seconds: float):
    """Raise OutOfTime in this process after some seconds, where the system can."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def ring(*_):
        raise OutOfTime

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.5) + 1, 0.5)
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
            if isinstance(statement, DEFINITIONS):
                with contextlib.suppress(Exception, SystemExit):
                    exec(compile(ast.Module([statement], []), "given", "exec"), space)
    return space


def _is_teachers(error: AssertionError, test: Test) -> bool:
    """Tell whether the message was written as a hint: by an assert of the test cell or by `pe_helpers.checks`."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return last.filename == f"<{test.grade_id}>" or type(error).__name__ == "CheckFailed"


def _hint(test: Test, line: int) -> str:
    """Return the fixed words of the message of the assert at or next after a line."""
    asserts = [node for node in ast.walk(ast.parse(test.source)) if isinstance(node, ast.Assert) and node.msg]
    asserts = [n for n in asserts if n.end_lineno >= line and test.hides(n.lineno) == test.hides(line)]
    if not asserts:
        return ""
    message = min(asserts, key=lambda n: n.lineno).msg
    parts = message.values if isinstance(message, ast.JoinedStr) else [message]
    words = [str(part.value) if isinstance(part, ast.Constant) else "…" for part in parts]
    return "" if words == ["…"] else "".join(words)


def _result(test: Test, said: str, hint: str = "", hidden: bool = False, passed: bool = False) -> dict:
    points = test.points if passed else 0
    result = {"grade_id": test.grade_id, "points": points, "max": test.points, "passed": passed}
    return {**result, "said": said, "hint": hint, "hidden": hidden}
