"""Shut a freshly forked process in: its own namespaces, a tiny file system to write to, few resources, few calls.

Runs inside the outer sandbox, before the first line of a student's code. Whatever fails here raises, and the process
ends: nothing is graded outside the walls. The numbers are Linux's, of the two processors that classrooms have.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct

try:
    import resource
except ModuleNotFoundError:  # no Linux, no sandbox
    resource = None

NOBODY = 65534
NEW_NAMESPACES = 0x10000000 | 0x20000000 | 0x08000000  # user, PID, IPC
NEW_MOUNTS = 0x00020000
READ_ONLY, NO_SUID, NO_DEV, NO_EXEC = 1, 2, 4, 8
SET_NO_NEW_PRIVS, SET_SECCOMP, SECCOMP_FILTER, SET_DUMPABLE = 38, 22, 2, 4
SET_DEATH_SIGNAL = 1
CLONE_THREAD = 0x00010000
EPERM, ENOSYS = 1, 38

# No new process, no other program, no socket, no memory outside the limits, no door to the rest of the kernel.
REFUSED = {
    "x86_64": (0xC000003E, 56, 435, (
        57, 58, 59, 322,  # fork vfork execve execveat
        41, 101, 310, 311, 312, 438, 440,  # socket ptrace process_vm_readv _writev kcmp pidfd_getfd process_madvise
        29, 68, 64, 240, 319, 447,  # shmget msgget semget mq_open memfd_create memfd_secret
        272, 308, 155, 161, 165, 166, 428, 429, 430, 431, 432, 442,  # unshare setns pivot_root chroot mount umount2 …
        248, 249, 250, 298, 321, 323, 425, 426, 427, 300, 303, 304,  # keys perf bpf userfaultfd io_uring files
        246, 320, 175, 313, 176, 167, 169,  # kexec modules swapon reboot
    )),
    "aarch64": (0xC00000B7, 220, 435, (
        221, 281,  # execve execveat
        198, 117, 270, 271, 272, 438, 440,
        194, 186, 190, 180, 279, 447,
        97, 268, 41, 51, 40, 39, 428, 429, 430, 431, 432, 442,
        217, 218, 219, 241, 280, 282, 425, 426, 427, 262, 264, 265,
        104, 294, 105, 273, 106, 224, 142,
    )),
}  # fmt: skip


def enter_namespaces() -> None:
    """Give this process's children user, PID and IPC spaces of their own; the network is empty outside already."""
    _call("unshare", NEW_NAMESPACES)
    for file, text in (("setgroups", "deny"), ("uid_map", f"{NOBODY} {NOBODY} 1"), ("gid_map", f"{NOBODY} {NOBODY} 1")):
        with open(f"/proc/self/{file}", "w") as stream:
            stream.write(text)


def seal(limits: dict) -> None:
    """Close the last doors for this process, for ever: files, resources, privileges, system calls."""
    with open("/proc/self/statm") as stream:
        in_use = int(stream.read().split()[0]) * resource.getpagesize()
    with open("/proc/self/oom_score_adj", "w") as stream:
        stream.write("1000")  # where memory runs out, this process goes first
    os.setsid()
    _call("unshare", NEW_MOUNTS)
    flags = NO_SUID | NO_DEV | NO_EXEC
    _call("mount", b"tmpfs", b"/proc", b"tmpfs", flags | READ_ONLY, b"size=4k,nr_inodes=2,mode=555")
    desk = os.environb[b"HOME"]
    _call("mount", b"tmpfs", desk, b"tmpfs", flags, b"size=%dm,nr_inodes=1000,mode=777" % limits["disk_mb"])
    os.chdir(desk)
    limit_resources(limits, in_use)
    _call("prctl", SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    _call("prctl", SET_DUMPABLE, 0, 0, 0, 0)
    header = struct.pack("Ii", 0x20080522, 0)
    _call("capset", header, bytes(24))
    _filter_system_calls()


def limit_resources(limits: dict, in_use: int) -> None:
    """Set the limits that a process cannot raise again; memory counts beyond what is `in_use` (bytes) already."""
    for name, value in (
        ("AS", in_use + (limits["memory_mb"] << 20)),
        ("CPU", int(limits["student_seconds"]) + 5),
        ("FSIZE", limits["file_mb"] << 20),
        ("NOFILE", 64),
        ("CORE", 0),
        ("NPROC", 64),
        ("MEMLOCK", 0),
        ("MSGQUEUE", 0),
    ):
        resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (value, value))


def die_with_parent() -> None:
    """End this process when the one that started it ends."""
    _call("prctl", SET_DEATH_SIGNAL, 9, 0, 0, 0)


def supported() -> bool:
    """Tell whether the system calls of this processor are known."""
    return platform.machine() in REFUSED


def _filter_system_calls() -> None:
    """Refuse the calls above with EPERM; a thread may start, a process may not."""
    audit, clone, clone3, refused = REFUSED[platform.machine()]
    program = [(0x20, 0, 0, 4), (0x15, 1, 0, audit), (0x06, 0, 0, 0x80000000), (0x20, 0, 0, 0)]  # this architecture
    program += [(0x35, 0, 1, 0x40000000), (0x06, 0, 0, 0x00050000 | EPERM)]  # the other numbering of x86
    program += [(0x15, 0, 1, clone3), (0x06, 0, 0, 0x00050000 | ENOSYS)]  # the C library then takes clone
    program += [(0x15, 0, 4, clone), (0x20, 0, 0, 16), (0x45, 1, 0, CLONE_THREAD)]
    program += [(0x06, 0, 0, 0x00050000 | EPERM), (0x06, 0, 0, 0x7FFF0000)]
    for number in refused:
        program += [(0x15, 0, 1, number), (0x06, 0, 0, 0x00050000 | EPERM)]
    program += [(0x06, 0, 0, 0x7FFF0000)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in program))
    head = struct.pack("HxxxxxxP", len(program), ctypes.addressof(code))
    _call("prctl", SET_SECCOMP, SECCOMP_FILTER, head, 0, 0)


def _call(name: str, *arguments: object) -> None:
    """Call the C library; raise OSError with the call's name."""
    libc = ctypes.CDLL(None, use_errno=True)
    converted = [ctypes.c_ulong(a) if isinstance(a, int) else a for a in arguments]
    if getattr(libc, name)(*converted):
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
