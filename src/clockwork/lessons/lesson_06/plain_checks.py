"""The check of lesson 06 that needs `math` and lists alone: words and positions as single numbers, added and read."""

from clockwork.kit.checks.plain import CheckFailed, floats, function, given, result

WORDS = 20
POSITIONS = 8
LARGEST = 400  # no sum may be larger, and none below 0
SHAKEN = 1  # a sum is disturbed by up to this much, either way


def one_number(words: object, codes: object, read: "Callable[[float], object]") -> str:
    """Check 20 words and 8 codes, each a single number, and a function that names both from a disturbed sum."""
    given(codes)
    given(read)
    words = floats(words, (WORDS,), name="my_words")
    codes = floats(codes, (POSITIONS,), name="my_codes")
    sums = sorted((words[w] + codes[p], w, p) for w in range(WORDS) for p in range(POSITIONS))
    for total, w, p in (sums[0], sums[-1]):
        if total < 0 or total > LARGEST:
            raise CheckFailed(
                f"word {w} at position {p} makes {total:g}, and sums must lie between 0 and {LARGEST}: "
                "how little room does each sum need?"
            )
    gap, i = min((sums[i + 1][0] - sums[i][0], i) for i in range(len(sums) - 1))
    pairs = " and ".join(f"word {w} at position {p}" for _, w, p in sums[i : i + 2])
    if gap < 1e-9:
        raise CheckFailed(f"{pairs} both make {sums[i][0]:g}: this is 3 + 4 and 5 + 2 again")
    if gap <= 2 * SHAKEN:
        raise CheckFailed(
            f"{pairs} make sums only {gap:g} apart: a sum may move by {SHAKEN} either way, so the two can meet"
        )
    _read_all(function(read, "read(z)"), sums)
    return (
        f"all {len(sums)} sums are read, shaken by {SHAKEN} either way; the closest two are {gap:g} apart. One list "
        "fills the gaps of the other: you have put two numbers side by side in one"
    )


def _read_all(read: "Callable[[float], object]", sums: "list[tuple[float, int, int]]") -> None:
    """Let `read` name every sum as it is, then disturbed."""
    for shift in (0, 0.5 * SHAKEN, SHAKEN, -0.5 * SHAKEN, -SHAKEN):
        for total, w, p in sums:
            z = total + shift
            answer = floats(result(read(z)), (2,), name=f"read({z:g})")
            if answer == [w, p]:
                continue
            case = f"read({z:g}) is {answer[0]:g}, {answer[1]:g}, but it was word {w} at position {p}"
            if shift:
                raise CheckFailed(f"{case}, disturbed by {shift:g}: which of your sums is nearest to {z:g}?")
            if answer == [p, w]:
                raise CheckFailed(f"{case}: the word comes first")
            raise CheckFailed(f"{case}, not even disturbed")
