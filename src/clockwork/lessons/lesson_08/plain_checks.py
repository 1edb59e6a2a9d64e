"""The checks of lesson 08 that need `math` and lists alone: which hands reach new angles, and which base slows one."""

import math

from clockwork.kit.checks.plain import CheckFailed, floats, function, given, result

SMALL = [1.0, 0.1, 0.01, 0.001]  # rad a token
NTK = [1.0, 0.063, 0.00397, 0.00025]
CASES = (  # trained speeds, speeds now, trained length, length now, causal mask
    (SMALL, SMALL, 24, 96, False),
    (SMALL, SMALL, 40, 160, False),
    (SMALL, SMALL, 32, 128, False),
    (SMALL, SMALL, 32, 128, True),
    (SMALL, [1.0, 0.1, 0.01 / 4, 0.0001], 24, 96, False),
    (SMALL, [speed / 4 for speed in SMALL], 24, 96, False),
    (SMALL, NTK, 24, 90, False),
    (SMALL, SMALL, 24, 24, True),
    (SMALL[::-1], SMALL[::-1], 24, 96, True),
)


def new_hands(find: "Callable[[list[float], list[float], int, int, bool], object]") -> str:
    """Check `new_hands(trained, now, trained_len, seq_len, causal)`: the numbers of the hands at new angles."""
    function(find, "new_hands(trained, now, trained_len, seq_len, causal)")
    for trained, now, trained_len, seq_len, causal in CASES:
        answer = given(result(find(list(trained), list(now), trained_len, seq_len, causal)))
        case = (
            f"speeds {_said(trained)} in training, {_said(now)} now, {trained_len} and {seq_len} tokens, "
            f"{'a causal mask' if causal else 'no mask'}"
        )
        if isinstance(answer, (int, float)):
            raise CheckFailed(
                f"{case}: you return one number; wanted is the list of the hands' numbers, such as [1, 2]"
            )
        found = floats(answer, name="the list of hands") if len(answer) else []
        right = reached(trained, now, trained_len, seq_len, causal)
        if len(found) == len(trained) and all(value in (0, 1) for value in found) and found != right:
            raise CheckFailed(f"{case}: you return yes or no for each hand; wanted are the numbers of those with yes")
        if right and found == [trained[i] for i in right]:
            raise CheckFailed(f"{case}: you return the speeds of these hands; wanted are their numbers, {right}")
        if sorted(found) == right:
            continue
        _diagnose(sorted(found), (trained, now, trained_len, seq_len, causal), case)
        raise CheckFailed(f"{case}: hands {right} reach new angles, your function says {[int(i) for i in found]}")
    return "your function knows masks, slowed hands, and hands that have been everywhere"


def reached(
    trained: list[float],
    now: list[float],
    trained_len: int,
    seq_len: int,
    causal: bool,
    *,
    whole: "float | None" = None,
) -> list[int]:
    """Return the hands that turn further than in training, of those that did not meet every angle there."""
    whole = whole or (2 * math.pi if causal else math.pi)
    met = [trained_len * speed for speed in trained]
    return [i for i in range(len(met)) if met[i] < whole and seq_len * now[i] > met[i] * (1 + 1e-9)]


def _diagnose(found: list, case: tuple, words: str) -> None:
    """Raise the diagnosis of the first usual mistake that gives these hands."""
    trained, now, trained_len, seq_len, causal = case
    hands = range(len(trained))
    met = [trained_len * speed for speed in trained]
    whole = 2 * math.pi if causal else math.pi
    mistakes = (
        (
            [i for i in hands if met[i] < whole and seq_len * now[i] >= met[i] * (1 - 1e-9)],
            "a hand that gets exactly as far as in training reaches nothing new",
        ),
        (
            reached(trained, now, trained_len - 1, seq_len - 1, causal),
            "you count n − 1 steps from the first token to the last; here a hand turns by n·ω in a text of n tokens",
        ),
        (
            reached(trained, now, trained_len, seq_len, causal, whole=2 * math.pi),
            "without a mask a query sees keys on both sides: half a turn each way is the whole dial",
        ),
        (
            reached(trained, now, trained_len, seq_len, causal, whole=math.pi),
            "under a causal mask all keys are on one side: only a whole turn shows every angle",
        ),
        (
            [i for i in hands if seq_len * now[i] > met[i] * (1 + 1e-9)],
            "a hand that has met every angle in training cannot reach a new one, however far it turns",
        ),
        (
            [i for i in hands if met[i] < whole],
            "these hands did not come round in training: do they turn further now, at the speeds of `now`?",
        ),
        (
            [i for i in hands if i not in reached(trained, now, trained_len, seq_len, causal)],
            "these are the hands that stay on known ground: wanted are the others",
        ),
    )
    for wrong, diagnosis in mistakes:
        if found == wrong:
            raise CheckFailed(f"{words}: {diagnosis}")


def _said(speeds: list[float]) -> str:
    return "[" + ", ".join(f"{speed:g}" for speed in speeds) + "]"


