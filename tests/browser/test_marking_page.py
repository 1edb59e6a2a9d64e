"""The page for marking by hand in a real browser: a click on a rubric's row changes the points, and nothing is lost."""

import csv
import json
import sys
from pathlib import Path

import pytest
from conftest import require
from driving import open_page

sys.path.insert(0, str(Path(__file__).parents[1] / "grading"))
import classroom

from pe_grading import __main__ as cli
from pe_grading import sandbox

pytestmark = pytest.mark.browser
SOURCE = classroom.HOSTILE.parent / "source"


def hand_in(folder, student, words):
    """Hand in the assignment `order` with an essay."""
    book = json.loads((SOURCE / "order" / "order.ipynb").read_text(encoding="utf-8"))
    for cell in book["cells"]:
        mark = cell["metadata"].get("nbgrader", {})
        if mark.get("grade") and mark.get("solution"):
            cell["source"] = words
    path = folder / student / "order" / "order.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(book), encoding="utf-8")


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    require(sandbox.missing() is None, "install bubblewrap (the package `bubblewrap`)")
    folder = tmp_path_factory.mktemp("class")
    hand_in(folder / "in", "ann", "Without a mask every output moves with its token.\n\n<img src=x onerror=alert(1)>")
    hand_in(folder / "in", "bob", "The mask tells the tokens apart.")
    assert classroom.pe_grade(folder / "in", folder / "out", "--gradebook", source=SOURCE) == 0
    assert cli.main(["marking", "--out", str(folder / "out"), "--source", str(SOURCE)]) == 0
    return folder / "out"


def test_a_click_on_a_rubrics_row_changes_the_points_and_the_saved_table_is_taken_in(browser, out, tmp_path):
    page = open_page(browser, accept_downloads=True)
    page.goto((out / "marking.html").as_uri())
    first, second = (page.locator("article").nth(index) for index in (0, 1))
    points = first.locator("output")
    rows = first.locator("label:has(input[type=checkbox])")
    worth = [float(box.get_attribute("value")) for box in first.locator("input[type=checkbox]").all()]
    assert rows.count() >= 2 and points.inner_text() == "not marked"
    rows.nth(0).click()
    assert float(points.inner_text()) == worth[0]
    rows.nth(1).locator("input").press("Space")
    assert float(points.inner_text()) == worth[0] + worth[1]
    rows.nth(0).click()
    assert float(points.inner_text()) == worth[1]
    first.locator("textarea").fill('Say "which" token, please.')
    second.locator("input[type=number]").fill("2.5")
    second.locator("label:has(input[type=checkbox])").nth(0).click()
    assert second.locator("output").inner_text() == "2.5", "a number that is typed comes before the ticks"
    page.reload()
    assert float(points.inner_text()) == worth[1] and second.locator("output").inner_text() == "2.5"
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save marks.csv").click()
    saved.value.save_as(tmp_path / "marks.csv")
    assert page.locator("#done").inner_text() == "2 marks"
    page.screenshot(path=tmp_path / "marking.png", full_page=True)
    assert not page.complaints
    ticked = rows.nth(1).inner_text().strip()
    codes = [first.get_attribute("data-student"), second.get_attribute("data-student")]
    with (tmp_path / "marks.csv").open(newline="") as stream:
        marks = list(csv.DictReader(stream))
    assert [mark["student"] for mark in marks] == codes
    assert marks[0]["comment"] == f'✓ {ticked}; Say "which" token, please.', (
        "the student reads the rows that were ticked"
    )
    before = {row["student"]: float(row["order"]) for row in classroom.table(out / "grades.csv")}
    assert cli.main(["marks", str(tmp_path / "marks.csv"), "--out", str(out)]) == 0
    after = {row["student"]: float(row["order"]) for row in classroom.table(out / "grades.csv")}
    assert sorted(after[student] - before[student] for student in after) == sorted([worth[1], 2.5])
    (essay,) = {mark["grade_id"] for mark in marks}
    (tmp_path / "requests.csv").write_text(f"student,assignment,grade_id,reason\nann,order,{essay},I said which\n")
    assert cli.main(["regrade", str(tmp_path / "requests.csv"), "--out", str(out)]) == 0
    (request,) = classroom.table(out / "regrade.csv")
    assert float(request["points now"]) == after["ann"] - before["ann"] and request["state"] == "marked"


def test_marks_of_an_answer_that_changed_since_are_not_remembered(browser, out):
    page = open_page(browser)
    page.goto((out / "marking.html").as_uri())
    article = page.locator("article").first
    article.locator("label:has(input[type=checkbox])").first.click()
    html = (out / "marking.html").read_text(encoding="utf-8")
    digest = article.get_attribute("data-answer")
    (out / "marking.html").write_text(html.replace(digest, "another"), encoding="utf-8")
    page.reload()
    assert article.locator("output").inner_text() == "not marked"


def test_the_overview_fits_a_phone(browser, out):
    assert cli.main(["overview", "--out", str(out), "--source", str(SOURCE)]) == 0
    page = open_page(browser, viewport={"width": 390, "height": 800})
    page.goto((out / "overview.html").as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
