"""Confine a freshly forked process: its own namespaces, a tiny file system to write to, few resources, few calls.

Runs inside the outer sandbox, before the first line of a student's code. Whatever fails here raises, and the process
ends: nothing is graded without these limits. The numbers are Linux's, for the two processors that classrooms have.
"""

from __future__ import annotations

import ctypes
import functools
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
READ_ONLY = 1
NO_SUID = 2
NO_DEV = 4
NO_EXEC = 8
REMOUNT = 32
BIND = 4096
DEVICES = ("null", "zero", "full", "random", "urandom", "tty")  # the machine's own, each mounted by itself
SET_DEATH_SIGNAL = 1
SET_DUMPABLE = 4
SET_SECCOMP = 22
SECCOMP_FILTER = 2
SET_NO_NEW_PRIVS = 38
CLONE_THREAD = 0x00010000
EPERM = 1
ENOSYS = 38
NICENESS = 5  # students' code yields to the teacher's other programs
SIGNALS = 64  # that wait to be taken
THREADS = 16  # of one student; the kernel does not count those of root, whose memory alone limits them

ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # column of CALLS, the kernel's name for it

# What Python, numpy, torch and matplotlib call. Everything else is refused, also what later kernels add. Left out on
# purpose, since two sandboxes could talk by them: `flock` and the locking commands of `fcntl` (locks of a file that
# both see), `fadvise64` and `mincore` (what the system keeps in memory of such a file), `mbind` and `get_mempolicy`
# (where in memory), `sysinfo` (how many threads there are), `statfs` (how full the disk is), `sendmsg` (how many
# descriptors of this user are on their way), `socketpair` and `pipe` (their numbers count those of the whole system;
# one pair is made beforehand), `sched_setaffinity` (who is on which processor). What some of the others can be asked
# for is limited by ARGUMENTS.
CALLS = {  # name: its number on x86_64 and on aarch64
    # files that are open already, and their bytes
    "read": (0, 63),
    "write": (1, 64),
    "pread64": (17, 67),
    "pwrite64": (18, 68),
    "readv": (19, 65),
    "writev": (20, 66),
    "preadv": (295, 69),
    "pwritev": (296, 70),
    "lseek": (8, 62),
    "close": (3, 57),
    "close_range": (436, 436),
    "dup": (32, 23),
    "dup2": (33, None),
    "dup3": (292, 24),
    "fsync": (74, 82),
    "fdatasync": (75, 83),
    "ftruncate": (77, 46),
    "fallocate": (285, 47),
    "sendfile": (40, 71),
    "copy_file_range": (326, 285),
    "fcntl": (72, 25),
    "ioctl": (16, 29),
    # paths, within what the mounts show
    "open": (2, None),
    "openat": (257, 56),
    "openat2": (437, 437),
    "stat": (4, None),
    "lstat": (6, None),
    "fstat": (5, 80),
    "newfstatat": (262, 79),
    "statx": (332, 291),
    "access": (21, None),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "getdents": (78, None),
    "getdents64": (217, 61),
    "getcwd": (79, 17),
    "chdir": (80, 49),
    "fchdir": (81, 50),
    "mkdir": (83, None),
    "mkdirat": (258, 34),
    "rmdir": (84, None),
    "unlink": (87, None),
    "unlinkat": (263, 35),
    "rename": (82, None),
    "renameat": (264, 38),
    "renameat2": (316, 276),
    "symlink": (88, None),
    "symlinkat": (266, 36),
    "truncate": (76, 45),
    "chmod": (90, None),
    "fchmodat": (268, 53),
    "umask": (95, 166),
    "getxattr": (191, 8),
    "lgetxattr": (192, 9),
    "fgetxattr": (193, 10),
    "listxattr": (194, 11),
    "llistxattr": (195, 12),
    "flistxattr": (196, 13),
    # memory
    "brk": (12, 214),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "munmap": (11, 215),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "msync": (26, 227),
    "membarrier": (324, 283),
    # threads, never processes: `clone` and `clone3` have rules of their own
    "futex": (202, 98),
    "set_robust_list": (273, 99),
    "get_robust_list": (274, 100),
    "set_tid_address": (218, 96),
    "rseq": (334, 293),
    "gettid": (186, 178),
    "sched_yield": (24, 124),
    "sched_getaffinity": (204, 123),
    "sched_getparam": (143, 121),
    "sched_getscheduler": (145, 120),
    "getcpu": (309, 168),
    "exit": (60, 93),
    "exit_group": (231, 94),
    # signals to oneself
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "rt_sigpending": (127, 136),
    "rt_sigtimedwait": (128, 137),
    "sigaltstack": (131, 132),
    "restart_syscall": (219, 128),
    "kill": (62, 129),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "pause": (34, None),
    "alarm": (37, None),
    "setitimer": (38, 103),
    "getitimer": (36, 102),
    # time and waiting
    "nanosleep": (35, 101),
    "clock_nanosleep": (230, 115),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "gettimeofday": (96, 169),
    "time": (201, None),
    "times": (100, 153),
    "select": (23, None),
    "pselect6": (270, 72),
    "poll": (7, None),
    "ppoll": (271, 73),
    "epoll_create": (213, None),
    "epoll_create1": (291, 20),
    "epoll_ctl": (233, 21),
    "epoll_wait": (232, None),
    "epoll_pwait": (281, 22),
    "eventfd2": (290, 19),
    "timerfd_create": (283, 85),
    "timerfd_settime": (286, 86),
    "timerfd_gettime": (287, 87),
    # the one connection, and the pair to oneself
    "recvfrom": (45, 207),
    "sendto": (44, 206),
    "recvmsg": (47, 212),
    "getsockopt": (55, 209),
    "setsockopt": (54, 208),
    "getsockname": (51, 204),
    "getpeername": (52, 205),
    "shutdown": (48, 210),
    # who and where one is
    "getpid": (39, 172),
    "getppid": (110, 173),
    "getuid": (102, 174),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getegid": (108, 177),
    "getgroups": (115, 158),
    "getresuid": (118, 148),
    "getresgid": (120, 150),
    "getpgrp": (111, None),
    "getpgid": (121, 155),
    "getsid": (124, 156),
    "getpriority": (140, 141),
    "uname": (63, 160),
    "getrusage": (98, 165),
    "getrlimit": (97, 163),
    "setrlimit": (160, 164),
    "prlimit64": (302, 261),
    "getrandom": (318, 278),
    "arch_prctl": (158, None),
    "prctl": (157, 167),
}

