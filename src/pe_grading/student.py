"""A student's process as the tests see it: functions that can be called with plain data, and nothing else."""

from __future__ import annotations

import builtins
import time
from collections.abc import Callable

from pe_grading.protocol import ProtocolError
from pe_grading.sandbox import Sandbox

CALLS_BACK = 20_000  # of one student


class StudentRaised(Exception):
    """A student's function ended with an error."""


class Unanswered(StudentRaised):
    """A student's function gave no answer, for a reason that the grader itself words."""


class Student:
    """A student's process as the tests see it: made when needed, made anew after it died.

    Args:
        cells: (source, functions to keep) in the order in which they run.
    """

    def __init__(self, sandbox: Sandbox, cells: list[tuple[str, list[str]]], seed: int):
        self.sandbox, self.limits, self.cells, self.seed = sandbox, sandbox.limits, cells, seed
        self.process, self.notes, self.number, self.dead = None, [], 0, ""
        self.definitions_only: set[int] = set()
        self.skipped: set[int] = set()
        self.hung: set[str] = set()
        self.deadline = time.monotonic() + self.limits.student_seconds
        self.calls_back = 0

    def close(self) -> None:
        """End the process."""
        if self.process:
            self.process.close()
        self.process = None

    def call(self, name: str, arguments: tuple, options: dict) -> object:
        """Call one of the student's functions and return its plain result."""
        if self.dead:
            raise Unanswered(self.dead)
        if not self.process:
            self._load()
        request = {"do": "call", "name": name, "arguments": list(arguments), "options": options}
        seconds = self.limits.call_seconds / (5 if name in self.hung else 1)  # leave time for the other functions
        try:
            reply = self._ask(request, seconds)
        except TimeoutError:
            self.hung.add(name)
            late = time.monotonic() > self.deadline
            self._die("this notebook's time is used up" if late else f"{name}(…) took longer than {seconds:g} s")
        except (EOFError, OSError):
            self._die(f"{name}(…) ended its own process (or used more memory than there is)")
        except ProtocolError as error:
            self._die(f"{name}(…) did not return plain data: {error}")
        if "error" not in reply:
            return reply.get("value")
        if reply["error"] == ["Missing", name]:
            raise Unanswered(f"{name} is not written yet, or its cell is gone")
        kind, text = (str(part)[:300] for part in (*reply["error"], "", "")[:2])
        raise _student_error(kind)(f"{name}(…) raised {kind}: {text}")

    def _load(self) -> None:
        """Run the student's cells in a fresh process; a cell that hangs or kills is tried for its definitions only."""
        while not self.process:
            self.process = self.sandbox.start()
            self.notes = []
            start = {"do": "cell", "definitions": False, "keep": [], "source": _seeding(self.seed)}
            for index, (source, keep) in enumerate([(start["source"], []), *self.cells]):
                if index in self.skipped:
                    continue
                request = {**start, "source": source, "keep": keep, "definitions": index in self.definitions_only}
                try:
                    errors = self._ask(request, self.limits.cell_seconds).get("errors")
                    for error in errors if isinstance(errors, list) else []:
                        self.notes.append(f"cell {index}, {str(error)[:300]}")
                except (TimeoutError, EOFError, OSError, ProtocolError):
                    self.close()
                    (self.skipped if index in self.definitions_only else self.definitions_only).add(index)
                    if time.monotonic() > self.deadline:
                        self._die("the notebook's cells took too long")
                    break
        for index in sorted(self.definitions_only):
            what = "was left out" if index in self.skipped else "ran for its definitions only"
            self.notes.append(f"cell {index} hung or ended its process: it {what}")

    def _ask(self, request: dict, seconds: float) -> dict:
        """Send a request, serve the functions that it lends, return the reply to it and to no other."""
        self.number += 1
        lent: list = []

        def lend(function):
            lent.append(function)
            return len(lent) - 1

        deadline = min(time.monotonic() + seconds, self.deadline)
        self.process.channel.send({**request, "id": self.number}, deadline, lend)
        while True:
            reply = self.process.channel.receive(deadline)
            if not isinstance(reply, dict):
                raise ProtocolError("a reply must be a dict")
            if reply.get("do") != "back":
                if reply.get("id") != self.number or not isinstance(reply.get("error", []), list):
                    raise ProtocolError("a reply must belong to its request")
                return reply
            self.calls_back += 1
            if self.calls_back > CALLS_BACK:
                raise TimeoutError
            try:
                answer = {"value": lent[int(reply["number"])](*reply["arguments"], **reply["options"])}
            except Exception as error:
                answer = {"error": [type(error).__name__, str(error)[:300]]}
            self.process.channel.send(answer, deadline)

    def _die(self, why: str) -> None:
        self.close()
        self.dead = why
        raise Unanswered(why) from None


def proxy(student: Student, name: str) -> Callable:
    """Return what stands for a student's function among the names of the tests."""

    def call(*arguments, **options):
        return student.call(name, arguments, options)

    call.__name__ = call.__qualname__ = name
    return call


def _seeding(seed: int) -> str:
    lines = ["import random, sys, numpy", f"SEED = {seed}", "random.seed(SEED)", "numpy.random.seed(SEED % 2**32)"]
    return "\n".join([*lines, "'torch' in sys.modules and sys.modules['torch'].manual_seed(SEED)"])


def _student_error(kind: str) -> type[Exception]:
    """Return a StudentRaised that a test can also catch by the name the student's error had."""
    base = getattr(builtins, kind, None)
    usable = isinstance(base, type) and issubclass(base, Exception) and not issubclass(base, (OSError, UnicodeError))
    return type(kind, (StudentRaised, base), {}) if usable and base is not Exception else StudentRaised
