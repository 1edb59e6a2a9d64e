"""Run students' code: the half of the grader that nothing trusts.

A warmed-up parent has the libraries imported. For each student's process it forks a supervisor, which forks the process
itself; that one is confined (`confine`), and then runs cells and calls functions as it is told over its own connection.
The supervisor answers the grader over another connection, and ends the process when that connection is closed.
`python -m pe_grading.worker` is started by `sandbox`.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import ctypes
import gc
import importlib
import json
import mmap
import os
import re
import select
import signal
import socket
import struct
import sys
import types

from pe_grading.protocol import Channel
from pe_grading.text import sentence

TIMED = re.compile(r"^\s*+%{1,2}(?:time|timeit|prun|capture)\b[^\n]*\n?")
LINE_MAGIC = re.compile(r"^([ \t]*+)(?:%(?!\w++[ \t]*=)|[!?]|[\w.]++\?++[ \t]*$|\w++[ \t]*+=[ \t]*+[!%]).*$", re.M)
PROMPTS = re.compile(r"^[ \t]*+(?:>>>|\.{3,}+:?+|In \[\d*\]:)(?: |$)", re.M)  # of pasted sessions: a notebook runs them
INDENTED = re.compile(r"(?:[ \t]*+\n)*+([ \t]++)\S")  # pasted from within a function: a notebook moves it to the left
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
DEFINITIONS = (*FUNCTIONS, ast.Import, ast.ImportFrom, ast.Try)
ASSIGNMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign)
CONNECTION = 3  # the descriptor of the connection in a student's process
PLACE = struct.Struct("ii")  # of a statement: the cell, and its number in the cell, from 1
HUGE_PAGE = 2 << 20
COLLAPSE = 25  # madvise: put this memory into huge pages now (Linux 6.1)


class Interrupted(BaseException):
    """The grader wants the statement that runs to end."""


def main() -> None:
    """Be the warmed-up parent: import what is asked for, then fork for each request until the socket closes."""
    from pe_grading import confine

    order = json.loads(sys.argv[1])
    if order.get("address"):  # without a sandbox: one process for one student
        connection = socket.create_connection(tuple(order["address"]))
        connection.sendall(order["token"].encode())
        warm_up(order["modules"])
        silence(connection.fileno())
        return Student(Channel(connection)).serve()
    control = socket.socket(fileno=os.dup(0))
    warm_up(order["modules"])
    confine.seccomp_code()
    make_forks_cheap()
    control.send(b"ready")
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        message, files, _, _ = socket.recv_fds(control, 4096, 2)
        if not message:
            return None
        if os.fork() == 0:
            try:
                control.close()
                supervise(json.loads(message), *files, confine)
            finally:
                os._exit(0)
        for file in files:
            os.close(file)


def warm_up(modules: list[str]) -> None:
    """Import what the assignment imports, so that no student has to wait for it."""
    os.environ.setdefault("MPLBACKEND", "agg")
    for module in modules:
        with contextlib.suppress(Exception):
            importlib.import_module(module)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(0)  # imports numpy.random, which costs more than all else before a test
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
        sys.modules["torch"].default_generator.manual_seed(0)


def make_forks_cheap() -> None:
    """Let a fork copy little of what is imported: huge pages where the system has them, and nothing for `gc` to visit.

    With torch, a fork otherwise copies the entries of 36,000 pages, and one full collection copies the pages as well.
    """
    gc.collect()
    gc.freeze()
    libc = ctypes.CDLL(None)
    with open("/proc/self/maps") as stream:
        lines = [line.split() for line in stream]
    for line in lines:
        name = line[5] if len(line) > 5 else ""
        if "w" in line[1] and name in ("", "[heap]"):
            start, end = (int(address, 16) for address in line[0].split("-"))
            start = -(-start // HUGE_PAGE) * HUGE_PAGE
            size = (end - start) // HUGE_PAGE * HUGE_PAGE
            if size > 0:
                libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(size), COLLAPSE)  # may fail; then all stays


def supervise(limits: dict, connection: int, lifetime: int, confine: types.ModuleType) -> None:
    """Fork the student's process into namespaces of its own; interrupt it, watch it and end it as the grader asks."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    confine.enter_namespaces()
    meant = mmap.mmap(-1, PLACE.size)  # the place of the statement that an interrupt is for
    student = os.fork()
    if student == 0:
        try:
            os.dup2(connection, CONNECTION, inheritable=False)
            os.closerange(CONNECTION + 1, 4096)
            pair = socket.socketpair()
            confine.seal(limits)
            lend(pair)
            silence(CONNECTION)
            Student(Channel(socket.socket(fileno=CONNECTION)), meant).serve()
        finally:
            os._exit(0)
    os.close(connection)
    grader = socket.socket(fileno=lifetime)
    ended = os.pidfd_open(student)
    ended_by_us = False
    while not select.select([ended], [], [], 0)[0]:
        ready, _, _ = select.select([grader, ended], [], [])
        if grader not in ready:
            continue
        order = b""  # also where the connection is closed
        with contextlib.suppress(OSError):
            order = grader.recv(100)
        if order.startswith(b"interrupt"):
            meant[:] = PLACE.pack(*map(int, order.split()[1:]))
            os.kill(student, signal.SIGINT)
        elif order == b"time":
            grader.send(json.dumps(processor_time(student)).encode())
        elif not (order == b"end" and select.select([ended], [], [], 0.5)[0]):  # it may be about to end by itself
            ended_by_us = True
            os.kill(student, signal.SIGKILL)
            select.select([ended], [], [])
    _, status, used = os.wait4(student, 0)  # with it ends everything in its PID space
    by_limit = used.ru_utime + used.ru_stime >= confine.processor_limit(limits) - 1
    killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    with contextlib.suppress(OSError):
        grader.send(json.dumps({"killed": killed and not by_limit and not ended_by_us}).encode())
        while grader.recv(100):  # a socket that is closed with an order unread takes these words back
            pass


