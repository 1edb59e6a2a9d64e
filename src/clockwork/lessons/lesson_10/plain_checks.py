"""The check of lesson 10 that needs `math` and lists alone: read a table, and say what is wrong with it."""

import math

from clockwork.kit.checks.plain import CheckFailed, function, given, result

BASE = 10_000.0
WIDTHS = (4, 8, 64)
WORDS = ("sound", "counts from 1", "exchanged", "halves", "doubled exponent")
LOOK = {
    ("doubled exponent", "sound"): "row 0 is right, and so is the first pair: how far does the *second* pair turn?",
    ("sound", "doubled exponent"): "pair 1 must turn by 10000^(−2/d) rad a token: is your d the number of columns?",
    ("counts from 1", "sound"): "row 0 of a sound table is (0, 1, 0, 1, …)",
    ("counts from 1", "doubled exponent"): "look at row 0 before you look at speeds",
    ("halves", "exchanged"): "in row 0 of both, the first pair is wrong; where do the ones stand?",
    ("exchanged", "halves"): "in row 0 of both, the first pair is wrong; where do the ones stand?",
}


def rows_of(word: str, width: int, count: int = 5) -> list:
    """Return a table with the fault of this name, as lists."""
    rows = []
    for place in range(count):
        if word == "counts from 1":
            place += 1
        pairs = []
        for i in range(width // 2):
            exponent = (4 if word == "doubled exponent" else 2) * i / width
            angle = place / BASE**exponent
            pairs.append((math.sin(angle), math.cos(angle)))
        if word == "exchanged":
            pairs = [(cosine, sine) for sine, cosine in pairs]
        row = [number for pair in pairs for number in pair]
        rows.append(row[0::2] + row[1::2] if word == "halves" else row)
    return rows


def diagnosis(attempt: object) -> str:
    """Check `diagnosis(rows)`, which names what is wrong with a table given as lists of numbers."""
    function(attempt, "diagnosis(rows)")
    for width in WIDTHS:
        for word in WORDS:
            found = given(result(attempt(rows_of(word, width))))
            if found not in WORDS:
                raise CheckFailed(f"your function must return one of {', '.join(WORDS)}, got {repr(found)[:40]}")
            if found != word:
                hint = LOOK.get((word, found), "which row and which pair would show the difference?")
                raise CheckFailed(f"a table {width} wide whose fault is {word!r}: your function says {found!r}; {hint}")
    return "five kinds of tables in three widths, told apart by a few numbers of two rows"
