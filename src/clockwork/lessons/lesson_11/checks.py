"""The checks of lesson 11's exercises: read a configuration, feed a real head on four hands, stretch a context."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch

from clockwork.kit import pretrained
from clockwork.kit.checks.answers import CheckFailed, array, exercise, function, given, result
from pe_helpers import rotary, sinusoidal

CONFIGS = ((64, 100_000.0, 8192), (128, 10_000.0, 4096), (64, 10_000.0, 512), (128, 500_000.0, 8192), (8, 100.0, 1000))
HANDS = 32
BUDGET = 4  # hands
SHARE = 0.6
KEPT = 32  # turns in training from which on a hand keeps its speed


@exercise
def unfinished(attempt: Callable[[int, float, int], object]) -> str:
    """Check `unfinished(head_dim, base, trained_len)`, the hands that make less than one turn."""
    function(attempt, "unfinished(head_dim, base, trained_len)")
    for head_dim, base, trained_len in CONFIGS:
        case = f"head_dim {head_dim}, base {base:,.0f}, trained_len {trained_len:,}"
        answer = given(result(attempt(head_dim, base, trained_len)))
        try:
            hands = [int(hand) for hand in answer]
        except (TypeError, ValueError):
            raise CheckFailed(f"{case}: it must return a list of hands, got {answer!r:.60}") from None
        right = _unfinished(head_dim, base, trained_len)
        if hands == right:
            continue
        wrong = {
            "those are the hands that *do* finish a turn": [i for i in range(head_dim // 2) if i not in right],
            "a full turn is 2π rad, and you compare with 1 rad": _unfinished(head_dim, base, trained_len * 2 * math.pi),
            "the exponent is −2i/head_dim, because i counts pairs": _unfinished(head_dim, math.sqrt(base), trained_len),
            "you count features; there are half as many hands": _unfinished(2 * head_dim, base, trained_len),
            "a hand is finished after a whole turn, not after half of one": _unfinished(
                head_dim, base, 2 * trained_len
            ),
        }
        for diagnosis, hands_of in wrong.items():
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
    if hands == list(range(hands[0], hands[-1] + 1)) and len(hands) > 2:
        return f"{hands[0]} to {hands[-1]}"
    return ", ".join(map(str, hands[:8]))


@exercise
def four_hands(attempt: object) -> str:
    """Check a choice of at most four hands with which the recorded previous-token head still looks one token back."""
    chosen = array(attempt, name="turning").flatten()
    hands = sorted({int(hand) for hand in chosen.tolist()})
    if (chosen != chosen.round()).any() or len(hands) != len(chosen) or not hands:
        raise CheckFailed("turning must hold different whole numbers, the hands that turn")
    if hands[0] < 0 or hands[-1] >= HANDS:
        raise CheckFailed(f"turning must hold hands from 0 to {HANDS - 1}, got {hands}")
    if len(hands) > BUDGET:
        raise CheckFailed(f"only {BUDGET} hands may turn, yours are {len(hands)}")
    weights = _weights(hands)
    share = weights.diagonal(-1).mean().item()
    if share >= SHARE:
        return (
            f"with the hands {', '.join(map(str, hands))} the head gives {share:.2f} of its weight to the token before"
        )
    elsewhere = torch.stack([weights.diagonal(-back).mean() for back in range(60)])
    elsewhere[1] = 0
    rival = int(elsewhere.argmax())
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


def _weights(hands: list[int]) -> torch.Tensor:
    """Return the previous-token head's weights with only these hands turning."""
    head = pretrained.heads()[0]["previous"]
    speeds = torch.zeros(HANDS, dtype=torch.float64)
    speeds[hands] = sinusoidal.inv_freq(2 * HANDS, base=pretrained.BASE)[hands]
    q, k = (rotary.rotate(part, range(len(part)), inv_freq=speeds) for part in (head.q, head.k))
    future = torch.ones(len(q), len(q), dtype=torch.bool).triu(1)
    return (q @ k.T / math.sqrt(2 * HANDS)).masked_fill(future, -math.inf).softmax(-1)


@exercise
def longer(attempt: Callable[[torch.Tensor, int, float], object]) -> str:
    """Check `longer(inv_freq, trained_len, factor)`: no hand beyond what training saw, the fast ones as they were."""
    function(attempt, "longer(inv_freq, trained_len, factor)")
    for head_dim, base, trained_len, factor in ((64, 100_000.0, 8192, 4.0), (128, 10_000.0, 4096, 8.0)):
        speeds = sinusoidal.inv_freq(head_dim, base=base)
        answer = array(result(attempt(speeds.clone(), trained_len, factor)), tuple(speeds.shape), name="the new speeds")
        case = f"base {base:,.0f}, {trained_len:,} tokens, factor {factor:g}"
        turns = speeds * trained_len / (2 * math.pi)
        loose = 1 + 1e-6
        if (answer < 0).any():
            raise CheckFailed(f"{case}: a speed below 0 turns a hand backwards")
        if (answer > speeds * loose).any():
            hand = int((answer > speeds * loose).nonzero()[0])
            raise CheckFailed(f"{case}: hand {hand} is faster than before; longer texts need slower hands")
        changed = ((turns >= KEPT) & (answer < speeds / loose)).nonzero()
        if len(changed):
            raise CheckFailed(
                f"{case}: hand {int(changed[-1])} makes {turns[changed[-1]].item():.0f} turns in training and is "
                "slowed all the same: it has met every angle, and neighbours need its step (interpolation slows all)"
            )
        beyond = ((turns < 1) & (answer * factor > speeds * loose)).nonzero()
        if len(beyond):
            hand = int(beyond[0])
            now = (answer[hand] * trained_len * factor / (2 * math.pi)).item()
            raise CheckFailed(
                f"{case}: hand {hand} came {turns[hand].item():.2f} turns far in training, and would come {now:.2f} "
                "in the longer text"
            )
        if (answer[1:] > answer[:-1] * loose).any():
            raise CheckFailed(f"{case}: a hand overtakes a faster one")
        if (answer[turns < 1] == 0).any():
            raise CheckFailed(
                f"{case}: a stopped hand stays within what training saw, but says nothing: slow it instead"
            )
    return "no hand goes where training never was, and the fast ones keep their step"