def raised(base_for: "Callable[[int, float, float, int], object]") -> str:
    """Check `raised(hand, factor, base, head_dim)`: the base with which this hand is slowed by exactly `factor`."""
    function(base_for, "raised(hand, factor, base, head_dim)")
    for hand, factor, base, head_dim in ((2, 4.0, 10_000.0, 8), (35, 8.0, 500_000.0, 128), (7, 2.0, 100.0, 16)):
        case = f"hand {hand}, factor {factor:g}, base {base:g}, head_dim {head_dim}"
        answer = floats(result(base_for(hand, factor, base, head_dim)), (), name=f"the base for {case}")
        if answer <= 0:
            raise CheckFailed(f"{case}: a base is a number above 0, got {answer:g}")
        mistakes = (
            (base * factor, "the base is multiplied by the factor itself: the speed of hand i is a *power* of it"),
            (base**factor, "the base is multiplied, not raised to the factor: solve b'^(−2i/d) = b^(−2i/d) / s for b'"),
            (base / factor, "a smaller base makes faster hands"),
            (
                base * factor ** (-head_dim / (2 * hand)),
                "this makes the hand *faster*: check the sign of your exponent",
            ),
            (base * factor ** min(head_dim / 2 * hand, 300), "d / 2 * i means (d / 2)·i: write d / (2 * i)"),
            (base ** (-2 * hand / head_dim) / factor, "this is the hand's new speed: which base gives it that speed?"),
            (base * factor ** (2 * hand / head_dim), "upside down: to undo the power 2i/d, raise to d/(2i)"),
            (base * factor ** (head_dim / hand), "the exponent of the speed is −2i/d, not −i/d: where is the 2?"),
            (
                base * factor ** (head_dim / (head_dim - 2)),
                "this slows the *slowest* hand by the factor, as NTK-aware does",
            ),
        )
        right = base * factor ** (head_dim / (2 * hand))
        if abs(answer - right) <= 1e-6 * right:
            continue
        for wrong, diagnosis in mistakes:
            if abs(answer - wrong) <= 1e-6 * wrong:
                raise CheckFailed(f"{case}: {diagnosis}")
        slower = (answer / base) ** (2 * hand / head_dim)
        raise CheckFailed(f"{case}: with your base {answer:g} this hand is {slower:.3f} times slower, not {factor:g}")
    return "hand 0 keeps its speed, faster hands are slowed by less than the factor and slower ones by more"


def rivals(find: "Callable[[list[float], int, int, float], object]") -> str:
    """Check `rivals(speeds, k, reach, tolerance)`: the other offsets at which all hands stand as they do k back."""
    function(find, "rivals(speeds, k, reach, tolerance)")
    for speeds, k, reach, tolerance in (
        ([1.0, 0.1], 3, 127, 0.2),
        ([1.0], 3, 60, 0.05),
        ([1.0, 0.063], 3, 127, 0.2),
        ([0.5, 0.05], 5, 300, 0.2),
        ([1.0, 0.1, 0.01], 2, 700, 0.4),
    ):
        answer = given(result(find(list(speeds), k, reach, tolerance)))
        case = f"speeds {_said(speeds)}, {k} back, up to {reach} tokens away, within {tolerance:g} rad"
        if isinstance(answer, (int, float)):
            raise CheckFailed(f"{case}: you return one number; wanted is a list of offsets, such as [-66, 60]")
        found = sorted(floats(answer, name="the list of offsets")) if len(answer) else []
        right = alike(speeds, k, reach, tolerance)
        if found == right:
            continue
        for wrong, diagnosis in _wrong_rivals(speeds, k, reach, tolerance):
            if found == sorted(wrong) and sorted(wrong) != right:
                raise CheckFailed(f"{case}: {diagnosis}")
        raise CheckFailed(f"{case}: the offsets are {right or 'none'}, your function says {[int(o) for o in found]}")
    return "66 back and 60 ahead, from the speeds alone; and with hand 1 slowed by 1.59 no rival is left"


def alike(speeds: list[float], k: int, reach: int, tolerance: float) -> list[int]:
    """Return the offsets (key minus query) at which every hand is within `tolerance` of its place k back."""
    return [
        offset
        for offset in range(-reach, reach + 1)
        if offset != -k and all(_off((offset + k) * speed) <= tolerance for speed in speeds)
    ]


def _off(angle: float) -> float:
    """Return how far an angle is from a whole number of turns."""
    return abs(angle - 2 * math.pi * math.floor(angle / (2 * math.pi) + 0.5))


def _wrong_rivals(speeds: list[float], k: int, reach: int, tolerance: float) -> list[tuple[list[int], str]]:
    """Return what the usual mistakes find, each with its diagnosis."""
    right = alike(speeds, k, reach, tolerance)
    offsets = [offset for offset in range(-reach, reach + 1) if offset != -k]
    return [
        (
            [o for o in range(-reach, reach + 1) if o == -k or o in right],
            f"the offset {-k} is the right token itself: a rival is another one",
        ),
        (
            [o for o in offsets if all(abs((o + k) * speed) <= tolerance for speed in speeds)],
            "compare directions, not angles: a whole turn more makes no difference",
        ),
        (
            [o for o in offsets if all((o + k) * speed % (2 * math.pi) <= tolerance for speed in speeds)],
            "a hand may also be a little *behind*: after % 2π, angles near 2π are near 0 too",
        ),
        (
            [o for o in offsets if any(_off((o + k) * speed) <= tolerance for speed in speeds)],
            "one hand is not enough: *all* of them have to agree",
        ),
        ([o for o in right if o < 0], "without a mask a query sees keys ahead of it too: offsets run both ways"),
        ([-o for o in right], "the signs are the other way round: an offset is key minus query, so 3 back is −3"),
        ([o + k for o in right], f"count offsets from the query, not from the token {k} back"),
        (
            [
                o
                for o in range(-reach, reach + 1)
                if o != k and all(_off((o - k) * speed) <= tolerance for speed in speeds)
            ],
            f"these look like the token {k} *ahead*: {k} back is the offset {-k}",
        ),
    ]
