"""The ledger of sources: every row names a section that exists, a verdict, and numbers that stand in that lesson."""

import re

import nbformat
import pytest
from tools import lessons, sources

from clockwork.kit.widgets import questions

ROWS = [claim for text in sources.texts() for claim in text["claim"]]
CLAIMS = [(number, claim) for number, lesson in sources.lessons().items() for claim in lesson["claim"]]
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


def test_the_page_is_what_the_data_say():
    assert sources.PAGE.read_text(encoding="utf-8") == sources.page(), "run `python -m tools.sources`"


def test_every_field_of_every_claim_is_on_the_page():
    lines = sources.PAGE.read_text(encoding="utf-8").splitlines()
    for _, claim in CLAIMS:
        (line,) = [line for line in lines if line.startswith(f"| {claim['sentence']} |")]
        assert all(text in line for name, text in claim.items() if name != "under"), claim["sentence"]


def test_every_lesson_has_its_claims_each_with_a_run_and_known_fields():
    titles = {number: lesson["title"] for number, lesson in sources.lessons().items()}
    assert set(titles) == set(questions.lessons()) - {"core"} and all(titles.values())
    known = {*sources.CLAIMS, *sources.OFTEN_EMPTY, "under"}
    for number, claim in CLAIMS:
        assert claim.get("sentence") and claim.get("run"), (number, claim)
        assert set(claim) <= known and "|" not in "".join(claim.values()).replace("\\|", ""), (number, claim)


def test_the_five_texts_are_lettered_and_have_their_claims():
    assert [text["letter"] for text in sources.texts()] == list("ABCDE") and len(ROWS) >= 60


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["number"])
def test_the_named_section_exists(row):
    path, section = lesson_of(row["lesson"])
    if section is None:
        assert re.fullmatch(r"\d\d[a-z]?_\w+", row["lesson"]) and row["lesson"][:2] not in CORE, "name the section"
        assert path is None or path.stem == row["lesson"]
        return
    assert path is not None and section in sections(path), sections(path) if path else row["lesson"]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["number"])
def test_the_verdict_is_one_of_three_and_the_numbers_stand_in_the_lesson(row):
    assert row["verdict"].startswith(VERDICTS)
    path, section = lesson_of(row["lesson"])
    seen = "\n".join(words_of(path)) if path and section else ""
    for number in re.findall(r"`([^`]+)`", row.get("shown", "")):
        assert number in seen, f"{number} does not stand in {path.name}"
