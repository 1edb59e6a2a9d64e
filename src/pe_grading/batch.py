"""Grade many submissions: share them among processes, and take the trouble of one for its own alone."""

from __future__ import annotations

import ast
import contextlib
import hashlib
import json
import multiprocessing
import signal
import sys
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path

from pe_grading import confine, settings
from pe_grading.cell_markup import imported
from pe_grading.collect import Submission, other_assignment
from pe_grading.notebook import Assignment, Cell, code_of, parse_submission, python_of, read_bytes
from pe_grading.run import grade, not_graded, trusted_names, unreadable
from pe_grading.sandbox import Broken, Limits, NoSandbox, Sandbox
from pe_grading.worker import parse

FORMAT = 3  # of a stored result
TRUSTED_MEMORY = 4 << 30  # bytes that one grading process may take beyond what it begins with
ATTEMPTS = 3  # at one submission, where the machine fails and not the student
HOPELESS = 12  # failures of the machine in a row: the rest is not tried


def fingerprint(submission: Submission, assignment: Assignment, limits: Limits, unsafe: bool = False) -> str:
    """Return what a stored result is good for: this file, these tests, points and limits, this grader."""
    try:
        data = submission.problem.encode() or read_bytes(submission.path)
    except ValueError as error:
        data = str(error).encode()
    known = [FORMAT, assignment.digest, asdict(limits), unsafe, hashlib.sha256(data).hexdigest()]
    return hashlib.sha256(json.dumps(known).encode()).hexdigest()


def grade_all(
    submissions: list[Submission], assignments: dict[str, Assignment], limits: Limits, jobs: int, unsafe: bool = False
) -> Iterator[tuple[Submission, dict]]:
    """Yield each submission with its result, in the order in which they are done; the batch always ends.

    Where a grading process or its sandbox fails, it is replaced and the submission graded again, at last alone; where
    that fails as well, the result says that it is not graded.
    """
    pool = _Pool(submissions, assignments, limits, unsafe)
    try:
        yield from pool.run(max(1, jobs))
    finally:
        pool.stop()


@dataclass
class _Task:
    """A submission to grade, and how often that was tried."""

    submission: Submission
    attempts: int = 0


@dataclass
class _Worker:
    """One grading process and what it works at."""

    process: multiprocessing.process.BaseProcess
    task: _Task | None = None
    deadline: float = 0.0


class _Pool:
    """The grading processes of one batch."""

    def __init__(self, submissions: list[Submission], assignments: dict[str, Assignment], limits: Limits, unsafe: bool):
        self.assignments = assignments
        self.limits = limits
        self.unsafe = unsafe
        self.waiting = deque(_Task(submission) for submission in submissions)
        self.again: deque[_Task] = deque()
        self.workers: dict[Connection, _Worker] = {}
        self.failures_in_a_row = 0
        self.context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")

    def run(self, jobs: int) -> Iterator[tuple[Submission, dict]]:
        """Yield results until nothing is left to do."""
        while self.waiting or self.again or self.workers:
            self._assign(jobs)
            for connection in wait(list(self.workers), timeout=1):
                task = self.workers[connection].task
                try:
                    result = json.loads(connection.recv_bytes())
                except (EOFError, OSError, ValueError):
                    result = {"broken": "the grading process was ended"}
                if "broken" in result:
                    self._stop(connection)
                    yield from self._failed(task, result["broken"])
                    continue
                self.workers[connection].task = None
                self.failures_in_a_row = 0
                yield task.submission, result
            for connection, worker in list(self.workers.items()):
                if worker.task and time.monotonic() > worker.deadline:
                    self._stop(connection)
                    yield from self._failed(worker.task, "grading this took far too long")

    def stop(self) -> None:
        """End all grading processes."""
        for connection in list(self.workers):
            self._stop(connection)

    def _assign(self, jobs: int) -> None:
        """Give every free process something to do; what failed before is tried when all else is done, alone."""
        for connection, worker in list(self.workers.items()):
            if worker.task is None and not self._give(connection):
                self._stop(connection)
        while len(self.workers) < jobs and (self.waiting or (self.again and not self.workers)):
            ours, theirs = self.context.Pipe()
            arguments = (theirs, self.assignments, self.limits, self.unsafe)
            process = self.context.Process(target=_work, args=arguments, daemon=True)
            process.start()
            theirs.close()
            self.workers[ours] = _Worker(process)
            self._give(ours)

    def _give(self, connection: Connection) -> bool:
        """Give a process the next submission; return whether there is one."""
        alone = not any(worker.task for worker in self.workers.values())
        if self.waiting:
            task = self.waiting.popleft()
        elif self.again and alone:
            task = self.again.popleft()
        else:
            return False
        task.attempts += 1
        worker = self.workers[connection]
        worker.task = task
        worker.deadline = time.monotonic() + self._seconds(task)
        message = [task.submission.assignment, str(task.submission.path), task.submission.problem]
        with contextlib.suppress(OSError):  # a process that is gone is noticed where its answer is awaited
            connection.send_bytes(json.dumps(message).encode())
        return True

    def _seconds(self, task: _Task) -> float:
        """Return how long a submission may take at most, with all its tests, on a busy machine."""
        hidden = sum(test.has_hidden for test in self.assignments[task.submission.assignment].tests)
        return 90 + (5 + 2 * hidden) * self.limits.student_seconds * 2

    def _failed(self, task: _Task, why: str) -> Iterator[tuple[Submission, dict]]:
        """Try a submission again later, or say that it is not graded."""
        self.failures_in_a_row += 1
        if self.failures_in_a_row >= HOPELESS:
            why = f"grading was given up after {HOPELESS} failures in a row: {why}"
            hopeless = [task, *self.waiting, *self.again]
            self.waiting.clear()
            self.again.clear()
        elif task.attempts >= ATTEMPTS:
            hopeless = [task]
        else:
            hopeless = []
            self.again.append(task)
        for task in hopeless:
            yield task.submission, not_graded(self.assignments[task.submission.assignment], why)

    def _stop(self, connection: Connection) -> None:
        worker = self.workers.pop(connection)
        worker.process.kill()
        worker.process.join()
        connection.close()


