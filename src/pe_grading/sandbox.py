"""Start students' processes where they can do no harm, or refuse.

bubblewrap builds the outer walls once (no network, read-only system, nothing of the course but its package); inside, a
warmed-up parent forks one sealed process for each student (`worker`, `confine`).
"""

from __future__ import annotations

import importlib.util
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from pe_grading import confine
from pe_grading.protocol import Channel, ProtocolError

HERE = Path(__file__).resolve().parent
INSIDE = ("__init__.py", "confine.py", "protocol.py", "worker.py")  # all of the grader that a sandbox contains
SYSTEM = ("/etc/ld.so.cache", "/etc/fonts", "/etc/localtime", "/etc/alternatives")
QUIET = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "TQDM_DISABLE": "1"}
PROTECTIONS = {  # what is tried inside before the first student, and must be refused or be true
    "no network": "__import__('socket').socket()",
    "no new process": "__import__('os').fork()",
    "no other program": "__import__('os').execv('/usr/bin/true', ['true'])",
    "own process space": "1 / (__import__('os').getpid() != 1)",
    "no view of processes": "open('/proc/self/status')",
    "read-only system": "open('/usr/here', 'w')",
    "no home": "1 / len(set(__import__('os').listdir(HOME)) - SHOWN)",  # Python itself may live there
    "no tests or solutions": "__import__('os').listdir(HERE + '/../../assignments')",
    "limited memory": "bytearray(LIMIT)",
}


class NoSandbox(RuntimeError):
    """Students' code cannot be run safely here; the message says why and what to do."""


@dataclass(frozen=True)
class Limits:
    """What one student may use: seconds of wall time, megabytes."""

    call_seconds: float = 10
    cell_seconds: float = 10
    student_seconds: float = 60
    memory_mb: int = 1024
    file_mb: int = 16
    disk_mb: int = 64


class Process:
    """One student's process: its channel, and the leash that ends it."""

    def __init__(self, channel: Channel, end: object):
        self.channel, self._end = channel, end

    def close(self) -> None:
        """End the process and everything it left."""
        self.channel.close()
        self._end()


class Sandbox:
    """The outer walls and the warmed-up parent; `start` gives a student's process.

    Args:
        modules: What to import before the first student.
        limits: What one student may use.
        unsafe: Run without any wall; for a teacher's own files.
    """

    def __init__(self, modules: list[str], limits: Limits | None = None, unsafe: bool = False):
        self.modules, self.limits, self.unsafe = modules, limits or Limits(), unsafe
        self.parent = None
        if unsafe:
            return
        if reason := missing():
            raise NoSandbox(reason)
        self.control, inside = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [*walls(), sys.executable, "-I", "-m", "pe_grading.worker", json.dumps({"modules": modules})]
        self.parent = subprocess.Popen(command, stdin=inside, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        inside.close()
        self.control.settimeout(120)
        if self.control.recv(100) != b"ready":
            said = self.parent.communicate()[1].decode(errors="replace").strip().splitlines()
            raise NoSandbox(f"bubblewrap could not build a sandbox ({said[-1] if said else 'no reason given'})")

    def start(self) -> Process:
        """Return a fresh student's process, sealed and waiting."""
        if self.unsafe:
            return self._start_unsafe()
        ours, theirs = socket.socketpair()
        leash, held = socket.socketpair()
        with theirs, held:
            socket.send_fds(self.control, [json.dumps(asdict(self.limits)).encode()], [theirs.fileno(), held.fileno()])
        return self._greet(Process(Channel(ours), leash.close))

    def close(self) -> None:
        """End the parent, and with it every process inside."""
        if self.parent:
            self.control.close()
            self.parent.kill()
            self.parent.wait()
            self.parent.stderr.close()

    def _start_unsafe(self) -> Process:
        token = secrets.token_hex(16)
        with socket.create_server(("127.0.0.1", 0)) as server:
            order = {"modules": self.modules, "address": server.getsockname(), "token": token}
            command = [sys.executable, "-m", "pe_grading.worker", json.dumps(order)]
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, env={**os.environ, **QUIET})
            server.settimeout(60)
            connection, _ = server.accept()
        connection.settimeout(60)
        if connection.recv(len(token), socket.MSG_WAITALL).decode() != token:
            raise NoSandbox("a stranger answered in place of the student's process")

        def end() -> None:
            process.kill()
            process.wait()

        return self._greet(Process(Channel(connection), end))

    def _greet(self, process: Process) -> Process:
        try:
            process.channel.receive(time.monotonic() + 60)
        except (EOFError, OSError, ProtocolError):
            process.close()
            raise NoSandbox("a student's process could not be sealed off (are user namespaces allowed?)") from None
        return process


