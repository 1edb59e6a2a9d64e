"""The lessons' icons, drawn by the course's formulas in the clock's language: one stroke, the colour of the text."""

import math
import random

SIZE = 64
MIDDLE = SIZE / 2
RADIUS = 26


def point(angle: float, length: float = RADIUS, x: float = MIDDLE, y: float = MIDDLE) -> tuple[float, float]:
    """Return where a hand ends that has turned by `angle` (rad, clockwise from 12 o'clock)."""
    return x + length * math.sin(angle), y - length * math.cos(angle)


def path(*points: tuple[float, float], soft: bool = False, closed: bool = False, dashed: bool = False) -> str:
    """Return a line through points."""
    line = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points) + "Z" * closed
    kind = ' class="soft"' * soft + ' class="dashed"' * dashed
    return f'<path d="{line}"{kind}/>'


def rim(radius: float = RADIUS, x: float = MIDDLE, y: float = MIDDLE) -> str:
    """Return a dial without hands."""
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" class="soft"/>'


def dot(x: float, y: float, radius: float = 2.5) -> str:
    """Return a dot."""
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" class="full"/>'


def hand(angle: float, length: float = RADIUS - 4, x: float = MIDDLE, y: float = MIDDLE, **how) -> str:
    """Return a hand."""
    return path((x, y), point(angle, length, x, y), **how)


def speed(i: int, d_model: int, base: float = 10_000) -> float:
    """Return the speed of hand i in rad a token, as lesson 02 has it."""
    return base ** (-2 * i / d_model)


def curve(function, start: float, stop: float, steps: int = 40, **how) -> str:
    """Return the graph of y(x) in pixels."""
    xs = [start + (stop - start) * i / steps for i in range(steps + 1)]
    return path(*((x, function(x)) for x in xs), **how)


def short_way() -> str:
    return rim() + "".join(hand(2 * speed(i, 8, 256), RADIUS - 3 - 6 * i) for i in range(3))


def order() -> str:
    places = ([2, 3, 1, 0], [12, 25, 39, 52])
    ease = lambda t: (1 - math.cos(math.pi * t)) / 2  # noqa: E731
    ribbon = lambda a, b: curve(lambda x: a + (b - a) * ease((x - 8) / 48), 8, 56)  # noqa: E731
    return "".join(ribbon(places[1][i], places[1][to]) for i, to in enumerate(places[0]))


def sinusoid() -> str:
    x, y, r = 18, MIDDLE, 13
    wave = curve(lambda at: y - r * math.sin(0.9 + (at - 34) / 4.2), 34, 62)
    return (
        rim(r, x, y)
        + hand(math.pi / 2 - 0.9, r, x, y)
        + wave
        + path(point(math.pi / 2 - 0.9, r, x, y), (34, y - r * math.sin(0.9)), dashed=True)
    )


def hands() -> str:
    return rim() + "".join(hand(22 * speed(i, 16), RADIUS * (0.9 - 0.08 * i)) for i in range(8))


def offsets() -> str:
    dials = [(17, 0.4), (47, 0.4 + 1.2)]
    shifted = [rim(13, x) + hand(turn, 11, x) + hand(turn + 1.4, 11, x) for x, turn in dials]
    arcs = [path(*(point(turn + 1.4 * i / 8, 7, x) for i in range(9))) for x, turn in dials]
    return "".join(shifted + arcs)


def turned() -> str:
    arc = path(*(point(0.3 + 1.5 * i / 12, 17) for i in range(13)))
    return rim() + hand(0.3, RADIUS, dashed=True) + hand(1.8, RADIUS) + arc + dot(*point(1.8, RADIUS))


def learned() -> str:
    draw = random.Random(5)
    rows = range(9, 60, 8)
    fixed = [path((16, y), (16 + 12 * math.sin(y / 9), y)) + dot(16 + 12 * math.sin(y / 9), y, 2) for y in rows]
    table = [48 + 22 * (draw.random() - 0.5) for _ in rows]
    return "".join(fixed) + "".join(path((48, y), (x, y)) + dot(x, y, 2) for x, y in zip(table, rows, strict=True))


def self_test() -> str:
    return rim() + path((21, 33), (29, 41), (44, 23))


def adding() -> str:
    a, b = (10, 52), (34, 40)
    c = (42, 12)
    return path(a, b) + path(b, c) + path(a, c, dashed=True) + dot(*b) + dot(*c)


def doors() -> str:
    made = ""
    for x, turn in ((4, 0.5), (24, 2.2), (44, 4.0)):
        made += path((x, 54), (x, 14), (x + 16, 14), (x + 16, 54), soft=True) + hand(turn, 7, x + 8, 34)
    return made


