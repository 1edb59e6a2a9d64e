"""Those checks of lesson 04 that need `math` and lists alone: the reader's `shift`, and a code that is moved."""

import math

from clockwork.kit.checks.plain import CheckFailed, close, diagnose, floats, function, given, result
from clockwork.kit.machine import parts, plain

KEEPS = ("shift",)  # what the reader takes along once it has passed
NEIGHBOURS = "you turn neighbouring numbers, but here all sines come first: sine i and cosine i are d/2 apart"


def shift(attempt: "Callable[[int], list]") -> str:
    """Check `shift(k)`, the reader's own: one matrix for all positions, eight hands."""
    function(attempt, "shift(k)")
    given(plain.called(attempt, "shift(0)", 0))
    return parts.check_shift(attempt)


def moved(move: "Callable[[list[float], int], object]") -> str:
    """Check `moved(code, k)` on codes with all sines before all cosines, given and returned as lists."""
    function(move, "moved(code, k)")
    for p, k, d_model in ((7, 5, 8), (0, 1, 4), (300, -7, 12), (12, 100, 64)):
        here = halves(p, d_model)
        answer = floats(result(move(list(here), k)), name=f"moved(code, {k})")
        if not isinstance(answer, list) or len(answer) != d_model or isinstance(answer[0], list):
            got = f"{len(answer)} rows or numbers" if isinstance(answer, list) else "one number"
            raise CheckFailed(f"a code of {d_model} numbers must give {d_model} numbers, got {got}")
        if close(answer, halves(p + k, d_model)):
            continue
        case = f"the code of {p}, moved by {k}"
        diagnose(answer, wrong_moves(here, k), case=case)
        before = math.sqrt(sum(number**2 for number in here))
        after = math.sqrt(sum(number**2 for number in answer))
        if not close([after], [before]):
            raise CheckFailed(
                f"{case}: its length changes from {before:.3f} to {after:.3f}, so this is no turn: does "
                "each new number use one sine and one cosine of k·ω?"
            )
        raise CheckFailed(f"{case}: the length is right, the angles are not: which ω belongs to sine i?")
    return "your function moves codes by 5, 1, −7 and 100 tokens and never asks for the position"


def halves(p: float, d_model: int) -> list[float]:
    """Return the code of p with all sines first."""
    angles = [p * 10_000 ** (-2 * i / d_model) for i in range(d_model // 2)]
    return [math.sin(angle) for angle in angles] + [math.cos(angle) for angle in angles]


def wrong_moves(here: list[float], k: int) -> list[tuple[list[float], str]]:
    """Return what the usual mistakes make of a code with all sines first, each with its diagnosis."""
    half = len(here) // 2
    hands = range(half)
    right = [k * 10_000 ** (-i / half) for i in hands]
    sines, cosines = _turned(here[:half], here[half:], right)
    back = _turned(here[:half], here[half:], [-angle for angle in right])
    neighbours = _turned(here[0::2], here[1::2], right)
    overwritten = [here[half + i] * math.cos(right[i]) - sines[i] * math.sin(right[i]) for i in hands]
    slow = _turned(here[:half], here[half:], [k * 10_000 ** (-i / (2 * half)) for i in hands])
    growing = _turned(here[:half], here[half:], [k * 10_000 ** (i / half) for i in hands])
    added = [number + halves(k, 2 * half)[i] for i, number in enumerate(here)]
    return [
        (here, "the code comes back as it was"),
        (back[0] + back[1], "it goes the other way: is the minus sign with the wrong sine?"),
        (_woven(neighbours[0], neighbours[1]), NEIGHBOURS),
        (neighbours[0] + neighbours[1], NEIGHBOURS),
        (_woven(sines, cosines), "the sines and cosines take turns: put all sines first again"),
        (cosines + sines, "the cosines come first: put the sines first"),
        (sines + overwritten, "the cosine needs the *old* sine, not the new"),
        (sines + back[1], "the new cosine needs a minus: cos(a+b) = cos a cos b − sin a sin b"),
        (back[0] + cosines, "the new sine has no minus: sin(a+b) = sin a cos b + cos a sin b"),
        (slow[0] + slow[1], "the exponent is −i/d, but i counts pairs: it is −2i/d"),
        (growing[0] + growing[1], "the angles grow with i: is the minus missing in the exponent?"),
        (added, "codes are not added: each hand is turned by k·ω"),
    ]


def _turned(sines: list[float], cosines: list[float], angles: list[float]) -> tuple[list[float], list[float]]:
    """Return sines and cosines of hands that are turned by `angles`."""
    hands = range(len(angles))
    new_sines = [sines[i] * math.cos(angles[i]) + cosines[i] * math.sin(angles[i]) for i in hands]
    new_cosines = [cosines[i] * math.cos(angles[i]) - sines[i] * math.sin(angles[i]) for i in hands]
    return new_sines, new_cosines


def _woven(sines: list[float], cosines: list[float]) -> list[float]:
    """Return sine 0, cosine 0, sine 1, cosine 1, …"""
    return [number for i, sine in enumerate(sines) for number in (sine, cosines[i])]