def lend(pair: tuple[socket.socket, socket.socket]) -> None:
    """Let `socket.socketpair`, which asyncio wakes itself by, give copies of a pair: no new one can be made inside."""
    socket.socketpair = lambda *_: tuple(end.dup() for end in pair)


def processor_time(process: int) -> dict[str, float]:
    """Return the seconds that a process ran, on all its threads, and that its main thread waited for a processor."""
    with open(f"/proc/{process}/stat") as stream:
        ran = sum(map(int, stream.read().rpartition(")")[2].split()[11:13])) / os.sysconf("SC_CLK_TCK")
    waited = 0.0
    with contextlib.suppress(OSError, IndexError), open(f"/proc/{process}/schedstat") as stream:
        waited = int(stream.read().split()[1]) / 1e9
    return {"ran": ran, "waited": waited}


def silence(connection: int) -> None:
    """Let whatever the student prints vanish."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        if stream != connection:
            os.dup2(nothing, stream)
    if nothing > CONNECTION:
        os.close(nothing)


class Student:
    """One student's names, and what the grader may ask of them."""

    def __init__(self, channel: Channel, meant: mmap.mmap | None = None):
        self.channel = channel
        self.meant = meant
        module = types.ModuleType("__main__")
        sys.modules["__main__"] = module
        builtins.display = lambda *things, **options: None  # type: ignore[attr-defined]
        self.space = module.__dict__
        self.answers: dict[str, object] = {}
        self.statements: dict[tuple[int, int], ast.stmt] = {}
        self.place = (0, 0)  # of the last statement that was begun
        self.running = False
        signal.signal(signal.SIGINT, self.interrupt)

    def serve(self) -> None:
        """Answer requests until the connection closes."""
        self.channel.send({"do": "ready"})
        answer = {"cell": self.cell, "call": self.call, "set": self.set, "needed": self.needed, "ask": self.ask}
        while True:
            try:
                request = self.channel.receive(make_callback=self.callback)
            except EOFError:
                return
            if request.get("do") not in answer:  # an answer that nobody here waits for
                continue
            try:
                reply = answer[request["do"]](request)
                self.channel.send({"id": request["id"], **reply})
            except BaseException as error:
                self.channel.send({"id": request["id"], "error": describe(error)})

    def interrupt(self, *_: object) -> None:
        """End the statement that runs, if it is the one that is meant: an interrupt may come when it is over."""
        if self.running and (not self.meant or PLACE.unpack(self.meant[:]) == self.place):
            raise Interrupted("it was stopped: it took too long")

    def cell(self, request: dict) -> dict:
        """Run a cell statement by statement, so that a failing one hides no other; reply what went wrong.

        Before each statement the grader is told its number, line and kind. Those whose numbers are in `skip` are not
        run; with `definitions_only` no statement is that does something else than define or assign.
        """
        wrong = []
        stopped = []
        try:
            statements = parse(request["source"])
        except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
            text = getattr(error, "msg", None) or str(error)
            wrong = [[getattr(error, "lineno", None) or 1, type(error).__name__, sentence(text, 300)]]
            statements = []
        for number, statement in enumerate(statements, 1):
            place = (request["index"], number)
            self.statements[place] = statement
            kind = kind_of(statement)
            if number in request["skip"] or (request["definitions_only"] and kind == "experiment"):
                continue
            self.channel.send({"do": "at", "number": number, "line": statement.lineno, "kind": kind})
            self.place = place
            try:
                self.run(statement)
            except Interrupted as error:
                wrong.append([statement.lineno, *describe(error)])
                stopped.append(number)
            except BaseException as error:
                wrong.append([statement.lineno, *describe(error)])
        self.answers |= {name: self.space[name] for name in request["keep"] if callable(self.space.get(name))}
        return {"errors": wrong[:20], "stopped": stopped}

    def run(self, statement: ast.stmt) -> None:
        """Run one statement of a cell."""
        code = compile(ast.Module([statement], []), "answer", "exec")
        try:
            self.running = True
            exec(code, self.space)
        finally:
            self.running = False

    def call(self, request: dict) -> dict:
        """Call one of the functions."""
        function = self.answers.get(request["name"], self.space.get(request["name"]))
        if not callable(function):
            return {"missing": True}
        return {"value": function(*request["arguments"], **request["options"])}

    def set(self, request: dict) -> dict:
        """Set names, for a question of the grader."""
        self.space.update(request["names"])
        return {}

    def ask(self, request: dict) -> dict:
        """Answer a question of the grader about the sandbox itself."""
        return {"value": str(eval(request["source"], self.space))}

    def needed(self, request: dict) -> dict:
        """Reply which of the given statements set or change what the asked functions, or any other, come to need."""
        rest = list(self.statements.values())
        used = [statement for statement in rest if isinstance(statement, FUNCTIONS)]
        own = {function.name for function in used}  # handing a function on does not change it
        wanted = set(request["functions"])

        def serves(statement: ast.stmt) -> bool:
            return bool(set_by(statement) & wanted or changed_by(statement) & (wanted - own))

        while used:
            wanted |= {node.id for s in used for node in ast.walk(s) if isinstance(node, ast.Name)}
            rest = [statement for statement in rest if statement not in used]
            used = [statement for statement in rest if serves(statement)]
        known = [place for place in map(tuple, request["statements"]) if place in self.statements]
        return {"value": [list(place) for place in known if serves(self.statements[place])]}

    def callback(self, number: int, name: str):
        """Make the function that stands here for one of the test's."""

        def exported(*arguments, **options):
            message = {"do": "back", "number": number, "arguments": list(arguments), "options": options}
            self.channel.send(message)
            reply = self.channel.receive()
            if reply.get("error"):
                raise getattr(builtins, reply["error"][0], RuntimeError)(reply["error"][1])
            return reply["value"]

        exported.__name__ = name
        return exported


