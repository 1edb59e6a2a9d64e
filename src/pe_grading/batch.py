"""Grade a folder: find the submissions, share them among processes, keep each result as soon as it is there."""

from __future__ import annotations

import contextlib
import hashlib
import json
import multiprocessing
import os
import re
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path

from pe_grading import confine
from pe_grading.notebook import Assignment, parse_submission, read_bytes
from pe_grading.run import failed, grade, trusted_names
from pe_grading.sandbox import Limits, NoSandbox, Sandbox

FORMAT = 1  # of a stored result: raise it when old results no longer hold
TRUSTED_MEMORY = 4 << 30  # bytes that one grading process may take beyond what it begins with
TORCH = re.compile(rb"(?:import|from)\s+torch\b")


@dataclass(frozen=True)
class Submission:
    """One notebook that was handed in."""

    student: str
    assignment: str
    path: Path


def find_submissions(folder: Path, names: list[str], only: str | None = None) -> list[Submission]:
    """Find what was handed in.

    Three layouts are known: nbgrader's `student/assignment/assignment.ipynb`, `student/assignment.ipynb`, and, when
    `only` names the assignment, `student.ipynb` or one notebook of any name in the student's folder.
    """
    found = []
    for entry in sorted(folder.iterdir()):
        if entry.name.startswith("."):
            continue
        if not entry.is_dir():
            if only and entry.suffix == ".ipynb":
                found.append(Submission(entry.stem, only, entry))
            continue
        for name in [only] if only else names:
            inner = entry / name
            choices = [inner / f"{name}.ipynb", *sorted(inner.glob("*.ipynb")), entry / f"{name}.ipynb"]
            choices += sorted(entry.glob("*.ipynb")) if only else []
            path = next((path for path in choices if os.path.lexists(path)), inner / f"{name}.ipynb")
            if os.path.lexists(path) or inner.is_dir() or only:
                found.append(Submission(entry.name, name, path))
    return found


def fingerprint(submission: Submission, assignment: Assignment, limits: Limits) -> str:
    """Return what a stored result is good for: this file, these tests, these limits."""
    try:
        data = read_bytes(submission.path)
    except ValueError as error:
        data = str(error).encode()
    known = [FORMAT, assignment.digest, asdict(limits), hashlib.sha256(data).hexdigest()]
    return hashlib.sha256(json.dumps(known).encode()).hexdigest()


def grade_all(
    submissions: list[Submission], assignments: dict[str, Assignment], limits: Limits, jobs: int, unsafe: bool = False
) -> Iterator[tuple[Submission, dict]]:
    """Yield each submission with its result, in the order in which they are done; the batch always ends.

    Raises:
        NoSandbox: Students' code cannot be run safely here.
    """
    waiting = list(reversed(submissions))
    busy: dict[Connection, tuple] = {}  # connection -> (process, submission or None, deadline)
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")

    def hire() -> None:
        ours, theirs = context.Pipe()
        process = context.Process(target=_work, args=(theirs, assignments, limits, unsafe), daemon=True)
        process.start()
        theirs.close()
        busy[ours] = (process, None, 0.0)
        give(ours)

    def give(connection: Connection) -> None:
        process = busy[connection][0]
        if not waiting:
            dismiss(connection)
            return
        submission = waiting.pop()
        with contextlib.suppress(OSError):
            connection.send_bytes(json.dumps([submission.assignment, str(submission.path)]).encode())
        busy[connection] = (process, submission, time.monotonic() + limits.student_seconds + 90)

    def dismiss(connection: Connection) -> None:
        process, _, _ = busy.pop(connection)
        process.kill()
        process.join()
        connection.close()

    try:
        for _ in range(min(jobs, len(waiting))):
            hire()
        while busy:
            for connection in wait(list(busy), timeout=1):
                submission = busy[connection][1]
                try:
                    result = json.loads(connection.recv_bytes())
                except (EOFError, OSError):
                    result = failed(assignments[submission.assignment], "the grading process itself was ended")
                    dismiss(connection)
                    hire()
                else:
                    if "fatal" in result:
                        raise NoSandbox(result["fatal"])
                    give(connection)
                yield submission, result
            for connection, (_, submission, deadline) in list(busy.items()):
                if time.monotonic() > deadline:
                    dismiss(connection)
                    hire()
                    yield submission, failed(assignments[submission.assignment], "grading this took far too long")
    finally:
        for connection in list(busy):
            dismiss(connection)


def _work(connection: Connection, assignments: dict[str, Assignment], limits: Limits, unsafe: bool) -> None:
    """Be one of the grading processes: grade what comes until nothing does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        confine.die_with_parent()
    sandboxes: dict[tuple, Sandbox] = {}
    names: dict[str, dict] = {}
    while True:
        try:
            name, path = json.loads(connection.recv_bytes())
        except (EOFError, OSError):
            return
        assignment = assignments[name]
        try:
            try:
                data = read_bytes(Path(path))
                cells = parse_submission(data)
            except ValueError as error:
                result = failed(assignment, str(error))
            else:
                modules = (*assignment.modules, *(["torch"] if TORCH.search(data) else []))
                if modules not in sandboxes:
                    sandboxes[modules] = Sandbox(list(modules), limits, unsafe)
                if name not in names:
                    names[name] = trusted_names(assignment)
                    _limit_memory()
                result = grade(assignment, cells, sandboxes[modules], names[name])
        except NoSandbox as error:
            result = {"fatal": str(error)}
        connection.send_bytes(json.dumps(result).encode())


def _limit_memory() -> None:
    """Let a test that a student's data blows up end with MemoryError, not with the machine."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[0])
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + TRUSTED_MEMORY, hard))
