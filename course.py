#!/usr/bin/env python3
"""Clockwork from the command line: `python3 course.py lab` opens the course, `python3 course.py test` proves it.

The first command makes a virtual environment in .venv. Needs Python 3.11 to 3.14 and nothing else.
"""

from __future__ import annotations  # an old Python shall reach the sentence that says it is old

import ast
import contextlib
import errno
import hashlib
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HOME = Path(__file__).resolve().parent
VENV = HOME / ".venv"
HELPERS = "src/pe_helpers"  # a distribution of its own, on which the course depends
CONSTRAINTS = HOME / "constraints.txt"
VERBS = {  # verb: (extras it needs, arguments for Python, what it does)
    "lab": ("lab", ["tools/lab.py"], "open your copy of the lessons in JupyterLab; --edit opens the course's own"),
    "update": ("lab", ["tools/copies.py"], "bring new versions of lessons into your copy; your work stays"),
    "grade": ("lab,grade", ["-m", "pe_grading"], "grade the assignments in a folder: your own, or a class's"),
    "site": ("lab,site", ["-m", "tools.site"], "write the course as a web site into build/site; --serve shows it"),
    "pretrained": ("lab,pretrained", ["-m", "tools.pretrained"], "fetch the model of lesson 11: 93 MB, Apache-2.0"),
    "measure": ("lab,measure", ["-m", "clockwork.measure"], "measure how a model of your own uses its positions"),
    "install": ("lab", [], "install and do nothing else; name extras to install those too"),
    "test": (
        "lab,test,grade,sweep,site,pretrained,measure",
        ["-m", "tools.run_tests"],
        "run the quick tests; a lesson's with 04, everything with --all; other arguments go to pytest",
    ),
    "lessons": ("lab,site,test", ["-m", "tools.run_lessons"], "execute the lessons in place, or those that you name"),
    "release": ("lab,site", ["-m", "tools.release"], "write what a release offers: the site, the wheels, an archive"),
    "colab": ("lab", ["-m", "tools.colab"], "write copies of the lessons that start on Colab"),
    "assignments": ("lab,grade", ["-m", "pe_grading.release"], "generate the students' notebooks from the teacher's"),
    "slides": ("lab", ["tools/slides.py"], "make slides of the lessons' figures, in build/slides/"),
    "exam": ("lab", ["-m", "tools.exam"], "write an exam on paper with variants and solutions, in build/exam/"),
    "objectives": ("lab", ["-m", "tools.objectives"], "say where each objective is practised and checked, in build/"),
    "bench": (
        "lab,test,grade",
        ["-m", "benchmarks"],
        "measure, for example encoders, widgets, site, grading or lessons",
    ),
    "sweep": ("lab,sweep", ["-m", "clockwork.kit.train_sweep"], "train every encoding on every task; results in data/"),
    "screenshots": ("lab,test,site", ["tools/screenshots.py"], "picture every widget: light, dark and narrow"),
    "anywhere": ("lab,test,grade,sweep", ["-m", "tools.anywhere"], "test in other arithmetic, threads and load"),
    "newest": ("lab", ["-m", "tools.dependencies", "newest"], "test with the newest version of every dependency"),
    "pin": ("lab", ["-m", "tools.dependencies", "pin"], "write constraints.txt anew; --upgrade takes newest versions"),
}
FOR_READERS = ("lab", "update", "grade", "site", "pretrained", "measure", "install", "test")
OPTIONS = {  # of the verbs whose programs read no --help
    "lab": "--edit        open the course's own lessons, not your copy\n"
    "  --no-browser  print the address and open no browser; all else goes to JupyterLab",
    "install": "EXTRA ...     install these, too, of pyproject.toml's optional dependencies",
    "lessons": "NN ...        only the lessons whose names begin so, such as 02 04",
}
HELPFUL = (  # their programs do
    "grade",
    "site",
    "measure",
    "release",
    "colab",
    "assignments",
    "exam",
    "sweep",
    "anywhere",
)
HELP = ("-h", "--help")
OLDEST = (3, 11)  # of Python: the pinned PyTorch is built for these
NEWEST = (3, 14)
CPU_BUILDS = "https://download.pytorch.org/whl/cpu"  # PyTorch without the gigabytes for graphics cards
DOWNLOAD = 0.4  # GB that reading and running the lessons takes, at most
DISK = 1.6
UV_SETTINGS = {  # what pip is told: what uv calls it, and how uv separates several
    "index-url": ("UV_DEFAULT_INDEX", " "),
    "extra-index-url": ("UV_INDEX", " "),
    "find-links": ("UV_FIND_LINKS", ","),
    "no-index": ("UV_NO_INDEX", " "),
    "trusted-host": ("UV_INSECURE_HOST", " "),
    "cert": ("SSL_CERT_FILE", " "),
    "proxy": ("ALL_PROXY", " "),
}
FULL = "no space left|os error 28"
OFFLINE = "dns error|name resolution|connect|timed out|tunnel"
NO_TORCH = CPU_BUILDS
REASONS = {  # a pattern in what an installer said: what is wrong, what to do
    FULL: ("the disk is full", f"free {DISK} GB and run the command again"),
    NO_TORCH: (
        f"{CPU_BUILDS} does not answer, where PyTorch's builds for the CPU lie",
        "check the network and run the command again; with CLOCKWORK_TORCH=gpu in the environment the build for "
        "graphics cards is taken, which is several GB larger",
    ),
    OFFLINE: ("the network does not answer", "check it and run the command again; what is already downloaded is kept"),
    "no solution found|no matching distribution": (
        "a package does not exist for this machine",
        "see which above; they exist for 64-bit Linux, Windows, and macOS 14 or newer on Apple silicon",
    ),
}


