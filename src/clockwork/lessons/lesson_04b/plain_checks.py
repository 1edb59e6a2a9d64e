"""The checks of lesson 04b, which need `math` and lists alone: a score of two turned words, a row turned by halves, and
weights in another order."""

import math

from clockwork.kit.checks.plain import CheckFailed, close, diagnose, floats, function, given, result

BASE = 10_000


def score(attempt: "Callable[[list[float], list[float], float], object]") -> str:
    """Check `score(a, b, angle)`: the dot product of two pairs that are turned, the second by `angle` more."""
    function(attempt, "score(a, b, angle)")
    for a, b, angle in (([1.0, 0.0], [1.0, 0.0], 0.5), ([0.3, -0.8], [0.5, 0.9], 2.0), ([1.2, 0.4], [-0.7, 1.1], -1.0)):
        answer = floats(result(attempt(list(a), list(b), angle)), name=f"score({a}, {b}, {angle})")
        if isinstance(answer, list):
            raise CheckFailed(f"a score is one number, got {len(answer)}")
        dot = a[0] * b[0] + a[1] * b[1]
        across = a[1] * b[0] - a[0] * b[1]
        if close([answer], [dot * math.cos(angle) + across * math.sin(angle)]):
            continue
        wrong = [
            (dot, "this is the score before anything is turned"),
            (dot * math.cos(angle), "the cosine is half of it: where two pairs are not parallel, a sine comes in"),
            (dot * math.cos(angle) - across * math.sin(angle), "this is turned the other way: b is turned on, not a"),
            (dot + math.cos(angle), "codes are not added: b is turned"),
        ]
        diagnose([answer], [([value], told) for value, told in wrong], case=f"a {a}, b {b}, {angle} rad apart")
        raise CheckFailed(f"a {a}, b {b}, {angle} rad apart: turn b by the angle, then take the dot product with a")
    return "from any two places, the distance is all that the score needs"


