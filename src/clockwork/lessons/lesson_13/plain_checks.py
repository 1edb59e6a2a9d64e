"""The check of lesson 13 that needs lists alone: which offsets look like three back."""

import math

from clockwork.kit.checks.plain import CheckFailed, function, given, result

# Of two offsets that score alike, either both are asked or neither is: nobody's way of sorting decides.
HEADS = (  # speeds in rad a token, strengths, how far back the head looks, how far the text reaches, how many
    ([1.0, 0.5623], [0.8, 0.6], 3, 127, 4),
    ([1.0, 0.5623], [1.0, 0.05], 3, 60, 6),
    ([1.0, 0.5623, 0.3162, 0.1778], [0.6, 0.5, 0.5, 0.4], 5, 120, 6),
)
NEAR = 2  # tokens: that close to the right offset, a key is a neighbour


def lookalikes(find: "Callable[[list, list, int, int, int], object]") -> str:
    """Check `lookalikes(speeds, strengths, k, reach, count)`: the offsets that a turning part takes most for k back."""
    function(find, "lookalikes(speeds, strengths, k, reach, count)")
    for speeds, strengths, k, reach, count in HEADS:
        case = f"{len(speeds)} hands, {k} back, {reach} tokens"
        answer = given(result(find(list(speeds), list(strengths), k, reach, count)))
        if not isinstance(answer, (list, tuple, set)) or not all(isinstance(offset, int) for offset in answer):
            raise CheckFailed(f"{case}: the answer must be a list of whole offsets")
        answer = set(answer)
        right = best(speeds, strengths, k, reach, count)
        if answer == right:
            continue
        if any(abs(offset - k) <= NEAR for offset in answer):
            raise CheckFailed(f"{case}: {k} back and the {NEAR} offsets on each side of it are not meant")
        for told, wrong in mistakes(speeds, strengths, k, reach, count).items():
            if answer == wrong:
                raise CheckFailed(f"{case}: {told}")
        if len(answer) != count:
            raise CheckFailed(f"{case}: {count} different offsets are asked, got {len(answer)}")
        missed = min(right - answer)
        raise CheckFailed(f"{case}: {missed} scores {score(speeds, strengths, missed - k):.2f} and is missing")
    return "these are the keys that a long text brings, and that look like the right one"


def score(speeds: list, strengths: list, off: int) -> float:
    """Return the score of a key so many tokens from the best one."""
    return sum(strength * math.cos(speed * off) for speed, strength in zip(speeds, strengths))


def best(speeds, strengths, k, reach, count, offsets=None) -> set:
    """Return the offsets with the highest scores, none of them near k."""
    offsets = range(-reach, reach + 1) if offsets is None else offsets
    far = [offset for offset in offsets if abs(offset - k) > NEAR]
    return set(sorted(far, key=lambda offset: -score(speeds, strengths, offset - k))[:count])


def mistakes(speeds, strengths, k, reach, count) -> dict:
    """Return what each usual mistake finds."""
    flat = [1.0] * len(speeds)
    ahead = {-offset for offset in best(speeds, strengths, k, reach, count)}
    around = {offset - k for offset in best(speeds, strengths, k, reach, count)}
    lowest = best(speeds, [-strength for strength in strengths], k, reach, count)
    return {
        "keys stand on both sides: offsets below 0 are keys that come after the query": best(
            speeds, strengths, k, reach, count, range(reach + 1)
        ),
        "these are counted from the key k back, not from the query": around,
        "an offset is how far *back* a key stands: these have the wrong sign": ahead,
        "these score lowest": lowest,
        "these score best from offset 0: the head looks k back, so it is offset − k that counts": best(
            speeds, strengths, 0, reach, count, [o for o in range(-reach, reach + 1) if abs(o - k) > NEAR]
        ),
        "a strong hand counts more: multiply each cosine by its strength": best(speeds, flat, k, reach, count),
    }
