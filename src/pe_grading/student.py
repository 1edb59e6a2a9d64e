"""A student's process as the tests see it: functions that can be called with plain data, and nothing else."""

from __future__ import annotations

import builtins
import contextlib
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pe_grading.protocol import Deadline, ProtocolError
from pe_grading.sandbox import Broken, Process, Sandbox
from pe_grading.text import sentence

CALLS_BACK = 20_000  # of one student
CELL_BYTES = 512 << 10  # of one cell's source
NOTES = 20  # about one notebook's cells
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
NOT_PYTHON = ("SyntaxError", "IndentationError", "TabError")
FAILED_STARTS = 8  # how often a notebook may end or block its process while its cells run
GRACE_SECONDS = 2  # for a statement to end after it was interrupted
SHORT_SECONDS = 2  # for an assignment when the time for trying things out is used up
SLOW_SECONDS = 0.5  # a statement that took longer is repeated only where a function needs what it sets
QUICK_SECONDS = 0.1  # a statement that took less is not asked how much of it was waiting
PATIENCE = 20  # how many times a limit may pass on the clock while a process waits for a processor


class StudentRaised(Exception):
    """A student's function, named in `function`, ended with an error; its kind and words are the student's."""

    function = ""


class Unanswered(StudentRaised):
    """A student's function gave no answer, for a reason in the grader's own words or told before any test ran."""


@dataclass
class Step:
    """One cell to run.

    Args:
        source: Its code.
        keep: The functions that are to be called as this cell leaves them, whatever later cells make of their names.
        defines: The functions of the assignment that this cell means to define.
        name: What to call it in a sentence.
    """

    source: str
    keep: list[str] = field(default_factory=list)
    defines: list[str] = field(default_factory=list)
    name: str = ""


