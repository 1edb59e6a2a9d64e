"""The short way in a real browser: what a picture shows is said once it was seen, and its numbers are Python's."""

import pytest
from driving import agree, open_page, page_of, wait_for_widgets

from clockwork.lessons.lesson_00.views import ABag, AllHands, DialUnrolls, NumberEachWord, OneHand, TodaysHands

pytestmark = pytest.mark.browser


ACTS = [  # a view, what does not show its sentence yet, and what does
    (ABag, {"order": 1}, {"clocks": "on"}),
    (NumberEachWord, {"step": 7}, {"step": 7, "code": "binary digits"}),
    (OneHand, {"position": 4}, {"shown": "one hand"}),
    (AllHands, {"guess": 21}, {"read": 4}),
    (DialUnrolls, {"position": 11}, {"shown": "columns"}),
    (TodaysHands, {"length": 609}, {"length": 1048576}),
]


@pytest.mark.parametrize(("view", "before", "after"), ACTS)
def test_what_a_picture_shows_is_said_once_it_was_seen_and_stays(browser, tmp_path, view, before, after):
    path = tmp_path / "page.html"
    path.write_text(page_of([view()]), "utf-8")
    page = open_page(browser, reduced_motion="reduce")
    page.goto(path.as_uri())
    wait_for_widgets(page, 1)
    idea = page.locator(".pe-idea")
    assert idea.inner_text() == ""
    begun = {name: getattr(view(), name) for name in after}
    for state, said in ((before, False), (after, True), (begun, True)):
        page.evaluate("state => bring(0, state)", state)
        page.evaluate("frame()")
        assert bool(idea.inner_text()) == said
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