def rotated(rotate: "Callable[[list[float], int], object]") -> str:
    """Check `rotated(x, p)`: number i and number i + d/2 of a list turn together, counterclockwise, by p · ω_i."""
    function(rotate, "rotated(x, p)")
    for x, p in (([1.0, 0.0], 1), ([0.3, -0.8, 0.5, 0.9], 5), ([0.2, 0.7, -0.4, 1.0, -0.6, 0.1, 0.8, -0.9], 300)):
        answer = floats(result(rotate(list(x), p)), name=f"rotated({x}, {p})")
        if not isinstance(answer, list) or len(answer) != len(x):
            got = f"{len(answer)}" if isinstance(answer, list) else "one number"
            raise CheckFailed(f"{len(x)} numbers must give {len(x)} numbers, got {got}")
        angles = [p * BASE ** (-2 * i / len(x)) for i in range(len(x) // 2)]
        if close(answer, halves(x, angles)):
            continue
        diagnose(answer, wrong_turns(x, p, angles), case=f"{len(x)} numbers at position {p}")
        before = math.sqrt(sum(number**2 for number in x))
        after = math.sqrt(sum(number**2 for number in answer))
        if not close([after], [before]):
            raise CheckFailed(
                f"{len(x)} numbers at position {p}: their length changes from {before:.3f} to {after:.3f}"
            )
        raise CheckFailed(
            f"{len(x)} numbers at position {p}: the length is right, the angles are not: which ω has pair i?"
        )
    return "your function turns 2, 4 and 8 numbers, as a program with two halves does"


def halves(x: list[float], angles: list[float]) -> list[float]:
    """Return x with number i and number i + d/2 turned by angle i."""
    half = len(x) // 2
    first = [x[i] * math.cos(angles[i]) - x[half + i] * math.sin(angles[i]) for i in range(half)]
    second = [x[i] * math.sin(angles[i]) + x[half + i] * math.cos(angles[i]) for i in range(half)]
    return first + second


def wrong_turns(x: list[float], p: int, angles: list[float]) -> list[tuple[list[float], str]]:
    """Return what the usual mistakes make of x, each with its diagnosis."""
    half = len(x) // 2
    pairs = range(half)
    cos = [math.cos(angle) for angle in angles]
    sin = [math.sin(angle) for angle in angles]
    right = halves(x, angles)
    neighbours = [x[2 * i] for i in pairs] + [x[2 * i + 1] for i in pairs]
    by_neighbours = halves(neighbours, angles)
    woven = [by_neighbours[i + n * half] for i in pairs for n in (0, 1)]
    slow = [p * BASE ** (-i / len(x)) for i in pairs]
    growing = [p * BASE ** (2 * i / len(x)) for i in pairs]
    plus = [x[i] * cos[i] + x[half + i] * sin[i] for i in pairs] + right[half:]
    old = right[:half] + [right[i] * sin[i] + x[half + i] * cos[i] for i in pairs]
    degrees = halves(x, [math.radians(angle) for angle in angles])
    coded = [x[i] + sin[i] for i in pairs] + [x[half + i] + cos[i] for i in pairs]
    return [
        (list(x), "the row comes back as it was"),
        (woven, "you turn neighbours together; here number i and number i + d/2 belong together"),
        (halves(x, [-angle for angle in angles]), "it turns the other way: the minus belongs to the first half"),
        (halves(x, slow), "the exponent is −i/d, but i counts pairs: it is −2i/d"),
        (halves(x, growing), "the angles grow with i: is the minus missing in the exponent?"),
        (halves(x, [1.0 * p for _ in pairs]), "all pairs turn at one speed: the exponent has to change with i"),
        (halves(x, [angle * p for angle in angles]), "the angle grows with the square of the position"),
        (degrees, "the angles are treated as degrees: sin and cos take radians"),
        (plus, "both halves have a plus: the first is x·cos − y·sin"),
        (old, "the second half needs the *old* first number, not the new"),
        (right[half:] + right[:half], "the halves have changed places"),
        (coded, "a code was added: nothing is added here, each pair is turned"),
    ]


def reordered(reorder: "Callable[[list], object]") -> str:
    """Check `reordered(rows)`: rows in the order of neighbours come back in the order of halves."""
    function(reorder, "reordered(rows)")
    for size in (8, 4, 12):
        rows = [[float(i), 0.5] for i in range(size)]
        found = given(result(reorder([list(row) for row in rows])))
        if not isinstance(found, (list, tuple)) or len(found) != size:
            got = len(found) if isinstance(found, (list, tuple)) else type(found).__name__
            raise CheckFailed(f"{size} rows must give {size} rows, got {got}")
        try:
            order = [int(row[0]) for row in found]
        except (TypeError, IndexError):
            raise CheckFailed("each row must come back as it was, with its own numbers") from None
        wanted = list(range(0, size, 2)) + list(range(1, size, 2))
        if order == wanted:
            continue
        if sorted(order) != list(range(size)):
            raise CheckFailed(f"each of the {size} rows must come back once, got those that stood at {order}")
        if order == list(range(size)):
            raise CheckFailed("the rows come back in their old order")
        if order == [i // 2 + (size // 2) * (i % 2) for i in range(size)]:
            raise CheckFailed("this is the way back, from halves to neighbours: rows 0, 2, 4, … come first")
        if order == list(range(size // 2, size)) + list(range(size // 2)):
            raise CheckFailed("the two halves have changed places, but neighbours still stand side by side")
        if order == list(range(1, size, 2)) + list(range(0, size, 2)):
            raise CheckFailed("the second number of each pair comes first: rows 0, 2, 4, … come first")
        raise CheckFailed(f"of {size} rows, 0, 2, 4, … must come first, then 1, 3, 5, …, got {order}")
    return "weights that learned with neighbours now serve a program that turns halves"
