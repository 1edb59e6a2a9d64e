"""Lesson plans and group tasks: their minutes add up, those of lessons are the lessons' own, and each link lands."""

import math
import re

import nbformat
import pytest
from tools import asked, lessons, site

PLANS = (site.SITE / "plans.md").read_text("utf-8")
CLASSROOM = (site.SITE / "classroom.md").read_text("utf-8")
PAGES = {name: (site.SITE / name).read_text("utf-8") for name in asked.PAGES}
LESSONS = {path.stem[:2]: nbformat.read(path, as_version=4) for path in site.NOTEBOOKS.glob("[01][0-9]_*.ipynb")}
CELLS = {
    (path.stem.split("_")[0], cell.id): cell
    for path in lessons.every()
    for cell in nbformat.read(path, as_version=4).cells
}
ASSIGNMENTS = [
    nbformat.read(path, as_version=4) for path in sorted((site.HOME / "assignments/source").glob("*/*.ipynb"))
]
ROW = re.compile(r"^\| (\d+)–(\d+) \|", re.M)
SPEEDS = [1, 0.1, 0.01, 0.001]


def minutes_to_read(number):
    return int(re.search(r"\*\*Time\*\* (\d+) minutes", LESSONS[number].cells[0].source)[1])


def minutes_of_exercises(number):
    paths = lessons.whole(next(site.NOTEBOOKS.glob(f"{number}_*.ipynb")))
    text = "\n".join(cell.source for path in paths for cell in nbformat.read(path, as_version=4).cells)
    return [int(minutes) for minutes in re.findall(r"^#+ Exercise \d+ · .* · (\d+) minutes", text, re.M)]


def section(text, heading):
    return re.search(rf"^#+ {heading}.*?$(.*?)(?=^#|\Z)", text, re.M | re.S)[1]


def assert_rows_follow_and_end_at(text, end):
    ranges = [(int(start), int(stop)) for start, stop in ROW.findall(text)]
    assert [start for start, _ in ranges] == [0, *(stop for _, stop in ranges[:-1])]
    assert all(start < stop for start, stop in ranges)
    assert ranges[-1][1] == end


@pytest.mark.parametrize(
    "heading, end",
    [*((f"Lesson {number}", 35) for number in ("01", "02", "03", "04", "05")), ("90 minutes", 90), ("Half a day", 180)],
)
def test_the_minutes_of_a_plan_follow_each_other_and_fill_its_time(heading, end):
    assert_rows_follow_and_end_at(section(PLANS, heading), end)


@pytest.mark.parametrize("task", ["Invent and attack", "Three people read a clock", "The referee"])
def test_the_minutes_of_a_group_task_follow_each_other_and_fill_its_time(task):
    text = section(CLASSROOM, task)
    assert_rows_follow_and_end_at(text, int(re.search(r"\*(\d+) minutes", text)[1]))


def test_a_plan_that_takes_the_first_minutes_of_another_ends_at_one_of_its_rows():
    taken = re.findall(r"Lesson (\d\d), its first (\d+) minutes", PLANS)
    assert taken
    for number, stop in taken:
        assert stop in [row[1] for row in ROW.findall(section(PLANS, f"Lesson {number}"))]


def test_the_90_minutes_give_the_first_minutes_of_a_plan_no_less_than_these():
    for start, stop, first in re.findall(r"^\| (\d+)–(\d+) \| Lesson \d\d, its first (\d+)", PLANS, re.M):
        assert int(stop) - int(start) >= int(first)


def test_minutes_of_lessons_and_exercises_are_those_that_the_lessons_state():
    stated = re.findall(r"lesson (\d\d) \((\d+)\)", PLANS)
    stated += re.findall(r"lesson (\d\d)[^|\n]{0,40}? takes (\d+) minutes to read", PLANS)
    assert len(stated) >= 9
    assert [(number, minutes_to_read(number)) for number, _ in stated] == [(number, int(m)) for number, m in stated]
    exercises = re.findall(r"exercises? 1( and 2)? of (\d\d) \((\d+)\)", PLANS)
    assert len(exercises) == 7
    for two, number, minutes in exercises:
        assert sum(minutes_of_exercises(number)[: 2 if two else 1]) == int(minutes), number


@pytest.mark.parametrize("name", ["plans.md", "classroom.md"])
def test_each_link_of_the_plans_lands_on_a_cell(name):
    links = [(number, cell) for _, number, cell in asked.TO_CELL.findall(PAGES[name])]
    assert links
    assert [link for link in links if link not in CELLS] == []


def test_what_a_plan_calls_a_question_or_a_guess_asks_one():
    called = re.findall(r"\[the (?:question|guess)\]\((\d\d\w?)#([\w-]+)\)", PLANS)
    assert len(called) > 15
    assert [cell for cell in called if not re.search(r"widgets\.ask\(|\basks=", CELLS[cell].source)] == []


def test_a_dial_of_the_group_task_is_read_as_the_position_that_is_stated():
    stated = dict(re.findall(r"([A-C]) (\d{4})", CLASSROOM))
    rows = re.findall(r"^\| ([A-C]) \| (.+) \|$", CLASSROOM, re.M)
    assert sorted(stated) == [name for name, _ in rows] == ["A", "B", "C"]
    for name, row in rows:
        pairs = [map(float, pair.replace("−", "-").split(", ")) for pair in row.split(" | ")]
        angles = [math.atan2(sine, cosine) % (2 * math.pi) for sine, cosine in pairs]
        position = angles[3] / SPEEDS[3]
        for hand in (2, 1, 0):
            turns = round((position * SPEEDS[hand] - angles[hand]) / (2 * math.pi))
            position = (angles[hand] + 2 * math.pi * turns) / SPEEDS[hand]
        assert round(position) == int(stated[name])


def test_the_slips_of_the_referee_hold_what_lesson_05_prints():
    printed = CELLS["05", "c12"].outputs[0].text
    for side in ("sinusoid", "learned table"):
        slips = re.search(rf"^\| {side} \| (.+) \|$", CLASSROOM, re.M)[1].split(", ")
        assert slips == re.search(rf"^{side} +(.+)$", printed, re.M)[1].split()


def test_the_catalogue_text_adds_up_what_lessons_and_assignments_state():
    stated = {name: int(minutes) for name, minutes in re.findall(r"^- (.+): (\d+) minutes$", CLASSROOM, re.M)}
    core = ["01", "02", "03", "04", "05"]
    heads = ["\n".join(cell.source for cell in notebook.cells[:3]) for notebook in ASSIGNMENTS]
    heads = [head for head in heads if re.search(r"\*\*You need\*\* lessons? 0", head)]  # not those of further weeks
    tasks = [int(re.search(r"\*\*Minutes\*\* (\d+)", head)[1]) for head in heads]
    points = [int(re.search(r"\*\*Points\*\* (\d+)", head)[1]) for head in heads]
    capstone = next(i for i, head in enumerate(heads) if head.startswith("# Capstone"))
    assert stated == {
        "in class": 6 * 90,
        "reading, lessons 01 to 05, 07 and 08": sum(map(minutes_to_read, [*core, "07", "08"])),
        "exercises of lessons 01 to 05": sum(sum(minutes_of_exercises(number)) for number in core),
        "assignments 1 to 5": sum(tasks) - tasks[capstone],
        "capstone": tasks[capstone],
    }
    hours, minutes = re.search(r"Together (\d+) hours(?: and (\d+) minutes)?", CLASSROOM).groups()
    assert sum(stated.values()) == 60 * int(hours) + int(minutes or 0)
    assert sum(points) == int(re.search(r"(\d+) points\. Each has", CLASSROOM)[1])
