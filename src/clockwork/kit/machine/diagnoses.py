"""What is probably wrong with a reader's code or rotation: each usual mistake has a sentence of its own.

In the reader's browser, MicroPython runs this file; see plain.py.
"""

import math

from clockwork.kit.checks.plain import CheckFailed, close
from clockwork.kit.machine.plain import WIDTH, answer

BASE = 10_000
ASKED = (0, 1, 2, 3, 10)  # positions at which a code is compared
TURNED_AT = (0, 1, 2, 3, 100)  # positions at which a rotation is compared
APART = {
    "interleaved": "neighbours make a pair here, 2i and 2i + 1; you paired i with i + d/2",
    "half": "i and i + d/2 make a pair here; you paired neighbours",
}
PRAISE = {
    "interleaved": "Right: each pair of neighbours turns at its own speed, and lengths stay as they are.",
    "half": "Right: numbers i and i + d/2 turn together, each pair at its own speed, and lengths stay as they are.",
}


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


def rotation(turns: list, layout: str = "") -> str:
    """Return in which layout the matrices of a rotation turn, for positions from 0 on, or say what is wrong with them.

    Args:
        turns: the matrix of each position, 0 to 100 at least.
        layout: "interleaved", where the neighbours 2i and 2i + 1 are a pair, or "half": i and i + head_dim / 2; "" is
            either.

    Raises:
        CheckFailed: with the diagnosis.
    """
    flat = [value for p in TURNED_AT for row in turns[p] for value in row]
    size = len(turns[0])
    allowed = [layout] if layout else ["interleaved", "half"]
    for one in allowed:
        if close(flat, made(size, one)):
            return one
    for one in allowed:
        for wrong, told in usual(size, one):
            if close(flat, wrong, 1e-4):
                raise CheckFailed(told)
    if layout:
        other = "half" if layout == "interleaved" else "interleaved"
        if close(flat, made(size, other)):
            raise CheckFailed(APART[layout])
    for p in TURNED_AT:
        for k in range(size):
            length = math.sqrt(sum(row[k] ** 2 for row in turns[p]))
            if abs(length - 1) > 1e-5:
                raise CheckFailed(
                    f"a rotation keeps lengths: at position {p} a 1 at place {k} becomes {length:.4f} long"
                )
    if not close(flat[: size * size], made(size, allowed[0])[: size * size]):
        raise CheckFailed("at position 0 nothing should be turned, but q comes back changed")
    asked = made(size, nearest(flat, size, allowed))
    at = next(i for i in range(len(flat)) if abs(flat[i] - asked[i]) > 1e-5)
    p, j, k = TURNED_AT[at // size**2], at % size**2 // size, at % size
    raise CheckFailed(
        f"at position {p} a 1 at place {k} should give {asked[at]:.4f} at place {j}, got {flat[at]:.4f}".replace(
            " -", " −"
        )
    )


def made(
    size: int,
    layout: str,
    *,
    block: "Callable" = lambda c, s: (c, -s, s, c),
    of: "list | None" = None,
    moved: "Callable" = float,
) -> list:
    """Return the matrices at `TURNED_AT`, flat; `block(c, s)` is what a pair is multiplied by, row by row."""
    whole = []
    for p in TURNED_AT:
        matrix = [[0.0] * size for _ in range(size)]
        for i, w in enumerate(of or speeds(size)):
            a, b = (2 * i, 2 * i + 1) if layout == "interleaved" else (i, i + size // 2)
            angle = moved(p) * w
            matrix[a][a], matrix[a][b], matrix[b][a], matrix[b][b] = block(math.cos(angle), math.sin(angle))
        whole += [value for row in matrix for value in row]
    return whole


def nearest(flat: list, size: int, layouts: list) -> str:
    """Return the layout whose rotation is nearest."""
    rights = [made(size, one) for one in layouts]
    misses = [sum((value - right[i]) ** 2 for i, value in enumerate(flat)) for right in rights]
    return layouts[misses.index(min(misses))]


def usual(size: int, layout: str) -> list:
    """Return what the usual mistakes make of a rotation in one layout, each with its diagnosis."""
    right = speeds(size)
    asked = made(size, layout)
    woven = list(range(0, size, 2)) + list(range(1, size, 2))
    split = [i // 2 + (i % 2) * (size // 2) for i in range(size)]
    order = woven if layout == "interleaved" else split
    shuffled = [asked[n * size**2 + j * size + k] for n in range(len(TURNED_AT)) for j in order for k in range(size)]
    mixed = {
        "interleaved": "neighbours are turned, but handed back in another order: all first numbers, then all second",
        "half": "numbers i and i + d/2 are turned, but handed back side by side: they belong where they were",
    }

    def blocks(block: "Callable") -> list:
        return made(size, layout, block=block)

    return [
        (made(size, layout, moved=lambda p: 0), "nothing turns: the result does not change with p"),
        (
            made(size, layout, of=[w * math.pi / 180 for w in right]),
            "the angle is treated as degrees: sin and cos take radians",
        ),
        (
            blocks(lambda c, s: (c, s, s, c)),
            "both lines have a plus before the sine: one of them needs a minus, or nothing turns and lengths change",
        ),
        (
            blocks(lambda c, s: (c, -s, -s, c)),
            "both lines have a minus before the sine: the second needs a plus, or nothing turns and lengths change",
        ),
        (
            blocks(lambda c, s: (c, s, -s, c)),
            "this turns backwards: the minus belongs into the first line, x·cos − y·sin",
        ),
        (
            made(size, layout, moved=lambda p: p * p),
            "the angle grows with the square of the position: then the score of two words changes as both move on",
        ),
        (made(size, layout, moved=lambda p: p + 1), "this counts from 1: at position 0 nothing is turned"),
        (
            blocks(lambda c, s: (c, -s, s * c, c - s * s)),
            "the second number was made with the first one's new value: keep the old x until both are done",
        ),
        (
            blocks(lambda c, s: (s, c, c, -s)),
            "the two numbers of each pair come back in the wrong order: first x, then y",
        ),
        (
            blocks(lambda c, s: (s, -c, c, s)),
            "sine and cosine have changed places: at position 0 nothing is turned",
        ),
        (shuffled, mixed[layout]),
        (
            made(size, layout, of=[1.0] * len(right)),
            "all pairs turn at one speed: pair i turns by base^(−2i/d) for each token",
        ),
        (
            made(size, layout, of=[1 / w for w in right]),
            "the speeds grow from pair to pair: is the minus missing in the exponent?",
        ),
        (
            made(size, layout, of=[BASE ** (-i / size) for i in range(len(right))]),
            "the exponent is −i/d, but i counts pairs: use −2i/d",
        ),
        (
            made(size, layout, of=[right[0]] + [0.0] * (len(right) - 1)),
            "only the first pair turns: the others turn, too, more slowly",
        ),
    ]


def told(name: str, source: str, attend: str = "") -> dict:
    """Return what `plain.answer` does; of a rotation also `advice`, what is wrong with it, or `praise`."""
    found = answer(name, source, attend)
    if "turns" in found:
        try:
            found["praise"] = PRAISE[rotation(found["turns"])]
        except CheckFailed as wrong:
            found["advice"] = f"The model learns with it, but {wrong}."
    return found


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
