"""Write an exam on paper: `python3 course.py exam --seed "May" --variants 3 --lessons 02 04 14` fills build/exam/.

Each variant has the same questions with numbers of its own, drawn by the exam's name and a secret; beside it lies a
sheet with the solutions, computed from the same numbers. The secret is made once and lies in private/exam.txt, which
git ignores: without it nobody can print your papers, with it you print the same again. A question is a function below:
it draws its numbers and returns what is asked and what comes out. The pages need no script and no network; a pocket
calculator is enough.
"""

import argparse
import math
import secrets
from collections.abc import Callable, Collection
from html import escape
from pathlib import Path
from random import Random

from pe_grading import classes

HOME = Path(__file__).resolve().parent.parent
SECRET = HOME / "private" / "exam.txt"
Question = Callable[[Random], tuple[str, str]]  # draws its numbers; what is asked, and what comes out
QUESTIONS: list[tuple[str, int, Question]] = []  # lesson, points, question
CORE = ["02", "03", "04", "05"]
STYLE = """
body{font:12pt/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem;background:#fff;color:#222}
section{break-inside:avoid;margin:1.5rem 0}h1{font-size:1.4rem}h2{font-size:1.05rem}.room{height:7rem}
"""


def worth(points: int, lesson: str) -> Callable[[Question], Question]:
    """Add a question on a lesson that is worth so many points."""

    def add(question: Question) -> Question:
        QUESTIONS.append((lesson, points, question))
        return question

    return add


@worth(3, "02")
def code_of_a_position(draw: Random) -> tuple[str, str]:
    """One row of the table by hand."""
    position, base = draw.randint(3, 9), draw.choice([100, 10_000])
    speeds = [base ** (-i / 2) for i in range(2)]
    row = [f(position * speed) for speed in speeds for f in (math.sin, math.cos)]
    asked = f"Work out the sinusoidal code of position {position} for d_model = 4 and base {base:,}, with two decimals."
    return asked, f"({', '.join(f'{x:.2f}' for x in row)}): the speeds are 1 and {speeds[1]:g} rad per token."


@worth(2, "02")
def longest_wavelength(draw: Random) -> tuple[str, str]:
    """What the base sets."""
    width, base = draw.choice([4, 8, 16]), draw.choice([100, 1_000, 10_000])
    speed = base ** (-(width - 2) / width)
    asked = f"After how many tokens does the slowest hand come round, for d_model = {width} and base {base:,}?"
    return asked, f"{2 * math.pi / speed:.0f}: 2π / {speed:.6g}. The last exponent is {width - 2}/{width}, not 1."


@worth(3, "03")
def position_from_hands(draw: Random) -> tuple[str, str]:
    """The slow hand says roughly where, the fast one exactly."""
    position = draw.randint(100, 600)
    slow, fast = (position * speed % (2 * math.pi) for speed in (0.01, 1))
    slow = round(20 * slow) / 20  # read by eye
    turns = round((slow / 0.01 - fast) / (2 * math.pi))
    asked = (
        f"A hand that turns by 0.01 rad per token shows about {slow:.2f} rad and has not come round yet. A hand that "
        f"turns by 1 rad per token shows {fast:.2f} rad. Which position is it?"
    )
    return asked, f"{position}: the slow hand says {slow / 0.01:.0f}, so the fast one made {turns}."


@worth(3, "04")
def one_step_as_a_matrix(draw: Random) -> tuple[str, str]:
    """The matrix knows the offset and not the position."""
    k, speed = draw.randint(2, 9), draw.choice([0.1, 0.5])
    c, s = math.cos(k * speed), math.sin(k * speed)
    asked = (
        f"A hand turns by {speed} rad per token; its code is (sin pω, cos pω). Which 2 × 2 matrix turns the code of "
        f"each position p into that of p + {k}? Two decimals. Where does p stand in it?"
    )
    return asked, f"({c:.2f}, {s:.2f}; {-s:.2f}, {c:.2f}), by the addition formulas. p stands nowhere in it."


@worth(2, "04")
def score_of_two_codes(draw: Random) -> tuple[str, str]:
    """The dot product of two codes knows the offset alone."""
    p, k = draw.randint(10, 90), draw.randint(2, 6)
    score = math.cos(k) + math.cos(k / 100)
    asked = f"What is the dot product of the codes of {p} and {p + k}, for d_model = 4 and base 10,000? Two decimals."
    return asked, f"{score:.2f}: cos {k} + cos {k / 100:g}. Any other two positions {k} apart have the same."


@worth(3, "05")
def chance_of_a_split(draw: Random) -> tuple[str, str]:
    """How often chance alone separates the two sides."""
    seeds = draw.choice([3, 4, 5, 6])
    splits = math.comb(2 * seeds, seeds)
    asked = (
        f"Two encodings are trained with {seeds} seeds each, and every run of the first is better than every run of "
        "the second. Shuffle the labels: in which share of all splits is the first ahead by as much? What does the "
        "share not say?"
    )
    return asked, f"1 of {splits} ({1 / splits:.4f}). It says nothing about how the two sides were tuned."


