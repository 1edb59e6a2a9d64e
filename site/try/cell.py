"""Run an exercise's cell as the notebook does. MicroPython calls `run` in the reader's browser."""

import io
import itertools
import math
import sys

from clockwork.kit.checks.plain import CheckFailed, NotAttempted, given
from clockwork.kit.machine import plain

BLANK = "not attempted yet: replace the ... above and run this cell again"
NO_TORCH = "this page has `math` and lists, nothing else: for other packages open the lesson in JupyterLab"


def product(*sets: list, repeat: int = 1) -> list[tuple]:
    """Return what `itertools.product` yields."""
    rows = [()]
    for values in [list(values) for values in sets] * repeat:
        rows = [row + (value,) for row in rows for value in values]
    return rows


def combinations(values: list, size: int) -> list[tuple]:
    """Return what `itertools.combinations` yields."""
    values = list(values)
    if size == 0:
        return [()]
    return [(value,) + rest for i, value in enumerate(values) for rest in combinations(values[i + 1 :], size - 1)]


itertools.product = product  # MicroPython's module lacks these two
itertools.combinations = combinations


class Checks:
    """The checks of one lesson, under the name that the notebook gives them; what they say goes into `said`."""

    def __init__(self, module: object, said: list) -> None:
        self._module = module
        self._said = said

    def __getattr__(self, name: str) -> object:
        check = getattr(self._module, name)

        def checked(attempt: object, *more: object) -> None:
            try:
                self._said.append(("✔", check(given(attempt), *more)))
            except NotAttempted:
                self._said.append(("○", BLANK))
            except CheckFailed as wrong:
                self._said.append(("✘", str(wrong)))

        return checked


def run(source: str, lesson: str) -> list:
    """Run the cell `source` of a lesson, for example "01"; return the pairs (mark, message) of its check.

    A function that has passed and that the reader takes along is a pair, too: ("keep", [its name, its text]).
    """
    said = []
    checks = __import__(f"clockwork.lessons.lesson_{lesson}.plain_checks", None, None, ["*"])
    try:
        names = {"math": math, "checks": Checks(checks, said)}
        exec(plain.HEADER, names)  # as the lessons' first cells have it
        exec(source, names)
        if ("✔" in [mark for mark, _ in said]) and hasattr(checks, "KEEPS"):
            kept = [name for name in checks.KEEPS if f"def {name}(" in source]
            said.extend(("keep", [name, plain.alone(name, source)]) for name in kept)
    except ImportError as error:
        said.append(("✘", f"{error}; {NO_TORCH}"))
    except Exception as error:
        said.append(("error", traceback_of(error)))
    return said


def traceback_of(error: Exception) -> str:
    """Return the traceback without the lines of this file and of the checks."""
    page = io.StringIO()
    sys.print_exception(error, page)
    lines = page.getvalue().strip().split("\n")
    own = [line for line in lines if not line.startswith("  File ") or '"<string>"' in line]
    return "\n".join(own).replace('File "<string>", line', "your line")
