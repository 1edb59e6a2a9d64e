"""What is probably wrong with a reader's code or rotation: each usual mistake has a sentence of its own.

In the reader's browser, MicroPython runs this file; see plain.py.
"""

import math

from clockwork.kit.checks.plain import CheckFailed, close
from clockwork.kit.machine.plain import HEAD_DIM, WIDTH, answer

BASE = 10_000
ASKED = (0, 1, 2, 3, 10)  # positions at which a code is compared


def speeds(width: int, base: float = BASE) -> list:
    """Return the speed of each hand of the sinusoid, in radians per token, the fastest first."""
    return [base ** (-2 * i / width) for i in range(width // 2)]


def sinusoid(near: list, width: int, base: float = BASE) -> None:
    """Say what is wrong with rows that should be the sinusoid's, for positions from 0 on; nothing if they are right.

    Raises:
        CheckFailed: with the diagnosis.
    """
    if len(near[0]) != width:
        half = "; only the sines, or only one number for each hand?" if 2 * len(near[0]) == width else ""
        raise CheckFailed(
            f"{width // 2} hands have {width} numbers, a sine and a cosine each; code(0) has {len(near[0])}{half}"
        )
    right = speeds(width, base)

    def rows(of: list, moved: "Callable" = float) -> list:
        return [f(moved(p) * w) for p in ASKED for w in of for f in (math.sin, math.cos)]

    def arranged(functions: tuple) -> list:
        return [f(p * w) for p in ASKED for w in right for f in functions]

    halves = [f(p * w) for p in ASKED for f in (math.sin, math.cos) for w in right]
    mistakes = (
        (rows([w * math.pi / 180 for w in right]), "the angles are treated as degrees: sin and cos take radians"),
        (
            rows([1 / w for w in right]),
            "the speeds grow from hand to hand: is the minus missing in the exponent, or do you multiply by the power "
            "where you should divide?",
        ),
        (
            rows([base ** (-i / width) for i in range(width // 2)]),
            "the exponent is −i/d, but i counts pairs: use −2i/d",
        ),
        (
            rows([base ** (-i / max(1, width // 2 - 1)) for i in range(width // 2)]),
            "this divides i by d/2 − 1, as the authors' released program does: in their formula it is d/2",
        ),
        (
            rows([base ** float((-2 * i) // width) for i in range(width // 2)]),
            "the exponent was rounded to a whole number: write /, not //",
        ),
        (rows([1.0] * (width // 2)), "all hands turn at one speed: the exponent has to change with i"),
        (rows([1 / base] * (width // 2)), "all hands turn at one speed: the exponent has to change with i"),
        (
            rows([1 - 2 * i / width for i in range(width // 2)]),
            "the speeds are evenly spaced: each hand should be slower than the one before by the same factor",
        ),
        (rows(right, lambda p: p + 1), "this counts from 1: at position 0 all hands point up, 0, 1, 0, 1, …"),
        (rows(right, lambda p: p * p), "the angle grows with the square of the position, so steps are not equal"),
        (arranged((math.cos, math.sin)), "each cosine comes before its sine: the sine is first"),
        (arranged((math.sin, math.sin)), "both numbers of a hand are its sine: the second is the cosine"),
        (halves, "all sines come before all cosines: they should take turns, sine, cosine, sine, …"),
    )
    found = [value for p in ASKED for value in near[p]]
    asked = rows(right)
    if close(found, asked):
        return
    for wrong, told in mistakes:
        if close(found, wrong, 1e-4):
            raise CheckFailed(told)
    at = next(i for i in range(len(found)) if abs(found[i] - asked[i]) > 1e-5)
    p, j = ASKED[at // width], at % width
    name = "cos" if j % 2 else "sin"
    wanted = f"number {j} of code({p}) should be {name}({p} · {right[j // 2]:.4g}) = {asked[at]:.4f}"
    raise CheckFailed(f"{wanted}, got {found[at]:.4f}".replace("= -", "= −").replace("got -", "got −"))


def rotation(turns: list, layout: str = "interleaved", base: float = BASE) -> None:
    """Say what is wrong with the matrices of a rotation, for positions 0, 1, 2, …; nothing if they are right.

    Args:
        layout: "interleaved", where the neighbours 2i and 2i + 1 are a pair, or "half": i and i + head_dim / 2.

    Raises:
        CheckFailed: with the diagnosis.
    """
    size = len(turns[0])
    right = speeds(size, base)
    flat = [value for matrix in turns[:4] for row in matrix for value in row]

    def made(block: "Callable", of: list = right, moved: "Callable" = float, layout: str = layout) -> list:
        """Return the first four matrices, flat; `block(c, s)` is what a pair is multiplied by, row by row."""
        whole = []
        for p in range(4):
            matrix = [[0.0] * size for _ in range(size)]
            for i, w in enumerate(of):
                a, b = (2 * i, 2 * i + 1) if layout == "interleaved" else (i, i + size // 2)
                angle = moved(p) * w
                one = block(math.cos(angle), math.sin(angle))
                matrix[a][a], matrix[a][b], matrix[b][a], matrix[b][b] = one
            whole += [value for row in matrix for value in row]
        return whole

    def turn(c: float, s: float) -> tuple:
        return c, -s, s, c

    asked = made(turn)
    if close(flat, asked):
        return
    other = "half" if layout == "interleaved" else "interleaved"
    apart = {
        "interleaved": "neighbours make a pair here, 2i and 2i + 1; you paired i with i + d/2",
        "half": "i and i + d/2 make a pair here; you paired neighbours",
    }
    order = list(range(0, size, 2)) + list(range(1, size, 2)) if layout == "interleaved" else []
    shuffled = [asked[p * size**2 + j * size + k] for p in range(4) for j in order for k in range(size)]
    mistakes = (
        (made(turn, [w * math.pi / 180 for w in right]), "the angle is treated as degrees: sin and cos take radians"),
        (
            made(lambda c, s: (c, s, s, c)),
            "both lines have a plus before the sine: one of them needs a minus, or nothing turns and lengths change",
        ),
        (
            made(lambda c, s: (c, -s, -s, c)),
            "both lines have a minus before the sine: the second needs a plus, or nothing turns and lengths change",
        ),
        (
            made(lambda c, s: (c, s, -s, c)),
            "this turns backwards: the minus belongs into the first line, x·cos − y·sin",
        ),
        (
            made(turn, moved=lambda p: p * p),
            "the angle grows with the square of the position: then the score of two words changes as both move on",
        ),
        (made(turn, moved=lambda p: p + 1), "this counts from 1: at position 0 nothing is turned"),
        (
            made(lambda c, s: (c, -s, s * c, c - s * s)),
            "the second number was made with the first one's new value: keep the old x until both are done",
        ),
        (
            made(lambda c, s: (s, c, c, -s)),
            "the two numbers of each pair come back in the wrong order: first x, then y",
        ),
        (made(lambda c, s: (s, -c, c, s)), "sine and cosine have changed places: at position 0 nothing is turned"),
        (made(turn, layout=other), apart[layout]),
        (shuffled, "the pairs are turned, but handed back in another order: all first numbers, then all second ones"),
        (made(turn, [1.0] * (size // 2)), "all pairs turn at one speed: pair i turns by base^(−2i/d) for each token"),
        (
            made(turn, [1 / w for w in right]),
            "the speeds grow from pair to pair: is the minus missing in the exponent?",
        ),
        (
            made(turn, [base ** (-i / size) for i in range(size // 2)]),
            "the exponent is −i/d, but i counts pairs: use −2i/d",
        ),
        (
            made(turn, [right[0]] + [0.0] * (size // 2 - 1)),
            "only the first pair turns: the others turn, too, more slowly",
        ),
        (made(turn, moved=lambda p: 0), "nothing turns: the result does not change with p"),
    )
    for wrong, told in mistakes:
        if len(wrong) == len(flat) and close(flat, wrong, 1e-4):
            raise CheckFailed(told)
    for p, matrix in enumerate(turns[:4]):
        for k in range(size):
            length = math.sqrt(sum(row[k] ** 2 for row in matrix))
            if abs(length - 1) > 1e-5:
                raise CheckFailed(
                    f"a rotation keeps lengths: at position {p} a 1 at place {k} becomes {length:.4f} long"
                )
    if not close(flat[: size * size], asked[: size * size]):
        raise CheckFailed("at position 0 nothing should be turned, but q comes back changed")
    p, j, k = next(
        (p, j, k)
        for p in range(4)
        for j in range(size)
        for k in range(size)
        if abs(turns[p][j][k] - asked[p * size * size + j * size + k]) > 1e-5
    )
    raise CheckFailed(
        f"at position {p} a 1 at place {k} should give {asked[p * size * size + j * size + k]:.4f} at place {j}, got "
        f"{turns[p][j][k]:.4f}".replace(" -", " −")
    )


def advice(name: str, source: str) -> str:
    """Return what is probably wrong with `code`, as the model's sinusoid, or with `rotate`; "" if nothing."""
    found = answer(name, source)
    if "refused" in found:
        return found["refused"]
    try:
        if name == "code":
            sinusoid(found["near"], WIDTH)
        else:
            rotation(found["turns"])
    except CheckFailed as wrong:
        return str(wrong)
    return ""


def check_rotate(turns: list, layout: str = "interleaved") -> str:
    """Return what is good about a rotation of `HEAD_DIM` numbers, or raise its diagnosis."""
    rotation(turns, layout)
    return f"each pair of the {HEAD_DIM} numbers turns at its own speed, and lengths stay as they are"
