"""Tie the numbers in a lesson's sentences to the runs that print them.

`python -m tools.ties` checks all lessons, `python -m tools.ties 04` those whose names begin so. A number with a decimal
point, in a text cell, in a question or in words of a figure's description that were typed, must stand, rounded to the
digits given, in an output of its own section: the cells from one heading to the next, side paths with them. The section
of a question is the one that asks it, and the one that it names. A number from elsewhere is named in
`tests/lessons/lesson_NN/ties.toml`, in the table of its cell, of its question or, for descriptions, of its file:

    [c62]                                  # a text cell
    "0.94" = "c31"                         # printed by another cell of this lesson
    "0.71" = "04/c31"                      # by a cell of another one
    "0.97" = { file = "sweep.json", key = ["runs", 3, "accuracy"], take = "mean" }
    "0.02" = { test = "test_the_verdict" } # a claims test of this lesson computes it and asserts it
    "0.707" = { worked = "sqrt(1 / 2)" }
    "0.12" = { sources = "0.12 in four seeds" } # a run that is told in SOURCES.md, in these words
    "0.5" = { given = "the slope that we choose" }

`python -m tools.ties --plant` changes the last digit of 100 numbers of each lesson, and says how many it notices.
"""

import ast
import html
import json
import math
import random
import re
import statistics
import sys
import tomllib
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import NamedTuple

import nbformat

from tools import lessons

ROOT = lessons.NOTEBOOKS.parent
ROOMS = ROOT / "src" / "clockwork" / "lessons"
TIES = ROOT / "tests" / "lessons"
NUMBER = r"(?<![\w.^])(?P<digits>\d{1,3}(?:[,\u202f]\d{3})+(?:\.\d+)?|\d*\.\d+|\d+\.?)"
EXPONENT = r"\^\{?(?P<tex>[-−+]?\d+)\}?|<sup>(?P<sup>[-−]?\d+)</sup>|(?P<high>[⁻⁰¹²³⁴-⁹]+)"
POWER = rf"(?:e(?P<e>[-+]?\d+)|\s*(?:·|×|\\cdot|\\times)\s*10(?:{EXPONENT}))?"
UNIT = r"(?P<unit>\s?\\?%|\s(?:thousand|million|billion)\b)?(?![\w]|\.\d)"
TOKEN = re.compile(NUMBER + POWER + UNIT)
HIGH = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-")
NAMED = r"[A-Z][A-Za-z]*-|(?:Llama|Qwen|Phi|Gemma|Mistral|[Ss]ections?|[Vv]ersion) "
NAMES = rf"\b(?:{NAMED})\d+(?:\.\d+)+(?: (?:and|to) \d+(?:\.\d+)+)?"
UNITS = {"%": -2, "thousand": 3, "million": 6, "billion": 9}
UNREAD = r"```.*?```|\]\([^)]*\)|https?://\S+|</?[a-zA-Z][^>]*>|arXiv:\S+|\b\d{4}\.\d{5}\b"
CROWD = 2  # where a section prints more numbers than this that differ in the last digit alone, a number is named
DOCUMENTED = ast.FunctionDef | ast.ClassDef | ast.Module
FOLD = "<details><summary>"
REDUCTIONS = {"mean": statistics.mean, "median": statistics.median, "min": min, "max": max}


class Number(NamedTuple):
    """A number as it was written: its text, its value, and the power of ten of its last digit (None: exact)."""

    text: str
    value: Decimal
    last: int | None

    def shows(self, other: "Number") -> bool:
        """Say whether this is the other number, which has as many digits or more, rounded to the digits of this."""
        if other.last is not None and other.last > self.last:
            return False
        return abs(self.value - other.value) <= Decimal(5).scaleb(self.last - 1)


class Sentence(NamedTuple):
    """Words that a reader reads, the place where they are written, and the section that must print their numbers."""

    place: str
    text: str
    cells: tuple


