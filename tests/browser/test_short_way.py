"""The short way in a real browser: what a picture shows is said once it was moved, and its numbers are Python's."""

import pytest
from driving import agree, open_page, page_of, wait_for_widgets

from clockwork.lessons.lesson_00.views import AllHands, TodaysHands

pytestmark = pytest.mark.browser


def test_what_a_picture_shows_is_said_once_it_was_moved_and_stays(browser, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(page_of([AllHands()]), "utf-8")
    page = open_page(browser, reduced_motion="reduce")
    page.goto(path.as_uri())
    wait_for_widgets(page, 1)
    idea = page.locator(".pe-idea")
    assert idea.inner_text() == ""
    for guess in (21, 20):
        page.evaluate("guess => bring(0, { guess })", guess)
        assert "slow hands say roughly where" in idea.inner_text()
    assert page.complaints == []
    page.context.close()


def test_at_every_length_of_the_text_the_numbers_are_python_s(browser, tmp_path):
    view = TodaysHands()
    path = tmp_path / "page.html"
    path.write_text(page_of([view]), "utf-8")
    page = open_page(browser, reduced_motion="reduce")
    page.goto(path.as_uri())
    wait_for_widgets(page, 1)
    for length in view.values("length"):
        page.evaluate("length => bring(0, { length })", length)
        page.evaluate("frame()")
        view.length = length
        assert agree(page.evaluate("stateOf(inOrder()[0].root)")["shown"], view.numbers()), length
    page.context.close()
