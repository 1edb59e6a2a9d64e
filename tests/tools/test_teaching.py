"""For teachers: slides hold every figure, the table of objectives names checks that exist, the guide's commands run."""

import base64
import importlib
import re
from pathlib import Path

import course
import nbformat
import pytest
from bs4 import BeautifulSoup
from tools import objectives, slides

from pe_grading import __main__ as cli

HOME = Path(__file__).parents[2]
GUIDE = (HOME / "assignments" / "README.md").read_text(encoding="utf-8")
LESSONS = objectives.read_lessons(HOME)


@pytest.mark.parametrize("path", sorted((HOME / "notebooks").glob("0[1-5]_*.ipynb")), ids=lambda path: path.stem)
def test_slides_hold_every_figure_with_its_words_and_need_no_network(path):
    notebook = nbformat.read(path, as_version=4)
    stored = [
        o["data"]["image/png"] for c in notebook.cells for o in c.get("outputs", []) if "image/png" in o.get("data", {})
    ]
    soup = BeautifulSoup(slides.page(notebook), "html.parser")
    pictures = soup.find_all("img")
    assert [base64.b64decode(p["src"].partition(",")[2]) for p in pictures] == [base64.b64decode(s) for s in stored]
    assert all(p["src"].startswith("data:") and p["alt"] for p in pictures) and not soup.find_all(["script", "link"])
    assert len(soup.find_all("section")) == len(pictures) + 1 > 1


def test_the_table_of_objectives_has_a_row_for_each_and_names_checks_that_exist():
    assert len(LESSONS) >= 5
    for lesson in LESSONS:
        assert lesson.objectives
        for exercise in lesson.exercises:
            assert exercise.checks and exercise.objectives, exercise.title
            assert set(exercise.objectives) <= set(range(1, len(lesson.objectives) + 1)), exercise.title
        for name in [name for exercise in lesson.exercises for name in exercise.checks]:
            module, function = name.split(".")
            checks = importlib.import_module(f"pe_helpers.checks.exercises.{module}")
            assert callable(getattr(checks, function)), name
    named = {name for lesson in LESSONS for name in lesson.assignments}
    assert named == {path.stem for path in (HOME / "assignments" / "source").glob("*/*.ipynb")}
    rows = objectives.table(LESSONS).splitlines()[2:]
    promised = [(lesson.title, objective) for lesson in LESSONS for objective in lesson.objectives]
    assert [tuple(row.split(" | ")[:2]) for row in rows] == [(f"| {title}", objective) for title, objective in promised]
    table = "\n".join(rows)
    assert all(exercise.title in table for lesson in LESSONS for exercise in lesson.exercises)


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


def minutes_of_lessons():
    rows = re.findall(r"^\| \[(\d\d) .*\| (\d+) \|$", (HOME / "README.md").read_text(encoding="utf-8"), re.M)
    return {number: int(minutes) for number, minutes in rows}


def minutes_of_exercises(number):
    path = next((HOME / "notebooks").glob(f"{number}_*.ipynb"))
    text = "\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells)
    return [int(minutes) for minutes in re.findall(r"^#+ Exercise \d+ · .* · (\d+) minutes", text, re.M)]


@pytest.mark.parametrize("name, total", [("90 minutes", 90), ("half a day, 180 minutes", 180)])
def test_the_minutes_of_a_plan_are_those_of_the_lessons_and_add_up(name, total):
    plan = re.search(rf"^\| {name} \| (.+?) \|", GUIDE, re.M)[1]
    assert sum(map(int, re.findall(r"\((\d+)\)", plan))) == total
    known = minutes_of_lessons()
    for number, minutes in re.findall(r"lesson (\d\d) \((\d+)\)", plan):
        assert known[number] == int(minutes)
    for count, number, minutes in re.findall(r"(1 and 2 of|1 of|of) (\d\d) \((\d+)\)(?! in class)", plan):
        if f"slides of {number}" not in plan:
            assert sum(minutes_of_exercises(number)[: 1 if count == "1 of" else 2]) == int(minutes), number


def test_every_option_and_file_of_the_guide_exists(capsys):
    helps = []
    for command in ([], *([name] for name in cli.COMMANDS)):
        with pytest.raises(SystemExit):
            cli.main([*command, "--help"])
        helps.append(capsys.readouterr().out)
    for option in set(re.findall(r"`?(--[a-z][a-z-]+)", GUIDE)) - {"--to"}:
        assert any(option in text for text in helps), option
    for link in re.findall(r"\]\((?!http)([^)#]+)\)", GUIDE):
        assert (HOME / "assignments" / link).exists(), link