def main(arguments: list[str]) -> int:
    """Run one verb with its further arguments."""
    if problem := unsupported():
        return fail(*problem)
    if not arguments or arguments[0] not in VERBS:
        print(__doc__, listed(FOR_READERS), "", "To change or measure the course, or to teach with it:", "", sep="\n")
        print(listed(verb for verb in VERBS if verb not in FOR_READERS))
        return 0 if not arguments or arguments[0] in HELP else 2
    verb, *rest = arguments
    extras, command, what = VERBS[verb]
    if set(rest[:1]) & set(HELP) and not (verb in HELPFUL and is_current(set(extras.split(",")))):
        print(f"usage: python3 course.py {verb} ...\n\n{what}")
        if verb in OPTIONS:
            print(f"\n  {OPTIONS[verb]}")
        if verb in HELPFUL:
            print(f"\nIts options show once it is installed: python3 course.py install {extras.replace(',', ' ')}")
        return 0
    wanted = {*extras.split(","), *(rest if verb == "install" else [])}
    if problem := prepare(wanted):
        return fail(*problem)
    if not command:
        print(f"Clockwork: {', '.join(sorted(wanted))}: installed in {VENV.name}.")
        return 0
    return become([str(python_of(VENV)), *command, *rest])


def listed(verbs) -> str:
    """Return verbs with what they do, a line each."""
    return "\n".join(f"  {verb:12} {VERBS[verb][2]}" for verb in verbs)


def become(command: list[str]) -> int:
    """Let the command take this process's place, so that nothing is left of it; on Windows, run it and wait."""
    os.chdir(HOME)
    sys.stdout.flush()
    if os.name != "nt":
        os.execv(command[0], command)
    process = subprocess.Popen(command)
    while True:
        with contextlib.suppress(KeyboardInterrupt):  # the command hears it too and decides
            return process.wait()


def python_of(venv: Path) -> Path:
    """Return the interpreter of a virtual environment."""
    return venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def unsupported() -> tuple[str, str] | None:
    """Return why this Python cannot run the course and what to do, or None."""
    version = sys.version_info[:2]
    if not OLDEST <= version <= NEWEST:
        names = [f"python3.{minor}" for minor in range(NEWEST[1], OLDEST[1] - 1, -1)]
        found = next(filter(shutil.which, names), None)
        advice = f"run it with {found} course.py …" if found else "install one of these and start course.py with it"
        return f"Clockwork needs Python 3.{OLDEST[1]} to 3.{NEWEST[1]}, this is {platform.python_version()}", advice
    if sys.platform == "darwin" and platform.machine() == "x86_64":
        return "PyTorch is no longer built for Macs with Intel processors", "read the lessons here, run them on Colab"
    if importlib.util.find_spec("ensurepip") is None:
        name = f"python3.{version[1]}-venv"
        return "this Python cannot make virtual environments", f"on Debian and Ubuntu: sudo apt install {name}"
    return None


def prepare(extras: set[str]) -> tuple[str, str] | None:
    """Make .venv hold `extras`; return what is wrong and what to do, or None."""
    if is_current(extras):
        return None
    try:
        with tempfile.TemporaryFile(dir=HOME):
            pass
    except OSError as error:
        return f"{HOME} cannot be written ({error.strerror})", "copy the folder to a place of your own and start there"
    with alone():
        if is_current(extras):  # by the start that this one waited for
            return None
        extras |= stamped()[1]
        try:
            build(extras)
        except Failed as failure:
            return explain(str(failure))
        except OSError as error:
            free = shutil.disk_usage(HOME).free / 1e9
            return f"{VENV.name} cannot be written ({error.strerror}; {free:.1f} GB are free)", "mend it and run again"
    return None


