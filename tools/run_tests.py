"""Run the tests: all of them, three at a time, or those that the arguments name, which go to pytest.

All of them is what CI runs, too, on two processors: of three processes one often waits, for a page, a kernel or a
sandbox. Each takes whole files, those that need minutes first, so that all end together. What fails beside a busy
neighbour is tried once more, alone; both results are printed.
"""

import os
import subprocess
import sys

PYTEST = [sys.executable, "-m", "pytest"]
ALL = ["-n", "3", "--durations=20"]  # which process takes what: tests/conftest.py
AGAIN = ["--last-failed", "--last-failed-no-failures", "none"]
FAILED = 1  # pytest's exit status when tests failed; others mean that it could not run them


def main(arguments: list[str]) -> int:
    """Run pytest and return its exit status."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # the models of the tests are small: threads wait for each other
    if arguments:
        return subprocess.call([*PYTEST, *arguments])
    status = subprocess.call([*PYTEST, *ALL])
    if status != FAILED:
        return status
    print("Clockwork: what failed is tried once more, alone.", flush=True)
    return subprocess.call([*PYTEST, *AGAIN])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