def _work(connection: Connection, assignments: dict[str, Assignment], limits: Limits, unsafe: bool) -> None:
    """Be one of the grading processes: grade what comes until nothing does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        confine.die_with_parent()
    sandboxes: dict[tuple, Sandbox] = {}
    names: dict[str, dict] = {}
    while True:
        try:
            name, path, problem = json.loads(connection.recv_bytes())
        except (EOFError, OSError):
            return
        assignment = assignments[name]
        try:
            result = _grade_one(assignment, assignments, Path(path), problem, sandboxes, names, limits, unsafe)
        except (Exception, Broken) as error:
            kind = "" if isinstance(error, (Broken, NoSandbox)) else f"{type(error).__name__}: "
            result = {"broken": f"{kind}{error}"}
        connection.send_bytes(json.dumps(result).encode())


def _grade_one(
    assignment: Assignment,
    assignments: dict[str, Assignment],
    path: Path,
    problem: str,
    sandboxes: dict[tuple, Sandbox],
    names: dict[str, dict],
    limits: Limits,
    unsafe: bool,
) -> dict:
    """Read and grade one submission; keep sandboxes and the tests' names for the next."""
    try:
        if problem:
            raise ValueError(problem)
        data = read_bytes(path)
        cells = parse_submission(data)
        if other := other_assignment(cells, assignment, assignments):
            raise ValueError(f"this is the notebook of {other}, handed in as {assignment.name}")
    except ValueError as error:
        return unreadable(assignment, str(error))
    modules = tuple(sorted({*assignment.modules, *libraries_of(cells)}))
    if modules not in sandboxes:
        sandboxes[modules] = Sandbox(list(modules), limits, unsafe)
    if assignment.name not in names:
        names[assignment.name] = trusted_names(assignment)
        _limit_memory()
    start = time.monotonic()
    result = grade(assignment, cells, sandboxes[modules], names[assignment.name], python_of(data))
    return {**result, "seconds": round(time.monotonic() - start, 1)}


def libraries_of(cells: list[Cell]) -> set[str]:
    """Return which of the slow libraries a student's code imports, however it says so."""
    slow = settings.current().warm_up
    names = set()
    for cell in cells:
        if not any(library in cell.source for library in slow):
            continue
        with contextlib.suppress(SyntaxError, ValueError, MemoryError, RecursionError):
            names |= imported(ast.Module(parse(code_of(cell)), []))
    libraries = {name.split(".")[0] for name in names}
    return {module for library, module in slow.items() if library in libraries}


def _limit_memory() -> None:
    """Let a test that a student's data blows up end with MemoryError, not with the machine."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[0])
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + TRUSTED_MEMORY, hard))
