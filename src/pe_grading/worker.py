"""Run students' code: the half of the grader that nothing trusts.

One warmed-up parent has the libraries imported. For each student it forks a keeper, which forks the process in which
the student's cells run; that process is sealed (`confine`), and answers requests over its own connection until the
keeper's leash is let go. `python -m pe_grading.worker` is started by `sandbox`.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import importlib
import json
import os
import re
import select
import signal
import socket
import sys
import types

from pe_grading.protocol import Channel

TIMED = re.compile(r"^\s*%{1,2}(?:time|timeit|prun|capture)\b[^\n]*\n?")
LINE_MAGIC = re.compile(r"^(\s*)(?:%(?!\w+\s*=)|[!?]|[\w.]+\?+\s*$|\w+\s*=\s*[!%]).*$", re.M)
DEFINITIONS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign, ast.Try)


def main() -> None:
    """Be the warmed-up parent: import what is asked for, then fork for each request until the socket closes."""
    from pe_grading import confine

    order = json.loads(sys.argv[1])
    if order.get("address"):  # without a sandbox: one process for one student
        connection = socket.create_connection(tuple(order["address"]))
        connection.sendall(order["token"].encode())
        warm_up(order["modules"])
        _silence(connection.fileno())
        return serve(Channel(connection))
    control = socket.socket(fileno=os.dup(0))
    warm_up(order["modules"])
    control.send(b"ready")
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        message, files, _, _ = socket.recv_fds(control, 4096, 2)
        if not message:
            return None
        if os.fork() == 0:
            try:
                control.close()
                keep(json.loads(message), *files, confine)
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
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)


def keep(limits: dict, connection: int, leash: int, confine: types.ModuleType) -> None:
    """Fork the student's process into namespaces of its own, and end it when the leash is let go."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    confine.enter_namespaces()
    student = os.fork()
    if student == 0:
        try:
            os.dup2(connection, 3, inheritable=False)
            os.closerange(4, 4096)
            confine.seal(limits)
            _silence(3)
            serve(Channel(socket.socket(fileno=3)))
        finally:
            os._exit(0)
    os.close(connection)
    ended = os.pidfd_open(student)
    ready, _, _ = select.select([leash, ended], [], [], limits["student_seconds"] + 30)
    if ended not in ready:
        os.kill(student, signal.SIGKILL)
    os.waitpid(student, 0)  # with it ends everything in its PID space


def _silence(connection: int) -> None:
    """Let whatever the student prints vanish."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        if stream != connection:
            os.dup2(nothing, stream)
    if nothing > 3:
        os.close(nothing)


def serve(channel: Channel) -> None:
    """Answer requests: run a cell, call a function."""
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    builtins.display = lambda *things, **options: None  # type: ignore[attr-defined]
    space, answers = module.__dict__, {}
    channel.send({"do": "ready", "pid": os.getpid()})
    while True:
        try:
            request = channel.receive(borrow=lambda number, name: _lent(channel, number, name))
        except EOFError:
            return
        reply = {"id": request["id"]}
        try:
            if request["do"] == "cell":
                reply["errors"] = run_cell(request["source"], space, request["definitions"], request.get("echo", False))
                answers |= {name: space[name] for name in request["keep"] if callable(space.get(name))}
            elif request["do"] == "set":
                space.update(request["names"])
            else:
                function = answers.get(request["name"], space.get(request["name"]))
                if callable(function):
                    reply["value"] = function(*request["arguments"], **request["options"])
                else:
                    reply["error"] = ["Missing", request["name"]]
            channel.send(reply)
        except BaseException as error:
            channel.send({"id": request["id"], "error": _describe(error)})


def run_cell(source: str, space: dict, definitions: bool, echo: bool = False) -> list[str]:
    """Run a cell statement by statement, so that a failing one hides no other; return what went wrong.

    With `definitions`, run only the statements that define something: the second try, after a cell that hung.
    """
    if echo:  # the grader's own question to a sandbox
        return [str(eval(source, space))]
    try:
        statements = _parse(source)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        return [f"line {getattr(error, 'lineno', None) or 1}: {type(error).__name__}: {error}"[:300]]
    wrong = []
    for statement in statements:
        if definitions and not isinstance(statement, DEFINITIONS):
            continue
        try:
            exec(compile(ast.Module([statement], []), "answer", "exec"), space)
        except BaseException as error:
            wrong.append(f"line {statement.lineno}: {_describe(error)[0]}: {_describe(error)[1]}"[:300])
    return wrong[:5]


def _parse(source: str) -> list[ast.stmt]:
    """Parse a cell; where it is no Python, try again without the lines that speak to the notebook."""
    try:
        return ast.parse(source).body
    except SyntaxError:
        source = TIMED.sub("", source)
        return [] if source.startswith("%%") else ast.parse(LINE_MAGIC.sub(r"\1pass", source)).body


def _lent(channel: Channel, number: int, name: str):
    """Make the function that stands here for one of the test's."""

    def lent(*arguments, **options):
        channel.send({"do": "back", "number": number, "arguments": list(arguments), "options": options})
        reply = channel.receive()
        if reply.get("error"):
            raise getattr(builtins, reply["error"][0], RuntimeError)(reply["error"][1])
        return reply["value"]

    lent.__name__ = name
    return lent


def _describe(error: BaseException) -> list[str]:
    try:
        return [type(error).__name__, str(error)[:300]]
    except BaseException:
        return ["Exception", "which cannot be shown"]


if __name__ == "__main__":
    main()