def read(text: str) -> Iterator[Number]:
    """Find the numbers of a text: decimals, percentages, powers of ten, thousands and millions."""
    for match in TOKEN.finditer(text):
        digits = re.sub(r"[,\u202f]", "", match["digits"])
        power = int((match["e"] or match["tex"] or match["sup"] or match["high"] or "0").translate(HIGH))
        shift = power + UNITS.get((match["unit"] or "").strip(" \\"), 0)
        exact = digits.endswith(".")
        places = len(digits.partition(".")[2])
        yield Number(match[0].strip(), Decimal(digits.rstrip(".")).scaleb(shift), None if exact else shift - places)


def told(text: str) -> list[Number]:
    """List the decimals of a sentence, without those of code, addresses and the names of models."""
    text = html.unescape(re.sub(UNREAD, " ", text, flags=re.S))
    text = re.sub(NAMES, " ", text)
    return [number for number in read(text) if re.search(r"\.\d", number.text)]


def words_of(output: dict) -> str:
    """Return what an output shows besides pictures, captions and lists of steps."""
    data = output.get("data", {})
    shown = re.sub(r"<(figcaption|ol|ul)\b.*?</\1>", " ", data.get("text/html", ""), flags=re.S)
    shown = html.unescape(re.sub(r"<[^>]+>", " ", shown))
    return " ".join([output.get("text", ""), data.get("text/plain", ""), shown])


def room(path: Path) -> str:
    """Return the name of a lesson's room, "lesson_04"."""
    return "lesson_" + path.name.partition("_")[0]


def every() -> list[Path]:
    """List the lessons; what lies in deeper/ belongs to one of them."""
    return [path for path in lessons.every() if path.parent == lessons.NOTEBOOKS]


