"""Say where each objective is practised and checked: `python3 course.py objectives` writes build/objectives.md.

The table is read from the lessons: what a reader will be able to do, the exercises with their minutes, the checks that
their cells call, and the assignment that needs the lesson.
"""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

import nbformat

HOME = Path(__file__).resolve().parent.parent
EXERCISE = re.compile(r"^#{2,4} Exercise (.+)$", re.M)
OBJECTIVES = re.compile(r"\*\*You will be able to\*\*\s*\n((?:\s*- .+\n?)+)")
NEEDS = re.compile(r"\*\*You need\*\* lessons? (\d+)(?: to (\d+))?")


@dataclass(frozen=True)
class Lesson:
    """What one lesson promises, asks for and checks."""

    title: str
    objectives: list[str]
    exercises: list[str]
    checks: list[str]
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
    for path in sorted((home / "notebooks").glob("[0-9]*.ipynb")):
        cells = nbformat.read(path, as_version=4).cells
        text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
        code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
        promised = OBJECTIVES.search(text)
        if not promised:
            continue
        number = path.name[:2]
        lessons.append(
            Lesson(
                re.search(r"^# +(.+)$", text, re.M)[1],
                [line.strip().lstrip("- ").rstrip(";.") for line in promised[1].strip().splitlines()],
                EXERCISE.findall(text),
                sorted(set(re.findall(rf"\b(lesson_{number}\.\w+)\(", code))),
                [name for name, numbers in needed.items() if int(number) in numbers],
            )
        )
    return lessons


def needs(path: Path) -> range:
    """Return the numbers of the lessons that an assignment needs."""
    text = "\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells)
    found = NEEDS.search(text)
    return range(int(found[1]), int(found[2] or found[1]) + 1) if found else range(0)


def table(lessons: list[Lesson]) -> str:
    """Return the table as Markdown."""
    rows = ["| lesson | you will be able to | exercises | checks | assignments |", "|---|---|---|---|---|"]
    for lesson in lessons:
        columns = [lesson.objectives, lesson.exercises, [f"`{name}`" for name in lesson.checks], lesson.assignments]
        rows.append(f"| {lesson.title} | {' | '.join('<br>'.join(column) for column in columns)} |")
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    sys.exit(main())
