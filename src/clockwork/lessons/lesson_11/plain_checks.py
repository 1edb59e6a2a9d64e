"""The checks of lesson 11 that need lists alone: read a configuration, feed a real head on four hands, stretch."""

import math

from clockwork.kit.checks.plain import CheckFailed, floats, function, given, result
from clockwork.lessons.lesson_11.recorded import KEYS, QUERIES

CONFIGS = ((64, 100_000.0, 8192), (128, 10_000.0, 4096), (64, 10_000.0, 512), (128, 500_000.0, 8192), (8, 100.0, 1000))
HANDS = 32
BASE = 100_000.0  # of the recorded head
BUDGET = 4  # hands
SHARE = 0.6
FAR = 60  # tokens back, up to which other offsets are looked at
KEPT = 32  # turns in training from which on a hand keeps its speed
LOOSE = 1 + 1e-6


def unfinished(attempt: "Callable[[int, float, int], object]") -> str:
    """Check `unfinished(head_dim, base, trained_len)`, the hands that make less than one turn."""
    function(attempt, "unfinished(head_dim, base, trained_len)")
    for head_dim, base, trained_len in CONFIGS:
        case = f"head_dim {head_dim}, base {int(base):,}, trained_len {trained_len:,}"
        answer = given(result(attempt(head_dim, base, trained_len)))
        try:
            hands = [int(hand) for hand in answer]
        except (TypeError, ValueError):
            raise CheckFailed(f"{case}: it must return a list of hands, got {repr(answer)[:60]}") from None
        right = _unfinished(head_dim, base, trained_len)
        if hands == right:
            continue
        wrong = (
            ("those are the hands that *do* finish a turn", [i for i in range(head_dim // 2) if i not in right]),
            (
                "a full turn is 2π rad, and you compare with 1 rad",
                _unfinished(head_dim, base, trained_len * 2 * math.pi),
            ),
            (
                "the exponent is −2i/head_dim, because i counts pairs",
                _unfinished(head_dim, math.sqrt(base), trained_len),
            ),
            ("you count features; there are half as many hands", _unfinished(2 * head_dim, base, trained_len)),
            (
                "a hand is finished after a whole turn, not after half of one",
                _unfinished(head_dim, base, 2 * trained_len),
            ),
        )
        for diagnosis, hands_of in wrong:
            if hands == hands_of:
                raise CheckFailed(f"{case}: {diagnosis}")
        raise CheckFailed(f"{case}: got {_shown(hands)}, but the hands {_shown(right)} make less than one turn")
    return "five configurations read: you can tell from two numbers which hands training never took all the way round"


def _unfinished(head_dim: int, base: float, trained_len: float) -> list[int]:
    """Return the hands that turn less than once."""
    return [i for i in range(head_dim // 2) if trained_len * base ** (-2 * i / head_dim) < 2 * math.pi]


def _shown(hands: list[int]) -> str:
    if not hands:
        return "none"
    if len(hands) > 2 and hands == list(range(hands[0], hands[-1] + 1)):
        return f"{hands[0]} to {hands[-1]}"
    return ", ".join([str(hand) for hand in hands[:8]])


def four_hands(attempt: object) -> str:
    """Check a choice of at most four hands with which the recorded previous-token head still looks one token back."""
    chosen = floats(attempt, name="turning")
    if not isinstance(chosen, list) or not chosen or isinstance(chosen[0], list):
        raise CheckFailed("turning must hold different whole numbers, the hands that turn")
    hands = sorted({int(hand) for hand in chosen})
    if any(hand != int(hand) for hand in chosen) or len(hands) != len(chosen):
        raise CheckFailed("turning must hold different whole numbers, the hands that turn")
    if hands[0] < 0 or hands[-1] >= HANDS:
        raise CheckFailed(f"turning must hold hands from 0 to {HANDS - 1}, got {hands}")
    if len(hands) > BUDGET:
        raise CheckFailed(f"only {BUDGET} hands may turn, yours are {len(hands)}")
    by_offset = _by_offset(hands)
    share = by_offset[1]
    if share >= SHARE:
        told = ", ".join([str(hand) for hand in hands])
        return f"with the hands {told} the head gives {share:.2f} of its weight to the token before"
    elsewhere = [0.0 if back == 1 else by_offset[back] for back in range(FAR)]
    rival = elsewhere.index(max(elsewhere))
    found = f"the token before gets {share:.2f}"
    if min(hands) >= 8:
        raise CheckFailed(f"{found}: none of these hands turns far enough in one token to tell neighbours apart")
    if rival == 0:
        raise CheckFailed(f"{found}, and the query itself {elsewhere[0]:.2f}: one token is not yet told from none")
    if len(hands) < BUDGET:
        raise CheckFailed(
            f"{found}, the token {rival} back {elsewhere[rival]:.2f}; hands that may still turn: {BUDGET - len(hands)}"
        )
    if max(hands) < 7:
        raise CheckFailed(
            f"{found}, and the token {rival} back {elsewhere[rival]:.2f}: at that distance the fast hands point nearly "
            "as they do one token back. Give up one of them for a slower hand that tells the two apart"
        )
    raise CheckFailed(f"{found}, the token {rival} back {elsewhere[rival]:.2f}: you need more of the fastest hands")


def _by_offset(hands: list[int]) -> list[float]:
    """Return the mean weight that the recorded head gives to each offset, 0 and up, with only these hands turning."""
    queries = [_turned(row, place, hands) for place, row in enumerate(QUERIES)]
    keys = [_turned(row, place, hands) for place, row in enumerate(KEYS)]
    sums = [0.0] * len(queries)
    for place, query in enumerate(queries):
        scores = [sum([a * b for a, b in zip(query, key)]) / math.sqrt(2 * HANDS) for key in keys[: place + 1]]
        most = max(scores)
        weights = [math.exp(score - most) for score in scores]
        total = sum(weights)
        for key, weight in enumerate(weights):
            sums[place - key] += weight / total
    return [part / (len(queries) - back) for back, part in enumerate(sums)]


def _turned(row: list[float], place: int, hands: list[int]) -> list[float]:
    """Turn the neighbours 2i and 2i + 1 of these hands i as position `place` asks for."""
    made = list(row)
    for i in hands:
        turn = place * BASE ** (-i / HANDS)
        first = row[2 * i]
        second = row[2 * i + 1]
        made[2 * i] = first * math.cos(turn) - second * math.sin(turn)
        made[2 * i + 1] = second * math.cos(turn) + first * math.sin(turn)
    return made


def longer(attempt: "Callable[[list[float], int, float], object]") -> str:
    """Check `longer(inv_freq, trained_len, factor)`: no hand beyond what training saw, the fast ones as they were."""
    function(attempt, "longer(inv_freq, trained_len, factor)")
    for head_dim, base, trained_len, factor in ((64, 100_000.0, 8192, 4.0), (128, 10_000.0, 4096, 8.0)):
        speeds = [base ** (-2 * i / head_dim) for i in range(head_dim // 2)]
        answer = floats(result(attempt(list(speeds), trained_len, factor)), (len(speeds),), name="the new speeds")
        case = f"base {int(base):,}, {trained_len:,} tokens, factor {factor:g}"
        turns = [speed * trained_len / (2 * math.pi) for speed in speeds]
        hands = list(zip(range(len(speeds)), speeds, answer, turns))
        if min(answer) < 0:
            raise CheckFailed(f"{case}: a speed below 0 turns a hand backwards")
        faster = [i for i, old, new, _ in hands if new > old * LOOSE]
        if faster:
            raise CheckFailed(f"{case}: hand {faster[0]} is faster than before; longer texts need slower hands")
        changed = [i for i, old, new, often in hands if often >= KEPT and new < old / LOOSE]
        if changed:
            raise CheckFailed(
                f"{case}: hand {changed[-1]} makes {turns[changed[-1]]:.0f} turns in training and is slowed all the "
                "same: it has met every angle, and neighbours need its step (interpolation slows all)"
            )
        beyond = [i for i, old, new, often in hands if often < 1 and new * factor > old * LOOSE]
        if beyond:
            now = answer[beyond[0]] * trained_len * factor / (2 * math.pi)
            raise CheckFailed(
                f"{case}: hand {beyond[0]} came {turns[beyond[0]]:.2f} turns far in training, and would come {now:.2f} "
                "in the longer text"
            )
        if any(new > before * LOOSE for before, new in zip(answer, answer[1:])):
            raise CheckFailed(f"{case}: a hand overtakes a faster one")
        if any(often < 1 and new == 0 for _, _, new, often in hands):
            raise CheckFailed(
                f"{case}: a stopped hand stays within what training saw, but says nothing: slow it instead"
            )
    return "no hand goes where training never was, and the fast ones keep their step"
