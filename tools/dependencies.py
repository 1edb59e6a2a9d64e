"""The course's dependencies: tested with the newest of all, and written down as they were tested.

`python3 course.py pin` writes constraints.txt: it keeps the versions that are pinned and adds what pyproject.toml asks
for besides; `pin --upgrade` takes the newest. `python3 course.py newest` tests with the newest and leaves .venv and
constraints.txt as they are; its further arguments go to pytest.
"""

import os
import re
import subprocess
import sys

import course

HEAD = "# The tested versions. Written by: python3 course.py pin\n"
TESTED = ("lab", "test", "grade", "sweep", "site", "pretrained", "measure")
PINNED = (*TESTED, "jupyterhub")
FOREIGN = ("nvidia-", "cuda-", "triton")  # what PyTorch's build for graphics cards brings along
APART = course.HOME / ".venv-newest"
OLD_PINS = "tests/tools/test_setup.py::test_installed_versions_are_the_constrained_ones"


def main(arguments: list[str]) -> int:
    """Run `newest` or `pin` with its further arguments."""
    verb, *rest = arguments
    return newest(rest) if verb == "newest" else pin(upgrade="--upgrade" in rest)


def pin(upgrade: bool) -> int:
    """Write one version of every package that the tested extras need on any system."""
    python = course.python_of(course.VENV)
    oldest = ".".join(map(str, course.OLDEST))
    command = [python, "-m", "uv", "pip", "compile", "pyproject.toml", "-", "--universal", "--python-version", oldest]
    command += ["--fork-strategy", "fewest", "--no-annotate", "--no-header", "--quiet"]
    command += [part for extra in PINNED for part in ("--extra", extra)]
    command += [] if upgrade else ["-c", course.CONSTRAINTS.name]
    environment = course.uv_environment(course.pip_settings(python))
    result = subprocess.run(
        command, input="uv", env=environment, cwd=course.HOME, stdout=subprocess.PIPE, text=True, check=False
    )
    if result.returncode:
        return course.fail("no set of versions fits", "change pyproject.toml, or pin --upgrade")
    before = course.CONSTRAINTS.read_text()
    course.CONSTRAINTS.write_text(HEAD + "".join(f"{line}\n" for line in pins(result.stdout)))
    changed = set(course.CONSTRAINTS.read_text().splitlines()) ^ set(before.splitlines())
    print(f"{course.CONSTRAINTS.name}: {len(changed)} lines differ. Prove the set: python3 course.py test --all")
    return 0


def pins(compiled: str) -> list[str]:
    """Return the lines name==version of what uv compiled: without markers, local versions and foreign packages."""
    found = re.findall(r"^([A-Za-z0-9._-]+)==([^\s+;]+)", compiled, flags=re.M)
    return [f"{name}=={version}" for name, version in sorted(set(found)) if not name.startswith(FOREIGN)]


def newest(arguments: list[str]) -> int:
    """Install the newest versions apart from .venv, run the tests with them, and say what is newer and what broke."""
    subprocess.check_call([sys.executable, "-m", "venv", "--clear", APART])
    course.run_installer([str(course.python_of(APART)), "-m", "pip", "install", "--quiet", "uv"], dict(os.environ))
    wanted = ["--upgrade", *course.course_with(TESTED)]
    try:
        course.with_uv(APART, [*wanted, *(["--torch-backend=cpu"] if course.torch_by_name() else [])])
    except course.Failed:
        print(f"newest: {course.CPU_BUILDS} does not answer: PyTorch stays at the tested version", flush=True)
        course.with_uv(APART, [*wanted, *course.torch_by_name()])
    python = str(course.python_of(APART))
    frozen = subprocess.check_output([python, "-m", "uv", "pip", "freeze", "--python", python], text=True)
    there = dict(line.split("==") for line in pins(frozen))
    tested = dict(line.split("==") for line in pins(course.CONSTRAINTS.read_text()))
    newer = [f"{name} {tested[name]} -> {new}" for name, new in there.items() if tested.get(name, new) != new]
    print("newest:", *(newer or ["every version is the tested one"]), sep="\n  ", flush=True)
    tests = arguments or ["-m", "not browser"]
    code = subprocess.call([python, "-m", "pytest", "--deselect", OLD_PINS, *tests], cwd=course.HOME)
    print(f"newest: {len(newer)} packages differ, the tests are {'red: see above' if code else 'green'}")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