def missing() -> str | None:
    """Return why no sandbox is possible here, or None."""
    if sys.platform != "linux":
        return "a sandbox needs Linux; on Windows use WSL2, on macOS a Linux machine"
    if not confine.supported():
        return "a sandbox needs an x86_64 or aarch64 processor"
    if not shutil.which("bwrap"):
        return "a sandbox needs bubblewrap (install the package `bubblewrap`)"
    return None


def walls() -> list[str]:
    """Return the bubblewrap command that leaves only the system, Python and the course's package, all read-only."""
    command = [shutil.which("bwrap"), "--unshare-all", "--die-with-parent", "--new-session", "--clearenv"]
    command += ["--cap-drop", "ALL", "--uid", "65534", "--gid", "65534", "--hostname", "sandbox"]
    bound = _bound()
    desk = "/desk" if any(path.is_relative_to("/tmp") for path in bound) else "/tmp"  # nothing may lie under it
    for name in ("HOME", "TMPDIR", "MPLCONFIGDIR"):
        command += ["--setenv", name, desk]
    for name, value in {**QUIET, "PATH": "/usr/bin", "LANG": "C.UTF-8"}.items():
        command += ["--setenv", name, value]
    command += ["--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev", "--size", str(64 << 20), "--tmpfs", desk]
    command += ["--ro-bind", "/usr", "/usr"]
    for name in ("/bin", "/lib", "/lib64", "/lib32", "/sbin"):
        if os.path.islink(name):
            command += ["--symlink", os.readlink(name), name]
        elif os.path.isdir(name):
            command += ["--ro-bind", name, name]
    for path in bound:
        command += ["--ro-bind", str(path), str(path)]
    return [*command, "--remount-ro", "/", "--chdir", desk]


def _bound() -> list[Path]:
    """Return what a sandbox shows besides the system: Python, its libraries, pe_helpers, four files of the grader."""
    helpers = importlib.util.find_spec("pe_helpers")
    package = [Path(p).resolve() for p in (helpers.submodule_search_locations if helpers else [])]
    paths = [*map(Path, SYSTEM), Path(sys.base_prefix).resolve(), Path(sys.prefix).resolve(), *package]
    paths += [HERE / name for name in INSIDE]
    return [path for path in paths if path.exists() and not path.is_relative_to("/usr")]


def check(sandbox: Sandbox) -> list[str]:
    """Try to break out of a sandbox; return the protections that held, raise NoSandbox where one did not."""
    for name, attempt in PROTECTIONS.items():
        process = sandbox.start()
        home = Path.home()
        shown = {p.relative_to(home).parts[0] for p in _bound() if p.is_relative_to(home) and p != home}
        names = {"HOME": str(home), "SHOWN": shown, "HERE": str(HERE), "LIMIT": (sandbox.limits.memory_mb << 20) + 1}
        try:
            process.channel.send({"do": "set", "id": 0, "names": names})
            process.channel.receive(time.monotonic() + 10)
            request = {"do": "cell", "id": 1, "source": attempt, "definitions": False, "keep": [], "echo": True}
            process.channel.send(request)
            reply = process.channel.receive(time.monotonic() + 10)
        except (EOFError, OSError, ProtocolError):
            raise NoSandbox(f"the sandbox broke while it was tested ({name})") from None
        finally:
            process.close()
        if "error" not in reply:
            raise NoSandbox(f"the sandbox does not hold here ({name})")
    return list(PROTECTIONS)