class Failed(Exception):
    """An installer failed; the text is what it said."""


def stamped() -> tuple[str, set[str]]:
    """Return what .venv was made from, and the extras it holds: empty unless the last installation came to its end."""
    stamp = VENV / "clockwork-stamp"
    made_from, *extras = stamp.read_text().split() if stamp.exists() else [""]
    return made_from, set(extras)


def sources() -> str:
    """Return a digest of all that .venv is made from."""
    python = os.path.realpath(python_of(VENV)).encode()
    files = [HOME / "pyproject.toml", HOME / HELPERS / "pyproject.toml", CONSTRAINTS]
    parts = [*(file.read_bytes() for file in files), python]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def is_current(extras: set[str]) -> bool:
    """Say whether .venv holds `extras` as they are named now."""
    made_from, there = stamped()
    return python_of(VENV).exists() and made_from == sources() and extras <= there


def build(extras: set[str]) -> None:
    """Make .venv where there is none, or none whose installation came to its end, and install into it."""
    stamp = VENV / "clockwork-stamp"
    before = stamp.read_text() if stamp.exists() and works(python_of(VENV)) else None
    free = shutil.disk_usage(HOME).free / 1e9
    if before is None:
        print(f"Clockwork: first start: {DOWNLOAD} GB to download at most, {DISK} GB in {VENV.name}:", flush=True)
        if free < DISK:
            raise Failed(f"no space left: {free:.1f} GB are free")
        print("  a virtual environment", flush=True)
        run_installer([sys.executable, "-m", "venv", "--clear", str(VENV)], dict(os.environ))
    else:
        print(f"Clockwork: {VENV.name} is brought up to date ({', '.join(sorted(extras))}):", flush=True)
    stamp.unlink(missing_ok=True)
    try:
        install(VENV, ["-c", CONSTRAINTS.name], course_with(extras))
    except Failed:
        if before is not None:
            stamp.write_text(before)  # nothing was changed
        raise
    stamp.write_text(" ".join([sources(), *sorted(extras)]))


def course_with(extras) -> list[str]:
    """Return what to install, from this folder and editable, for the course with `extras`."""
    return ["-e", HELPERS, "-e", f".[{','.join(sorted(extras))}]"]


def works(python: Path) -> bool:
    """Say whether an environment's interpreter runs, is new enough and has pip."""
    code = f"import sys, pip; sys.exit(sys.version_info < {OLDEST})"
    try:
        return subprocess.call([python, "-c", code], stderr=subprocess.DEVNULL) == 0
    except OSError:
        return False


def install(venv: Path, constraints: list[str], requirements: list[str]) -> None:
    """Install into `venv` with uv, which is fast, or with pip where uv cannot; raise `Failed` where neither can."""
    pip = [str(python_of(venv)), "-m", "pip"]
    quiet = dict(os.environ, PIP_DISABLE_PIP_VERSION_CHECK="1", PIP_ROOT_USER_ACTION="ignore")
    torch = torch_by_name()
    try:
        print("  the installer uv", flush=True)
        run_installer([*pip, "install", "--quiet", *constraints, "uv"], quiet)
        print("  packages", flush=True)
        return with_uv(venv, [*constraints, *requirements, *torch])
    except Failed as failure:
        if re.search(f"{FULL}|{OFFLINE}", str(failure), flags=re.I):
            raise
        print("  packages, with pip because uv could not: this takes some minutes", flush=True)
    more = ["--extra-index-url", CPU_BUILDS] if torch else []
    run_installer([*pip, "install", *constraints, *requirements, *torch, *more], quiet)


def with_uv(venv: Path, arguments: list[str]) -> None:
    """Install with uv from the places pip knows; where these have no CPU build of PyTorch, from PyTorch's own index."""
    settings = pip_settings(python_of(venv))
    uv = [str(python_of(venv)), "-m", "uv", "pip", "install", "--python", str(python_of(venv))]
    for file in settings.get("constraint", []):
        uv += ["-c", file]
    command = [*uv, *arguments]
    environment = uv_environment(settings)
    try:
        run_installer(command, environment)
    except Failed as failure:
        if not torch_by_name() or re.search(f"{FULL}|{OFFLINE}", str(failure), flags=re.I):
            raise
        run_installer([*command, "--torch-backend=cpu"], environment)


