"""The short way in a real browser: its numbers are Python's, and the first picture waits for the guess."""

import pytest
from driving import agree, open_page, page_of, wait_for_widgets

from clockwork.kit import widgets
from clockwork.lessons.lesson_00.views import TodaysHands, WhoIsHurt

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
    """Open the first picture with its question below it."""
    path = tmp_path / "page.html"
    shown = [WhoIsHurt(guess="00/hurt"), widgets.ask("00/hurt"), widgets.Progress()]
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


@pytest.mark.parametrize("way", ["guess", "Show me"])
def test_tom_can_be_moved_once_the_question_is_answered_and_not_before(hurt, way):
    handle, off = hurt.locator(".pe-slider input"), hurt.get_by_role("radio", name="off", exact=True)
    assert after_a_drag(hurt) == WhoIsHurt().describe()
    assert handle.is_disabled() and off.is_disabled()
    if way == "guess":
        hurt.get_by_text("never: the words stay the same").click()
        assert after_a_drag(hurt) == WhoIsHurt().describe(), "a choice is no guess yet"
        hurt.locator(".pe-primary:visible").click()
    else:
        hurt.get_by_role("button", name=way).click()
    assert handle.is_enabled() and off.is_enabled()
    assert "the model answers tom" in after_a_drag(hurt)
    hurt.reload()
    wait_for_widgets(hurt, 3)
    assert "the model answers tom" in after_a_drag(hurt)
    hurt.evaluate("""() => {
        const { model } = inOrder()[0];
        const save = model.save_changes;
        model.save_changes = () => {
            window.saved = model.get("tom");
            return save.call(model);
        };
    }""")
    for name in ("Forget everything", "Really forget everything"):
        hurt.get_by_role("button", name=name, exact=True).click()
    assert hurt.evaluate("window.saved") == 0, "Python hears of the place that the picture went back to"
    assert handle.is_disabled() and after_a_drag(hurt) == WhoIsHurt().describe()
