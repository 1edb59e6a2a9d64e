"""The measures that bind a lesson: its length, its parts, its minutes, and pages that hold nothing but the lesson."""

import functools
import re
import tomllib

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from tools import length, lessons

from clockwork.kit.widgets import questions

PARTS = ["title", "question", "predict", "explore", "deeper", "check-yourself", "exercise", "recap", "words", "sources"]
PAGES = {  # what is no lesson has no exercises, no side paths and no words of its own: its parts, in order
    "00_start_here": ["title", "question", "explore", "idea", "map", "recap", "sources"],
    "05b_self_test": ["title", "setup", "question", "predict", "recap"],
}
WIDEST = 88  # columns that fit on a page of 700 pixels


def read(path):
    return nbformat.read(path, as_version=4)


LESSONS = lessons.mains()
each_page = pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
each_lesson = pytest.mark.parametrize(
    "path", [path for path in LESSONS if path.stem not in PAGES], ids=lambda path: path.stem
)
SORTED = [number for number in questions.lessons() if "side_paths" in questions.lesson_file(number)]
LINK = re.compile(r"\]\(([\w./-]+\.ipynb)?#((?:[^\s()]|\([^\s()]*\))+)\)")  # brackets in a heading come in pairs
MINUTES = r"\*\*(?:Minutes|Time)\*\* (\d+)"


def all_cells(path):
    """The cells of a lesson and of its side paths."""
    return [cell for part in lessons.whole(path) for cell in read(part).cells]


@each_page
def test_a_lesson_is_no_longer_than_the_limits(path):
    measured = length.measured(read(path))
    limits = {"00_start_here": length.SHORT_WAY, "05b_self_test": length.SELF_TEST}.get(path.stem, length.LIMITS)
    assert not {name: measured[name] for name in limits if measured[name] > limits[name]}


@each_lesson
def test_the_stated_minutes_are_the_measured_ones(path):
    notebook = read(path)
    measured = length.measure(notebook)
    stated = re.search(r"\*\*Time\*\* (\d+) minutes, and (\d+) more for the exercises", notebook.cells[0].source)
    assert stated, "the title cell states the minutes for reading and for the exercises"
    assert [int(minutes) for minutes in stated.groups()] == [measured.minutes, measured.exercise_minutes]


@pytest.mark.parametrize("path", lessons.every(), ids=lambda path: path.stem)
def test_a_page_shows_no_machinery(path):
    for cell in lessons.code_cells(read(path)):
        for forbidden in (r"\balt=", r"\bcaption=", r"^\s*assert\b", r"^try:", r"getsource"):
            assert not re.search(forbidden, cell.source, flags=re.M), cell.source
        assert max(map(len, cell.source.splitlines())) <= WIDEST, cell.source


@each_lesson
def test_a_lesson_has_its_parts_in_order(path):
    cells = read(path).cells
    first = {part: next((i for i, cell in enumerate(cells) if part in length.tags(cell)), None) for part in PARTS}
    assert not [part for part, index in first.items() if index is None]
    assert sorted(first, key=first.get)[-5:] == PARTS[-5:]
    assert re.match(r"# .+\n\n> .+", cells[0].source)
    for promise in ("**You will be able to**", "**You need**"):
        assert promise in cells[0].source


@pytest.mark.parametrize("stem", PAGES)
def test_a_page_that_is_no_lesson_has_its_parts_in_order(stem):
    cells = read(lessons.NOTEBOOKS / f"{stem}.ipynb").cells
    first = {part: next((i for i, cell in enumerate(cells) if part in length.tags(cell)), None) for part in PAGES[stem]}
    assert list(first.values()) == sorted(first.values()), first
    assert not {length.EXERCISE, length.FOLDED} & {tag for cell in cells for tag in length.tags(cell)}
    assert re.match(r"# .+\n\n> .+", cells[0].source)
    stated = re.search(r"\*\*Time\*\* (\d+) minutes\.", cells[0].source)
    assert int(stated[1]) == length.measure(read(lessons.NOTEBOOKS / f"{stem}.ipynb")).minutes


@pytest.mark.parametrize("place", ["README.md", "notebooks/00_start_here.ipynb"])
def test_tables_of_lessons_give_each_its_title_and_its_minutes(place):
    path = lessons.NOTEBOOKS.parent / place
    written = path.read_text("utf-8")
    if path.suffix == ".ipynb":
        written = "\n".join(cell.source for cell in read(path).cells)
    rows = re.findall(r"^\| \[(\w+) ([^\]]+)\]\((?:notebooks/)?(\w+)\.ipynb\) \| .+ \| (\d+) \|$", written, flags=re.M)
    heads = {path.stem: read(path).cells[0].source for path in sorted(lessons.NOTEBOOKS.glob("*.ipynb"))}
    assert {stem for *_, stem, _ in rows} >= set(heads) - {path.stem}
    for number, title, stem, minutes in rows:
        assert number == stem.split("_")[0]
        if lessons.NOTEBOOKS / f"{stem}.ipynb" in LESSONS and stem != "00_start_here":
            assert heads[stem].startswith(f"# {title}\n"), stem
        assert minutes == re.search(MINUTES, heads[stem])[1], stem


@each_lesson
def test_every_exercise_has_two_hints_and_a_solution_folded_away(path):
    cells = all_cells(path)
    exercises = [i for i, cell in enumerate(cells) if length.EXERCISE in length.tags(cell)]
    assert len(exercises) >= 3
    for i in exercises:
        text, stub, solution = cells[i : i + 3]
        assert text.source.count("<details><summary>Hint") == 2
        assert stub.cell_type == "code" and "..." in stub.source
        assert solution.source.startswith("<details><summary>Solution")


