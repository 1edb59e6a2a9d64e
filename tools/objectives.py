"""Say where each objective is practised and checked: `python3 course.py objectives` writes build/objectives.md.

The table is read from the lessons: what a reader will be able to do, the exercises with their minutes, the checks that
the cells of an exercise call, and the assignment that needs the lesson. Which exercise practises which objective stands
in the lesson's questions.toml, as `practises`.
"""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

import nbformat

from clockwork.kit.widgets import questions
from tools import lessons as notebooks

HOME = Path(__file__).resolve().parent.parent
EXERCISE = re.compile(r"^#{2,4} Exercise (.+)$", re.M)
OBJECTIVES = re.compile(r"\*\*You will be able to\*\*\s*\n((?:\s*- .+\n?)+)")
NEEDS = re.compile(r"\*\*You need\*\* lessons? (\d+)(?: to (\d+))?")
HEADING = re.compile(r"^#{2,4} ", re.M)


@dataclass(frozen=True)
class Exercise:
    """One exercise: its heading, the checks that its cells call, and the objectives that it practises."""

    title: str
    checks: list[str]
    objectives: tuple[int, ...]


@dataclass(frozen=True)
class Lesson:
    """What one lesson promises, asks for and checks."""

    number: str
    title: str
    objectives: list[str]
    exercises: list[Exercise]
    assignments: list[str]


def main() -> int:
    """Write the table."""
    lessons = read_lessons(HOME)
    target = HOME / "build" / "objectives.md"
    target.parent.mkdir(exist_ok=True)
    target.write_text(table(lessons), encoding="utf-8")
    print(f"{target.relative_to(HOME)}: {len(lessons)} lessons")
    return 0


def read_lessons(home: Path) -> list[Lesson]:
    """Read the lessons that promise something."""
    needed = {path.stem: needs(path) for path in sorted((home / "assignments" / "source").glob("*/*.ipynb"))}
    lessons = []
    for path in sorted((home / "notebooks").glob("[0-9][0-9]*_*.ipynb")):
        cells = [cell for part in notebooks.whole(path) for cell in nbformat.read(part, as_version=4).cells]
        text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
        promised = OBJECTIVES.search(text)
        if not promised:
            continue
        number = path.stem.split("_")[0]
        lessons.append(
            Lesson(
                number,
                re.search(r"^# +(.+)$", text, re.M)[1],
                [line.strip().lstrip("- ").rstrip(";.,") for line in promised[1].strip().splitlines()],
                exercises(cells, number),
                [name for name, numbers in needed.items() if int(number[:2]) in numbers],
            )
        )
    return lessons


def exercises(cells: list[nbformat.NotebookNode], number: str) -> list[Exercise]:
    """Return a lesson's exercises, each with the checks of the cells under its heading.

    Raises:
        ValueError: `practises` speaks of another number of exercises.
    """
    found: list[tuple[str, list[str]]] = []
    inside = False
    for cell in cells:
        if cell.cell_type == "markdown" and HEADING.search(cell.source):
            heading = EXERCISE.search(cell.source)
            inside = bool(heading)
            if heading:
                found.append((heading[1], []))
        elif cell.cell_type == "code" and inside:
            found[-1][1].extend(re.findall(r"\b(checks\.\w+)\(", cell.source))
    practises = questions.lesson_file(number).get("practises", [])
    if len(practises) != len(found):
        raise ValueError(f"practises must hold a row for each of the {len(found)} exercises of lesson {number}")
    return [Exercise(title, checks, tuple(numbers)) for (title, checks), numbers in zip(found, practises, strict=True)]


def needs(path: Path) -> range:
    """Return the numbers of the lessons that an assignment needs."""
    text = "\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells)
    found = NEEDS.search(text)
    return range(int(found[1]), int(found[2] or found[1]) + 1) if found else range(0)


def table(lessons: list[Lesson]) -> str:
    """Return the table as Markdown: a row for each objective."""
    rows = ["| lesson | you will be able to | exercises | checks | assignments |", "|---|---|---|---|---|"]
    for lesson in lessons:
        for index, objective in enumerate(lesson.objectives, 1):
            own = [exercise for exercise in lesson.exercises if index in exercise.objectives]
            titles = [exercise.title for exercise in own] or ["none: shown and asked in the lesson"]
            checks = [f"`{name}`" for exercise in own for name in exercise.checks]
            columns = [[lesson.title], [objective], titles, checks, lesson.assignments]
            rows.append(f"| {' | '.join('<br>'.join(column) for column in columns)} |")
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    sys.exit(main())
