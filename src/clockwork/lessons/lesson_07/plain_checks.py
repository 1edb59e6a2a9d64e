"""The checks of lesson 07 that need lists alone: read one falling head, and bound what a falling bias can give."""

import math

from clockwork.kit.checks.plain import CheckFailed, draws, floats, function, given, result

SYMBOLS = 16
TOKENS = 24  # in each text
TEXTS = 200


def digits(slope: object, read: "Callable[[list[float], float], object]") -> str:
    """Check `read(totals, slope)`, which names the symbol three back from the weight that each symbol gets."""
    chosen = floats(slope, (), name="my_slope")
    function(read, "read(totals, slope)")
    if chosen <= 0:
        raise CheckFailed(f"my_slope must be above 0 (the bias falls), got {chosen:g}")
    if math.exp(-3 * chosen) < 1e-12:
        lost = f"{math.exp(-3 * chosen):.0e} of the weight: rounding swallows it"
        raise CheckFailed(f"at slope {chosen:g} the token three back gets {lost}")
    hard, drawn = _hard(), _random()
    texts = hard + drawn
    named = [_named(read, text, chosen) for text in texts]
    wrong = [i for i, text in enumerate(texts) if named[i] != text[3]]
    if not wrong:
        return f"three back in all {len(texts)} texts, from a head whose weights only fall"
    for back in (0, 1, 2, 4):
        if all(named[len(hard) + i] == text[back] for i, text in enumerate(drawn)):
            raise CheckFailed(f"you name the symbol {back} back: how many symbols must be taken away first?")
    text, name = texts[wrong[0]], named[wrong[0]]
    shown = " ".join(str(symbol) for symbol in text[:8])
    told = f"read names {name}, and {text[3]} stood three back (newest first: {shown} …)"
    if chosen < math.log(2):
        near = math.exp(-chosen)
        raise CheckFailed(
            f"{told}. At slope {chosen:g} all older tokens together weigh {near / (1 - near):.2f} times as much as one "
            "token: the largest total need not belong to the newest symbol"
        )
    if len(wrong) > len(texts) / 2:
        raise CheckFailed(f"{told}: which weight did the newest symbol bring, and what is left without it?")
    raise CheckFailed(
        f"{told}. {len(wrong)} of {len(texts)} texts are read wrongly: may a symbol occur twice? (What you take away "
        "must be a weight: e^(−slope · back), divided by the sum of all 24)"
    )


def totals_of(text: list[int], slope: float) -> list[float]:
    """Return the weight that each symbol gets; `text` begins with the newest token."""
    weights = [math.exp(-slope * back) for back in range(len(text))]
    totals = [0.0] * SYMBOLS
    for back, symbol in enumerate(text):
        totals[symbol] += weights[back] / sum(weights)
    return totals


def _named(read: "Callable[[list[float], float], object]", text: list[int], slope: float) -> int:
    """Return the symbol that the reader's function names for a text."""
    answer = floats(result(read(totals_of(text, slope), slope)), (), name="what read returns")
    if answer != int(answer) or not 0 <= answer < SYMBOLS:
        raise CheckFailed(f"read must return a symbol, a whole number from 0 to 15, got {answer:g}")
    return int(answer)


def _hard() -> list[list[int]]:
    """Return texts in which one symbol fills everything behind a single newer one."""
    return [[4, 7, 7, 7] + [7] * (TOKENS - 4), [4, 5, 6, 7] + [9] * (TOKENS - 4)]


def _random() -> list[list[int]]:
    draw = draws(7)
    return [[next(draw) % SYMBOLS for _ in range(TOKENS)] for _ in range(TEXTS)]


def falling(bound: "Callable[[int], object]", witness: "Callable[[int, int], object]") -> str:
    """Check the largest weight on the key k back under a never rising bias, and a bias that comes near it.

    `bound(k)` is the number; `witness(k, n)` gives the biases of the keys 0, 1, …, n−1 steps back, none larger than
    the one before it.
    """
    function(bound, "bound(k)")
    function(given(witness), "witness(k, n)")
    for k in (3, 0, 1, 7):
        most = floats(bound(k), (), name=f"bound({k})")
        if abs(most - 1 / (k + 1)) > 1e-6:
            if k and abs(most - 1 / k) < 1e-6:
                raise CheckFailed(
                    f"bound({k}): the keys 0, 1, …, {k} steps back are {k + 1}, the query itself included"
                )
            straight = k**k / (k + 1) ** (k + 1)
            if k and abs(most - straight) < 1e-3:
                raise CheckFailed(
                    f"bound({k}): {most:.3f} is about the most for a straight ramp; other falling biases do better"
                )
            raise CheckFailed(
                f"bound({k}) is not {most:g}: which keys have at least as much weight as the one {k} back?"
            )
        n = k + 9
        row = floats(_without_infinity(given(witness(k, n))), (n,), name=f"witness({k}, {n})")
        rises = [j for j in range(n - 1) if row[j + 1] - row[j] > 1e-6 * max(abs(row[j + 1]), abs(row[j]))]
        if rises:
            j = rises[0]
            raise CheckFailed(
                f"witness({k}, {n}) rises from {row[j]:.3g} to {row[j + 1]:.3g} at {j + 1} back: that is not allowed"
            )
        parts = [math.exp(bias - row[0]) for bias in row]  # row[0] is the largest
        weight = parts[k] / sum(parts)
        if weight < most - 1e-3:
            tail = "keys further back take weight away" if max(row[k + 1 :]) > row[k] - 6 else "nearer keys have more"
            raise CheckFailed(
                f"witness({k}, {n}) gives {weight:.4f} to the key {k} back, {most:.4f} is possible: {tail}"
            )
    return "at most 1/(k+1), and a bias that is flat to k and then falls off a cliff comes as near as you like"


def _without_infinity(row: object) -> object:
    """Return −∞, which a mask may hold, as a large number."""
    row = row.tolist() if hasattr(row, "tolist") else row
    if not isinstance(row, (list, tuple)):
        return row
    return [-1e4 if bias == -math.inf else bias for bias in row]
