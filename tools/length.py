"""Measure how long a lesson is for its reader: words, lines of code, headings, and the minutes that they take.

`python -m tools.length` measures all lessons, `python -m tools.length 02` those whose names begin so.
The story of a lesson ends where its closing begins: the first cell tagged `check-yourself`, in the short way `map`.
What is folded away (`<details>`, and cells tagged `deeper` or `folded`) does not count.
"""

import math
import re
import sys
from typing import NamedTuple

import nbformat

from tools import decided, lessons

CLOSING = {"check-yourself", "map"}
EXERCISE = "exercise"
FOLDED = "deeper"
RUN_IN_FOLD = "folded"  # a run that stands within the fold above it
PROOF = "necessity"  # a cell of a proof: each of its sentences is a step
SCENE = "scene"  # a cell of the short way: its code is folded, and its picture has one thing to turn
WORDS_A_MINUTE = 180
PROOF_WORDS_A_MINUTE = 60
LINES_A_MINUTE = 7
MINUTES_A_WIDGET = 2
MINUTES_A_SCENE = 2
QUESTION = decided.QUESTION
WIDGET = r"\b(?:(?:widgets|views)\.(?!Cursor|Column|Row|Progress|Step|Challenge)[A-Z]|clock\.[a-z])\w+\("
MINUTES_OF_EXERCISE = r"^### Exercise .*?(\d+) minutes"
LIMITS = {"headings": 7, "asked": 8}
SELF_TEST = LIMITS | {"asked": 15}  # three questions for each lesson of the core, and nothing else
SHORT_WAY = LIMITS | {"headings": 10}  # scenes of one picture each


class Length(NamedTuple):
    """What stands in a lesson's story, and the minutes asked for by it and by its exercises."""

    words: int
    code_lines: int
    headings: int
    questions: int
    widgets: int
    exercise_minutes: int
    scenes: int = 0
    proof_words: int = 0  # of the words, those of a proof

    @property
    def minutes(self) -> int:
        """Minutes for the story, rounded up to five."""
        plain = (self.words - self.proof_words) / WORDS_A_MINUTE
        reading = plain + self.proof_words / PROOF_WORDS_A_MINUTE + self.code_lines / LINES_A_MINUTE
        turning = MINUTES_A_WIDGET * self.widgets + MINUTES_A_SCENE * self.scenes
        return 5 * math.ceil((reading + self.questions + turning) / 5)


def tags(cell) -> list[str]:
    """Return a cell's tags."""
    return cell.metadata.get("tags", [])


def prose(source: str) -> list[str]:
    """Return the words of a markdown cell that a reader reads: a formula is one word, folded text is none."""
    source = re.sub(r"<details>.*?</details>|```.*?```", " ", source, flags=re.S)
    source = re.sub(r"\$\$.*?\$\$|\$[^$]*\$", " formula ", source, flags=re.S)
    source = re.sub(r"<[^>]+>|\]\([^)]*\)", " ", source)
    return [word for word in source.split() if re.search(r"\w", word)]


def code_lines(source: str) -> list[str]:
    """Return the lines of a code cell that hold something."""
    return [line for line in source.splitlines() if line.strip()]


def measure(notebook: nbformat.NotebookNode) -> Length:
    """Measure a notebook's story up to its closing, and add up the minutes its exercises state."""
    cells = notebook.cells
    end = next((i for i, cell in enumerate(cells) if CLOSING & set(tags(cell))), len(cells))
    story = [cell for cell in cells[:end] if not {FOLDED, RUN_IN_FOLD, EXERCISE} & set(tags(cell))]
    texts = [cell.source for cell in story if cell.cell_type == "markdown"]
    shown = [cell.source for cell in story if cell.cell_type == "code" and SCENE not in tags(cell)]
    scenes = [cell.source for cell in story if cell.cell_type == "code" and SCENE in tags(cell)]
    exercises = "\n".join(cell.source for cell in cells if EXERCISE in tags(cell))
    return Length(
        words=sum(len(prose(text)) for text in texts),
        code_lines=sum(len(code_lines(code)) for code in shown),
        headings=sum(
            len(re.findall(r"^##+ ", re.sub(r"<details>.*?</details>", "", text, flags=re.S), flags=re.M))
            for text in texts
        ),
        questions=questions_in(story),
        widgets=sum(len(re.findall(WIDGET, code)) for code in shown),
        scenes=sum(len(re.findall(WIDGET, code)) for code in scenes),
        proof_words=sum(len(prose(cell.source)) for cell in story if PROOF in tags(cell)),
        exercise_minutes=sum(int(minutes) for minutes in re.findall(MINUTES_OF_EXERCISE, exercises, flags=re.M)),
    )


def measured(notebook: nbformat.NotebookNode) -> dict[str, int]:
    """Return the counts of a notebook's story, and `asked`: the questions on its whole page."""
    return measure(notebook)._asdict() | {"asked": questions_in(notebook.cells)}


def questions_in(cells: list) -> int:
    """Count the questions that cells ask, on cards and on pictures."""
    return sum(len(decided.asked_in(cell)) for cell in cells)


def main(prefixes: list[str]) -> None:
    """Print the length of the named lessons (all when none is named)."""
    for path in lessons.every():
        if path.name.startswith(tuple(prefixes or [""])):
            length = measure(nbformat.read(path, as_version=4))
            counts = ", ".join(f"{value} {name}" for name, value in length._asdict().items())
            print(f"{path.stem}: {length.minutes} minutes; {counts}")


if __name__ == "__main__":
    main(sys.argv[1:])
