"""The checks of lesson 15 that need `math` and lists alone: states of hands, hands for a quantity, scale and base."""

import math

from clockwork.kit.checks.plain import CheckFailed, floats, function, given, mapping, result

HARDLY = 0.1  # rad
TURN = 2 * math.pi
NAMES = ("hardly moves", "tells", "wraps")
RANGES = (  # smallest and largest input, wavelengths
    (0, 1, [6.0, 20.0, 63.0, 200.0]),
    (-1, 1, [0.5, 1.9, 2.5, 300.0]),
    (1900, 2026, [1.0, 24.0, 130.0, 9000.0]),
    (5, 8, [3.5, 2.9, 180.0, 190.0]),
)
QUANTITIES = (  # smallest and largest input, the smallest difference that matters, hands
    (0.0, 1.0, 0.001, 8),
    (-90.0, 90.0, 0.5, 6),
    (1900.0, 2026.0, 1.0, 5),
    (250.0, 310.0, 0.1, 12),
)
FINEST = (2, 10)  # of the smallest difference that matters: the shortest wavelength
WIDEST = (1, 10)  # of the range: the longest
WEEK = 168  # hours
OWN = ("low", "high", "step", "hands", "scale", "base")


def states(states_of: "Callable[[float, float, list[float]], object]") -> str:
    """Check `states_of(low, high, wavelengths)`: the state of each hand over a range."""
    function(states_of, "states_of(low, high, wavelengths)")
    for low, high, wavelengths in RANGES:
        case = f"inputs from {low} to {high}, wavelengths {wavelengths}"
        answer = given(result(states_of(low, high, list(wavelengths))))
        if not isinstance(answer, (list, tuple)) or len(answer) != len(wavelengths):
            raise CheckFailed(f"{case}: return a list with a word for each hand, got {answer!r}")
        if any(word not in NAMES for word in answer):
            raise CheckFailed(f"{case}: each word must be one of {', '.join(NAMES)}, got {list(answer)}")
        right = stated([TURN * (high - low) / wavelength for wavelength in wavelengths])
        if list(answer) == right:
            continue
        mistakes = (
            (
                [TURN * high / wavelength for wavelength in wavelengths],
                "you turn by the largest input; a hand turns between the smallest and the largest",
            ),
            (
                [(high - low) / wavelength for wavelength in wavelengths],
                "you take the share of a turn for radians: a whole turn is 2π",
            ),
            (
                [(high - low) * wavelength for wavelength in wavelengths],
                "you multiply by the wavelength; it is the speed that one multiplies by",
            ),
            (
                [TURN * wavelength / (high - low) for wavelength in wavelengths],
                "upside down: the longer the wavelength, the less a hand turns",
            ),
        )
        for turned, diagnosis in mistakes:
            if list(answer) == stated(turned):
                raise CheckFailed(f"{case}: {diagnosis}")
        if list(answer) == [NAMES[2 - NAMES.index(word)] for word in right]:
            raise CheckFailed(f"{case}: the words are the wrong way round")
        raise CheckFailed(f"{case}: wanted {right}, got {list(answer)}")
    return "below a tenth of a radian, up to a whole turn, and beyond"


def stated(turned: "list[float]") -> "list[str]":
    """Return the state of each hand from how far it turns, in rad."""
    return [NAMES[(abs(angle) >= HARDLY) + (abs(angle) > TURN)] for angle in turned]


def chosen(wavelengths_for: "Callable[[float, float, float, int], object]") -> str:
    """Check `wavelengths_for(low, high, step, count)`: hands for a quantity of one's own."""
    function(wavelengths_for, "wavelengths_for(low, high, step, count)")
    for low, high, step, count in QUANTITIES:
        case = f"from {low:g} to {high:g} in steps of {step:g}, {count} hands"
        answer = given(result(wavelengths_for(low, high, step, count)))
        found = floats(answer, (count,), name=f"the wavelengths ({case})")
        if min(found) <= 0:
            raise CheckFailed(f"{case}: a wavelength is above 0, got {min(found):g}")
        span = high - low
        longest, shortest = max(found), min(found)
        if longest <= WIDEST[0] * span:
            raise CheckFailed(
                f"{case}: the slowest hand comes round within the range, so that both ends may look alike; "
                f"its wavelength is {longest:g}, and the range {span:g}"
            )
        if longest > WIDEST[1] * span:
            raise CheckFailed(
                f"{case}: the slowest hand has a wavelength of {longest:g}, more than ten times the range of {span:g}, "
                f"and turns by only {TURN * span / longest:.2g} rad over it"
            )
        if shortest < FINEST[0] * step:
            raise CheckFailed(
                f"{case}: the fastest hand comes round within two steps, so that it says nothing about neighbours; "
                f"its wavelength is {shortest:g}"
            )
        if shortest > FINEST[1] * step:
            raise CheckFailed(
                f"{case}: the fastest hand has a wavelength of {shortest:g}, more than ten steps of {step:g}: "
                "neighbours look alike on every hand"
            )
        ordered = sorted(found)
        ratios = [after / before for before, after in zip(ordered, ordered[1:])]
        if max(ratios) > 1.01 * min(ratios):
            raise CheckFailed(
                f"{case}: let each wavelength be the same multiple of the one before, got {_short(found)}"
            )
    return "the slowest hand stays within a turn, the fastest one tells neighbours apart"