def beyond() -> str:
    wave = lambda x: MIDDLE - 14 * math.sin(x / 6)  # noqa: E731
    return curve(wave, 4, 40) + curve(wave, 40, 60, dashed=True) + path((40, 8), (40, 56), soft=True)


def tables() -> str:
    ring = [point(math.tau * i / 30, RADIUS - 4 + 3 * math.sin(5.1 * i)) for i in range(30)]
    return "".join(dot(x, y, 1.8) for x, y in ring) + hand(0.9, RADIUS - 5)


def bug() -> str:
    turns = [22 * speed(i, 12) for i in range(5)]
    return rim() + "".join(
        hand(-t if i == 1 else t, RADIUS * (0.9 - 0.1 * i), dashed=i == 1) for i, t in enumerate(turns)
    )


def ships() -> str:
    tokens = [8 + 12 * i for i in range(5)]
    arcs = ""
    for i, j in ((4, 3), (4, 0), (2, 1), (3, 0)):
        r = (tokens[i] - tokens[j]) / 2
        arcs += f'<path d="M{tokens[i]} 48A{r} {min(r, 34):.0f} 0 0 0 {tokens[j]} 48"/>'
    return arcs + "".join(dot(x, 50) for x in tokens)


def today() -> str:
    lengths = [52 * math.log(math.tau / speed(i, 20)) / math.log(math.tau / speed(9, 20)) for i in range(10)]
    return "".join(path((6, 8 + 5.3 * i), (6 + length, 8 + 5.3 * i)) for i, length in enumerate(lengths))


def head() -> str:
    ticks = "".join(path(point(math.tau * i / 12, 27), point(math.tau * i / 12, 31)) for i in range(12))
    return ticks + rim(21) + hand(3 * 1.0, 17) + dot(*point(3.0, 17), 3.5)


def at_work() -> str:
    cells = "".join(
        path((4 + 14 * i, 26), (18 + 14 * i, 26), (18 + 14 * i, 40), (4 + 14 * i, 40), closed=True, soft=i == 0)
        for i in range(4)
    )
    return (
        cells + path((32, 14), (32, 52), dashed=True) + "".join(hand(i * 1.0, 5, 11 + 14 * i, 33) for i in range(1, 4))
    )


def beyond_words() -> str:
    hours = "".join(
        path(point(math.tau * i / 24, 22 if i % 6 else 19), point(math.tau * i / 24, RADIUS)) for i in range(24)
    )
    return hours + hand(math.tau * 7 / 24, 15) + hand(math.tau * 3 / 7, 9)


def anything_else() -> str:
    slanted = [
        (MIDDLE + 26 * math.sin(t), MIDDLE - 13 * math.cos(t) - 9 * math.sin(t))
        for t in [math.tau * i / 40 for i in range(41)]
    ]
    return path(*slanted, soft=True) + path((MIDDLE, MIDDLE), slanted[5]) + dot(*slanted[5])


def inside() -> str:
    return path((6, 6), (58, 6), (58, 58), (6, 58), closed=True, soft=True) + rim(17) + hand(0.8, 14) + hand(2.6, 9)


def referee() -> str:
    rows = [(16, 22, 40), (30, 30, 46), (44, 18, 34)]
    return "".join(path((a, y), (b, y)) + dot((a + b) / 2, y, 3) for y, a, b in rows) + path(
        (32, 6), (32, 56), dashed=True
    )


def harm() -> str:
    dip = lambda x: 14 + 36 * math.exp(-(((x - 32) / 12) ** 2))  # noqa: E731
    return curve(dip, 6, 58, soft=True) + "".join(dot(x, dip(x)) for x in range(8, 60, 8))


def none_needed() -> str:
    return "".join(path((8, 56 - 8 * i), (56 - 8 * i, 56 - 8 * i)) for i in range(6)) + path(
        (8, 8), (56, 56), dashed=True
    )


ICONS = {
    "00": short_way,
    "01": order,
    "02": sinusoid,
    "03": hands,
    "04": offsets,
    "04b": turned,
    "05": learned,
    "05b": self_test,
    "06": adding,
    "07": doors,
    "08": beyond,
    "09": tables,
    "10": bug,
    "11": ships,
    "12": today,
    "13": head,
    "14": at_work,
    "15": beyond_words,
    "16": anything_else,
    "17": inside,
    "18": referee,
    "19": harm,
    "20": none_needed,
}


def icon(lesson: str) -> str:
    """Return a lesson's icon as SVG, by its number, for example "04b"; an empty dial where none is drawn."""
    drawn = ICONS.get(lesson, rim)()
    return f'<svg class="pe-drawn" viewBox="0 0 {SIZE} {SIZE}" aria-hidden="true">{drawn}</svg>'
