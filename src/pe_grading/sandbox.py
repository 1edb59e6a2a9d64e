"""Start students' processes where they can do no harm, or refuse.

bubblewrap builds the outer sandbox once (no network, read-only system, nothing of the course but its package); inside,
a warmed-up parent forks one confined process for each request (`worker`, `confine`).
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from pe_grading import settings
from pe_grading.diagnosis import missing, why_no_namespaces
from pe_grading.protocol import Channel, Deadline, ProtocolError

HERE = Path(__file__).resolve().parent
INSIDE = (
    "__init__.py",
    "confine.py",
    "protocol.py",
    "text.py",
    "worker.py",
)  # all of the grader that a sandbox contains
SYSTEM = ("/etc/ld.so.cache", "/etc/fonts", "/etc/localtime", "/etc/alternatives")
QUIET = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "TQDM_DISABLE": "1"}
QUIET |= {"PYTHONHASHSEED": "0"}  # the order of a set of texts, and with it the marks, is the same in every run
WARM_MB = 2048  # what the libraries of a warmed-up sandbox may take, torch included
START_SECONDS = 120  # for the sandbox with its imports, on a busy machine
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


class Broken(BaseException):
    """The sandbox or the machine failed, not the student; no test may catch it, and nothing may be marked by it."""


@dataclass(frozen=True)
class Limits:
    """What one student may use: megabytes, and seconds in which a processor was there for it.

    `call_seconds` are for one call of a function, `cell_seconds` for one statement of a cell. `student_seconds` are for
    all that the cells try out, as much again for what they define, as much again for the visible tests, and as much for
    each cell of hidden tests.
    """

    call_seconds: float = 10
    cell_seconds: float = 10
    student_seconds: float = 60
    memory_mb: int = 1024
    file_mb: int = 16
    disk_mb: int = 64


class Process:
    """One student's process: its channel, and the connection to its supervisor, which ends with it."""

    def __init__(self, channel: Channel, supervisor: socket.socket):
        self.channel = channel
        self.supervisor = supervisor
        self.last_words: dict = {}

    def interrupt(self, cell: int, number: int) -> None:
        """Interrupt a statement, named by its cell and its number there, if it is the one that runs."""
        with contextlib.suppress(OSError):
            self.supervisor.send(b"interrupt %d %d" % (cell, number))

    def processor_time(self) -> dict[str, float]:
        """Return the seconds that it ran and that it waited for a processor, or nothing where it has ended."""
        answer = self._ask(b"time")
        return answer if "ran" in answer else {}

    def killed_from_outside(self) -> bool:
        """Tell whether it was the system that ended the process (memory was short, say) and not its own code."""
        return self._ask(b"end").get("killed", True)  # no answer: the supervisor was killed as well

    def _ask(self, order: bytes) -> dict:
        """Give the supervisor an order and return its answer; its last words are the answer to all that follows."""
        if "killed" not in self.last_words:
            try:
                self.supervisor.settimeout(START_SECONDS)
                with contextlib.suppress(BrokenPipeError):
                    self.supervisor.send(order)
                self.last_words = json.loads(self.supervisor.recv(200))
            except (OSError, ValueError):
                return {}
        return self.last_words

    def close(self) -> None:
        """End the process and everything it left."""
        self.channel.close()
        self.supervisor.close()


class UnsafeProcess(Process):
    """One student's process without a sandbox."""

    def __init__(self, channel: Channel, process: subprocess.Popen):
        self.channel = channel
        self.process = process

    def interrupt(self, cell: int, number: int) -> None:
        """Interrupt the statement that runs, whichever it is, where the system can."""
        if os.name == "posix":
            self.process.send_signal(signal.SIGINT)

    def processor_time(self) -> dict[str, float]:
        """Return nothing: nobody measures it here."""
        return {}

    def killed_from_outside(self) -> bool:
        """Tell whether the process was killed."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.process.wait(5) == -getattr(signal, "SIGKILL", 9)
        return False

    def close(self) -> None:
        """End the process."""
        self.channel.close()
        self.process.kill()
        self.process.wait()


class Sandbox:
    """The outer sandbox and the warmed-up parent; `start` gives a student's process.

    Args:
        modules: What to import before the first student.
        limits: What one student may use.
        unsafe: Run without any protection; for a teacher's own files.
    """

    def __init__(self, modules: list[str], limits: Limits | None = None, unsafe: bool = False):
        self.modules = modules
        self.limits = limits or Limits()
        self.unsafe = unsafe
        self.parent = None
        if unsafe:
            return
        if reason := missing():
            raise NoSandbox(reason)
        self.control, inside = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [
            *control_group(self.limits),
            *bwrap_args(),
            sys.executable,
            "-s",
            "-P",
            "-m",
            "pe_grading.worker",
            json.dumps({"modules": modules}),
        ]
        self.parent = subprocess.Popen(command, stdin=inside, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        inside.close()
        self.control.settimeout(START_SECONDS)
        try:
            ready = self.control.recv(100) == b"ready"
        except OSError:
            ready = False
        if not ready:
            self.parent.kill()
            said = self.parent.communicate()[1].decode(errors="replace").strip().splitlines()
            reason = f"bubblewrap could not build a sandbox ({said[-1] if said else 'no reason given'})"
            raise NoSandbox(". ".join(filter(None, [reason, why_no_namespaces()])))

    def start(self) -> Process:
        """Return a fresh student's process, sealed and waiting."""
        if self.unsafe:
            return self._start_unsafe()
        ours, theirs = socket.socketpair()
        lifetime, held = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        process = Process(Channel(ours), lifetime)
        with theirs, held:
            try:
                order = json.dumps(asdict(self.limits)).encode()
                socket.send_fds(self.control, [order], [theirs.fileno(), held.fileno()])
            except OSError as error:
                process.close()
                raise Broken(f"the sandbox was ended from outside ({error.strerror})") from None
        return self._greet(process)

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
        return self._greet(UnsafeProcess(Channel(connection), process))

    def _greet(self, process: Process) -> Process:
        try:
            process.channel.receive(Deadline(START_SECONDS))
        except (EOFError, OSError, ProtocolError) as error:
            process.close()
            raise Broken(f"a student's process could not be started ({type(error).__name__})") from None
        return process


