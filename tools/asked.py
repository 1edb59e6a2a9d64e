"""The page *Questions people ask*: where its links lead, and whether what it says is printed there.

In `site/questions.md` a link reads `[words](04#c55)`: lesson 04, the cell with the id `c55`, on the lesson's page or on
that of its side paths. A line `% words: …` below a question names what people type when they look for it; the search
reads it, and no page shows it. What no lesson runs, a block below its answer does, which begins with three backticks
and `python run`; the page shows its output.
"""

import contextlib
import functools
import io
import re
from dataclasses import dataclass

import nbformat

PAGE = "questions.md"
MISCONCEPTIONS = "misconceptions.md"
PAGES = [PAGE, MISCONCEPTIONS, "plans.md", "classroom.md"]  # their links lead to cells
QUESTION = re.compile(r"^### (.+)\n(?:% words: (.*)\n)?((?:(?!#).*\n?)*)", flags=re.M)
TO_CELL = re.compile(r"\[([^\]]+)\]\((\d\w+)#([\w-]+)\)")
LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")
CODE = re.compile(r"`[^`]*`")
RUN = re.compile(r"^```python run\n(.*?)^```$", flags=re.M | re.S)
NUMBER = re.compile(r"(?<![\w.,])\d(?:[\d,]*\d)?(?:\.\d+)?(?!\w)")
MARKUP = re.compile(r'</?[a-zA-Z][^>]*>|base64,[^"]+')


@dataclass
class Question:
    """A question of the page, what people type for it, its answer, and the cells or the run that show the answer."""

    ask: str
    words: list[str]
    answer: str
    cells: list[tuple[str, str]]
    run: str


def questions(text: str) -> list[Question]:
    """Read the questions from the page's source."""
    found = []
    for ask, words, said in QUESTION.findall(text):
        answer = RUN.sub("", said)
        cells = [(lesson, cell) for _, lesson, cell in TO_CELL.findall(answer)]
        found.append(
            Question(
                ask.replace("`", ""),
                [word.strip() for word in words.split(",") if word.strip()],
                answer.strip(),
                cells,
                "".join(RUN.findall(said)),
            )
        )
    return found


def anchor(cell: str) -> str:
    """Return the id that a cell has on its page."""
    return f"cell-{cell}"


@functools.cache
def output_of(code: str) -> str:
    """Run a block; return what it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, {"__name__": "__main__"})
    return printed.getvalue()


def shown(found: re.Match) -> str:
    """Return a block and what it prints, folded."""
    blocks = f"```python\n{found[1]}```\n\n```text\n{output_of(found[1])}```"
    return f"<details><summary>The run</summary>\n\n{blocks}\n\n</details>"


def linked(text: str, lessons: dict[str, nbformat.NotebookNode]) -> str:
    """Return the page's source with its blocks run, and with links; `lessons` are the notebooks, by page."""
    text = RUN.sub(shown, text)
    pages = {(stem.split("_")[0], cell.id): stem for stem, notebook in lessons.items() for cell in notebook.cells}
    return TO_CELL.sub(
        lambda found: f'<a href="{pages[found[2], found[3]]}.html#{anchor(found[3])}">{found[1]}</a>', text
    )


def numbers(text: str) -> set[str]:
    """Return the numbers of more than one digit that a text states, without those in its links and its code."""
    plain = LINK.sub(r"\1", CODE.sub(" ", text))
    return {number.replace(",", "") for number in NUMBER.findall(plain) if len(number) > 1}


def printed(cell: nbformat.NotebookNode) -> set[str]:
    """Return all numbers that a cell shows: in its text, its code and its outputs."""
    shown = [cell.source]
    for output in cell.get("outputs", []):
        shown += [output.get("text", ""), *map(str, output.get("data", {}).values())]
    return numbers_in(MARKUP.sub(" ", " ".join(shown)))


def numbers_in(text: str) -> set[str]:
    """Return all numbers of a text, without the marks between their digits."""
    found = re.findall(r"\d(?:[\d,_]*\d)?(?:\.\d+)?", text)
    return {re.sub("[,_]", "", number) for number in found}