@worth(2, "07")
def weights_under_a_slope(draw: Random) -> tuple[str, str]:
    """ALiBi takes the slope times the distance off each score."""
    slope, query = draw.choice([0.25, 0.5, 1]), draw.randint(3, 5)
    powers = [math.exp(-slope * distance) for distance in range(query, -1, -1)]
    weights = ", ".join(f"{power / sum(powers):.2f}" for power in powers)
    asked = (
        f"A causal head with ALiBi has slope {slope}; all products of queries and keys are equal. Which weights does "
        f"the query at position {query} give to the keys at 0 to {query}? Two decimals. And a query 40 positions "
        f"later, to its last {query + 1} keys: are they larger, equal or smaller?"
    )
    return asked, f"{weights}. Smaller, in the same ratios: 40 further keys share the softmax."


@worth(3, "08")
def turn_on_a_longer_text(draw: Random) -> tuple[str, str]:
    """What interpolation and a larger base do to a hand."""
    width, factor = draw.choice([64, 128]), draw.choice([2, 4, 8])
    base = 10_000 * factor ** (width / (width - 2))
    asked = (
        f"A model has rotary heads with {width} numbers and base 10,000. It shall read texts {factor} times as long "
        "as in training. (a) By how many rad per token does its fastest hand turn after position interpolation? "
        "(b) The NTK-aware way changes the base instead, so that the slowest hand turns as under interpolation. Which "
        "base, to the nearest hundred? (c) By how much does its fastest hand turn then?"
    )
    return asked, (
        f"(a) {1 / factor:g}: all hands are slowed alike. (b) {round(base, -2):,.0f}: "
        f"10,000 · {factor}^({width}/{width - 2}). (c) 1, as before: base^0 = 1."
    )


@worth(3, "10")
def rotated_in_two_layouts(draw: Random) -> tuple[str, str]:
    """The two layouts pair other numbers of a vector."""
    position = draw.randint(2, 9)
    c, s, slow_c, slow_s = (f(position * speed) for speed in (1, 0.01) for f in (math.cos, math.sin))
    asked = (
        f"The vector (1, 0, 1, 0) at position {position} is rotated with speeds 1 and 0.01 rad per token. What comes "
        "out (a) if neighbours are the pairs, as in GPT-J, (b) if halves are, as in NeoX? Two decimals. What do both "
        "vectors have in common?"
    )
    pairs = ", ".join(f"{x:.2f}" for x in (c, s, slow_c, slow_s))
    halves = ", ".join(f"{x:.2f}" for x in (c - s, 0, s + c, 0))
    return asked, f"(a) ({pairs}) (b) ({halves}). Both are as long as before: √2."


@worth(2, "10")
def positions_in_bfloat16(draw: Random) -> tuple[str, str]:
    """Eight significant bits."""
    power = draw.choice([9, 10, 11, 12])
    step = 2 ** (power - 7)
    held = 2**power + draw.randint(1, 99) * step
    position = held + draw.choice([1, -1])
    asked = (
        f"bfloat16 keeps 8 significant bits. How far apart are the whole numbers that it can hold from {2**power:,} "
        f"to {2 ** (power + 1):,}? Which of them does position {position:,} become, if it is rounded to the nearest?"
    )
    return asked, f"{step}, which is {2**power:,} / 128. {held:,}."


@worth(2, "12")
def hands_that_do_not_come_round(draw: Random) -> tuple[str, str]:
    """Which hands of a published model stay within one turn."""
    base, length = draw.choice([(10_000, 4_096), (500_000, 8_192), (1_000_000, 32_768)])
    longer = sum(2 * math.pi * base ** (2 * i / 128) > length for i in range(64))
    exponent = math.log(length / (2 * math.pi)) / math.log(base)
    asked = (
        f"A model has rotary heads with 128 numbers and base {base:,}; it was trained on texts of {length:,} tokens. "
        "How many of its 64 hands did not come round once in training?"
    )
    return asked, (
        f"{longer}: hand i needs 2π · {base:,}^(i/64) tokens, which is more than {length:,} "
        f"from i / 64 > {exponent:.3f} on."
    )


@worth(3, "14")
def ids_of_a_row(draw: Random) -> tuple[str, str]:
    """Position ids of packed texts, and of a padded one."""
    lengths = [draw.randint(2, 5) for _ in range(3)]
    pads, length = draw.randint(2, 4), draw.randint(3, 5)
    packed = " ".join(str(p) for n in lengths for p in range(n))
    asked = (
        f"(a) Three texts of {lengths[0]}, {lengths[1]} and {lengths[2]} tokens are packed into one row, each as if "
        f"it stood alone. Write down the position ids. (b) A text of {length} tokens is padded on the left by {pads}. "
        "Which position does its first token need, and does a model with rotary encoding notice if it gets "
        f"{pads} instead?"
    )
    return asked, (
        f"(a) {packed}, and a mask that hides each text from the others. (b) 0. Not if the pads are masked: all "
        "positions move alike, and a rotary score knows only their difference."
    )