class Student:
    """A student's process as the tests see it: made by `prepare`, made anew after it died or after `restart`.

    Args:
        sandbox: Where it runs.
        steps: The cells in the order in which they run.
        seed: The class's number.
        functions: What the tests will call.
    """

    def __init__(self, sandbox: Sandbox, steps: list[Step], seed: int, functions: Sequence[str] = ()):
        self.sandbox = sandbox
        self.functions = functions
        self.limits = sandbox.limits
        self.steps = [Step(seeding(seed), name="the seed"), *steps]
        self.process: Process | None = None
        self.started = 0.0
        self.number = 0
        self.dead = ""
        self.calls_back = 0
        self.hung: set[str] = set()  # functions that took too long once
        self.skip: set[tuple[int, int]] = set()  # statements, by step and number, that are not run (again)
        self.definitions_only = False
        self.explained = False
        self.notes: list[str] = []  # what went wrong in the cells when they were run for the first time
        self.broken: dict[str, str] = {}  # why a function does not exist, by its name
        self.not_python = ""  # the first cell of an answer that is none, and why
        self.waited_before = 0.0  # by processes that are closed
        self.theirs = 0.0  # the seconds that the student's processes have waited, as far as they were asked
        self.here = waited_here()  # the seconds that this process had waited when this began
        self.deadline = self.limit(self.limits.student_seconds)  # of the tests that run now

    def restart(self) -> None:
        """Let the next test find a fresh process, in which nothing of the calls before is left, and time of its own."""
        self.close()
        self.deadline = self.limit(self.limits.student_seconds)

    def prepare(self) -> None:
        """Load the cells where no process is there; this takes no time from the tests."""
        self.dead = "" if self.deadline.left() > 0 else "no time is left for this test"
        if self.process or self.dead:
            return
        left = self.deadline.left()
        self.deadline = Deadline(float("inf"))
        with contextlib.suppress(Unanswered):
            while not self.process:
                self._load()
        self.deadline = self.limit(left)

    def close(self) -> None:
        """End the process."""
        if self.process:
            self.waited_before = self.theirs
            self.process.close()
        self.process = None

    def waited(self) -> float:
        """Return the seconds that the student's processes and this one waited for a processor that others used.

        A process that keeps the processors busy with threads of its own has had its time.
        """
        spent = self.process.processor_time() if self.process else {}
        if spent:
            idle = time.monotonic() - self.started - spent["ran"]
            self.theirs = max(self.theirs, self.waited_before + min(spent["waited"], idle))
        return self.known_to_have_waited()

    def known_to_have_waited(self) -> float:
        """Return the same without asking the student's process anew."""
        return self.theirs + waited_here() - self.here

    def limit(self, seconds: float) -> Deadline:
        """Return a deadline that does not count the time spent waiting for a processor.

        It raises Broken where waiting takes far longer than the limit itself: that is the machine's doing.
        """
        before = self.known_to_have_waited()
        begin = time.monotonic()

        def waited() -> float:
            so_far = self.waited() - before
            passed = time.monotonic() - begin
            if passed - so_far < seconds and passed > PATIENCE * max(seconds, 1):
                raise Broken("a student's process waited too long for a processor (is the machine busy?)")
            return so_far

        return Deadline(seconds, waited)

    def call(self, name: str, arguments: tuple, options: dict) -> object:
        """Call one of the student's functions and return its plain result."""
        if self.dead:
            raise Unanswered(self.dead)
        request = {"do": "call", "name": name, "arguments": list(arguments), "options": options}
        seconds = self.limits.call_seconds / (5 if name in self.hung else 1)  # leave time for the other functions
        try:
            reply = self._ask(request, min(seconds, self.deadline.left()))
        except TimeoutError:
            self.hung.add(name)
            used_up = self.deadline.left() <= 0
            self._die("the time for this test is used up" if used_up else f"{name}(…) took longer than {seconds:g} s")
        except (EOFError, OSError):
            self._blame()
            self._die(f"{name}(…) ended its own process (or used more memory than there is)")
        except ProtocolError as error:
            self._die(f"{name}(…) did not return plain data: {error}")
        if reply.get("missing"):
            raise Unanswered(self.broken.get(name) or f"{name} is not written yet, or its cell is gone")
        if "error" not in reply:
            return reply.get("value")
        kind, text = (sentence(part, 300) for part in (*reply["error"], "", "")[:2])
        error = _student_error(kind)(f"{name}(…) raised {kind}: {text}")
        error.function = name
        raise error

    def _load(self) -> None:
        """Run the cells in a fresh process; a statement that blocks or ends it is left out when it is made anew."""
        clock = _CellClock(self.limits.student_seconds, self.limits.cell_seconds, self)
        failed_starts = 0
        errors: list[tuple[int, int, str, str]] = []
        while not self.process:
            if failed_starts > FAILED_STARTS:
                self._die("the notebook's cells end or block their process again and again")
            self.process = self.sandbox.start()
            self.started = time.monotonic()
            errors = []
            for index, step in enumerate(self.steps):
                if (index, 0) in self.skip:
                    continue
                try:
                    errors += self._run_cell(index, step, clock)
                except (TimeoutError, EOFError, OSError, ProtocolError) as error:
                    if not isinstance(error, TimeoutError):
                        self._blame()
                    clock.stop(index)
                    self.close()
                    self.skip.add((index, clock.number))
                    self.definitions_only = True
                    failed_starts += 1
                    self._note(step, clock.line or 1, "it ended or blocked the process and was left out")
                    break
        if not self.explained:
            self._explain(errors)
            self._skip_what_is_slow(clock)

    def _run_cell(self, index: int, step: Step, clock: _CellClock) -> list[tuple[int, int, str, str]]:
        """Run one cell; return its errors as (step, line, kind, words)."""
        clock.number = clock.line = 0
        if len(step.source.encode(errors="replace")) > CELL_BYTES:
            return [(index, 1, "ValueError", f"the cell is over {CELL_BYTES >> 10} kB and was left out")]
        self.number += 1
        request = {"do": "cell", "id": self.number, "index": index, "source": step.source, "keep": step.keep}
        request["skip"] = [number for i, number in self.skip if i == index]
        request["definitions_only"] = self.definitions_only and index > 0
        deadline = self.limit(self.limits.cell_seconds)
        interrupted = False
        self.process.channel.send(request, deadline)
        while True:
            try:
                reply = self.process.channel.receive(deadline)
            except TimeoutError:
                if interrupted:
                    raise
                interrupted = True
                self.process.interrupt(index, clock.number)
                deadline = self.limit(GRACE_SECONDS)
                continue
            if not isinstance(reply, dict):
                raise ProtocolError("a reply must be a dict")
            clock.stop(index)
            if reply.get("do") == "at":
                interrupted = False
                deadline = self.limit(clock.start(reply))
            elif reply.get("id") == self.number:
                clock.interrupted |= {(index, number) for number in _whole(reply.get("stopped"))}
                return [(index, *error) for error in _cell_errors(reply)]
            else:
                raise ProtocolError("a reply must belong to its request")

    def _note(self, step: Step, line: int, words: str) -> None:
        if not self.explained and len(self.notes) < NOTES:
            self.notes.append(f"{step.name}, line {line}: {words}")

    def _explain(self, errors: list[tuple[int, int, str, str]]) -> None:
        """Keep what went wrong in the cells, as notes and as reasons why functions do not exist."""
        for index, line, kind, text in errors:
            step = self.steps[index]
            words = f"{kind}: {text}" if kind != "Interrupted" else f"{text} and was left out"
            self._note(step, line, words)
            problem = f"is not valid Python {PYTHON}" if kind in NOT_PYTHON else "fails"
            for name in step.defines:
                self.broken.setdefault(name, f"the cell of {name} {problem}: line {line}: {words}")
                if kind in NOT_PYTHON:
                    self.not_python = self.not_python or self.broken[name]
        self.explained = True

    def _skip_what_is_slow(self, clock: _CellClock) -> None:
        """Find the slow statements that no function needs: a fresh process does without them."""
        self.skip |= clock.interrupted
        slow = [list(place) for place, seconds in clock.seconds.items() if seconds > SLOW_SECONDS]
        slow = [place for place in slow if tuple(place) not in self.skip and place[0] > 0]  # the seed is always set
        if not slow:
            return
        request = {"do": "needed", "statements": slow, "functions": list(self.functions)}
        try:
            needed = self._ask(request, self.limits.cell_seconds).get("value")
        except (TimeoutError, EOFError, OSError, ProtocolError):
            self.close()
        else:
            needed = needed if isinstance(needed, list) else []
            self.skip |= {tuple(place) for place in slow if place not in needed}

    def _ask(self, request: dict, seconds: float) -> dict:
        """Send a request, serve the functions that it exports, return the reply to it and to no other."""
        self.number += 1
        exported: list = []

        def export(function):
            exported.append(function)
            return len(exported) - 1

        deadline = self.limit(seconds)
        self.process.channel.send({**request, "id": self.number}, deadline, export)
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
            number = reply.get("number")
            if type(number) is not int or not 0 <= number < len(exported):
                raise ProtocolError("only a function that was lent may be called")
            try:
                answer = {"value": exported[number](*reply["arguments"], **reply["options"])}
            except Exception as error:
                answer = {"error": [type(error).__name__, str(error)[:300]]}
            self.process.channel.send(answer, deadline)

    def _blame(self) -> None:
        """Raise Broken where the process was ended by the system and not by its own code."""
        if self.process.killed_from_outside():
            self.close()
            raise Broken("a student's process was ended by the system (is memory short?)")

    def _die(self, why: str) -> None:
        self.waited()  # the tests after this one have the same deadline
        self.close()
        self.dead = why
        raise Unanswered(why) from None