def _short(numbers: list) -> str:
    return ", ".join(f"{number:.3g}" for number in numbers)


def weekly(angles: "Callable[[float], object]") -> str:
    """Check `angles(hours)`: the angles of a hand of a day and a hand of a week."""
    function(angles, "angles(hours)")
    for hours in (0.0, 6.0, 30.0, 100.5, 168.0, 1000.0):
        case = f"after {hours:g} hours"
        found = floats(given(result(angles(hours))), (2,), name=f"the angles {case}")
        if _alike(found, [TURN * hours / 24, TURN * hours / WEEK]):
            continue
        mistakes = (
            ([TURN * hours / WEEK, TURN * hours / 24], "the hand of a day comes first"),
            ([hours / 24, hours / WEEK], "these are turns: a whole turn is 2π radians"),
            ([TURN * hours / 24, TURN * hours / 7], "a week has 168 hours, not 7"),
            ([360 * hours / 24, 360 * hours / WEEK], "these are degrees: use radians"),
            ([hours, hours / WEEK * 24], "your first hand turns by a radian an hour: that is 6.28 hours a turn"),
        )
        for wrong, diagnosis in mistakes:
            if _alike(found, wrong):
                raise CheckFailed(f"{case}: {diagnosis}")
        raise CheckFailed(f"{case}: wanted {TURN * hours / 24:.3f} and {TURN * hours / WEEK:.3f}, got {_short(found)}")
    return "one comes round with the day, the other with the week"


def own(quantity: "dict[str, float]") -> str:
    """Check a scale and a base that a reader chose for a quantity of their own."""
    mapping(quantity, OWN)
    low, high, step, hands, scale, base = [floats(quantity[name], (), name=repr(name)) for name in OWN]
    span = high - low
    if span <= 0:
        raise CheckFailed(f"'high' must be above 'low', got {low:g} and {high:g}")
    if not 0 < step < span:
        raise CheckFailed(f"'step' is a difference within the range of {span:g}, and above 0; got {step:g}")
    if hands < 2 or hands != int(hands):
        raise CheckFailed(f"'hands' must be a whole number, at least 2; got {hands:g}")
    if scale <= 0 or base <= 1:
        raise CheckFailed(f"'scale' must be above 0 and 'base' above 1, got {scale:g} and {base:g}")
    fastest, slowest = TURN / scale, TURN / scale * base ** (1 - 1 / hands)
    if fastest > FINEST[1] * step:
        raise CheckFailed(
            f"the fastest hand comes round in {fastest:.3g}, which is {fastest / step:.3g} of your steps: neighbours "
            "look alike on every hand. Which of the two makes the fastest hand faster, scale or base?"
        )
    if fastest < FINEST[0] * step:
        raise CheckFailed(
            f"the fastest hand comes round in {fastest:.3g}, within two of your steps: it says nothing about "
            "neighbours. Choose a smaller scale"
        )
    if slowest <= span:
        raise CheckFailed(
            f"the slowest hand comes round in {slowest:.3g}, and your range is {span:.3g}: far apart inputs may look "
            "alike. Choose a larger base"
        )
    mine, usual = _counted(span, hands, scale, base), _counted(span, hands, 1.0, 10_000.0)
    if 2 * mine[0] > hands:
        raise CheckFailed(f"{mine[0]} of {hands:g} hands hardly move. Choose a smaller base")
    return (
        f"hardly move, tell, wrap: {mine[0]}, {mine[1]}, {mine[2]} of your hands. "
        f"Without your scale, at base 10,000, it would be {usual[0]}, {usual[1]}, {usual[2]}"
    )


def _counted(span: float, hands: float, scale: float, base: float) -> "list[int]":
    """Count the hands of a sinusoid that hardly move, tell and wrap over a range."""
    found = stated([scale * span * base ** (-i / hands) for i in range(int(hands))])
    return [found.count(name) for name in NAMES]


def _alike(found: list, wanted: list) -> bool:
    """Say whether all angles point the same way."""
    return all(abs(math.sin((a - b) / 2)) < 1e-6 for a, b in zip(found, wanted))
