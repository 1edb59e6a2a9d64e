"""Run the tests as other machines would: in other arithmetic, with other numbers of threads, beside a busy neighbour.

`python3 course.py anywhere` runs the fast tests once in every variant, `python3 course.py anywhere avx2 busy` in these.
`--times 20` repeats them, and what follows `--` goes to pytest: `anywhere native --times 20 -- -m browser`.
"""

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile

from tools import processes

VARIANTS = {  # name: what is set in the environment
    "native": {},
    "avx2": {"ATEN_CPU_CAPABILITY": "avx2"},
    "default": {"ATEN_CPU_CAPABILITY": "default"},
    "mkl": {"MKL_CBWR": "COMPATIBLE"},
    "threads-1": {"OMP_NUM_THREADS": "1"},
    "threads-2": {"OMP_NUM_THREADS": "2"},
    "threads-4": {"OMP_NUM_THREADS": "4"},
    "busy": {},
}
NEIGHBOURS = {"busy": 8}  # processes that do nothing but compute, for as long as this one lives
BUSY = "import os\nparent = os.getppid()\nwhile os.getppid() == parent:\n    sum(range(10_000))"
FAST = ["-m", "not slow and not browser"]


def main(arguments: list[str]) -> int:
    """Run the named variants (all when none is named) and say how often each was green."""
    arguments, tests = split(arguments)
    parser = argparse.ArgumentParser(prog="course.py anywhere", description=__doc__)
    parser.add_argument("variants", nargs="*", help=", ".join(VARIANTS))
    parser.add_argument("--times", type=int, default=1, help="how often each variant is run")
    chosen = parser.parse_args(arguments)
    if unknown := set(chosen.variants) - set(VARIANTS):
        parser.error(f"variants must be some of {', '.join(VARIANTS)}, got {', '.join(sorted(unknown))}")
    green = {}
    for name in chosen.variants or VARIANTS:
        print(f"anywhere: {name}", flush=True)
        green[name] = sum(run(name, tests or FAST) == 0 for _ in range(chosen.times))
    for name, times in green.items():
        print(f"anywhere: {name:10} green {times} of {chosen.times} times")
    return int(any(times < chosen.times for times in green.values()))


def split(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Cut the arguments at `--`."""
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    return arguments[:cut], arguments[cut + 1 :]


def run(name: str, tests: list[str]) -> int:
    """Run pytest in one variant, with a cache of compiled code of its own, and return its exit status."""
    busy = [sys.executable, "-c", BUSY]
    with contextlib.ExitStack() as stack:
        cache = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        for _ in range(NEIGHBOURS.get(name, 0)):
            stack.enter_context(processes.running(busy))
        environment = os.environ | {"TORCHINDUCTOR_CACHE_DIR": cache} | VARIANTS[name]
        return subprocess.call([sys.executable, "-m", "pytest", *tests], env=environment)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