class _CellClock:
    """Tell how long each statement may take, in seconds in which a processor was there for it.

    What only defines has its own time, apart from what is tried out. An assignment may be what a function needs: when
    the time for trying out is used up, it still has a short time, and all of them together as much as the definitions.
    """

    def __init__(self, total: float, each: float, student: Student):
        self.left = dict.fromkeys(("definition", "experiment", "assignment"), total)
        self.each = each
        self.student = student
        self.seconds: dict[tuple[int, int], float] = {}
        self.interrupted: set[tuple[int, int]] = set()
        self.number = 0  # of the statement that runs, in its cell; 0 before the first
        self.line = 0
        self._running: tuple[str, bool, float, float] | None = None

    def start(self, told: dict) -> float:
        """Start the statement that is told of and return its limit in seconds."""
        self.number, self.line = (n if isinstance(n, int) else 1 for n in (told.get("number"), told.get("line")))
        kind = told.get("kind")
        account = "definition" if kind == "definition" else "experiment"
        limit = self.each
        if kind == "assignment" and self.left["experiment"] < SHORT_SECONDS:
            account = "assignment"
            limit = min(limit, SHORT_SECONDS)
        self._running = (account, kind != "definition", time.monotonic(), self.student.known_to_have_waited())
        return max(min(limit, self.left[account]), 0.0)

    def stop(self, index: int) -> None:
        """End the statement that runs, if one does."""
        if not self._running:
            return
        account, tries_out, start, waited = self._running
        taken = time.monotonic() - start
        if taken > QUICK_SECONDS:
            taken -= min(taken, self.student.waited() - waited)
        self.left[account] -= taken
        self._running = None
        if tries_out:
            self.seconds[index, self.number] = taken


def waited_here() -> float:
    """Return the seconds that this thread has been waiting for a processor, or 0 where the system does not say."""
    with contextlib.suppress(OSError, IndexError), open("/proc/thread-self/schedstat") as stream:
        return int(stream.read().split()[1]) / 1e9
    return 0.0


def _whole(told: object) -> list[int]:
    """Return the integers of what should be a list of them."""
    return [number for number in told if isinstance(number, int)] if isinstance(told, list) else []


def _cell_errors(reply: dict) -> list[tuple[int, str, str]]:
    """Return the errors that a cell's reply tells of as (line, kind, words)."""
    told = reply.get("errors", [[1, *reply.get("error", ["Exception", ""])]])
    try:
        return [(int(line), sentence(kind, 80), sentence(text, 300)) for line, kind, text in told]
    except (TypeError, ValueError, OverflowError):
        raise ProtocolError("errors must come as line, kind and words") from None


def proxy(student: Student, name: str) -> Callable:
    """Return what stands for a student's function among the names of the tests."""

    def call(*arguments, **options):
        return student.call(name, arguments, options)

    call.__name__ = call.__qualname__ = name
    return call


def seeding(seed: int) -> str:
    """Return the code that seeds a student's process."""
    lines = ["import random, sys, numpy", f"SEED = {seed}", "random.seed(SEED)", "numpy.random.seed(SEED % 2**32)"]
    return "\n".join([*lines, "'torch' in sys.modules and sys.modules['torch'].default_generator.manual_seed(SEED)"])


def _student_error(kind: str) -> type[Exception]:
    """Return a StudentRaised that a test can also catch by the name the student's error had."""
    base = getattr(builtins, kind, None)
    usable = isinstance(base, type) and issubclass(base, Exception) and not issubclass(base, (OSError, UnicodeError))
    return type(kind, (StudentRaised, base), {}) if usable and base is not Exception else StudentRaised
