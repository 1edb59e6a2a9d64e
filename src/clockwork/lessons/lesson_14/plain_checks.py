"""The checks of lesson 14 that need `math` and lists alone: positions of a row, a shifted cache, the next token."""

import math

from clockwork.kit.checks.plain import CheckFailed, floats, function, given, result

PAD = None
ROWS = (  # the document of each token; None is a pad
    [PAD, "a", "a", "b", "b", "b", PAD],
    ["a", "a", "a", "b", "b"],
    [PAD, PAD, "a", "a", "a"],
    ["a", "a", PAD, PAD, "a", "b", PAD, "b"],
    ["a"],
    [PAD, "b", "c", "c", "d", PAD, "d", "d"],
)
SPEEDS = [1.0, 0.1, 0.01]  # rad a token
CUTS = ((8, 3, 2), (6, 1, 4), (5, 0, 2), (7, 2, 5))  # tokens in the cache, the first that goes, how many go
MASKS = ([0, 1, 1, 1], [0, 0, 1, 1], [1, 1, 0, 1, 0], [0, 1, 0, 0, 1, 1])


def number(position_ids: "Callable[[list], object]") -> str:
    """Check `position_ids(row)`: each token's position in its own document, pads left out of the count."""
    function(position_ids, "position_ids(row)")
    for row in ROWS:
        answer = given(result(position_ids(list(row))))
        case = f"row {_row(row)}"
        found = floats(answer, (len(row),), name=f"the positions of {_row(row)}")
        right = numbered(row)
        if _same(found, right, row):
            continue
        for wrong, diagnosis in _wrong_numbers(row):
            if _same(found, wrong, row):
                raise CheckFailed(f"{case}: {diagnosis}")
        raise CheckFailed(f"{case}: wanted {right} (a pad may have any number), got {[int(n) for n in found]}")
    return "packs restart, pads on either side and in a hole cost no number"


def numbered(row: list) -> "list[int]":
    """Return the positions; a pad gets 0."""
    return [row[:i].count(document) if document is not PAD else 0 for i, document in enumerate(row)]


def _wrong_numbers(row: list) -> "list[tuple[list[int], str]]":
    """Return what usual mistakes give, each with its diagnosis."""
    real = [document is not PAD for document in row]
    since = []
    last = PAD
    for document in row:
        fresh = document is not PAD and document != last
        since.append(0 if not since or fresh else since[-1] + 1)
        last = document if document is not PAD else last
    runs = []
    for i, document in enumerate(row):
        runs.append(runs[-1] + 1 if i and row[i - 1] == document else 0)
    return [
        (list(range(len(row))), "you number the places of the row: pads count, and documents run on"),
        (
            [sum(real[:i]) for i in range(len(row))],
            "pads are left out, but the second document runs on: it starts at 0",
        ),
        ([n + 1 for n in numbered(row)], "the first token of a document has position 0, and yours has 1"),
        (runs, "after a pad in the middle the document goes on: it does not start again"),
        (since, "a pad in the middle takes up a number: count the document's own tokens alone"),
        (
            [row.index(d) if d is not PAD else 0 for d in row],
            "you give where each document begins, not the tokens since",
        ),
    ]


def _same(found: list, wanted: list, row: list) -> bool:
    """Say whether the numbers of all tokens agree; those of pads do not count."""
    return all(a == b for a, b, document in zip(found, wanted, row) if document is not PAD)


def _row(row: list) -> str:
    return " ".join("·" if document is PAD else document for document in row)