@worth(2, "14")
def key_after_a_cut(draw: Random) -> tuple[str, str]:
    """A cached key is turned by the offset, whatever its position."""
    cut, speed = draw.randint(3, 9), draw.choice([0.1, 0.5])
    position = cut + draw.randint(10, 30)
    asked = (
        f"A cache holds rotated keys. The first {cut} tokens are dropped, and the others shall be counted from 0. By "
        f"which angle is the key that stood at {position} turned further, in a hand of {speed} rad per token? Which "
        "keys need another angle? What stays wrong in deeper layers?"
    )
    return asked, (
        f"{-cut * speed:.1f} rad: the position falls by {cut}. None: it is the same for all. Keys and values were "
        "computed from tokens that had read the dropped ones."
    )


@worth(2, "15")
def reach_of_a_scalar(draw: Random) -> tuple[str, str]:
    """A number from 0 to 1 hardly turns the hands of a code for tokens."""
    width, scale = draw.choice([8, 16]), draw.choice([100, 1_000])
    fast = sum(scale * 10_000 ** (-2 * i / width) >= 2 * math.pi for i in range(width // 2))
    asked = (
        f"A time t from 0 to 1 is encoded with d_model = {width} and base 10,000. How many of the {width // 2} hands "
        f"come round at least once between 0 and 1? How many do if {scale:,} t is encoded instead?"
    )
    return (
        asked,
        f"0: even the fastest turns by 1 rad only. {fast}: hand i turns by {scale:,} · 10,000^(-2i/{width}) rad.",
    )


def secret() -> str:
    """Return the secret of this course's exams; make one where there is none.

    Raises:
        ValueError: The file is empty.
    """
    if not SECRET.exists():
        classes.write_private(SECRET, secrets.token_hex(16) + "\n")
    kept = SECRET.read_text("utf-8").strip()
    if not kept:
        raise ValueError(f"{SECRET} must hold the secret of your exams (remove it for a new one), got nothing")
    return kept


def drawn(seed: str, variant: int, lessons: Collection[str] = CORE, secret: str = "") -> list[tuple[int, str, str]]:
    """Return a variant's questions on some lessons: points, what is asked, what comes out."""
    return [
        (points, *question(Random(f"{secret} {seed} {variant} {question.__name__}")))
        for lesson, points, question in QUESTIONS
        if lesson in lessons
    ]


def page(seed: str, variant: int, solved: bool = False, lessons: Collection[str] = CORE, secret: str = "") -> str:
    """Return a variant as a page, with room to write or with its solutions."""
    sections = [
        f"<section><h2>{number}. ({points} points)</h2><p>{escape(asked)}</p>"
        + (f"<p><strong>{escape(answer)}</strong></p>" if solved else '<div class="room"></div>')
        + "</section>"
        for number, (points, asked, answer) in enumerate(drawn(seed, variant, lessons, secret), 1)
    ]
    title = f"Positional encoding, {seed}, variant {variant}{': solutions' if solved else ''}"
    name = "" if solved else "<p>Name: ______________________________</p>"
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{STYLE}</style></head><body><h1>{escape(title)}</h1>{name}{''.join(sections)}</body></html>\n"
    )


def main() -> None:
    """Write the variants and their solutions."""
    parser = argparse.ArgumentParser(prog="course.py exam", description=__doc__.splitlines()[0])
    parser.add_argument("--seed", default="exam", metavar="NAME", help="what this exam is called")
    parser.add_argument("--variants", type=int, default=2, help="how many with numbers of their own")
    known = sorted({lesson for lesson, _, _ in QUESTIONS})
    parser.add_argument(
        "--lessons", nargs="+", choices=known, default=CORE, metavar="NN", help=f"of {', '.join(known)}; else the core"
    )
    options = parser.parse_args()
    try:
        if options.seed in classes.salts():
            parser.error(f"--seed must not be the name of a class (its students know it), got {options.seed}")
        drawn_by = secret()
    except (ValueError, OSError) as error:
        parser.error(str(error))
    out = HOME / "build" / "exam"
    out.mkdir(parents=True, exist_ok=True)
    for variant in range(1, options.variants + 1):
        for name, solved in (("", False), ("_solutions", True)):
            sheet = page(options.seed, variant, solved, options.lessons, drawn_by)
            (out / f"variant_{variant}{name}.html").write_text(sheet, encoding="utf-8")
    points = sum(points for lesson, points, _ in QUESTIONS if lesson in options.lessons)
    print(f"{out.relative_to(HOME)}: {options.variants} variants with solutions, {points} points each")


if __name__ == "__main__":
    main()
