"""In a real browser: what a picture shows is said once it was seen, and on a phone nothing moves for it."""

import pytest
from driving import open_page, page_of, wait_for_widgets

from clockwork.lessons.lesson_04.views import Offsets, Sharpness, Shift

pytestmark = pytest.mark.browser


ACTS = [  # a view, what does not show its sentence yet, and what does
    (Shift, {"position": 11}, {"k": 4}),
    (Offsets, {"position": 11}, {"k": 7}),
    (Sharpness, {"s": 50}, {"position": 40}),
]


@pytest.mark.parametrize(("view", "before", "after"), ACTS)
@pytest.mark.parametrize("width", [390, 1280])
def test_what_a_picture_shows_is_said_once_it_was_seen_and_stays(browser, tmp_path, view, before, after, width):
    path = tmp_path / "page.html"
    path.write_text(page_of([view()]), "utf-8")
    page = open_page(browser, reduced_motion="reduce", viewport={"width": width, "height": 844})
    page.goto(path.as_uri())
    wait_for_widgets(page, 1)
    idea = page.locator(".pe-idea")
    assert idea.inner_text() == ""
    begun = {name: view().at(name) for name in after}
    place = page.locator(".pe-caption").first.bounding_box()
    for state, said in ((before, False), (after, True), (begun, True)):
        page.evaluate("state => bring(0, state)", state)
        page.evaluate("frame()")
        assert bool(idea.inner_text()) == said
        assert page.locator(".pe-caption").first.bounding_box() == place
    assert page.complaints == []
    page.context.close()
