"""Run the tests: the quick part in minutes, one lesson's (`04`), everything (`--all`), or the rest of it (`--rest`).

Other arguments, paths or options, go to pytest as they are. The quick part leaves out what drives a browser, takes
minutes or waits for the grader's sandbox, but for `SMOKE`, a few of each kind. Quick and rest are together all; so are
the three jobs of CI, lessons, browser and grading.

Three processes run them on two processors: one often waits, for a page, a kernel or a sandbox. Each takes whole files,
those that need minutes first, so that all end together. What fails beside a busy neighbour is tried once more, alone;
both results are printed.
"""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent / "tests"
PYTEST = [sys.executable, "-m", "pytest"]
ALL = ["-n", "3", "--durations=20", "-rs"]  # which process takes what: tests/conftest.py
AGAIN = ["--last-failed", "--last-failed-no-failures", "none"]
PARTS = {
    "--quick": ["--part", "quick"],
    "--rest": ["--part", "rest"],
    "--all": [],
    "--lessons": ["--ignore=tests/grading", "-m", "not browser"],
    "--browser": ["--ignore=tests/grading", "-m", "browser"],
    "--grading": ["tests/grading"],
}
LESSON = re.compile(r"\d\d[a-z]?")
RULES = ["tests/test_style.py", "tests/kit/test_plain.py"]  # of lessons, beside tests/lessons/test_*.py
FAILED = 1  # pytest's exit status when tests failed; others mean that it could not run them
RUNS = "tests/lessons/test_lessons.py::test_lesson_runs_within_its_limits_and_shows_what_is_committed"
SMOKE = [  # node ids begin with these
    f"{RUNS}[00_start_here]",
    f"{RUNS}[02_deriving_the_sinusoid]",
    f"{RUNS}[04_relative_offsets]",
    "tests/browser/test_short_way.py::",
    "tests/grading/test_example.py::",
]
CLOSING = """
Left out, but for a few of each: pages and pictures in a browser, the execution of lessons, what trains for minutes,
and the grader. CI runs them, too; here `python3 course.py test --rest` does, in 26 to 40 minutes."""


def main(arguments: list[str]) -> int:
    """Run pytest and return its exit status."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # the models of the tests are small: threads wait for each other
    if arguments and LESSON.fullmatch(arguments[0]):
        arguments = [*of_lesson(arguments[0]), *arguments[1:]]
    part = arguments or ["--quick"]
    if len(part) != 1 or part[0] not in PARTS:
        return subprocess.call([*PYTEST, *arguments])
    began = time.monotonic()
    status = run(PARTS[part[0]])
    minutes, seconds = divmod(round(time.monotonic() - began), 60)
    print(f"Clockwork: test {part[0]}: {minutes} min {seconds} s.{CLOSING * (part[0] == '--quick')}", flush=True)
    return status


def run(part: list[str]) -> int:
    """Run a part, and what failed of it once more; return the exit status."""
    status = subprocess.call([*PYTEST, *ALL, *part])
    if status != FAILED:
        return status
    print("Clockwork: what failed is tried once more, alone.", flush=True)
    return subprocess.call([*PYTEST, *AGAIN, *part])


def of_lesson(number: str) -> list[str]:
    """Return pytest's arguments for a lesson's own tests and all rules for it, without what takes minutes."""
    own = f"tests/lessons/lesson_{number}"
    if not (TESTS.parent / own).is_dir():
        return [own]  # pytest says that it is not there
    rules = sorted(f"tests/lessons/{path.name}" for path in TESTS.glob("lessons/test_*.py"))
    return [own, *rules, *RULES, "-k", f"lesson_{number} or {number}_", "-m", "not slow and not browser"]


def is_quick(node: str, marked: bool) -> bool:
    """Say whether a test is of the quick part; `marked` says that it drives a browser or takes minutes."""
    return node.startswith(tuple(SMOKE)) or not (marked or node.startswith("tests/grading/"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