@functools.cache
def control_group(limits: Limits) -> tuple[str, ...]:
    """Return the command that puts a sandbox into a control group of its own, or () where none can be made.

    The group bounds memory and threads of everything inside together, and lets its share of the processors yield.
    """
    if not shutil.which("systemd-run"):
        return ()
    memory = limits.memory_mb + limits.disk_mb + WARM_MB
    scope = ["systemd-run", "--scope", "--quiet", "--collect", *([] if os.geteuid() == 0 else ["--user"])]
    scope += ["-p", f"MemoryMax={memory}M", "-p", "MemorySwapMax=0", "-p", "TasksMax=64", "-p", "CPUWeight=50", "--"]
    try:
        made = (
            subprocess.run([*scope, "true"], capture_output=True, stdin=subprocess.DEVNULL, timeout=10).returncode == 0
        )
    except (OSError, subprocess.TimeoutExpired):
        made = False
    return tuple(scope) if made else ()


def bwrap_args() -> list[str]:
    """Return the bubblewrap command that leaves only the system, Python and the course's packages, all read-only."""
    command = [shutil.which("bwrap"), "--unshare-all", "--die-with-parent", "--new-session", "--clearenv"]
    command += ["--cap-drop", "ALL", "--uid", "65534", "--gid", "65534", "--hostname", "sandbox"]
    bound = _bound()
    course = settings.current()
    scratch = "/scratch" if any(path.is_relative_to("/tmp") for path in bound) else "/tmp"  # nothing may lie under it
    packages = os.pathsep.join(map(str, dict.fromkeys(path.parent for path in [HERE, *course.packages_at()])))
    for name in ("HOME", "TMPDIR", "MPLCONFIGDIR"):
        command += ["--setenv", name, scratch]
    for name, value in {**QUIET, "PATH": "/usr/bin", "LANG": "C.UTF-8", "PYTHONPATH": packages}.items():
        command += ["--setenv", name, value]
    command += ["--proc", "/proc", "--dev", "/dev", "--size", "4096", "--tmpfs", "/dev/pts"]  # no terminals
    command += ["--remount-ro", "/dev/pts", "--dev-bind", "/dev/urandom", "/dev/random"]  # one that nobody can empty
    command += ["--remount-ro", "/dev", "--size", str(64 << 20), "--tmpfs", scratch]
    command += ["--ro-bind", "/usr", "/usr"]
    for name in ("/bin", "/lib", "/lib64", "/lib32", "/sbin"):
        if os.path.islink(name):
            command += ["--symlink", os.readlink(name), name]
        elif os.path.isdir(name):
            command += ["--ro-bind", name, name]
    for path in bound:
        command += ["--ro-bind", str(path), str(path)]
    return [*command, "--remount-ro", "/", "--chdir", scratch]


def _bound() -> list[Path]:
    """Return what a sandbox shows besides the system: Python, its libraries, what the settings name, a few files."""
    paths = [*map(Path, SYSTEM), Path(sys.base_prefix).resolve(), Path(sys.prefix).resolve()]
    paths += settings.current().shown()
    paths += [HERE / name for name in INSIDE]
    return [path for path in paths if path.exists() and not path.is_relative_to("/usr")]


def check(sandbox: Sandbox) -> list[str]:
    """Try to break out of a sandbox; return the protections that held, raise NoSandbox where one did not."""
    home = Path.home()
    shown = {path.relative_to(home).parts[0] for path in _bound() if path.is_relative_to(home) and path != home}
    names = {"HOME": str(home), "SHOWN": shown, "HERE": str(HERE), "LIMIT": (sandbox.limits.memory_mb << 20) + 1}
    for name, attempt in PROTECTIONS.items():
        try:
            process = sandbox.start()
        except Broken as error:
            raise NoSandbox(". ".join(filter(None, [str(error), why_no_namespaces()]))) from None
        try:
            process.channel.send({"do": "set", "id": 0, "names": names})
            process.channel.receive(Deadline(START_SECONDS))
            process.channel.send({"do": "ask", "id": 1, "source": attempt})
            reply = process.channel.receive(Deadline(START_SECONDS))
        except (EOFError, OSError, ProtocolError):
            raise NoSandbox(f"the sandbox broke while it was tested ({name})") from None
        finally:
            process.close()
        if "error" not in reply:
            raise NoSandbox(f"the sandbox does not hold here ({name})")
    return list(PROTECTIONS)