# A futex that is not private lies on the page of a file, where another sandbox may wait. Nobody here waits on one: who
# asks is told that there is nothing to wait for, and `pthread_join`, which alone needs it, looks again until it is so.
PRIVATE_FUTEX = 128
WAITS = (0, 9, 256, 256 | 9)  # FUTEX_WAIT and FUTEX_WAIT_BITSET, by either clock
EAGAIN = 11
# They are done by descriptor, too. All `epoll` objects, timers and the like of a system are one file, whose mode and
# times root could set and everybody could read (until Linux 6.15). So these are told that it is done.
PRETENDED = {"fchmod": (91, 52), "utimensat": (280, 88)}
CLONE = (56, 220)
CLONE3 = (435, 435)
LARGE_PAGES = 0x40000  # a flag of `mmap`: pages from a store of the whole system, which one can empty
INSTRUCTION = struct.Struct("HBBI")  # of the kernel's BPF
NEWEST = 450  # calls with higher numbers do not exist, as far as a program here can tell
ARGUMENTS = {  # calls that are allowed for certain values of one argument: (which argument, the values)
    "fcntl": (1, (0, 1, 2, 3, 4, 1030)),  # copy a descriptor, read and set its flags
    "prctl": (0, (15, 16, 0x53564D41)),  # name a thread, name memory
    "ioctl": (1, (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)),  # is it a terminal, how large; what waits; flags
    "getsockopt": (2, (3, 4, 7, 8, 38, 39)),  # kind, error, room; not SO_COOKIE, which counts for the whole system
    "setsockopt": (2, (7, 8, 20, 21)),  # room, patience
    "getrandom": (2, (0, 1, 4)),  # not from the store of `/dev/random`, which one could empty until Linux 5.6
    "madvise": (2, (0, 1, 2, 3, 4, 8, 14, 15, 16, 17, 18, 19)),  # none that puts out pages which others share
}


def enter_namespaces() -> None:
    """Give this process's children user, PID and IPC spaces of their own; the network is empty outside already."""
    _call("unshare", NEW_NAMESPACES)
    for file, text in (("setgroups", "deny"), ("uid_map", f"{NOBODY} {NOBODY} 1"), ("gid_map", f"{NOBODY} {NOBODY} 1")):
        with open(f"/proc/self/{file}", "w") as stream:
            stream.write(text)