class Lesson:
    """A lesson's cells, those of its side paths in deeper/ too, with what they print, its sentences, and its ties."""

    def __init__(self, path: Path):
        self.path = path
        pages = [path, *sorted((path.parent / "deeper").glob(f"{path.name.partition('_')[0]}_*.ipynb"))]
        self.cells = [cell for page in pages for cell in nbformat.read(page, as_version=4).cells]
        self.typed = typed(ROOMS / room(path))
        words = {number.text for _, text in self.typed for number in told(text)}
        self.printed = {cell.id: printed(cell, words) for cell in self.cells if cell.cell_type == "code"}
        ties = TIES / room(path) / "ties.toml"
        self.ties = tomllib.loads(ties.read_text(encoding="utf-8")) if ties.is_file() else {}

    def sections(self) -> list[list]:
        """Cut the lesson at its headings."""
        found = [[]]
        for cell in self.cells:
            heading = re.search(r"^#+ ", re.sub(UNREAD, "", cell.source, flags=re.S), re.M)
            if cell.cell_type == "markdown" and (heading or FOLD in cell.source):
                found.append([])
            found[-1].append(cell)
        return [section for section in found if section]

    def sentences(self) -> Iterator[Sentence]:
        """List what a reader reads: text cells, questions, and typed words of figures' descriptions."""
        sections = self.sections()
        questions = tomllib.loads((ROOMS / room(self.path) / "questions.toml").read_text(encoding="utf-8"))
        number = room(self.path).removeprefix("lesson_")
        for section in sections:
            for cell in section:
                if cell.cell_type == "markdown":
                    yield Sentence(cell.id, cell.source, ids(section))
        for name, table in questions.items():
            if isinstance(table, dict):
                asking = [s for s in sections if any(f'"{number}/{name}"' in cell.source for cell in s)]
                named = [s for s in sections if f"## {table.get('section')}" in s[0].source.splitlines()]
                read = {key: value for key, value in table.items() if key not in {"decided", "undecided"}}
                yield Sentence(
                    name, "\n".join(strings(read)), ids([cell for section in asking + named for cell in section])
                )
        for name, text in self.typed:
            showing = [s for s in sections if any(re.search(rf"\b{name}\b", cell.source) for cell in code(s))]
            yield Sentence(name, text, ids([cell for section in showing for cell in section]))

    def faults(self) -> list[str]:
        """Say of each number without a run where it stands, and which number may be meant; and which ties are idle."""
        stand = [(sentence, number) for sentence in self.sentences() for number in told(sentence.text)]
        used = {(sentence.place, number.text) for sentence, number in stand}
        idle = [(place, text) for place, texts in self.ties.items() for text in texts if (place, text) not in used]
        found = [self.complaint(sentence, number) for sentence, number in stand if not self.holds(sentence, number)]
        return found + [f"{self.path.name}, {place}: ties.toml has {text}, which is not there" for place, text in idle]

    def holds(self, sentence: Sentence, number: Number) -> bool:
        """Say whether a number is tied to a run, or marked."""
        tie = self.ties.get(sentence.place, {}).get(number.text)
        if tie is not None:
            try:
                return self.proves(tie, number)
            except (KeyError, IndexError, FileNotFoundError, StopIteration):  # what it names is no longer there
                return False
        return self.prints(sentence, number) and sum(self.prints(sentence, other) for other in changes(number)) <= CROWD

    def prints(self, sentence: Sentence, number: Number) -> bool:
        """Say whether a number stands in an output of a sentence's section."""
        return any(number.shows(other) for cell in sentence.cells for other in self.printed.get(cell, ()))

    def proves(self, tie: str | dict, number: Number) -> bool:
        """Look up the run that a tie names, and say whether it has the number."""
        if isinstance(tie, str):
            lesson, _, cell = tie.rpartition("/")
            source = lesson_of(lesson) if lesson else self
            return any(number.shows(other) for other in source.printed[cell])
        if "file" in tie:
            return any(number.shows(exact(value)) for value in recorded(**tie))
        if "test" in tie:
            return any(number.shows(exact(value)) for value in asserted(room(self.path), tie["test"]))
        if "worked" in tie:
            return number.shows(exact(eval(tie["worked"], dict(vars(math)))))
        if "sources" in tie:
            ledger = (lessons.NOTEBOOKS / "SOURCES.md").read_text(encoding="utf-8")
            return tie["sources"] in ledger and any(number.shows(other) for other in read(tie["sources"]))
        return bool(tie["given"])

    def complaint(self, sentence: Sentence, number: Number) -> str:
        """Say which number is not tied, which one its section prints instead, and who else prints it."""
        near = [
            (abs(other.value - number.value), cell, other.text)
            for cell in sentence.cells
            for other in self.printed.get(cell, ())
            if other.last is None or other.last <= number.last
        ]
        elsewhere = [cell for cell, others in self.printed.items() if any(number.shows(other) for other in others)]
        if number.text in self.ties.get(sentence.place, {}):
            return f"{self.path.name}, {sentence.place}: what ties.toml names does not have {number.text}"
        if self.prints(sentence, number):
            printing = [cell for cell in elsewhere if cell in sentence.cells]
            said = f"its section prints {number.text} and many like it: name the cell, one of {', '.join(printing)}"
            return f"{self.path.name}, {sentence.place}: {said}"
        said = f"{self.path.name}, {sentence.place}: no output of its section prints {number.text}"
        if near:
            _, cell, text = min(near)
            said += f"; the nearest is {text}, printed by cell {cell}"
        if elsewhere:
            said += f"; {', '.join(elsewhere)} of other sections print{'s' * (len(elsewhere) == 1)} it"
        return said


def ids(cells: list) -> tuple[str, ...]:
    """Return the ids of some cells."""
    return tuple(cell.id for cell in cells)


def code(cells: list) -> list:
    """Return the code cells."""
    return [cell for cell in cells if cell.cell_type == "code"]


def printed(cell: nbformat.NotebookNode, typed_words: set[str]) -> list[Number]:
    """List the numbers in a code cell's outputs; questions print none, and typed words of descriptions are left out."""
    if "widgets.ask(" in cell.source:
        return []
    numbers = [number for output in cell.outputs for number in read(words_of(output))]
    figure = any(output.get("data", {}).get("text/plain", "").startswith("Figure: ") for output in cell.outputs)
    return [number for number in numbers if not (figure and number.text in typed_words)]


