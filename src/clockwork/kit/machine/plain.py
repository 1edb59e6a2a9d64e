"""The reader's machine in plain Python: run what he wrote, and say in a sentence what is wrong with it.

In the reader's browser, MicroPython runs this file. Hence no torch, no `typing`, no `from __future__`, and types from
elsewhere as strings. A code is evaluated once for each position; a rotation is asked what it does to each basis vector.
"""

import math

from clockwork.kit.checks.plain import CheckFailed, close

HEADER = "from math import atan2, cos, exp, floor, log, pi, sin, sqrt"  # the first line of the reader's file
ORDER = ("attend", "code", "read", "shift", "rotate")  # his functions, in the order of the lessons
SIGNATURES = {
    "attend": "attend(x)",
    "code": "code(p)",
    "read": "read(code)",
    "shift": "shift(k)",
    "rotate": "rotate(q, p)",
}
WIDTH = 32  # of the model in the page: a code has at most as many numbers
HEAD_DIM = 8  # of its heads: `rotate` turns as many numbers
TEXT = 32  # tokens that it reads while it learns
REACH = 501  # positions, from 0, that the lamps look at
FAR = 1_000_000  # and as far they look whether the code grows
SAMPLES = 120  # positions from REACH to FAR
TURNED = 128  # positions for which a rotation is asked
LINEAR = 1e-6  # by how much, at most, a linear function may miss


