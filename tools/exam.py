"""Write an exam on paper: `python3 course.py exam --seed "spring A" --variants 3` fills build/exam/.

Each variant has the same questions with numbers of its own, drawn by the seed; beside it lies a sheet with the
solutions, computed from the same numbers. A question is a function below: it draws its numbers and returns what is
asked and what comes out. The pages need no script and no network; a pocket calculator is enough.
"""

import argparse
import math
from collections.abc import Callable
from html import escape
from pathlib import Path
from random import Random

HOME = Path(__file__).resolve().parent.parent
QUESTIONS: list[tuple[int, Callable[[Random], tuple[str, str]]]] = []  # points, and what draws a question
STYLE = """
body{font:12pt/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem;background:#fff;color:#222}
section{break-inside:avoid;margin:1.5rem 0}h1{font-size:1.4rem}h2{font-size:1.05rem}.room{height:7rem}
"""


def worth(points: int) -> Callable:
    """Add a question that is worth so many points."""

    def add(question: Callable[[Random], tuple[str, str]]) -> Callable[[Random], tuple[str, str]]:
        QUESTIONS.append((points, question))
        return question

    return add


@worth(3)
def code_of_a_position(draw: Random) -> tuple[str, str]:
    """Lesson 02: one row of the table by hand."""
    position, base = draw.randint(3, 9), draw.choice([100, 10_000])
    speeds = [base ** (-i / 2) for i in range(2)]
    row = [f(position * speed) for speed in speeds for f in (math.sin, math.cos)]
    asked = f"Work out the sinusoidal code of position {position} for d_model = 4 and base {base:,}, with two decimals."
    return asked, f"({', '.join(f'{x:.2f}' for x in row)}): the speeds are 1 and {speeds[1]:g} rad per token."


@worth(2)
def longest_wavelength(draw: Random) -> tuple[str, str]:
    """Lesson 02: what the base sets."""
    width, base = draw.choice([4, 8, 16]), draw.choice([100, 1_000, 10_000])
    speed = base ** (-(width - 2) / width)
    asked = f"After how many tokens does the slowest hand come round, for d_model = {width} and base {base:,}?"
    return asked, f"{2 * math.pi / speed:.0f}: 2π / {speed:.6g}. The last exponent is {width - 2}/{width}, not 1."


@worth(3)
def position_from_hands(draw: Random) -> tuple[str, str]:
    """Lesson 03: the slow hand says roughly where, the fast one exactly."""
    position = draw.randint(100, 600)
    slow, fast = (position * speed % (2 * math.pi) for speed in (0.01, 1))
    slow = round(20 * slow) / 20  # read by eye
    turns = round((slow / 0.01 - fast) / (2 * math.pi))
    asked = (
        f"A hand that turns by 0.01 rad per token shows about {slow:.2f} rad and has not come round yet. A hand that "
        f"turns by 1 rad per token shows {fast:.2f} rad. Which position is it?"
    )
    return asked, f"{position}: the slow hand says {slow / 0.01:.0f}, so the fast one made {turns}."


@worth(3)
def one_step_as_a_matrix(draw: Random) -> tuple[str, str]:
    """Lesson 04: the matrix knows the offset and not the position."""
    k, speed = draw.randint(2, 9), draw.choice([0.1, 0.5])
    c, s = math.cos(k * speed), math.sin(k * speed)
    asked = (
        f"A hand turns by {speed} rad per token; its code is (sin pω, cos pω). Which 2 × 2 matrix turns the code of "
        f"each position p into that of p + {k}? Two decimals. Where does p stand in it?"
    )
    return asked, f"({c:.2f}, {s:.2f}; {-s:.2f}, {c:.2f}), by the addition formulas. p stands nowhere in it."


@worth(2)
def score_of_two_codes(draw: Random) -> tuple[str, str]:
    """Lesson 04: the dot product of two codes knows the offset alone."""
    p, k = draw.randint(10, 90), draw.randint(2, 6)
    score = math.cos(k) + math.cos(k / 100)
    asked = f"What is the dot product of the codes of {p} and {p + k}, for d_model = 4 and base 10,000? Two decimals."
    return asked, f"{score:.2f}: cos {k} + cos {k / 100:g}. Any other two positions {k} apart have the same."


@worth(3)
def chance_of_a_split(draw: Random) -> tuple[str, str]:
    """Lesson 05: how often chance alone separates the two sides."""
    seeds = draw.choice([3, 4, 5, 6])
    splits = math.comb(2 * seeds, seeds)
    asked = (
        f"Two encodings are trained with {seeds} seeds each, and every run of the first is better than every run of "
        "the second. Shuffle the labels: in which share of all splits is the first ahead by as much? What does the "
        "share not say?"
    )
    return asked, f"1 of {splits} ({1 / splits:.4f}). It says nothing about how the two sides were tuned."


def drawn(seed: str, variant: int) -> list[tuple[int, str, str]]:
    """Return a variant's questions: points, what is asked, what comes out."""
    return [(points, *question(Random(f"{seed} {variant} {question.__name__}"))) for points, question in QUESTIONS]


def page(seed: str, variant: int, solved: bool = False) -> str:
    """Return a variant as a page, with room to write or with its solutions."""
    sections = [
        f"<section><h2>{number}. ({points} points)</h2><p>{escape(asked)}</p>"
        + (f"<p><strong>{escape(answer)}</strong></p>" if solved else '<div class="room"></div>')
        + "</section>"
        for number, (points, asked, answer) in enumerate(drawn(seed, variant), 1)
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
    parser.add_argument("--seed", default="0", metavar="CLASS", help="a number or a class's name")
    parser.add_argument("--variants", type=int, default=2, help="how many with numbers of their own")
    options = parser.parse_args()
    out = HOME / "build" / "exam"
    out.mkdir(parents=True, exist_ok=True)
    for variant in range(1, options.variants + 1):
        (out / f"variant_{variant}.html").write_text(page(options.seed, variant), encoding="utf-8")
        (out / f"variant_{variant}_solutions.html").write_text(page(options.seed, variant, True), encoding="utf-8")
    points = sum(points for points, _ in QUESTIONS)
    print(f"{out.relative_to(HOME)}: {options.variants} variants with solutions, {points} points each")


if __name__ == "__main__":
    main()
