"""The short way in a real browser: a model that is trained in its page is turned there, too."""

import re

import pytest
from driving import agree, open_page, page_of, wait_for_widgets

from clockwork.lessons.lesson_00.views import TodaysHands, TurnTheHead

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    path = tmp_path_factory.mktemp("short way") / "page.html"
    path.write_text(page_of([TurnTheHead()]), "utf-8")
    return path.as_uri()


def share(page):
    """Return the share of right answers that a screen reader is told."""
    told = page.get_attribute(".pe canvas", "aria-label")
    right, asked = map(int, re.search(r"(\d+) of (\d+) answers are right", told).groups())
    return right / asked


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_a_model_that_is_trained_in_the_page_answers_other_distances_when_its_head_is_turned(browser, address, motion):
    page = open_page(browser, reduced_motion=motion)
    page.goto(address)
    wait_for_widgets(page, 1)
    page.get_by_role("button", name="Train a model here").click()
    assert page.locator(".pe-slider input").is_disabled(), "an untrained head can be turned"
    page.get_by_role("button", name="Train another").wait_for()
    for back in (3, 1, 9, 20):
        page.evaluate("by => bring(0, { by })", back - 3)
        page.wait_for_function("k => document.querySelector('.pe canvas').ariaLabel.startsWith(`${k} back`)", arg=back)
        assert share(page) > 0.9, back
    assert page.complaints == []
    page.context.close()


def test_with_reduced_motion_nothing_is_drawn_while_it_trains(browser, address):
    page = open_page(browser, reduced_motion="reduce")
    page.goto(address)
    wait_for_widgets(page, 1)
    page.evaluate(
        """() => {
          window.painted = 0;
          const draw = CanvasRenderingContext2D.prototype.drawImage;
          CanvasRenderingContext2D.prototype.drawImage = function (...given) {
            window.painted += this.canvas.isConnected;
            draw.apply(this, given);
          };
        }"""
    )
    page.get_by_role("button", name="Train a model here").click()
    page.get_by_role("button", name="Train another").wait_for()
    assert page.evaluate("painted") <= 3
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
