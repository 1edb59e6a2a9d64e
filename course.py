#!/usr/bin/env python3
"""Clockwork from the command line: `python3 course.py lab` opens the course, `python3 course.py test` proves it.

Both make a virtual environment in .venv the first time. Needs Python 3.11 or newer and nothing else.
"""

from __future__ import annotations  # an old Python shall reach the sentence that says it is old

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

HOME = Path(__file__).resolve().parent
VENV = HOME / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
STAMP = VENV / "clockwork-stamp"
CONSTRAINTS = HOME / "constraints.txt"
VERBS = {  # verb: (extras it needs, arguments for Python, what it does)
    "lab": ("lab", ["tools/lab.py"], "open JupyterLab on the first lesson"),
    "test": ("lab,test,grade,sweep", ["-m", "pytest"], "run the tests; further arguments go to pytest"),
    "lessons": ("lab", ["tools/lessons.py"], "execute the lessons in place; name some to run only those"),
    "export": ("lab", ["tools/export.py"], "write the lessons as pages that need neither kernel nor network"),
    "assignments": ("lab,grade", ["-m", "pe_grading.release"], "generate the students' notebooks from the teacher's"),
    "grade": ("lab,grade", ["-m", "pe_grading"], "grade a folder of submissions"),
    "bench": ("lab,test", ["-m", "benchmarks"], "measure: encoders, training, widgets or grading"),
    "sweep": ("lab,sweep", ["-m", "tools.sweep"], "train every encoding on every task; results in data/"),
    "screenshots": ("lab,test", ["tools/screenshots.py"], "picture every widget: light, dark and narrow"),
}
PIP_TO_UV = {"find-links": "UV_FIND_LINKS", "index-url": "UV_DEFAULT_INDEX", "extra-index-url": "UV_INDEX"}


def main(arguments: list[str]) -> int:
    """Run one verb with its further arguments."""
    if sys.version_info < (3, 11):  # noqa: UP036
        return fail(
            f"Clockwork needs Python 3.11 or newer, this is {sys.version.split()[0]}", "start it with a newer one"
        )
    if not arguments or arguments[0] not in VERBS:
        print(__doc__, *(f"  {verb:12} {what}" for verb, (_, _, what) in VERBS.items()), sep="\n")
        return 2 if arguments else 0
    extras, command, _ = VERBS[arguments[0]]
    problem = prepare(set(extras.split(",")))
    if problem:
        return fail(*problem)
    try:
        return subprocess.call([PYTHON, *command, *arguments[1:]], cwd=HOME)
    except KeyboardInterrupt:
        return 130


def prepare(extras: set[str]) -> tuple[str, str] | None:
    """Make the environment hold `extras`; return what is wrong and what to do, or None."""
    wanted = hashlib.sha256(sys.version.encode())
    for file in ("pyproject.toml", CONSTRAINTS.name):
        wanted.update((HOME / file).read_bytes())
    have = STAMP.read_text().split() if STAMP.exists() else []
    current = have[:1] == [wanted.hexdigest()]
    if current and extras <= set(have[1:]):
        return None
    if current:
        extras |= set(have[1:])
    print(f"Clockwork: preparing .venv ({', '.join(sorted(extras))}) ...", flush=True)
    free = shutil.disk_usage(HOME).free / 1e9
    try:
        STAMP.unlink(missing_ok=True)
        if not PYTHON.exists() or subprocess.call([PYTHON, "-m", "pip", "--version"], stdout=subprocess.DEVNULL):
            subprocess.check_call([sys.executable, "-m", "venv", "--clear", VENV])
        install(["-c", CONSTRAINTS.name, "-e", f".[{','.join(sorted(extras))}]"])
        STAMP.write_text(" ".join([wanted.hexdigest(), *sorted(extras)]))
    except subprocess.CalledProcessError:
        if free < 4:
            return f"the installation failed; only {free:.1f} GB are free here", "free 4 GB and run the command again"
        return "the installation failed (its reason stands above)", "check the network, then run the command again"
    except OSError as error:
        return f"{VENV.name} cannot be written ({error.strerror})", f"{free:.1f} GB are free; mend it and run again"
    return None


def install(requirements: list[str]) -> None:
    """Install with uv, which is fast, or with pip where uv cannot."""
    pip = [PYTHON, "-m", "pip"]
    listed = subprocess.run([*pip, "config", "list"], capture_output=True, text=True).stdout.splitlines()
    settings = {key.split(".")[-1]: value.strip("'") for key, _, value in (line.partition("=") for line in listed)}
    environment = dict(os.environ, VIRTUAL_ENV=str(VENV))
    for key, name in PIP_TO_UV.items():
        environment.setdefault(name, settings.get(key, "").replace("\\n", " "))
    if "cert" in settings:
        environment.setdefault("SSL_CERT_FILE", settings["cert"])
    environment = {key: value for key, value in environment.items() if value}
    backend = [] if "find-links" in settings else ["--torch-backend=auto"]  # a build for this machine's processor
    uv = [PYTHON, "-m", "uv", "pip", "install", "--quiet"]
    if subprocess.call([*pip, "install", "--quiet", "-c", CONSTRAINTS, "uv"]) == 0:
        for arguments in ([*backend, *requirements], requirements) if backend else (requirements,):
            if subprocess.call([*uv, *arguments], env=environment, cwd=HOME) == 0:
                return
        print("Clockwork: uv could not install this; trying pip ...", flush=True)
    subprocess.check_call([*pip, "install", "--quiet", *requirements], cwd=HOME)


def fail(wrong: str, remedy: str) -> int:
    """Say what is wrong and what to do."""
    print(f"Clockwork: {wrong}.\n           What to do: {remedy}.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
