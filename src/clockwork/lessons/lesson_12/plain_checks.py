"""The checks of lesson 12, which need lists alone: read speeds from a configuration, audit models, number an image."""

import math

from clockwork.kit.checks.plain import CheckFailed, close, diagnose, floats, function, numbers, result

CONFIGURATIONS = (
    (
        "Llama 3 8B",
        {
            "hidden_size": 4096,
            "num_attention_heads": 32,
            "rope_parameters": {"rope_type": "default", "rope_theta": 500_000.0},
        },
    ),
    (
        "Qwen3-VL-4B",
        {
            "hidden_size": 2560,
            "num_attention_heads": 32,
            "head_dim": 128,
            "rope_parameters": {"rope_type": "default", "rope_theta": 5_000_000.0},
        },
    ),
    (
        "Gemma 3 4B, full layers",
        {
            "hidden_size": 2560,
            "num_attention_heads": 8,
            "head_dim": 256,
            "rope_parameters": {"rope_type": "linear", "rope_theta": 1_000_000.0, "factor": 8.0},
        },
    ),
    (
        "GPT-NeoX-20B",
        {
            "hidden_size": 6144,
            "num_attention_heads": 64,
            "rope_parameters": {"rope_type": "default", "rope_theta": 10_000.0, "partial_rotary_factor": 0.25},
        },
    ),
    (
        "Gemma 4 26B, full layers",
        {
            "hidden_size": 2816,
            "num_attention_heads": 16,
            "head_dim": 512,
            "rope_parameters": {"rope_type": "proportional", "rope_theta": 1_000_000.0, "partial_rotary_factor": 0.25},
        },
    ),
)


def speeds(read: "Callable[[dict], object]") -> str:
    """Check `speeds(config)`: the speed of each hand of a head, 0 for those that stand still, as a list."""
    function(read, "speeds(config)")
    for name, config in CONFIGURATIONS:
        answer = floats(result(read(config)), name=f"speeds(config) of {name}")
        right = ladder(config)
        if not isinstance(answer, list) or (answer and isinstance(answer[0], list)):
            raise CheckFailed(f"{name}: speeds(config) must be a list of numbers, one for each hand")
        if len(answer) != len(right):
            raise CheckFailed(f"{name}: {wrong_length(len(answer), config)}")
        diagnose(answer, mistakes(config), case=name, tolerance=1e-9)
        if not close(answer, right, 1e-9):
            i = [abs(found - speed) > 1e-9 * max(speed, 1e-30) for found, speed in zip(answer, right)].index(True)
            raise CheckFailed(f"{name}: hand {i} turns {right[i]:.3g} rad a token, your function says {answer[i]:.3g}")
    return "your function reads five published configurations, and four rules of turning in part or more slowly"


def head(config: dict) -> int:
    """Return the features of a head."""
    return config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"]