def shift(shifted: "Callable[[list, list[float], int, int], object]") -> str:
    """Check `shifted(cache, speeds, start, count)`: the angles of the keys that stay, turned to their new positions."""
    function(shifted, "shifted(cache, speeds, start, count)")
    for length, start, count in CUTS:
        first = [0.3 + 0.2 * token for token in range(length)]  # where the key of each token would point at position 0
        cache = [[first[token] + token * speed for speed in SPEEDS] for token in range(length)]
        case = f"{length} keys, tokens {start} to {start + count - 1} go"
        answer = given(result(shifted([list(key) for key in cache], list(SPEEDS), start, count)))
        stay = [token for token in range(length) if not start <= token < start + count]
        if len(answer) == length:
            raise CheckFailed(f"{case}: you return {length} keys; those of the cut tokens have to go")
        found = floats(answer, (len(stay), len(SPEEDS)), name=f"the keys that stay ({case})")

        def turned(by, kept=stay, cache=cache):
            return [
                [cache[token][i] + by(place, token) * SPEEDS[i] for i in range(3)] for place, token in enumerate(kept)
            ]

        if _alike(found, turned(lambda place, token: place - token)):
            continue
        after = list(range(len(stay)))
        mistakes = (
            (
                turned(lambda place, token: 0),
                "the keys that stay are as they were: those behind the cut have to be turned",
            ),
            (
                turned(lambda place, token, count=count: -count),
                "the keys *before* the cut are turned, too; they stand where they stood, so leave them alone",
            ),
            (turned(lambda place, token: token - place), "these keys are turned the wrong way: they move to the left"),
            (
                turned(lambda place, token: place),
                "you turn a key by its new position, but it was turned by its old one",
            ),
            (turned(lambda place, token: -token), "this undoes the old position; the key also needs its new one"),
            (turned(lambda place, token: 1 + place - token), "you move everything one place too few"),
            (
                turned(lambda place, token: place - token, after),
                "you cut the last tokens instead of those in the middle",
            ),
            (
                [[cache[token][i] + (place - token) for i in range(3)] for place, token in enumerate(stay)],
                "every hand is turned by the same angle: multiply by its own speed",
            ),
        )
        for wrong, diagnosis in mistakes:
            if _alike(found, wrong):
                raise CheckFailed(f"{case}: {diagnosis}")
        raise CheckFailed(
            f"{case}: a key that moves by m positions turns by m times the speed of each hand; yours do not"
        )
    return "before the cut nothing moves, behind it each key turns back by as many positions as went"


def _alike(found: list, wanted: list) -> bool:
    """Say whether all angles point the same way."""
    if len(found) != len(wanted):
        return False
    pairs = [(a, b) for row, other in zip(found, wanted) for a, b in zip(row, other)]
    return all(abs(math.sin((a - b) / 2)) < 1e-6 for a, b in pairs)


def following(next_ids: "Callable[[list[list[int]], int], object]") -> str:
    """Check `next_ids(masks, step)`: the position of the token that each row of a batch writes at this step."""
    function(next_ids, "next_ids(masks, step)")
    for masks in ([MASKS[0], MASKS[1]], [MASKS[2]], [MASKS[3], [1] * 6, [0] * 5 + [1]]):
        for step in (5, 0, 1):
            case = f"masks {masks}, step {step}"
            answer = given(result(next_ids([list(mask) for mask in masks], step)))
            found = floats(answer, (len(masks),), name=f"the positions for {case}")
            if found == [sum(mask) + step for mask in masks]:
                continue
            mistakes = (
                ([len(mask) + step for mask in masks], "you count the pads: the row's length is not the text's"),
                ([sum(mask) + step - 1 for mask in masks], "that is the place of the token before it"),
                (
                    [sum(mask) + step + 1 for mask in masks],
                    "the first new token stands right behind the text: step is 0",
                ),
                ([sum(mask) for mask in masks], "the text has grown by a token at every step"),
                ([step] * len(masks), "you count the new tokens from 0: they stand behind the text"),
                (
                    [max(map(sum, masks)) + step] * len(masks),
                    "one number for all rows: each has a text of its own length",
                ),
            )
            for wrong, diagnosis in mistakes:
                if found == wrong:
                    raise CheckFailed(f"{case}: {diagnosis}")
            raise CheckFailed(f"{case}: wanted {[sum(mask) + step for mask in masks]}, got {found}")
    return "each row goes on where its own text ends"
