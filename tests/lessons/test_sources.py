"""The ledger of sources: every row names a section that exists, a verdict, and numbers that stand in that lesson."""

import re

import nbformat
import pytest
from tools import lessons

LEDGER = (lessons.NOTEBOOKS / "SOURCES.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip().strip("|").split(" | ")]
    for line in LEDGER.splitlines()
    if re.match(r"\| [A-E]\d+ \|", line)
]
VERDICTS = ("holds", "wrong", "answered")
CORE = ("01", "02", "03", "04", "05")


def lesson_of(place):
    """The lesson's path and the section that a row names (None where it names the lesson alone)."""
    number, _, section = place.partition(": ")
    found = sorted(lessons.NOTEBOOKS.glob(f"{number.split('_')[0]}_*.ipynb"))
    return (found[0] if found else None), section or None


def cells_of(path):
    """The cells of a lesson and of its side paths."""
    return [cell for part in lessons.whole(path) for cell in nbformat.read(part, as_version=4).cells]


def sections(path):
    cells = cells_of(path)
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    return [heading.strip() for heading in re.findall(r"^## (.+)$", text, flags=re.M)]


def words_of(path):
    """All that a reader of the lesson sees: text, code and printed outputs."""
    for cell in cells_of(path):
        yield cell.source
        for output in cell.get("outputs", []):
            yield output.get("text", "") + output.get("data", {}).get("text/plain", "")


def test_every_claim_of_the_five_texts_has_a_number_of_its_own():
    numbers = [row[0] for row in ROWS]
    assert len(set(numbers)) == len(numbers) >= 60
    for letter in "ABCDE":
        own = [int(number[1:]) for number in numbers if number[0] == letter]
        assert own == list(range(1, len(own) + 1))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_the_named_section_exists(row):
    path, section = lesson_of(row[2])
    if section is None:
        assert re.fullmatch(r"\d\d[a-z]?_\w+", row[2]) and row[2][:2] not in CORE, "name the section"
        assert path is None or path.stem == row[2]
        return
    assert path is not None and section in sections(path), sections(path) if path else row[2]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_the_verdict_is_one_of_three_and_the_numbers_stand_in_the_lesson(row):
    assert row[3].startswith(VERDICTS)
    path, section = lesson_of(row[2])
    seen = "\n".join(words_of(path)) if path and section else ""
    for number in re.findall(r"`([^`]+)`", row[4] if len(row) > 4 else ""):
        assert number in seen, f"{number} does not stand in {path.name}"
