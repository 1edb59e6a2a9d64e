"""The dials of lesson 08 show how often a task is right once its question is answered, and not before."""

import re

import pytest
from driving import open_page, page_of, wait_for_widgets

pytestmark = pytest.mark.browser
ASKED = ("08/window-order", "08/saves-distance")


@pytest.fixture
def page(browser, tmp_path):
    from clockwork.kit import widgets
    from clockwork.lessons.lesson_08.views import FourHands

    path = tmp_path / "gallery.html"
    path.write_text(page_of([FourHands(), widgets.ask(*ASKED)]), encoding="utf-8")
    page = open_page(browser)
    page.goto(path.as_uri())
    wait_for_widgets(page, 2)
    yield page
    assert page.complaints == []
    page.context.close()


def told(page):
    """Return what the picture says of each task, and the shares that it draws."""
    page.evaluate("frame()")
    first = page.locator(".pe:has(canvas)").first
    _, *tasks = first.evaluate("stateOf")["alt"].split("; ")
    return [re.findall(r"(\d\.\d\d) right", task) for task in tasks]


def test_a_guess_opens_the_right_answers_of_its_own_task_and_the_sentence_waits_for_both(page):
    idea = page.locator(".pe-idea")
    assert told(page) == [[], []]
    for n, text in enumerate(("nearly always: no hand", "interpolation: all angles")):
        page.get_by_text(text).click()
        page.locator(".pe-primary:visible").first.click()
        page.wait_for_timeout(100)
        assert [len(right) for right in told(page)] == [1, n]
    assert "pe-waits" in idea.get_attribute("class")
    for method in ("interpolation", "window"):
        page.get_by_role("radio", name=method, exact=True).check(force=True)
        page.evaluate("frame()")
    assert "pe-waits" not in idea.get_attribute("class")
