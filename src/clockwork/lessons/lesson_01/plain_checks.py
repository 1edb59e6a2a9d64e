"""Those checks of lesson 01 that need lists alone: what a bag can tell, and a code of six numbers."""

import math

from clockwork.kit.checks.plain import CheckFailed, close, diagnose, draws, floats, function, result

SYMBOLS = "abcdefghijklmnop"
RECORDED = 0.148  # the mean of eight models without a code, data/naive_codes.json
NUM_POSITIONS = 64
WIDTH = 6
APART = 0.9


def most(symbols: list[str]) -> int:
    """Return how often the most frequent symbol occurs."""
    return max(symbols.count(symbol) for symbol in symbols)


def others(symbols: list[str], place: int) -> list[str]:
    """Return all symbols but the one at `place`."""
    return symbols[:place] + symbols[place + 1 :]


GUESSES = (  # what a reader may have computed, and what is wrong with it
    (lambda s, p: 1.0, "you look three back: this reader knows no order"),
    (lambda s, p: s[p - 3] == s[p], "you look three back: this reader knows no order"),
    (lambda s, p: most(s) / len(s), "the asking token counts itself: three back is one of the *other* tokens"),
    (lambda s, p: most(others(s, p)) / len(s), "the asking token is not among the candidates: how many are left?"),
    (lambda s, p: most(s) / (len(s) - 1), "the asking token counts itself: leave it out of the bag"),
    (
        lambda s, p: most(s[:p]) / p,
        "the reader does not know which tokens come before: without order there is no before",
    ),
    (lambda s, p: 1 / len(set(others(s, p))), "not all symbols are equally likely: some occur more often"),
    (lambda s, p: 1 / 16, "1/16 is a guess without looking at the bag"),
    (
        lambda s, p: others(s, p).count(s[p]) / (len(s) - 1),
        "the best guess is the most frequent of the others, not the asking token's own symbol",
    ),
    (lambda s, p: most(others(s, p)), "that is how often the symbol occurs: divide by the number of candidates"),
)


def best_guess(chance: "Callable[[list[str], int], float]") -> str:
    """Check `chance(symbols, place)`: how likely the best guess at *3 back* is right for a reader of the bag."""
    function(chance, "best_guess(symbols, place)")
    draw = draws(7)
    texts = [([SYMBOLS[next(draw) % 16] for _ in range(32)], 3 + next(draw) % 29) for _ in range(400)]
    answers = []
    for symbols, place in texts:
        answer = result(chance(list(symbols), place))
        if isinstance(answer, str):
            raise CheckFailed(f"a probability is asked for, not the symbol, got {repr(answer)[:20]}")
        answers.append(floats(answer, (), name="the probability"))
    right = [most(others(*text)) / 31 for text in texts]
    if close(answers, right):
        best = sum(right) / len(right)
        return f"a perfect reader of bags gets {best:.3f}; the eight models without a code got {RECORDED}"
    diagnose(answers, [([wrong(*text) for text in texts], why) for wrong, why in GUESSES])
    if len(set(answers)) == 1:
        raise CheckFailed(f"you answer {answers[0]:.3f} for every text: count what occurs in `symbols`")
    symbols, place = texts[0]
    raise CheckFailed(
        f"symbols {''.join(symbols)}, place {place}: got {answers[0]:.3f}; "
        "which of the others is the best guess, and how often does it occur?"
    )


def design(code: "Callable[[int], list[float]]") -> str:
    """Check `code(p)`: six numbers for each of 64 positions, with equal steps and no two codes nearly the same."""
    function(code, "my_code(p)")
    codes = [_six(result(code(p)), p) for p in range(NUM_POSITIONS)]
    steps = [_distance(codes[p], codes[p + 1]) for p in range(NUM_POSITIONS - 1)]
    gaps = [(_distance(codes[p], codes[q]), p, q) for q in range(NUM_POSITIONS) for p in range(q)]
    gap, here, there = min(gaps)
    if _is_binary(codes):
        raise CheckFailed(
            f"these are binary digits: from 0 to 1 the step is {steps[0]:.2f} long, from 31 to 32 {steps[31]:.2f}. "
            "Change one digit at a time"
        )
    if gap < 1e-6:
        raise CheckFailed(f"positions {here} and {there} have the same code")
    if gap < APART:
        quiet = "; all your steps are this quiet: use more of the six numbers" if max(steps) < APART else ""
        raise CheckFailed(f"positions {here} and {there} are only {gap:.3f} apart, {APART} are asked for{quiet}")
    if max(steps) - min(steps) > 1e-6:
        worst = steps.index(max(steps))
        raise CheckFailed(
            f"steps must be equally long: from {steps.index(min(steps))} it is {min(steps):.3f}, "
            f"from {worst} to {worst + 1} it is {steps[worst]:.3f}"
        )
    done = f"every step is {steps[0]:.3f} long, and no two of 64 codes are closer than {gap:.3f}"
    if len({number for row in codes for number in row}) > 2:
        done += "; your numbers are no digits, so compare your code with the one that lesson 02 finds"
    return done


def _six(attempt: object, p: int) -> list[float]:
    row = floats(attempt, name=f"my_code({p})")
    if not isinstance(row, list) or len(row) != WIDTH or isinstance(row[0], list):
        raise CheckFailed(f"my_code({p}) must be a list of {WIDTH} numbers, got {repr(attempt)[:40]}")
    loudest = max(abs(number) for number in row)
    if loudest > 1 + 1e-9:
        raise CheckFailed(f"my_code({p}) must stay between −1 and 1, got {loudest:.3g}")
    return row


def _distance(here: list[float], there: list[float]) -> float:
    return math.sqrt(sum((number - there[i]) ** 2 for i, number in enumerate(here)))


def _is_binary(codes: list[list[float]]) -> bool:
    """Return whether codes are the digits of their positions, 0 and 1 or −1 and 1, in either order."""
    numbers = [number for row in codes for number in row]
    for digits in (range(WIDTH), range(WIDTH - 1, -1, -1)):
        binary = [p >> i & 1 for p in range(NUM_POSITIONS) for i in digits]
        if close(numbers, binary) or close(numbers, [2 * bit - 1 for bit in binary]):
            return True
    return False
