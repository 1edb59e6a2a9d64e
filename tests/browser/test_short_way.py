"""The short way in a real browser: its numbers are Python's, and the first picture moves at once."""

import pytest
from driving import agree, open_page, page_of, wait_for_widgets

from clockwork.kit import widgets
from clockwork.lessons.lesson_00 import clock
from clockwork.lessons.lesson_00.views import TodaysHands

pytestmark = pytest.mark.browser


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


@pytest.fixture
def hurt(browser, tmp_path):
    """Open the first picture with its question."""
    path = tmp_path / "page.html"
    shown = [clock.who_is_hurt(), widgets.Progress()]
    path.write_text(page_of(shown), "utf-8")
    page = open_page(browser, reduced_motion="reduce")
    page.goto(path.as_uri())
    wait_for_widgets(page, len(shown))
    yield page
    assert page.complaints == []
    page.context.close()


def after_a_drag(page):
    """Drag *tom* past the dog by mouse and return what the picture says then."""
    x, y = page.evaluate("spotOf(0, 'tom')")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 700, y, steps=4)
    page.mouse.up()
    page.evaluate("frame()")
    return page.evaluate("stateOf(inOrder()[0].root)")["alt"]


def test_tom_can_be_moved_at_once_with_nothing_answered_and_again_once_all_is_forgotten(hurt):
    pixels = "inOrder()[0].root.querySelector('canvas').toDataURL()"
    for handle in (hurt.locator(".pe-slider input").first, hurt.get_by_role("radio", name="off", exact=True)):
        assert handle.is_enabled()
    before = hurt.evaluate(pixels)
    assert "hidden until you have guessed" in after_a_drag(hurt)
    assert hurt.evaluate(pixels) != before
    hurt.get_by_role("button", name="Show me", exact=True).click()
    hurt.wait_for_function("stateOf(inOrder()[0].root).alt.includes('the model answers tom')")
    for name in ("Forget everything", "Really forget everything"):
        hurt.get_by_role("button", name=name, exact=True).click()
    assert hurt.locator(".pe-slider input").first.is_enabled(), "forgetting locks nothing"
    assert hurt.get_by_role("slider", name="your guess").get_attribute("aria-valuetext") == "not placed yet"
