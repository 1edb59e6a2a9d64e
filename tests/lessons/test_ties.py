"""Every number in a lesson's sentences is one that a run printed, or its run is named in the lesson's ties.toml."""

from decimal import Decimal

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from tools import ties

PAGES = ties.every()
each_page = pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)


@each_page
def test_every_number_of_a_sentence_is_tied_to_a_run(path):
    assert not ties.Lesson(path).faults(), "CONTRIBUTING.md, Change a lesson, says what to do"


@each_page
def test_four_of_five_changes_of_a_last_digit_are_noticed(path):
    assert ties.planted(ties.Lesson(path)) >= 0.8


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("it gets 0.94 right", "0.94"),
        ("it gets .94 right", "0.94"),
        ("94.0% of them", "0.940"),
        (r"$94.0\%$ of them", "0.940"),
        ("a score of −0.3", "0.3"),
        ("1,234.5 tokens", "1234.5"),
        ("2.5 million numbers", "2500000"),
        ("off by 1.2e-7", "0.00000012"),
        ("off by 1.2 · 10⁻⁷", "0.00000012"),
        (r"off by $1.2 \cdot 10^{-7}$", "0.00000012"),
    ],
)
def test_numbers_are_read_however_they_are_written(text, value):
    (number,) = ties.told(text)
    assert number.value == Decimal(value)


def test_both_ends_of_a_range_are_read():
    assert [number.text for number in ties.told("from 0.55–0.75 and 0.2 to 0.3")] == ["0.55", "0.75", "0.2", "0.3"]


@pytest.mark.parametrize(
    "text",
    ["Llama 3.1", "GLM-5.3-Flash", "section 3.4", "`arXiv:1810.04805`", "[it](https://a.b/1.5)", "```\n1.5\n```"],
)
def test_names_addresses_and_code_are_no_numbers_of_a_sentence(text):
    assert ties.told(text) == []


@pytest.mark.parametrize(("said", "printed", "same"), [("0.94", "0.9449", True), ("0.94", "0.945", True)])
@pytest.mark.parametrize("sign", ["", "-"])
def test_a_number_is_the_printed_one_rounded_to_its_digits(said, printed, same, sign):
    assert next(ties.read(said)).shows(next(ties.read(sign + printed))) == same


@pytest.mark.parametrize("printed", ["0.951", "0.93", "0.9", "1"])
def test_a_number_is_no_other_one_and_not_one_with_fewer_digits(printed):
    assert not next(ties.read("0.94")).shows(next(ties.read(printed)))


@pytest.fixture
def lesson(tmp_path, monkeypatch):
    """Make a lesson whose second section says a number; the first prints 0.94 and the second 0.71."""

    def make(said, deeper=False, **tied):
        rooms, tests = tmp_path / "rooms" / "lesson_99", tmp_path / "tests" / "lesson_99"
        for folder in (rooms, tests):
            folder.mkdir(parents=True)
        (rooms / "questions.toml").write_text('title = "A lesson"\n')
        (tests / "ties.toml").write_text("".join(f'[said]\n"{said}" = {tie}\n' for tie in tied.values()))
        monkeypatch.setattr(ties, "ROOMS", rooms.parent)
        monkeypatch.setattr(ties, "TIES", tests.parent)
        cells = []
        for name, number in {"one": "0.94", "two": "0.71"}.items():
            cells.append(new_markdown_cell(f"## Section {name}", id=f"head-{name}"))
            cells.append(new_code_cell("run()", id=name, outputs=[new_output("stream", text=f"right: {number}\n")]))
        story = [new_markdown_cell(f"It gets {said}.", id="said")]
        if deeper:
            (tmp_path / "deeper").mkdir()
            side = [new_markdown_cell("# A side path", id="side"), *story]
            nbformat.write(new_notebook(cells=side), tmp_path / "deeper" / "99_a_side_path.ipynb")
        nbformat.write(new_notebook(cells=cells + story * (not deeper)), tmp_path / "99_a_lesson.ipynb")
        return ties.Lesson(tmp_path / "99_a_lesson.ipynb").faults()

    return make


def test_a_number_of_the_section_s_output_needs_no_tie(lesson):
    assert lesson("0.71") == []


def test_a_number_printed_elsewhere_does_not_count_and_the_message_says_who_prints_which(lesson):
    (fault,) = lesson("0.94")
    assert all(
        part in fault for part in ("said", "0.94", "nearest is 0.71, printed by cell two", "one of other sections")
    )


def test_a_named_cell_is_looked_up(lesson):
    assert lesson("0.94", tie='"one"') == []


@pytest.mark.parametrize(
    "tie",
    [
        '"two"',
        '"a-cell-that-is-gone"',
        '{ file = "clock_in_model.json", key = ["no such key"] }',
        '{ file = "no_such_file.json", key = ["steps"] }',
        '{ worked = "sqrt(2)" }',
        '{ file = "clock_in_model.json", key = ["steps"] }',
        '{ sources = "a row that is not there: 0.94" }',
        '{ given = "" }',
    ],
)
def test_a_tie_to_what_does_not_have_the_number_is_a_fault(lesson, tie):
    (fault,) = lesson("0.94", tie=tie)
    assert "ties.toml" in fault


def test_a_page_in_deeper_belongs_to_its_lesson_and_is_a_section_of_its_own(lesson):
    (fault,) = lesson("0.71", deeper=True)
    assert "no output of its section prints 0.71" in fault


def test_a_page_in_deeper_names_its_lesson_s_cells(lesson):
    assert lesson("0.71", deeper=True, tie='"two"') == []


def test_a_tie_that_no_sentence_needs_is_a_fault(lesson):
    (fault,) = lesson("many", tie='"one"')
    assert "not there" in fault
