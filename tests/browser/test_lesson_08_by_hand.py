"""The pictures of lesson 08 show right answers once their question is answered, and the hand reaches them by itself."""

import pytest
from driving import open_page, page_of, wait_for_widgets

pytestmark = pytest.mark.browser
CARDS = {1: ("08/serves-both", "YaRN: it keeps"), 2: ("08/unmasked", "it harms them")}  # by the picture they veil
SHARES = "i => { frame(); return stateOf(inOrder()[i].root).shown }"


@pytest.fixture
def page(browser, tmp_path):
    from clockwork.kit import widgets
    from clockwork.lessons.lesson_08 import views

    pictures = [
        views.Longer(longer=4, asks="08/at-128"),
        views.FourHands(asks="08/serves-both"),
        views.Remedies(asks="08/unmasked"),
        views.Parted(start=48, asks="08/come-round"),
        views.Named(by=2.0, asks="08/what-becomes"),
    ]
    path = tmp_path / "gallery.html"
    path.write_text(page_of([*pictures, *(widgets.ask(key) for key, _ in CARDS.values())]), encoding="utf-8")
    page = open_page(browser, reduced_motion="reduce")
    page.goto(path.as_uri())
    wait_for_widgets(page, len(pictures) + len(CARDS))
    yield page
    assert page.complaints == []
    page.context.close()


def shown(page, i):
    """How many right answers a picture draws."""
    found = page.evaluate(SHARES, i)
    return len(found.get("shares", found.get("share", [])))


def test_no_picture_shows_a_right_answer_before_its_own_question_is_answered(page):
    assert [shown(page, i) for i in range(5)] == [0, 0, 1, 0, 0], "the decoders' map is no outcome"
    for i, after in ((1, [0, 2, 1, 0, 0]), (2, [0, 2, 2, 0, 0])):
        page.get_by_text(CARDS[i][1]).click()
        page.locator(f"[data-question='{CARDS[i][0]}'] .pe-primary").click()
        page.wait_for_timeout(100)
        assert [shown(page, i) for i in range(5)] == after


def test_a_mark_put_on_the_picture_opens_it(page):
    for i, count in ((0, 1), (3, 1), (4, 14)):
        mark = page.locator(".pe-guess").nth([0, 3, 4].index(i))
        mark.press("Home")
        mark.press("Enter")
        page.wait_for_timeout(100)
        assert shown(page, i) == count