def torch_by_name() -> list[str]:
    """Ask for PyTorch's CPU build by its name; elsewhere than on Linux, or where a reader wants another, any build."""
    if sys.platform != "linux" or os.environ.get("CLOCKWORK_TORCH") == "gpu":
        return []
    version = re.search(r"^torch==(\S+)", CONSTRAINTS.read_text(), flags=re.M)[1]
    return [f"torch=={version}+cpu"]


def pip_settings(python: Path) -> dict[str, list[str]]:
    """Return what pip's configuration files and environment say, a command's section over the common one."""
    listed = subprocess.run([python, "-m", "pip", "config", "list"], capture_output=True, text=True).stdout
    settings = {}
    for section in ("global", "install", ":env:"):
        for line in listed.splitlines():
            name, _, value = line.partition("=")
            if name.startswith(f"{section}."):
                settings[name[len(section) + 1 :]] = ast.literal_eval(value).split()
    return settings


def uv_environment(settings: dict[str, list[str]]) -> dict[str, str]:
    """Tell uv what pip is told, and let it choose among several indexes as pip does: the best version of all."""
    environment = dict(os.environ)
    for key, (name, separator) in UV_SETTINGS.items():
        if key in settings:
            environment.setdefault(name, separator.join(settings[key]))
    if "extra-index-url" in settings:
        environment.setdefault("UV_INDEX_STRATEGY", "unsafe-best-match")
    return environment


def run_installer(command: list[str], environment: dict[str, str]) -> None:
    """Run an installer and say how far it is in one line that renews itself; raise `Failed` where it fails."""
    process = subprocess.Popen(
        command,
        env=environment,
        cwd=HOME,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    said = []
    reader = threading.Thread(target=lambda: [said.append(line) for line in process.stdout])
    reader.start()
    start = time.monotonic()
    shown = ""
    try:
        while reader.is_alive():
            reader.join(0.5)
            shown = progress(said, time.monotonic() - start)
            if shown and sys.stdout.isatty():
                print(f"\r\033[K    {shown}", end="", flush=True)
    except BaseException:
        process.terminate()
        raise
    finally:
        process.wait()
        reader.join()
    if shown:
        print("\r\033[K" * sys.stdout.isatty() + f"    {shown}", flush=True)
    if process.returncode:
        raise Failed("".join(said))


def progress(said: list[str], seconds: float) -> str:
    """Read from what uv or pip has said so far how much is downloaded."""
    sizes = {}
    done = set()
    for line in list(said):
        if begun := re.search(r"Downloading (\S+) \(([\d.]+) ?([kKMG])i?B\)", line):
            sizes[begun[1]] = float(begun[2]) * {"k": 1e-3, "K": 1e-3, "M": 1, "G": 1e3}[begun[3]]
        elif ended := re.search(r" Downloaded (\S+)", line):
            done.add(ended[1])
    if not sizes:
        return ""
    rest = [name for name in sizes if name not in done]
    waiting = f", {max(rest, key=sizes.get)} is on its way" if done and rest else ""
    return f"{sum(map(sizes.get, done or sizes)):.0f} of {sum(sizes.values()):.0f} MB, {seconds:.0f} s{waiting}"


def explain(said: str) -> tuple[str, str]:
    """Show the end of what an installer said, and return what is wrong and what to do."""
    print(*said.splitlines()[-12:], sep="\n", file=sys.stderr)
    proxy = next((f"{name}={os.environ[name]}" for name in ("HTTPS_PROXY", "https_proxy") if os.environ.get(name)), "")
    for pattern, (wrong, remedy) in REASONS.items():
        if re.search(pattern, said, flags=re.I):
            if proxy and "answer" in wrong:
                remedy += f"; it goes through a proxy ({proxy})"
            return f"the installation failed: {wrong}", remedy
    return "the installation failed (its reason stands above)", "run the command again"


@contextlib.contextmanager
def alone():
    """Wait until no other start is preparing the environment."""
    with Path(__file__).open("rb") as file:
        file.seek(2**30)  # beyond the file's end: on Windows a locked stretch cannot be read
        waits = False
        while True:
            try:
                lock(file)
                break
            except OSError as error:
                if error.errno not in (errno.EAGAIN, errno.EACCES, errno.EDEADLK):
                    break  # this file system has no locks
            if not waits:
                print(f"Clockwork: another start is preparing {VENV.name}; waiting for it.", flush=True)
            waits = True
            time.sleep(0.5)
        yield


def lock(file) -> None:
    """Lock an open file until it is closed, or raise OSError at once."""
    if os.name == "nt":
        import msvcrt

        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def fail(wrong: str, remedy: str) -> int:
    """Say what is wrong and what to do."""
    print(f"Clockwork: {wrong}.\n           What to do: {remedy}.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