def kind_of(statement: ast.stmt) -> str:
    """Return whether a statement is a "definition", an "assignment" or an "experiment"."""
    if isinstance(statement, ast.Try):
        kinds = {kind_of(inner) for inner in statement.body}
        return "definition" if kinds == {"definition"} else "assignment"
    if isinstance(statement, DEFINITIONS):
        return "definition"
    return "assignment" if isinstance(statement, ASSIGNMENTS) else "experiment"


def set_by(statement: ast.stmt) -> set[str]:
    """Return the names that a statement may set: what it defines, imports and assigns to."""
    names = set()
    for node in ast.walk(statement):
        if isinstance(node, FUNCTIONS):
            names.add(node.name)
        elif isinstance(node, ast.alias):
            names.add((node.asname or node.name).split(".")[0])
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
    return names


def changed_by(statement: ast.stmt) -> set[str]:
    """Return the names of what a statement may change: what it calls a method of, and what it hands on."""
    names = set()
    for node in ast.walk(statement):
        if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.value, ast.Name):
            names.add(node.value.id)
        elif isinstance(node, ast.Call):
            names |= {argument.id for argument in node.args if isinstance(argument, ast.Name)}
    return names


def parse(source: str) -> list[ast.stmt]:
    """Parse a cell; where it is no Python, try again as a notebook reads it.

    It takes out indentation of the whole cell, prompts, and lines that speak to the notebook.
    """
    try:
        return ast.parse(source).body
    except SyntaxError:
        if indented := INDENTED.match(source):
            source = re.sub(f"^{indented[1]}", "", source, flags=re.M)
        source = TIMED.sub("", source)
        if PROMPTS.match(source.lstrip()):
            source = PROMPTS.sub("", source)
        return [] if source.startswith("%%") else ast.parse(LINE_MAGIC.sub(r"\1pass", source)).body


def describe(error: BaseException) -> list[str]:
    """Return an error's kind and words, whatever its author made of them."""
    try:
        return [sentence(type(error).__name__, 80), sentence(str(error), 300)]
    except BaseException:
        return ["Exception", "which cannot be shown"]


if __name__ == "__main__":
    main()