def seal(limits: dict) -> None:
    """Confine this process for good: files, resources, privileges, system calls."""
    with open("/proc/self/statm") as stream:
        in_use = int(stream.read().split()[0]) * resource.getpagesize()
    with open("/proc/self/oom_score_adj", "w") as stream:
        stream.write("1000")  # where memory runs out, this process goes first
    os.setsid()
    os.nice(NICENESS)
    _call("unshare", NEW_MOUNTS)
    flags = NO_SUID | NO_DEV | NO_EXEC
    _call("mount", b"tmpfs", b"/proc", b"tmpfs", flags | READ_ONLY, b"size=4k,nr_inodes=2,mode=555")
    scratch = os.environb[b"HOME"]
    _call("mount", b"tmpfs", scratch, b"tmpfs", flags, b"size=%dm,nr_inodes=1000,mode=777" % limits["disk_mb"])
    for name in DEVICES:
        leave_as_it_is(f"/dev/{name}")
    os.chdir(scratch)
    limit_resources(limits, in_use)
    _call("prctl", SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    _call("prctl", SET_DUMPABLE, 0, 0, 0, 0)
    header = struct.pack("Ii", 0x20080522, 0)
    _call("capset", header, bytes(24))
    filter_system_calls()


def leave_as_it_is(device: str) -> None:
    """Let nobody here change the mode and the times of a device, which all sandboxes see; it can be written to."""
    flags = os.statvfs(device).f_flag & (NO_SUID | NO_DEV | NO_EXEC)  # an inner mount keeps what an outer one forbids
    _call("mount", None, device.encode(), None, REMOUNT | BIND | READ_ONLY | flags, None)


def processor_limit(limits: dict) -> int:
    """Return the processor seconds that one process may use on all its threads together: far beyond its wall time."""
    return int(limits["student_seconds"]) * THREADS + 60


def limit_resources(limits: dict, in_use: int) -> None:
    """Set the limits that a process cannot raise again; memory counts beyond what is `in_use` (bytes) already."""
    for name, value in (
        ("AS", in_use + (limits["memory_mb"] << 20)),
        ("CPU", processor_limit(limits)),
        ("FSIZE", limits["file_mb"] << 20),
        ("NOFILE", 64),
        ("CORE", 0),
        ("NPROC", THREADS),
        ("SIGPENDING", SIGNALS),
        ("MEMLOCK", 0),
        ("MSGQUEUE", 0),
    ):
        resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (value, value))


def die_with_parent() -> None:
    """End this process when the one that started it ends."""
    _call("prctl", SET_DEATH_SIGNAL, 9, 0, 0, 0)


def supported() -> bool:
    """Tell whether the system calls of this processor are known."""
    return platform.machine() in ARCHITECTURES


def filter_system_calls() -> None:
    """Allow the calls above and refuse all others with EPERM; a thread may start, a process may not."""
    code = ctypes.create_string_buffer(seccomp_code())
    head = struct.pack("HxxxxxxP", len(seccomp_code()) // INSTRUCTION.size, ctypes.addressof(code))
    _call("prctl", SET_SECCOMP, SECCOMP_FILTER, head, 0, 0)


@functools.cache  # called once before the first fork, so that no student's process has to make it
def seccomp_code() -> bytes:
    """Return the filter for this processor as the kernel reads it."""
    return b"".join(INSTRUCTION.pack(*step) for step in seccomp_program(platform.machine()))


def seccomp_program(machine: str) -> list[tuple[int, int, int, int]]:
    """Return the filter as instructions of the kernel's BPF: (operation, jump if true, jump if false, value)."""
    column, architecture = ARCHITECTURES[machine]
    allow = (0x06, 0, 0, 0x7FFF0000)
    kill = (0x06, 0, 0, 0x80000000)
    refuse = (0x06, 0, 0, 0x00050000 | EPERM)
    unknown = (0x06, 0, 0, 0x00050000 | ENOSYS)
    pretend = (0x06, 0, 0, 0x00050000)
    load_number = (0x20, 0, 0, 0)

    def load_argument(index: int) -> tuple[int, int, int, int]:
        return (0x20, 0, 0, 16 + 8 * index)

    def unless_equal(value: int, skip: int) -> tuple[int, int, int, int]:
        return (0x15, 0, skip, value)

    program = [(0x20, 0, 0, 4), (0x15, 1, 0, architecture), kill, load_number]
    program += [(0x35, 0, 1, 0x40000000), refuse]  # the other numbering of x86
    program += [unless_equal(CLONE3[column], 1), unknown]  # the C library then takes clone
    program += [unless_equal(CLONE[column], 4), load_argument(0), (0x45, 0, 1, CLONE_THREAD), allow, refuse]
    look_again = (0x06, 0, 0, 0x00050000 | EAGAIN)
    waits = [step for value in WAITS for step in (unless_equal(value, 1), look_again)]
    program += [unless_equal(CALLS["futex"][column], len(waits) + 4), load_argument(1)]
    program += [(0x45, 0, 1, PRIVATE_FUTEX), allow, *waits, refuse]
    program += [unless_equal(CALLS["mmap"][column], 4), load_argument(3), (0x45, 0, 1, LARGE_PAGES), refuse, allow]
    for numbers in PRETENDED.values():
        program += [unless_equal(numbers[column], 1), pretend]
    for name, (index, values) in ARGUMENTS.items():
        tests = [step for value in values for step in (unless_equal(value, 1), allow)]
        program += [unless_equal(CALLS[name][column], len(tests) + 2), load_argument(index), *tests, refuse]
    for name, numbers in CALLS.items():
        if name not in (*ARGUMENTS, "futex", "mmap") and numbers[column] is not None:
            program += [unless_equal(numbers[column], 1), allow]
    return [*program, (0x35, 0, 1, NEWEST), unknown, refuse]


def _call(name: str, *arguments: object) -> None:
    """Call the C library; raise OSError with the call's name."""
    converted = [ctypes.c_ulong(a) if isinstance(a, int) else a for a in arguments]
    if getattr(_library(), name)(*converted):
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


@functools.cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
