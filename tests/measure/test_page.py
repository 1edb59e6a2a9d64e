"""The page of a measured model, in a browser without a network: it draws, its handles work, and Python agrees."""

import pytest
from conftest import require
from tools import headless

from clockwork import measure
from clockwork.measure import page as pages

pytestmark = pytest.mark.browser
WIDTHS = {"desk": 1280, "phone": 390}
DRAWN = "() => document.querySelectorAll('.pe canvas[aria-label]').length"
SHOWN = (
    "i => Object.fromEntries(Object.entries(document.querySelectorAll('.pe')[i].shown).map(([k, v]) => [k, [...v]]))"
)
SAID = "i => document.querySelectorAll('.pe canvas')[i].getAttribute('aria-label')"


@pytest.fixture(scope="module")
def shown():
    return [picture for *_, picture in pages.pictures(measure.recorded("smollm2"))]


@pytest.fixture(scope="module", params=WIDTHS)
def page(request, tmp_path_factory):
    require(headless.chromium_path(), "Chromium is missing")
    file = tmp_path_factory.mktemp("page") / "measured.html"
    file.write_text(pages.page(measure.recorded("smollm2")), "utf-8")
    with headless.chromium() as browser:
        size = {"width": WIDTHS[request.param], "height": 844}
        context = browser.new_context(viewport=size, offline=True, reduced_motion="reduce", color_scheme="dark")
        opened = context.new_page()
        complaints = []
        opened.on("pageerror", lambda error: complaints.append(str(error)))
        opened.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        opened.goto(file.as_uri())
        opened.wait_for_function(f"({DRAWN})() === {len(pages.pictures(measure.recorded('smollm2')))}")
        yield opened
        assert complaints == []


def test_nothing_hangs_over_the_edge_and_the_theme_is_the_readers(page):
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.locator(".theme").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_every_picture_draws_the_numbers_and_says_the_words_of_python(page, shown):
    for i, picture in enumerate(shown):
        for name, values in page.evaluate(SHOWN, i).items():
            assert values == pytest.approx(list(picture.numbers()[name]), abs=2e-3)
        assert page.evaluate(SAID, i) == picture.describe()


def test_each_handle_moves_its_picture(page, shown):
    for i, _ in enumerate(shown):
        before = page.evaluate(SAID, i)
        root = page.locator(".pe").nth(i)
        slider, other = root.locator("input[type=range]"), root.locator(".pe-choice button, .pe-choice label")
        if slider.count():
            slider.first.press("ArrowLeft")
        elif other.count():
            other.first.click()
        else:
            continue  # there is nothing to choose
        page.wait_for_function(f"({SAID})({i}) !== {before!r}")