def answer(name: str, source: str, attend: str = "") -> dict:
    """Return what the function `name` in `source` gives, ready to train with, or why there is nothing.

    Returns:
        `near`, a row of numbers for each of the positions 0 to 500; `far`, the lengths of codes further on; `moved`, a
        sentence if a position's code is not the same in every text, else "". For "rotate" they tell of the query 1, 0,
        1, 0, … as it is turned, and there are `turns`, a matrix for each of the positions 0 to 127.
        In both cases `source`, that function alone. Or `refused`, a sentence. For the other three, and for a code in
        front of his `attend`, see parts.py.
    """
    from clockwork.kit.machine import parts  # which needs this file

    if attend:
        return parts.who_is_hurt(attend, source)
    try:
        function = load(name, source)
        if name not in ("code", "rotate"):
            return parts.answer(name, function, alone(name, source))
        if name == "code":
            found = codes(function, "code({})", takes(source, name) > 1)
        else:
            found = {"turns": turns(function)}
            found.update(codes(lambda p: function([1.0, 0.0] * (HEAD_DIM // 2), p), "rotate(q, {})"))
        found["source"] = alone(name, source)
        return found
    except CheckFailed as wrong:
        return {"refused": str(wrong)}


def load(name: str, source: str) -> "Callable":
    """Return the function `name` that a reader's text defines."""
    names = {}
    exec(HEADER, names)
    names["math"] = math
    try:
        exec(source, names)
    except SyntaxError as error:
        raise CheckFailed(f"Python cannot read this: {_said(error)}") from None
    except ImportError as error:
        told = "the machine runs with math and lists alone, so that it runs in a page, too"
        raise CheckFailed(f"{_said(error)}; {told}") from None
    except Exception as error:
        raise CheckFailed(f"it stopped before anything was asked of it: {_said(error)}") from None
    if not callable(names.get(name)):
        first = SIGNATURES.get(name, f"{name}(x)")
        raise CheckFailed(f"there is no function {name}: write `def {first}:`")
    return names[name]


def alone(name: str, source: str) -> str:
    """Return the lines of one function of a text, from its `def` to the next line that begins at the margin."""
    lines = source.strip("\n").split("\n")
    starts = [i for i, line in enumerate(lines) if line.startswith(f"def {name}(")]
    if not starts:
        return source.strip()
    end = starts[-1] + 1
    while end < len(lines) and (not lines[end].strip() or lines[end][0] in " \t)"):
        end += 1
    return "\n".join(lines[starts[-1] : end]).rstrip()


def takes(source: str, name: str) -> int:
    """Return how many arguments a function of a text needs: those without a default."""
    given = alone(name, source).partition("(")[2].partition(")")[0].split(",")
    return sum(1 for one in given if one.strip() and "=" not in one)


def codes(code: "Callable", name: str = "code({})", with_length: bool = False) -> dict:
    """Return what a code gives at the positions that lamps and training need; see `answer`."""

    def row(p: int, length: int) -> list:
        case = name.format(f"{p}, {length}" if with_length else p)
        return numbers(called(code, case, p, length) if with_length else called(code, case, p), case)

    near = [row(p, TEXT) for p in range(REACH)]
    for p, one in enumerate(near):
        if len(one) != len(near[0]):
            raise CheckFailed(
                f"every place needs equally many numbers, but {name.format(0)} has {len(near[0])} and {name.format(p)} "
                f"has {len(one)}"
            )
    if len(near[0]) > WIDTH:
        raise CheckFailed(f"the model's tokens have {WIDTH} numbers, so a code has at most {WIDTH}, not {len(near[0])}")
    if all(value == 0 for one in near for value in one):
        raise CheckFailed("this code is 0 everywhere: no token would hear anything of it")
    far = [_length(row(p, TEXT)) for p in far_positions()]
    moved = ""
    for p in range(TEXT - 1, -1, -1):  # once more, backwards, as part of a longer text
        again = row(p, 2 * TEXT)
        if not moved and again != near[p]:
            first = next(i for i in range(len(again)) if again[i] != near[p][i])
            moved = (
                f"position {p}: {_short(near[p][first])} in a text of {TEXT} tokens, {_short(again[first])} in another"
            )
    return {"near": near, "far": far, "moved": moved}


def far_positions() -> list:
    """Return the positions beyond `REACH` at which a code is asked how long it is."""
    return [round(REACH * (FAR / REACH) ** ((i + 1) / SAMPLES)) for i in range(SAMPLES)]


def called(function: "Callable", case: str, *given: object) -> object:
    """Return what the reader's function returns; `case` says how it was called."""
    try:
        return function(*given)
    except CheckFailed:
        raise
    except Exception as error:
        raise CheckFailed(f"{case} stopped: {_said(error)}") from None


def numbers(found: object, case: str) -> list:
    """Return a list of finite floats, or say what was returned instead."""
    if found is None:
        raise CheckFailed(f"{case} returned nothing: is there a return?")
    if isinstance(found, (int, float)):
        found = [found]
    if not isinstance(found, (list, tuple)):
        raise CheckFailed(f"{case} must return numbers in a list, got {repr(found)[:40]}")
    if not found:
        raise CheckFailed(f"{case} returned an empty list")
    row = []
    for value in found:
        if isinstance(value, (list, tuple)):
            raise CheckFailed(
                f"{case} must return one list of numbers, but there is a list inside it: {repr(value)[:40]}"
            )
        try:
            row.append(float(value))
        except (TypeError, ValueError, OverflowError):
            raise CheckFailed(f"{case} must return numbers, but {repr(value)[:40]} is none") from None
        if not abs(row[-1]) < 1e300:  # infinite, or no number
            raise CheckFailed(f"{case} must be finite, got {row[-1]}")
    return row


def turns(rotate: "Callable", positions: "Iterable[int]" = range(TURNED), head_dim: int = HEAD_DIM) -> list:
    """Return the matrix of a rotation at each position: its columns are what `rotate(q, p)` makes of basis vectors.

    Raises:
        CheckFailed: It does not return `head_dim` numbers, or is not linear in q, so that no matrix does what it does.
    """
    found = []
    for p in positions:
        columns = []
        for i in range(head_dim):
            columns.append(_turned(rotate, [1.0 if j == i else 0.0 for j in range(head_dim)], p, f"a 1 at place {i}"))
        matrix = [[column[j] for column in columns] for j in range(head_dim)]
        q = [(7 * j + 3 * p) % 11 - 5.0 for j in range(head_dim)]
        whole = _turned(rotate, list(q), p, "another q")
        parts = product(matrix, q)
        if not close(whole, parts, LINEAR):
            j = next(j for j in range(head_dim) if abs(whole[j] - parts[j]) > LINEAR * max(1.0, abs(parts[j])))
            raise CheckFailed(
                f"rotate must be linear in q (twice q, twice the result; sums stay sums), but at position {p} it is "
                f"not: from its parts number {j} would be {_short(parts[j])}, it returns {_short(whole[j])}"
            )
        found.append(matrix)
    return found


def _turned(rotate: "Callable", q: list, p: int, what: str) -> list:
    case = f"rotate(q, {p}) with {what}"
    row = numbers(called(rotate, case, q, p), case)
    if len(row) != len(q):
        raise CheckFailed(
            f"rotate must return as many numbers as q has, {len(q)}; at position {p} it returned {len(row)}"
        )
    return row


def product(matrix: list, vector: list) -> list:
    """Return a matrix times a vector."""
    return [sum(row[j] * vector[j] for j in range(len(vector))) for row in matrix]


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _short(value: float) -> str:
    return f"{value:.4g}".replace("-", "−")


def _length(row: list) -> float:
    largest = max(abs(value) for value in row)
    return largest * math.sqrt(sum((value / largest) ** 2 for value in row)) if largest > 0 else 0.0