def strings(value: object) -> Iterator[str]:
    """List all texts in a question's table."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)


def typed(folder: Path) -> list[tuple[str, str]]:
    """List the sentences that are typed into a room's figures and views, each with its function or class."""
    found = []
    for path in sorted([*folder.glob("figures.py"), *folder.glob("views/*.py")]):
        for top in ast.parse(path.read_text(encoding="utf-8")).body:
            docs = [ast.get_docstring(node, clean=False) for node in ast.walk(top) if isinstance(node, DOCUMENTED)]
            for node in ast.walk(top):
                text = node.value if isinstance(node, ast.Constant) else None
                if isinstance(text, str) and text not in docs and " " in text and told(text):
                    found.append((getattr(top, "name", path.stem), text))
    return found


@cache
def lesson_of(number: str) -> Lesson:
    """Return another lesson by its number."""
    return Lesson(next(path for path in every() if path.name.startswith(f"{number}_")))


def exact(value: float) -> Number:
    """Return a number that is known to all its digits, without its sign."""
    return Number(repr(value), Decimal(repr(abs(value))), None)


def recorded(file: str, key: list, take: str = "", less: list | None = None) -> list[float]:
    """Return the numbers of a file of data/ under a list of keys; or their mean, median, min or max.

    `"*"` means all, and a table of fields the entries of a list that have these, in themselves or in their `config`.
    With `less`, those under another list of keys are taken off.
    """
    if less:
        return [a - b for a, b in zip(recorded(file, key, take), recorded(file, less, take), strict=True)]
    text = (ROOT / "data" / file).read_text(encoding="utf-8")
    values = [tomllib.loads(text) if file.endswith(".toml") else json.loads(text)]
    for part in key:
        values = [inner for value in values for inner in step(value, part)]
    while any(isinstance(value, list) for value in values):
        values = [inner for value in values for inner in (value if isinstance(value, list) else [value])]
    return [REDUCTIONS[take](values)] if take else values


def step(value: dict | list, part: str | int | dict) -> list:
    """Go one key down: to one entry, to all of them, or to those that have some fields."""
    if part == "*":
        return list(value.values()) if isinstance(value, dict) else value
    if isinstance(part, dict):
        return [entry for entry in value if all((entry | entry.get("config", {})).get(k) == v for k, v in part.items())]
    return [value[part]]


@cache
def asserted(folder: str, name: str) -> list[float]:
    """List the numbers that a claims test of a lesson compares with what it computes."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in sorted((TIES / folder).glob("test_*.py"))]
    tests = [node for tree in trees for node in tree.body if getattr(node, "name", "") == name]
    constants = [node.value for test in tests for node in ast.walk(test) if isinstance(node, ast.Constant)]
    return [value for value in constants if type(value) in (int, float)]


def changes(number: Number) -> list[Number]:
    """Return the nine numbers that differ from one in its last digit."""
    digits = re.match(r"[\d.,]+", number.text)[0]
    others = [digit for digit in "0123456789" if digit != digits[-1]]
    return [next(read(digits[:-1] + other + number.text[len(digits) :])) for other in others]


def planted(lesson: Lesson, count: int = 100, seed: int = 0) -> float:
    """Return which share of random changes of a last digit is noticed."""
    draw = random.Random(seed)
    numbers = [(sentence, number) for sentence in lesson.sentences() for number in told(sentence.text)]
    noticed = 0
    for _ in range(count):
        sentence, number = draw.choice(numbers)
        noticed += not lesson.holds(sentence, draw.choice(changes(number)))
    return noticed / count


def main(arguments: list[str]) -> int:
    """Check the named lessons, or say how many planted changes are noticed; return 1 when numbers are not tied."""
    prefixes = tuple(argument for argument in arguments if argument != "--plant") or ("",)
    chosen = [Lesson(path) for path in every() if path.name.startswith(prefixes)]
    if "--plant" in arguments:
        for lesson in chosen:
            count = sum(len(told(sentence.text)) for sentence in lesson.sentences())
            share = f"{planted(lesson):.0%} of 100 changes noticed" if count else ""
            print(f"{lesson.path.stem}: {count} numbers {share}")
        return 0
    faults = [fault for lesson in chosen for fault in lesson.faults()]
    print(*faults, sep="\n")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
