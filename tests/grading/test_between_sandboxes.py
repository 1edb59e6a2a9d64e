"""Two sandboxes share a kernel and a user: no counter that one can move is one that another can read.

Each test is a sender and a receiver in sandboxes of their own. Left are what time tells, the system's memory for files,
and the numbers that a process finds when it begins: those of its file system and its connection are given out in one
row for the whole machine. The teacher's guide says so.
"""

import errno
import os

import pytest
from conftest import require
from test_containment import asked

from pe_grading import confine, sandbox
from pe_grading.sandbox import Limits, Sandbox


@pytest.fixture(scope="module")
def boxes():
    require(sandbox.missing() is None, "install bubblewrap (the package `bubblewrap`)")
    made = [Sandbox(["numpy"], Limits()) for _ in range(2)]
    yield made
    for box in made:
        box.close()


SAFE = "def tried(work):\n    try:\n        return work()\n    except OSError as error:\n        return error.errno\n"
IN_FLIGHT = (
    "import array, socket, _socket\none, other = socket.socketpair()\n"
    "def send(count):\n    files = array.array('i', [one.fileno()] * count)\n"
    "    return tried(lambda: one.sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, files)]))\n"
)
NUMBER = (
    "import os, _socket\n"
    "def number():\n    one, other = _socket.socketpair()\n    return os.fstat(one.fileno()).st_ino\n"
)
SIGNALS = (
    "import signal, threading\nsignal.pthread_sigmask(signal.SIG_BLOCK, {40})\n"
    "def queued(most):\n    for count in range(most):\n"
    "        if tried(lambda: signal.pthread_kill(threading.get_ident(), 40)) is not None:\n"
    "            return count\n    return most\n"
)


def while_another(boxes, sends, receives, source):
    """Run `sends` in one sandbox and, while it is held there, evaluate `receives` in the other."""
    process = boxes[0].start()
    try:
        cell = {"do": "cell", "id": 1, "index": 0, "source": SAFE + sends, "keep": [], "skip": []}
        process.channel.send({**cell, "definitions_only": False})
        while process.channel.receive().get("do") == "at":
            pass
        return asked(boxes[1], receives, SAFE + source)["value"]
    finally:
        process.close()


def test_descriptors_on_their_way_are_not_counted_for_all_sandboxes_together(boxes):
    """The kernel refuses to send a descriptor while all of one user's sandboxes have too many on their way."""
    alone = asked(boxes[1], "send(1)", SAFE + IN_FLIGHT)["value"]
    assert while_another(boxes, IN_FLIGHT + "send(200)\n", "send(1)", IN_FLIGHT) == alone == "1", "EPERM"


def test_numbers_of_sockets_do_not_tell_how_many_others_were_made(boxes):
    """All sockets and pipes of a system are numbered in one row."""
    told = asked(boxes[0], "(tried(number), tried(number), tried(os.pipe))", SAFE + NUMBER)["value"]
    assert told == "(1, 1, 1)", "a student's process makes no socket and no pipe"


def test_a_pair_that_was_made_beforehand_is_lent_as_often_as_it_is_asked_for(boxes):
    source = "import asyncio\nasync def f(x):\n    await asyncio.sleep(0.01)\n    return x\n"
    assert asked(boxes[0], "[asyncio.run(f(x)) for x in range(40)][-1]", source)["value"] == "39"


def test_queued_signals_of_one_sandbox_leave_room_for_those_of_another(boxes):
    """A user has so many signals on their way; one process may not have them all."""
    most = 2 * confine.SIGNALS
    assert int(asked(boxes[0], f"queued({most})", SAFE + SIGNALS)["value"]) <= confine.SIGNALS
    full = SIGNALS + f"queued({most})\n"
    assert int(while_another(boxes, full, f"queued({most})", SIGNALS)) == int(
        asked(boxes[1], f"queued({most})", SAFE + SIGNALS)["value"]
    )