def ladder(
    config: dict,
    *,
    base: "float | None" = None,
    over: "int | None" = None,
    rule: "str | None" = None,
) -> list[float]:
    """Return the speed of each hand of a head; the arguments replace one step of the reading by another."""
    rope = config["rope_parameters"]
    width = head(config)
    rule = rule or rope["rope_type"]
    turning = int(width * rope.get("partial_rotary_factor", 1.0)) // 2
    over = over or (width if rule == "proportional" else 2 * turning)
    slowed = rope.get("factor", 1.0) if rule == "linear" else 1.0
    moving = [(base or rope["rope_theta"]) ** (-2 * i / over) / slowed for i in range(turning)]
    return moving + [0.0] * (width // 2 - turning)


def wrong_length(found: int, config: dict) -> str:
    """Say why there are so many speeds and not others."""
    width = head(config)
    share = config["rope_parameters"].get("partial_rotary_factor", 1.0)
    if found == config["hidden_size"] // 2:
        return f"{found} speeds are those of the whole width: `hidden_size` is shared by the heads, each has its own"
    if found == config["hidden_size"] // config["num_attention_heads"] // 2:
        return f"{found} speeds: this model says its `head_dim`, {width}, and it is not hidden_size / heads"
    if found == width:
        return f"{found} speeds: a hand is a *pair* of features, so a head of {width} has {width // 2}"
    if share < 1 and found == int(width * share) // 2:
        return f"{found} speeds: the hands that stand still are missing; give each the speed 0"
    return f"a head of {width} features has {width // 2} hands, your list has {found}"


def mistakes(config: dict) -> "list[tuple[list[float], str]]":
    """Return what the usual mistakes make of a configuration, each with its diagnosis."""
    rope = config["rope_parameters"]
    right = ladder(config)
    rule = rope["rope_type"]
    share = rope.get("partial_rotary_factor", 1.0)
    width = head(config)

    def moving(number: "Callable[[float], float]") -> list[float]:
        return [number(speed) if speed else 0.0 for speed in right]

    found = [
        (
            moving(lambda speed: 1 / speed),
            "these grow with i: `rope_theta` is the base, and the exponent needs its minus",
        ),
        (
            moving(lambda speed: 2 * math.pi / speed),
            "these are wavelengths, in tokens: the speed is 2π divided by it",
        ),
        (
            moving(lambda speed: rope["rope_theta"]),
            "`rope_theta` is not a speed: it is the base of the powers",
        ),
        (ladder(config, over=2 * head_twice(config)), "the exponent is −i/d, but i counts pairs: it is −2i/d"),
    ]
    if share == 1:
        found.append((right[::-1], "the list begins with the slowest hand: hand 0 is the fastest"))
    if rope["rope_theta"] != 10_000.0:
        found.append((ladder(config, base=10_000.0), "the base is 10,000 here: this model has another, `rope_theta`"))
    if config["hidden_size"] != width:
        found.append(
            (
                ladder(config, over=config["hidden_size"]),
                "the exponent is divided by `hidden_size`: each head counts alone",
            )
        )
    if rule == "linear":
        factor = rope["factor"]
        found += [
            (
                [speed * factor for speed in right],
                "the factor is left out: it divides every speed, as if positions were closer",
            ),
            (
                [speed * factor**2 for speed in right],
                "the speeds are *multiplied* by the factor: it makes hands slower",
            ),
        ]
    if share < 1:
        other = "proportional" if rule == "default" else "default"
        whose = "all the features of the head" if rule == "proportional" else "the features that turn"
        full = [rope["rope_theta"] ** (-2 * i / width) for i in range(width // 2)]
        found += [
            (ladder(config, rule=other), f"for `{rule}`, the exponent is divided by {whose}"),
            (full, "every hand turns: what does `partial_rotary_factor` say?"),
            (right[::-1], "the slow ones turn and the fast ones stand still: it is the first ones that turn"),
        ]
    return [pair for pair in found if not close(pair[0], right, 1e-9)]


def head_twice(config: dict) -> int:
    """Return the number that divides 2i in the exponent."""
    rope = config["rope_parameters"]
    if rope["rope_type"] == "proportional":
        return head(config)
    return int(head(config) * rope.get("partial_rotary_factor", 1.0))


SLOWEST = 2 * math.pi * 500_000 ** (126 / 128)
QUESTIONS = (
    (
        "Llama 3.1 8B: hands in a head",
        64,
        (
            (128, "that is the features of a head; a hand needs two"),
            (2048, "that is a half of `hidden_size`; there are 32 heads"),
            (32, "that is the number of heads"),
        ),
        "hidden_size / num_attention_heads features, two a hand",
    ),
    (
        "Llama 3.1 8B: hands that came round within 8,192 tokens, before scaling",
        35,
        (
            (34, "hands 0 to 34 came round, and that is one more"),
            (29, "that is how many did *not*"),
            (32, "so many come round within 8,192 tokens at the speeds *after* scaling"),
        ),
        "count the hands with 2π/ω at most 8,192, where ω = 500,000^(−2i/128)",
    ),
    (
        "Llama 3.1 8B: tokens for a turn of the slowest hand, before scaling",
        SLOWEST,
        (
            (8 * SLOWEST, "that is after scaling, which slows this hand by 8"),
            (2 * math.pi * 500_000, "the last exponent is −126/128, not −1: hand 63 is the last of 64"),
            (SLOWEST / (2 * math.pi), "that is 1/ω, the tokens for one radian; a turn is 2π of them"),
            (500_000, "the base is no wavelength: take 2π/ω of the last hand"),
        ),
        "2π/ω of hand 63",
    ),
    (
        "Llama 3.1 8B: the largest distance within the angles of its original length",
        65_536,
        (
            (131_072, "that is `max_position_embeddings`, what is promised; the factor is 8"),
            (8192, "that was before scaling: now the hands that did not come round are 8 times slower"),
            (1024, "the factor makes hands slower, so the same angle takes *more* tokens"),
        ),
        "the hands that did not come round are slowed by the factor: multiply the original length by it",
    ),
    (
        "Ministral 3 8B: the same",
        262_144,
        (
            (16_384, "that is the length before slowing; the hands that did not come round are 16 times slower now"),
            (16, "that is the factor alone"),
            (1024, "multiply the length before slowing by the factor"),
        ),
        "its length before slowing is 16,384 tokens and its factor 16",
    ),
    (
        "Gemma 4 26B, full layers: hands of 256 that turn",
        64,
        (
            (128, "0.25 of the *512 features* turn: how many pairs is that?"),
            (256, "`partial_rotary_factor` is 0.25"),
            (32, "head_dim is 512 in the full layers, 256 in the others"),
        ),
        "a quarter of the pairs",
    ),
    (
        "Gemma 4 26B, full layers: tokens for a turn of the slowest of them",
        2 * math.pi * 1e6 ** (126 / 512),
        (
            (2 * math.pi * 1e6 ** (126 / 128), "for `proportional`, the exponent is divided by all 512 features"),
            (2 * math.pi * 1e6 ** (510 / 512), "that hand stands still: only the first 64 turn"),
            (2 * math.pi * 1e6 ** (128 / 512), "that would be hand 64: the last that turns is hand 63"),
        ),
        "2π/ω of hand 63, with the exponent −2·63/512",
    ),
)


def audit(attempt: object) -> str:
    """Check a dict of seven numbers read from three configurations, each within one per cent."""
    numbers(attempt, QUESTIONS)
    return "the factor covers exactly what Ministral 3 promises, half of what Llama 3.1 does, and Gemma 4 needs none"


def places(number: "Callable[[int, int, int, int], object]") -> str:
    """Check `places(before, rows, columns, after)`: [time, row, column] of text, an image, and text, as lists."""
    function(number, "places(before, rows, columns, after)")
    for before, rows, columns, after in ((4, 2, 3, 2), (1, 1, 1, 1), (3, 4, 2, 3), (0, 3, 3, 2)):
        case = f"{before} tokens, an image of {rows} × {columns}, {after} tokens"
        answer = floats(result(number(before, rows, columns, after)), name=f"the places of {case}")
        right = numbered(before, rows, columns, after)
        if not isinstance(answer, list) or [_size(place) for place in answer] != [3] * len(right):
            raise CheckFailed(f"{case}: must be {len(right)} places of 3 numbers each, got {_told(answer)}")
        for wrong, diagnosis in wrong_places(before, rows, columns, after):
            if answer == wrong:
                raise CheckFailed(f"{case}: {diagnosis}")
        if answer != right:
            token = [place != wanted for place, wanted in zip(answer, right)].index(True)
            raise CheckFailed(
                f"{case}: token {token} is at {listed(answer[token])}, and should be at {listed(right[token])}"
            )
    return "text keeps the numbers it had without images, and what follows an image starts after its longest side"


def _size(place: object) -> int:
    return len(place) if isinstance(place, list) and not any(isinstance(part, list) for part in place) else 0


def _told(answer: object) -> str:
    if not isinstance(answer, list):
        return "a single number"
    return f"{len(answer)} of {_size(answer[0])}" if answer else "none"


def numbered(before: int, rows: int, columns: int, after: int, *, start: "int | None" = None) -> "list[list[float]]":
    """Return Qwen2-VL's places: equal axes for text, an image's rows and columns counted from where it begins."""
    image = [[before, before + r, before + c] for r in range(rows) for c in range(columns)]
    start = before + max(rows, columns) if start is None else start
    text = [[p] * 3 for p in range(before)]
    more = [[start + p] * 3 for p in range(after)]
    return text + image + more


def wrong_places(before: int, rows: int, columns: int, after: int) -> "list[tuple[list[list[float]], str]]":
    """Return what the usual mistakes make of the places, each with its diagnosis."""
    right = numbered(before, rows, columns, after)
    tokens = rows * columns
    patches = range(before, before + tokens)

    def changed(where: "Sequence[int]", change: "Callable[[int, list], list]") -> "list[list[float]]":
        return [change(i, place) if i in where else place for i, place in enumerate(right)]

    text = [i for i in range(len(right)) if i not in patches]
    found = [
        (
            changed(patches, lambda i, place: [number - before for number in place]),
            "the image starts at 0 again: its first place is where the text has got to",
        ),
        (
            changed(patches, lambda i, place: [i, place[1], place[2]]),
            "time runs within the image: a still image is a single moment",
        ),
        (changed(patches, lambda i, place: [place[0], place[2], place[1]]), "row and column are exchanged"),
        (
            changed(text, lambda i, place: [place[0], 0, 0]),
            "text has only a time: its three axes must be equal, or it is not encoded as in 1-D",
        ),
        (
            [[i] * 3 for i in range(len(right))],
            "the image is numbered as if it were text: its places have a row and a column",
        ),
        (
            numbered(before, rows, columns, after, start=before + tokens),
            "the text after the image counts its patches: it goes on after the longest side",
        ),
        (
            numbered(before, rows, columns, after, start=before + max(rows, columns) - 1),
            "the text after the image starts on the image's last row or column: one further",
        ),
        (
            numbered(before, rows, columns, after, start=before + 1),
            "the text after the image overlaps it: it goes on after the longest side",
        ),
    ]
    return [pair for pair in found if pair[0] != right]


def listed(place: list[float]) -> str:
    """Return a place as it is written."""
    return "[" + ", ".join([f"{value:g}" for value in place]) + "]"
