"""For teachers: slides hold figures and questions, the table of objectives names checks, the guide's commands run."""

import base64
import importlib
import re
import subprocess
import sys
from pathlib import Path

import course
import nbformat
import pytest
from bs4 import BeautifulSoup
from tools import decided, exam, objectives, slides

from pe_grading import __main__ as cli

HOME = Path(__file__).parents[2]
GUIDE = (HOME / "assignments" / "README.md").read_text(encoding="utf-8")
LESSONS = objectives.read_lessons(HOME)


CORE = [nbformat.read(path, as_version=4) for path in sorted((HOME / "notebooks").glob("0[1-5]_*.ipynb"))]


def asked_in(cell):
    """Return the names of the questions that a cell asks."""
    return decided.asked_in(cell)


def words(page):
    return " ".join(BeautifulSoup(page, "html.parser").get_text(" ").split())


@pytest.mark.parametrize("notebook", CORE, ids=lambda notebook: notebook.cells[0].source.splitlines()[0])
@pytest.mark.parametrize("written", [slides.page, slides.notes])
def test_slides_and_notes_hold_every_figure_with_its_words_and_need_no_network(notebook, written):
    stored = [
        o["data"]["image/png"] for c in notebook.cells for o in c.get("outputs", []) if "image/png" in o.get("data", {})
    ]
    soup = BeautifulSoup(written(notebook), "html.parser")
    pictures = soup.find_all("img")
    assert [base64.b64decode(p["src"].partition(",")[2]) for p in pictures] == [base64.b64decode(s) for s in stored]
    assert all(p["src"].startswith("data:") and p["alt"] for p in pictures) and not soup.find_all(["script", "link"])


@pytest.mark.parametrize("notebook", CORE, ids=lambda notebook: notebook.cells[0].source.splitlines()[0])
def test_each_question_of_a_lesson_is_a_slide_and_each_slide_has_a_question(notebook):
    asked = [name for cell in notebook.cells for name in asked_in(cell)]
    shown = BeautifulSoup(slides.page(notebook), "html.parser").find_all("section")[1:]
    assert len(asked) == len([slide for slide in shown if not slide.find("img")]) > 5
    assert all(slide.find("p").get_text(strip=True) for slide in shown)


@pytest.mark.parametrize("notebook", CORE, ids=lambda notebook: notebook.cells[0].source.splitlines()[0])
def test_the_answers_are_in_the_notes_and_not_on_the_slides(notebook):
    folded = [
        part
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if asked_in(cell)
        for part in BeautifulSoup(output.get("data", {}).get("text/html", ""), "html.parser").find_all("details")
    ]
    on_slides, in_notes = words(slides.page(notebook)), words(slides.notes(notebook))
    for part in folded:
        part.summary.extract()
        answer = " ".join(part.get_text(" ").split())
        assert answer in in_notes
        assert answer not in on_slides or re.fullmatch(r"[\d.,]+", answer)
    assert "✓" not in on_slides


def test_a_figure_stands_under_the_last_question_of_its_own_section():
    made = nbformat.v4
    html = "<div><p>How far?</p><details><summary>Guess</summary><p>Two steps.</p></details></div>"
    asks = made.new_code_cell('widgets.ask("00/far")', outputs=[made.new_output("display_data", {"text/html": html})])
    figure = made.new_output("display_data", {"image/png": "AAAA"})
    first, second, third = (made.new_code_cell("", outputs=[figure]) for _ in range(3))
    one, two = made.new_markdown_cell("## One"), made.new_markdown_cell("## Two")
    shown = slides.slides(made.new_notebook(cells=[one, first, asks, second, two, third]))
    assert [(slide.heading, slide.question, bool(slide.figure)) for slide in shown] == [
        ("One", slides.LOOK, True),
        ("One", "<p>How far?</p>", False),
        ("One", "<p>How far?</p>", True),
        ("Two", slides.LOOK, True),
    ]
    assert shown[1].notes == "<p>Two steps.</p>"


def test_the_table_of_objectives_has_a_row_for_each_and_names_checks_that_exist():
    assert len(LESSONS) >= 5
    for lesson in LESSONS:
        assert lesson.objectives
        for exercise in lesson.exercises:
            assert exercise.checks and exercise.objectives, exercise.title
            assert set(exercise.objectives) <= set(range(1, len(lesson.objectives) + 1)), exercise.title
        for name in [name for exercise in lesson.exercises for name in exercise.checks]:
            checks = importlib.import_module(f"clockwork.lessons.lesson_{lesson.number}.checks")
            assert callable(getattr(checks, name.removeprefix("checks."))), name
    named = {name for lesson in LESSONS for name in lesson.assignments}
    assert named == {path.stem for path in (HOME / "assignments" / "source").glob("*/*.ipynb")}
    rows = objectives.table(LESSONS).splitlines()[2:]
    promised = [(lesson.title, objective) for lesson in LESSONS for objective in lesson.objectives]
    assert [tuple(row.split(" | ")[:2]) for row in rows] == [(f"| {title}", objective) for title, objective in promised]
    table = "\n".join(rows)
    assert all(exercise.title in table for lesson in LESSONS for exercise in lesson.exercises)


def test_the_command_for_objectives_starts_as_it_is_typed():
    command = [sys.executable, *course.VERBS["objectives"][1]]
    said = subprocess.run(command, cwd=HOME, check=True, capture_output=True, text=True).stdout
    assert "objectives.md" in said


def test_an_exercise_that_serves_no_objective_is_an_error():
    heading = nbformat.v4.new_markdown_cell("### Exercise 9 · change · 5 minutes")
    with pytest.raises(ValueError, match="each of the 1 exercises of lesson 01"):
        objectives.exercises([heading], "01")


COMMANDS = re.findall(r"python3 course\.py ([^\n`|]+)", GUIDE)


@pytest.mark.parametrize("command", sorted(set(COMMANDS)))
def test_every_command_of_the_guide_is_understood(command, capsys):
    verb, *words = command.split("#")[0].split()
    assert verb in course.VERBS, command
    if verb != "grade" or not words:
        return
    options = [word for word in words if word.startswith("--")]
    with pytest.raises(SystemExit) as ended:
        cli.main([words[0], "--help"] if words[0] in cli.COMMANDS else ["--help"])
    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert all(option in said for option in options), command


def test_every_option_and_file_of_the_guide_exists(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["exam", "--help"])
    with pytest.raises(SystemExit):
        exam.main()
    helps = [capsys.readouterr().out]
    for command in ([], *([name] for name in cli.COMMANDS)):
        with pytest.raises(SystemExit):
            cli.main([*command, "--help"])
        helps.append(capsys.readouterr().out)
    for option in set(re.findall(r"`?(--[a-z][a-z-]+)", GUIDE)) - {"--to"}:
        assert any(option in text for text in helps), option
    for link in re.findall(r"\]\((?!http)([^)#]+)\)", GUIDE):
        assert (HOME / "assignments" / link).exists(), link
