"""Those checks of lesson 02 that need `math` and lists alone: the reader's code, better speeds, and one sine."""

import math

from clockwork.kit.checks.plain import CheckFailed, close, floats, function, given, result
from clockwork.kit.machine import diagnoses, plain

KEEPS = ("code",)  # what the reader takes along once it has passed
TEXT = 2_000  # tokens for which `design` asks for speeds
APART = 0.8  # how far apart all codes must be there; the paper's four speeds reach 0.645


def code(attempt: "Callable[[int], object]") -> str:
    """Check `code(p)`, the reader's own: sixteen hands, a sine and a cosine each, in the order of the paper."""
    function(attempt, "code(p)")
    given(plain.called(attempt, "code(0)", 0))
    diagnoses.sinusoid(plain.codes(attempt)["near"], plain.WIDTH)
    return "sixteen hands, each slower than the one before by the same factor: this is the paper's code of width 32"


def design(inv_freq: object) -> str:
    """Check four speeds: any two of 2,000 positions must have codes at least 0.8 apart."""
    chosen = sorted(floats(inv_freq, (4,), name="the four speeds"))
    if chosen[0] <= 0:
        raise CheckFailed(
            "every speed must be above 0: a hand that rests tells no position from another, and a hand that turns "
            "backwards shows nothing new"
        )
    gaps = [_gap(offset, chosen) for offset in range(1, TEXT)]
    gap = min(gaps)
    nearest = gaps.index(gap) + 1
    if gap >= APART:
        return f"no two of {TEXT:,} positions are closer than {gap:.3f}; the paper's four speeds reach 0.645"
    found = f"positions {nearest} tokens apart are only {gap:.3f} away from each other"
    if chosen[-1] > math.pi:
        folded = chosen[-1] % (2 * math.pi)
        raise CheckFailed(
            f"{found}; and a speed above π gives nothing new: {chosen[-1]:.3f} rad a token shows the same "
            f"points as {min(folded, 2 * math.pi - folded):.3f}, perhaps mirrored"
        )
    if nearest == 1:
        raise CheckFailed(f"{found}: neighbours look alike, so the fastest hand is too slow")
    steps = [chosen[i + 1] - chosen[i] for i in range(3)]
    if any(steps[i] <= 1e-6 * chosen[i + 1] for i in range(3)):
        raise CheckFailed(f"{found}; two hands have the same speed, so one of them adds nothing")
    step = sum(steps) / 3
    if close(steps, [step] * 3, 1e-3):
        raise CheckFailed(
            f"{found}; your speeds are evenly spaced, {step:.3g} rad apart, so all hands point the same way every "
            f"{2 * math.pi / step:.0f} tokens, and sooner or later close to 12: try one factor between them instead"
        )
    factors = [chosen[i + 1] / chosen[i] for i in range(3)]
    turn = 2 * math.pi / chosen[0]
    if turn < TEXT and close(factors, [round(factor) for factor in factors], 1e-6):
        raise CheckFailed(
            f"{found}; the factors between your speeds are whole numbers, so all hands come round with the slowest, "
            f"every {turn:.0f} tokens: make the slowest hand slower, so that it is not round within the text"
        )
    if turn < TEXT:
        raise CheckFailed(f"{found}; the slowest hand is round after {turn:.0f} tokens, so make it slower")
    raise CheckFailed(f"{found}; there two hands leave a gap: bring the speeds closer together (a smaller factor)")


def _gap(offset: int, speeds: list[float]) -> float:
    """Return how far apart the codes of two positions `offset` tokens apart are."""
    return math.sqrt(sum(2 - 2 * math.cos(offset * speed) for speed in speeds))


def twins(find: "Callable[[float, float], object]") -> str:
    """Check `find(omega, k)`: two positions whose sines agree and whose sines k tokens later do not."""
    function(find, "twins(omega, k)")
    for omega, k in ((1.0, 1), (0.1, 5), (0.01, 3)):
        p, q = _pair(find, omega, k)
        case = f"ω = {omega}, k = {k}, p = {p:g}, q = {q:g}"
        if abs(math.sin(p * omega) - math.sin(q * omega)) > 1e-6:
            now = f"sin(pω) = {math.sin(p * omega):.2f}, sin(qω) = {math.sin(q * omega):.2f}"
            if close(_pair(find, 2 * omega, k), [p, q]):
                now += "; your positions do not depend on omega"
            elif close([p, q], [0, math.pi * omega]):
                now += "; do you multiply by omega where you should divide?"
            raise CheckFailed(f"{case}: the sines at p and q must agree, but {now}".replace("= -", "= −"))
        if abs(math.cos(p * omega) - math.cos(q * omega)) < 1e-6:
            raise CheckFailed(f"{case}: the hand points the same way at both, so all that follows agrees too")
        # sin(p) = sin(q) at two points of the circle leaves sin(p+k) − sin(q+k) = ±2 cos(p) sin(k), which is not 0
    return "the same sine now, two different sines later: no rule, linear or not, gets from sin(pω) to sin((p+k)ω)"


def _pair(find: "Callable[[float, float], object]", omega: float, k: float) -> list[float]:
    """Return the two positions that the reader's function finds."""
    found = floats(result(find(omega, k)), name=f"twins({omega}, {k})")
    if not isinstance(found, list) or len(found) != 2 or isinstance(found[0], list):
        raise CheckFailed(f"twins({omega}, {k}): two positions are needed, p and q, got {found}")
    return found