def test_reading_a_file_leaves_no_time_on_it(boxes):
    file = "/usr/bin/env"
    before = os.stat(file).st_atime_ns
    read = f"import os\nhandle = os.open({file!r}, os.O_RDONLY)\nos.read(handle, 9)\n"
    assert int(while_another(boxes, read, f"__import__('os').stat({file!r}).st_atime_ns", "")) == before


COOKIE = (
    "import os, socket\n"
    "def cookie():\n    return socket.socket(fileno=os.dup(3)).getsockopt(socket.SOL_SOCKET, 57, 8)\n"
)


def test_a_cookie_of_a_socket_does_not_tell_how_many_others_were_given(boxes):
    """The kernel gives out cookies on request, in one row for the whole machine."""
    assert asked(boxes[0], "tried(cookie)", SAFE + COOKIE)["value"] == "1"


@pytest.mark.parametrize("device", [f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom", "tty")])
def test_the_machines_devices_keep_their_times_and_modes(boxes, device):
    """Where root grades, root's files are the student's own as far as their owner is asked for."""
    before = os.stat(device)
    changes = f"(tried(lambda: os.chmod({device!r}, 0o666)), tried(lambda: os.setxattr({device!r}, 'user.x', b'1')))"
    told = asked(boxes[0], changes, SAFE + "import os\n")["value"]
    assert told == f"({errno.EROFS}, {errno.EPERM})"
    reached = f"tried(lambda: os.utime({device!r}, ns=({before.st_atime_ns}, {before.st_mtime_ns})))"
    assert asked(boxes[0], reached, SAFE + "import os\n")["value"] == "None", "it is told that it is done"
    assert os.stat(device).st_ctime_ns == before.st_ctime_ns, "and nothing was done"


def test_what_one_reads_of_chance_another_does_not_miss(boxes):
    """Until Linux 5.6, `/dev/random` waited when too much had been read of it."""
    same = "os.stat('/dev/random').st_rdev == os.stat('/dev/urandom').st_rdev"
    assert asked(boxes[0], f"({same}, len(open('/dev/random', 'rb').read(99)))", "import os\n")["value"] == "(True, 99)"


def test_a_terminal_cannot_be_made(boxes):
    """Those of one sandbox are numbered in one row, and their times outlive the student who wrote to one."""
    source = SAFE + "import os\n"
    assert asked(boxes[0], "tried(lambda: os.open('/dev/ptmx', os.O_RDWR))", source)["value"] == str(errno.ENOENT)
    assert asked(boxes[0], "os.listdir('/dev/pts')", source)["value"] == "[]"


@pytest.mark.parametrize(
    "attempt",
    [
        "os.statvfs('/usr')",
        "os.sched_setaffinity(0, {0})",
        "socket.socketpair()[0].sendmsg([b'x'])",
        "_socket.socketpair()",
        "os.pipe()",
        "libc.get_mempolicy(None, None, 0, None, 0)",
        "libc.mbind(None, 4096, 0, None, 0, 2)",
        "libc.madvise(None, 0, 21)",
        "mmap.mmap(-1, 2 << 20, flags=0x40022)",
        "os.getrandom(8, os.GRND_RANDOM | os.GRND_NONBLOCK)",
        "fcntl.ioctl(3, 0x8912)",
    ],
)
def test_what_moves_or_shows_a_common_counter_is_refused(boxes, attempt):
    source = (
        "import ctypes, fcntl, mmap, os, socket, _socket\nfrom types import SimpleNamespace\n"
        "c = ctypes.CDLL(None, use_errno=True)\n"
        "NUMBERS = {'get_mempolicy': (239, 236), 'mbind': (237, 235), 'madvise': (28, 233)}\n"
        "def call(name):\n    def run(*arguments):\n"
        "        number = NUMBERS[name][os.uname().machine != 'x86_64']\n"
        "        if c.syscall(number, *arguments):\n            raise OSError(ctypes.get_errno(), name)\n"
        "    return run\n"
        "libc = SimpleNamespace(**{name: call(name) for name in NUMBERS})\n"
    )
    assert asked(boxes[0], f"tried(lambda: {attempt})", SAFE + source)["value"] == "1"
