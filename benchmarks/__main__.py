"""`python -m benchmarks encoders` measures and keeps the result; `readme` writes all results into the pages."""

import importlib
import sys

VERBS = (
    "encoders",
    "at_work",
    "training",
    "playground",
    "widgets",
    "site",
    "grading",
    "hub",
    "lessons",
    "configurations",
    "scores",
    "readme",
)


def main(arguments: list[str]) -> int:
    if not arguments or arguments[0] not in VERBS:
        print(f"usage: python3 course.py bench {' | '.join(VERBS)}", file=sys.stderr)
        return 2
    sys.argv = [arguments[0], *arguments[1:]]
    importlib.import_module(f"benchmarks.{arguments[0]}").main()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
