"""A code is typed against the three demands, and a model is trained, on a page without a kernel."""

import pytest
from driving import agree, lessons, open_page, page_of, same_words, wait_for_widgets, widget_code

from clockwork.kit import widgets
from clockwork.lessons.lesson_02 import views

pytestmark = pytest.mark.browser
HAND = "sin(0.3*p), cos(0.3*p)"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    from clockwork.lessons.lesson_02.views import Adversary, LearnHere

    path = tmp_path_factory.mktemp("lesson_02") / "gallery.html"
    path.write_text(page_of([Adversary(remember="02/adversary"), LearnHere()]), encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def page(browser, address):
    page = open_page(browser)
    page.goto(address)
    wait_for_widgets(page, 2)
    yield page
    assert page.complaints == []
    page.context.close()


def try_code(page, text):
    page.locator(".pe-own input").fill(text)
    page.get_by_role("button", name="Try it").click()
    page.evaluate("frame()")


def test_what_a_reader_types_is_tried_as_python_tries_it(page):
    from clockwork.lessons.lesson_02.views import Adversary

    for text in ("p, 1", "2**p", HAND, "sin(p*p)"):
        try_code(page, text)
        seen = page.locator(".pe:has(canvas)").first.evaluate("stateOf")
        assert agree(seen["shown"], Adversary(text).numbers()), text
        assert same_words(seen["alt"], Adversary(text).describe())


def test_after_three_failures_of_the_reader_s_own_the_question_is_asked_and_stays(page, address):
    score = page.locator(".pe-score")
    for text in ("p", "p +", "p", "abs(p)"):
        try_code(page, text)
    assert "two failures" in score.inner_text(), "what cannot be read and what was tried before do not count"
    page.get_by_role("button", name="digits").click()
    assert "two failures" in score.inner_text(), "a code that the page offers is not the reader's own"
    try_code(page, "sin(0.3*p)")
    assert score.inner_text().endswith("Is there any code that meets all three?")
    page.goto(address)
    wait_for_widgets(page, 2)
    assert "3 failures" in score.inner_text()
    try_code(page, HAND)
    assert "meets all three" in score.inner_text()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("p +", "missing at the end"),
        ("p ^ 2", "write **"),
        ("log(p)", "Position 0 gets no number"),
        ("0", "0 everywhere"),
    ],
)
def test_what_cannot_be_tried_is_told_and_takes_the_picture_and_the_verdict_away(page, text, told):
    score, canvas = page.locator(".pe-score"), page.locator(".pe canvas").first
    drawn = """canvas => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some(Boolean)"""
    for again in range(2):  # the same code comes back as it was
        try_code(page, HAND)
        assert "meets all three" in score.inner_text() and canvas.evaluate(drawn), again
        assert page.locator(".pe-hint").inner_text() == ""
        try_code(page, text)
        assert told in page.locator(".pe-hint").inner_text()
        assert "meets all three" not in score.inner_text()
        assert told in canvas.get_attribute("aria-label") and not canvas.evaluate(drawn)


def test_a_model_learns_in_the_page_and_the_next_seed_is_drawn_beside_it(page):
    canvas = page.locator(".pe canvas").nth(1)
    for seed in (0, 1):
        page.get_by_role("button", name="Train").click()
        page.wait_for_function(
            """seed => document.querySelectorAll(".pe canvas")[1].ariaLabel.includes(`seed ${seed}. After`)""", arg=seed
        )
        share = float(canvas.get_attribute("aria-label").split(" steps ")[1].split()[0])
        assert share > 0.9
    assert "seed 0: below half" in page.locator(".pe-reading").nth(1).inner_text()


def test_a_random_table_is_learned_in_the_page_and_stays_beside_the_sinusoid(page):
    reading = page.locator(".pe-reading").nth(1)
    canvas = page.locator(".pe canvas").nth(1)
    for code in ("the sinusoid", "a random table"):
        page.get_by_role("radio", name=code).check(force=True)
        page.get_by_role("button", name="Train").click()
        page.wait_for_function(
            """code => document.querySelectorAll(".pe canvas")[1].ariaLabel.includes(`${code}, seed 0. After`)""",
            arg=code,
        )
        assert float(canvas.get_attribute("aria-label").split(" steps ")[1].split()[0]) > 0.9
    assert "seed 0: below half" in reading.inner_text()
    assert "seed 0, a random table: below half" in reading.inner_text()


def test_every_slider_of_the_lesson_s_one_hand_moves_its_picture(browser, tmp_path):
    (lesson,) = (path for path in lessons() if path.name == "02_deriving_the_sinusoid.ipynb")
    (cell,) = (source for source in widget_code(lesson) if "views.Trace(" in source)
    names = {"widgets": widgets, "views": views}
    exec(cell, names)  # makes the cursor; its last line is the picture
    path = tmp_path / "gallery.html"
    path.write_text(page_of([eval(cell.splitlines()[-1], names)]), encoding="utf-8")
    page = open_page(browser, reduced_motion="reduce")
    page.goto(path.as_uri())
    wait_for_widgets(page, 1)

    def drawn():
        page.evaluate("frame()")
        return page.locator(".pe:has(canvas)").first.evaluate("stateOf")["shown"]

    start = drawn()
    moved = {}
    for slider in page.locator("input[type=range]").all():
        slider.press("ArrowRight")
        moved[slider.get_attribute("data-name")] = drawn() != start
        slider.press("ArrowLeft")
        assert drawn() == start
    assert moved == {"position": True, "d_model": True, "hand": True}
    assert page.complaints == []
    page.context.close()