@each_lesson
def test_progress_counts_the_exercises_that_the_page_checks(path):
    number = path.stem.split("_")[0]
    checked = {
        name
        for cell in all_cells(path)
        if cell.cell_type == "code"
        for name in re.findall(r"\bchecks\.(\w+)\(", cell.source)
    }
    assert set(questions.lesson_file(number)["exercises"]) == checked


@pytest.mark.parametrize(
    "path", [path for path in LESSONS if path.stem.split("_")[0] in SORTED], ids=lambda path: path.stem
)
def test_a_page_counts_its_own_questions_and_exercises_apart_from_those_of_its_side_paths(path):
    number = path.stem.split("_")[0]
    held = questions.lesson_file(number)
    known = {questions.key_of(number, name): name for name in questions.tables(number)}
    known |= {name: name for name in held["exercises"]}
    page, *beside = (
        {
            known[key]
            for cell in lessons.code_cells(read(part))
            for key in re.findall(r'"(\d\d[a-z]?/[\w-]+)"(?=.*\))|\bchecks\.(\w+)\(', cell.source)
            for key in key
            if key in known
        }
        for part in lessons.whole(path)
    )
    assert set(held["side_paths"]) == set().union(*beside) and not page & set(held["side_paths"])
    assert page | set(held["side_paths"]) == set(known.values())


@each_lesson
def test_a_page_names_its_side_paths_by_their_headings_and_they_lead_back(path):
    pages = lessons.whole(path)[1:]
    links = next(cell.source for cell in read(path).cells if length.FOLDED in length.tags(cell))
    for page in pages:
        text = "\n".join(cell.source for cell in read(page).cells if cell.cell_type == "markdown")
        headings = [heading for heading in re.findall(r"^## (.+)$", text, flags=re.M) if heading != "Sources"]
        wanted = [f"- [{heading}](deeper/{page.name}#{heading.replace(' ', '-')})" for heading in headings]
        assert [line for line in links.splitlines() if line.startswith("- [")] == wanted
        assert f"](../{path.name})" in text.split("\n## ")[0]
    assert pages or "](deeper/" not in links


@pytest.mark.parametrize("path", lessons.every(), ids=lambda path: path.stem)
def test_a_link_to_a_heading_leads_to_one(path):
    for cell in read(path).cells:
        for file, heading in LINK.findall(cell.source if cell.cell_type == "markdown" else ""):
            assert heading in headings((path.parent / file).resolve() if file else path), f"{file}#{heading}"


@functools.cache
def headings(path):
    """Return the addresses of a notebook's headings: their words, joined by hyphens."""
    text = "\n".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")
    return {heading.replace(" ", "-") for heading in re.findall(r"^#+ (.+)$", text, flags=re.M)}


@each_lesson
def test_a_lesson_closes_with_the_sentences_that_its_author_wrote_down_first(path):
    """In the room: of each section its heading, what it asks, and what its reader shall say."""
    room = lessons.NOTEBOOKS.parent / f"src/clockwork/lessons/lesson_{path.stem.split('_')[0]}"
    sections = tomllib.loads((room / "sections.toml").read_text("utf-8"))["section"]
    cells = read(path).cells
    end = next(i for i, cell in enumerate(cells) if ({length.FOLDED} | length.CLOSING) & set(length.tags(cell)))
    story = "\n".join(cell.source for cell in cells[:end] if cell.cell_type == "markdown")
    assert [section["heading"] for section in sections] == re.findall(r"^## (.+)$", story, flags=re.M)
    recap = next(cell.source for cell in cells if "recap" in length.tags(cell))
    assert [f"- {section['says']}" for section in sections] == recap.splitlines()[2:]


def notebook(*cells):
    return new_notebook(cells=list(cells))


def text(source, *tags):
    return new_markdown_cell(source, metadata={"tags": list(tags)})


def code(source, *tags):
    return new_code_cell(source, metadata={"tags": list(tags)})


def test_a_formula_is_one_word_and_folded_text_is_none():
    prose = "one $x + y$ [two words](target.md) <details>folded away</details> – `three` $$a + b$$"
    assert length.prose(prose) == ["one", "formula", "[two", "words", "`three`", "formula"]


def test_only_the_story_is_measured():
    measured = length.measure(
        notebook(
            text("# Title\n\nthree words more", "title"),
            code("x = 1\n\ny = 2"),
            text("## Section"),
            text("## Deeper\n\nnot counted", "deeper"),
            code("not_counted = 1", "deeper"),
            code("not_counted = 2", "folded"),
            text("a paragraph"),
            code('widgets.ask("02/one", "02/two")'),
            code('views.Wave(widgets.Cursor(position=2), remember="02/wave")'),
            code('views.Bag(remember="00/bag")', "scene"),
            text("## Check yourself", "check-yourself"),
            code('widgets.ask("02/three")', "check-yourself"),
            text("### Exercise 1 · change · 10 minutes · ●○○\n\nnot counted", "exercise"),
            text("### Exercise 2 · prove · 15 minutes · ●●●\n\nnot counted", "exercise"),
        )
    )
    assert measured == length.Length(
        words=7, code_lines=4, headings=1, questions=2, widgets=1, exercise_minutes=25, scenes=1
    )


def test_minutes_follow_words_lines_questions_widgets_and_scenes():
    story = length.Length(900, 70, 9, 4, 3, 0)  # 5 + 10 + 4 + 6 minutes
    assert story.minutes == 25
    assert story._replace(proof_words=300).minutes == 30  # 3 + 5 in the place of 5
    assert story._replace(questions=5).minutes == 30
    assert story._replace(scenes=1).minutes == 30
