"""What a student's process may ask of the kernel, and what a teacher is told where no sandbox can be built."""

import os
import re
from pathlib import Path

import pytest
from conftest import require

from pe_grading import confine, diagnosis, sandbox
from pe_grading.protocol import Deadline
from pe_grading.sandbox import Limits, Sandbox

HEADERS = {
    "x86_64": [Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"), Path("/usr/include/asm/unistd_64.h")],
    "aarch64": [Path("/usr/include/asm-generic/unistd.h")],
}


def decided(program, architecture, number, *arguments):
    """Run a filter as the kernel would; return what it returns."""
    data = {0: number, 4: architecture}
    data |= {16 + 8 * index: value for index, value in enumerate(arguments)}
    accumulator, at = 0, 0
    while True:
        operation, if_true, if_false, value = program[at]
        at += 1
        if operation == 0x06:
            return value
        if operation == 0x20:
            accumulator = data.get(value, 0)
        else:
            holds = {0x15: accumulator == value, 0x35: accumulator >= value, 0x45: bool(accumulator & value)}[operation]
            at += if_true if holds else if_false


DONE = 0x00050000
ALLOW, EPERM, EAGAIN, ENOSYS, KILL = 0x7FFF0000, 0x00050001, 0x0005000B, 0x00050026, 0x80000000


@pytest.mark.parametrize("machine", confine.ARCHITECTURES)
def test_the_filter_allows_the_list_and_nothing_else(machine):
    column, architecture = confine.ARCHITECTURES[machine]
    program = confine.seccomp_program(machine)
    assert all(0 <= jump < 256 for _, *jumps, _ in program for jump in jumps)
    allowed = {numbers[column] for name, numbers in confine.CALLS.items() if name not in confine.ARGUMENTS}
    with_rules = {confine.CALLS[name][column] for name in confine.ARGUMENTS}
    pretended = {numbers[column] for numbers in confine.PRETENDED.values()}
    assert {decided(program, architecture, number) for number in pretended} == {DONE}
    with_rules |= pretended
    special = {confine.CLONE[column], confine.CLONE3[column], confine.CALLS["futex"][column]}
    special.add(mmap := confine.CALLS["mmap"][column])
    assert decided(program, architecture, mmap, 0, 4096, 3, 0x22) == ALLOW
    assert decided(program, architecture, mmap, 0, 4096, 3, 0x40022) == EPERM, "large pages"
    for number in range(confine.NEWEST):
        if number not in with_rules | special:
            assert decided(program, architecture, number) == (ALLOW if number in allowed else EPERM), number
    for number in (confine.NEWEST, 460, 600, 10_000):
        assert decided(program, architecture, number) == ENOSYS
    assert decided(program, architecture, confine.CLONE3[column]) == ENOSYS
    assert decided(program, architecture, confine.CLONE[column], 17) == EPERM, "a process"
    assert decided(program, architecture, confine.CLONE[column], 0x3D0F00) == ALLOW, "a thread"
    assert decided(program, 0x40000003, 1) == KILL, "another architecture's numbers"
    futex = confine.CALLS["futex"][column]
    for operation in range(16):
        for clock in (0, 256):
            shared = EAGAIN if operation in (0, 9) else EPERM
            assert decided(program, architecture, futex, 0, operation | clock) == shared, operation
            assert decided(program, architecture, futex, 0, operation | clock | 128) == ALLOW, operation
    fcntl, prctl = (confine.CALLS[name][column] for name in ("fcntl", "prctl"))
    assert decided(program, architecture, fcntl, 0, 3) == ALLOW
    assert {decided(program, architecture, fcntl, 0, command) for command in (5, 6, 7, 36, 37, 1024, 1033)} == {EPERM}
    assert decided(program, architecture, prctl, 22) == EPERM and decided(program, architecture, prctl, 15) == ALLOW
    if machine == "x86_64":
        assert decided(program, architecture, 0x40000000 | 1) == EPERM, "the other numbering"


@pytest.mark.parametrize("machine", confine.ARCHITECTURES)
def test_the_numbers_are_the_kernels(machine):
    header = next((path for path in HEADERS[machine] if path.exists()), None)
    require(header, "install the kernel's headers (the package `linux-libc-dev`)")
    found = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", header.read_text())
    known = {name: int(number) for name, number in found}
    known.setdefault("newfstatat", known.get("fstatat"))
    column, _ = confine.ARCHITECTURES[machine]
    numbers = {name: pair[column] for name, pair in confine.CALLS.items()}
    numbers |= {name: pair[column] for name, pair in confine.PRETENDED.items()}
    numbers |= {"clone": confine.CLONE[column], "clone3": confine.CLONE3[column]}
    for name, number in numbers.items():
        if machine == "aarch64" and name == "newfstatat":
            assert number == 79
        else:
            assert number == known.get(name), name


DANGEROUS = (
    "socket connect bind execve fork vfork ptrace unshare setns mount umount2 pivot_root bpf io_uring_setup flock"
)
DANGEROUS += " keyctl memfd_create process_vm_readv perf_event_open userfaultfd init_module kexec_load shmget msgget"
DANGEROUS += " inotify_init1 sched_setscheduler setpriority personality"
DANGEROUS += " statfs fstatfs sendmsg sendmmsg socketpair pipe pipe2 mbind get_mempolicy sched_setaffinity"
DANGEROUS += " sysinfo fadvise64 mincore preadv2 process_madvise futex_waitv fanotify_init quotactl syslog"


def test_no_dangerous_call_is_on_the_list():
    assert not set(DANGEROUS.split()) & set(confine.CALLS)


@pytest.fixture(scope="module")
def box():
    require(sandbox.missing() is None, "install bubblewrap (the package `bubblewrap`)")
    made = Sandbox(["numpy", "torch", "matplotlib.pyplot"], Limits())
    yield made
    made.close()


def asked(box, source, definitions=""):
    """Run statements and evaluate an expression in a fresh student's process; return the reply."""
    process = box.start()
    try:
        cell = {"do": "cell", "id": 1, "index": 0, "source": definitions, "keep": [], "skip": []}
        process.channel.send({**cell, "definitions_only": False})
        while (reply := process.channel.receive(Deadline(120))).get("do") == "at":
            pass
        assert reply["errors"] == [], reply
        process.channel.send({"do": "ask", "id": 2, "source": source})
        return process.channel.receive(Deadline(120))
    finally:
        process.close()


WORK = {
    "numpy": "import numpy as np\na = np.random.rand(60, 60)\nnp.linalg.svd(a)\nnp.save('a.npy', a)\n"
    "b = np.load('a.npy', mmap_mode='r')\nok = bool((a == b).all())",
    "torch": "import torch\nm = torch.nn.Linear(8, 2)\no = torch.optim.AdamW(m.parameters())\n"
    "for _ in range(5):\n    l = m(torch.randn(4, 8)).square().mean()\n    o.zero_grad()\n    l.backward()\n"
    "    o.step()\n"
    "torch.save(m.state_dict(), 'm.pt')\nm.load_state_dict(torch.load('m.pt'))\ntorch.set_num_threads(2)\n"
    "ok = bool(torch.isfinite(torch.randn(300, 300) @ torch.randn(300, 300)).all())",
    "matplotlib": "import matplotlib.pyplot as plt\nfor kind in ('png', 'pdf', 'svg'):\n    fig, ax = plt.subplots()\n"
    "    ax.plot([1, 2], label=r'$\\omega$')\n    ax.legend()\n    fig.savefig('x.' + kind)\n"
    "import os\nok = os.path.getsize('x.png') > 1000",
    "threads and files": "import os, shutil, tempfile\nfrom concurrent.futures import ThreadPoolExecutor\n"
    "with ThreadPoolExecutor(4) as pool:\n    n = sum(pool.map(lambda x: x * x, range(10)))\n"
    "os.makedirs('d/e')\nopen('d/f', 'w').write('x')\nshutil.copy('d/f', 'd/g')\nshutil.copytree('d', 'h')\n"
    "os.rename('h', 'i')\nshutil.rmtree('d')\ntempfile.TemporaryFile().write(b'x')\nok = n == 285",
    "asyncio": "import asyncio\nasync def f():\n    await asyncio.sleep(0.01)\n    return 3\n"
    "ok = asyncio.run(f()) == 3",
    "sympy": "import sympy\nx = sympy.symbols('x')\nok = sympy.simplify(sympy.sin(x)**2 + sympy.cos(x)**2) == 1",
}


@pytest.mark.parametrize("what", WORK)
def test_what_students_need_works_inside(box, what):
    assert asked(box, "ok", WORK[what]).get("value") == "True"


@pytest.mark.parametrize(
    "attempt",
    [
        "__import__('os').fork()",
        "__import__('socket').socket()",
        "__import__('_socket').socketpair()",
        "__import__('fcntl').flock(open(__import__('json').__file__), 2)",
        "__import__('fcntl').lockf(open(__import__('json').__file__), 1)",
        "__import__('os').memfd_create('x')",
        "__import__('os').posix_fadvise(__import__('os').open('/etc/ld.so.cache', 0), 0, 0, 4)",
        "__import__('os').setpriority(0, 0, 19)",
        "__import__('os').sched_setscheduler(0, 0, __import__('os').sched_param(0))",
    ],
)
def test_what_is_not_on_the_list_is_refused(box, attempt):
    assert asked(box, attempt)["error"][0] == "PermissionError"


FUTEX = """
import ctypes, mmap, os, threading, time
libc = ctypes.CDLL(None, use_errno=True)
FUTEX, SET_TID = (202, 218) if os.uname().machine == "x86_64" else (98, 96)
size = os.path.getsize("/etc/ld.so.cache") // 4096 * 4096
page = mmap.mmap(os.open("/etc/ld.so.cache", os.O_RDONLY), size, prot=mmap.PROT_READ, flags=mmap.MAP_SHARED)
libc.mmap.restype = ctypes.c_void_p
address = libc.mmap(None, ctypes.c_size_t(4096), 1, 1, os.open("/etc/ld.so.cache", os.O_RDONLY), ctypes.c_long(0))
word = ctypes.c_uint.from_address(address).value

def shared(operation, value, seconds=0):
    wait = (ctypes.c_long * 2)(seconds, 0)
    ctypes.set_errno(0)
    got = libc.syscall(FUTEX, ctypes.c_void_p(address), operation, ctypes.c_uint(value), wait, None, 0)
    return got, ctypes.get_errno()

def die_as_a_wake():
    libc.syscall(SET_TID, ctypes.c_void_p(address))  # the kernel wakes who waits there when this thread ends
"""
WAKES = {
    "a wake": "while True:\n    shared(1, 100)\n    time.sleep(0.01)",
    "the end of a thread": "threading.stack_size(65536)\nwhile True:\n    t = threading.Thread(target=die_as_a_wake)\n"
    "    t.start()\n    t.join()\n    time.sleep(0.03)",
}


@pytest.mark.parametrize("wake", WAKES)
def test_a_sandbox_that_waits_on_a_file_both_see_is_not_woken_by_another(box, wake):
    """The end of a thread wakes as well as a call does, and no filter sees it: so nobody may wait."""
    sender = box.start()
    try:
        cell = {"do": "cell", "index": 0, "keep": [], "skip": [], "definitions_only": False}
        sender.channel.send({**cell, "id": 1, "source": FUTEX + WAKES[wake]})
        reply = asked(box, "[shared(0, word, 2)[0] for _ in range(3)]", FUTEX)
        assert reply["value"] == "[-1, -1, -1]", "0: somebody woke it"
        told = asked(box, "shared(1, 1)", FUTEX)["value"]
        assert told == "(-1, 1)", "who wakes must not learn whether somebody waits"
    finally:
        sender.close()


def test_threads_can_be_joined_by_the_c_library(box):
    source = (
        "import ctypes\nlibc = ctypes.CDLL(None)\nseen = []\n"
        "@ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)\ndef run(_):\n    import time\n    time.sleep(0.2)\n"
        "    seen.append(1)\n    return 0\n"
        "thread = ctypes.c_ulong()\nlibc.pthread_create(ctypes.byref(thread), None, run, None)\n"
        "joined = libc.pthread_join(thread, None)"
    )
    assert asked(box, "(joined, seen)", source)["value"] == "(0, [1])"


def test_no_sandbox_counts_what_runs_outside(box):
    source = (
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "told = (libc.sysinfo(ctypes.create_string_buffer(256)), ctypes.get_errno())"
    )
    assert asked(box, "told", source)["value"] == "(-1, 1)"


def test_a_student_yields_to_other_programs_and_has_few_threads(box):
    assert int(asked(box, "__import__('os').getpriority(0, 0)")["value"]) >= confine.NICENESS
    threads = "import threading, time\nstarted = 0\nfor _ in range(2000):\n"
    threads += "    t = threading.Thread(target=time.sleep, args=(9,), daemon=True)\n"
    threads += "    try:\n        t.start()\n        started += 1\n    except RuntimeError:\n        break"
    started = int(asked(box, "started", threads)["value"])
    assert started <= (confine.THREADS if os.getuid() else 1000)  # root's threads are bounded by their memory alone


def test_a_control_group_is_made_where_the_system_can(tmp_path, monkeypatch):
    program = tmp_path / "systemd-run"
    program.write_text('#!/bin/sh\necho "$@" >> "$0.log"\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{sandbox.os.environ['PATH']}")
    limits = Limits(memory_mb=300)
    sandbox.control_group.cache_clear()
    made = Sandbox(["numpy"], limits)
    try:
        assert asked(made, "1 + 1")["value"] == "2"
    finally:
        made.close()
        sandbox.control_group.cache_clear()
    asked_for = (tmp_path / "systemd-run.log").read_text()
    assert f"MemoryMax={300 + limits.disk_mb + sandbox.WARM_MB}M" in asked_for and "TasksMax" in asked_for
    assert "bwrap" in asked_for.splitlines()[-1]


def test_where_no_control_group_can_be_made_the_sandbox_starts_without(tmp_path, monkeypatch):
    program = tmp_path / "systemd-run"
    program.write_text("#!/bin/sh\necho 'Failed to connect to bus' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{sandbox.os.environ['PATH']}")
    sandbox.control_group.cache_clear()
    assert sandbox.control_group(Limits(memory_mb=301)) == ()


def system(tmp_path, **files):
    for name, content in files.items():
        path = tmp_path / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return tmp_path


def test_ubuntus_restriction_is_named_with_its_remedy(tmp_path, monkeypatch):
    monkeypatch.setattr(diagnosis.os, "getuid", lambda: 1000)
    root = system(tmp_path, proc__sys__kernel__apparmor_restrict_unprivileged_userns="1\n")
    said = diagnosis.why_no_namespaces(root)
    for words in ("AppArmor", "Ubuntu 24.04", "flags=(unconfined) { userns, }", "/etc/apparmor.d/bwrap", "sysctl"):
        assert words in said


def test_other_reasons_are_named_too(tmp_path, monkeypatch):
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    assert diagnosis.why_no_namespaces(tmp_path / "nothing") == ""
    assert "max_user_namespaces" in diagnosis.why_no_namespaces(
        system(tmp_path / "a", proc__sys__user__max_user_namespaces="0")
    )
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / ".dockerenv").touch()
    assert "container" in diagnosis.why_no_namespaces(tmp_path / "b")


@pytest.mark.parametrize(
    ("platform", "remedy"), [("win32", "WSL2"), ("darwin", "limactl"), ("freebsd14", "a Linux machine")]
)
def test_other_systems_are_refused_with_what_works(platform, remedy):
    assert remedy in diagnosis.missing(platform)


def test_a_sandbox_that_cannot_be_sealed_is_diagnosed(box, monkeypatch):
    monkeypatch.setattr(sandbox, "why_no_namespaces", lambda: "AppArmor restricts user namespaces here")
    monkeypatch.setattr(
        sandbox, "bwrap_args", lambda: ["sh", "-c", "echo 'setting up uid map: Permission denied' >&2; exit 1"]
    )
    with pytest.raises(sandbox.NoSandbox, match=r"uid map.*AppArmor"):
        Sandbox(["numpy"])
