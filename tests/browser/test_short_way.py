"""The short way in a real browser: its numbers are Python's."""

import pytest
from driving import agree, open_page, page_of, wait_for_widgets

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
