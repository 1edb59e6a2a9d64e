"""Typed sentences and the first codes, by mouse, by keys and by typing, on a page without a kernel."""

import pytest
from driving import agree, open_page, page_of, same_words, wait_for_widgets
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def gallery():
    from clockwork.kit import widgets
    from clockwork.lessons.lesson_01.views import Places, Sentence
    from clockwork.lessons.lesson_06.views import TakeApart

    last = widgets.Challenge("Leave *dog* last.", lambda scheme, order: order[-1] == 3 and order != [0, 1, 2, 3])
    sentence = Sentence("tom bit a dog", order=[2, 3, 1, 0], challenges=[last], remember="01/sentence")
    lost = widgets.Challenge("Lose a word.", lambda missed: missed > 0)
    apart = TakeApart("tom bit a dog", challenges=[lost], remember="06/take-apart")
    return [sentence, Places(position=7, d_model=8, code="binary digits"), apart]


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    path = tmp_path_factory.mktemp("sentence") / "gallery.html"
    path.write_text(page_of(gallery()), encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def page(browser, address):
    page = open_page(browser, viewport={"width": 1280, "height": 1800})
    page.goto(address)
    wait_for_widgets(page, 3)
    yield page
    assert page.complaints == []
    page.context.close()


def words(page):
    return [word.inner_text() for word in page.query_selector_all(".pe-order .pe-word")]


def apart(page):
    """Return the parts of the page that belong to the sums: its field, its words, and the position's slider."""
    root = page.locator(".pe").nth(2)
    return root.locator(".pe-own input"), root.locator(".pe-word"), root.locator("[data-name=position]")


def drawn_as(page, view, number=0):
    """Say whether a picture draws the numbers and says the words of a view in Python."""
    page.evaluate("frame()")
    page.evaluate("frame()")
    seen = page.query_selector_all(".pe:has(canvas)")[number].evaluate("stateOf")
    return agree(seen["shown"], view.numbers()) and same_words(seen["alt"], view.describe())


def test_a_word_moves_by_keys_and_by_mouse_and_the_picture_follows(page):
    sentence = gallery()[0]
    assert words(page) == ["a", "dog", "bit", "tom"] and drawn_as(page, sentence)
    page.locator(".pe-word").first.focus()
    page.keyboard.press("ArrowRight")
    assert words(page) == ["dog", "a", "bit", "tom"]
    assert page.evaluate("document.activeElement.textContent") == "a", "the word keeps the focus"
    first, last = (page.locator(".pe-word").nth(i).bounding_box() for i in (0, 3))
    page.mouse.move(first["x"] + 5, first["y"] + 9)
    page.mouse.down()
    page.mouse.move(last["x"] + last["width"] / 2, last["y"] + 9, steps=8)
    page.mouse.up()
    assert words(page) == ["a", "bit", "tom", "dog"]
    sentence.order = [2, 1, 0, 3]
    assert drawn_as(page, sentence)
    assert page.locator(".pe-tick").first.inner_text() == "✓"


def test_a_ribbon_s_end_is_dragged_up_and_down(page):
    spot = page.evaluate(
        """() => {
          const p = [...peKit.views].find((p) => p.areas.has("place 0")), box = p.canvas.getBoundingClientRect();
          const at = (key) => { for (let y = 1; y < p.h; y += 2) for (let x = p.w - 1; x > 0; x -= 4)
            if (p.areas.get(key).hit(x, y) === 0) return [box.left + x - 20, box.top + y + 8]; };
          return [at("place 0"), at("place 3")];
        }"""
    )
    page.mouse.move(*spot[0])
    assert page.locator(".pe canvas").first.evaluate("c => c.style.cursor") == "grab"
    page.mouse.down()
    page.mouse.move(*spot[1], steps=8)
    page.mouse.up()
    assert words(page) == ["dog", "bit", "tom", "a"]


@pytest.mark.parametrize("scheme", ["nothing added", "a causal mask", "position codes"])
def test_the_reader_s_own_sentence_is_computed_as_python_does(page, scheme):
    from clockwork.lessons.lesson_01.views import Sentence

    page.locator(f".pe-choice label:has-text('{scheme}')").click()
    text = "größe zählt nicht immer 😀 aber doch nicht nie so ganz gar"
    page.locator(".pe-own input").first.fill(text)
    page.locator(".pe-own input").first.press("Enter")
    own = Sentence(text, scheme=scheme)
    assert words(page) == text.split() and drawn_as(page, own)
    page.locator(".pe-word").nth(11).focus()
    page.keyboard.press("ArrowLeft")
    own.order = [*range(10), 11, 10]
    assert drawn_as(page, own)


def test_a_sentence_that_is_too_long_is_refused_and_said_so(page):
    page.locator(".pe-own input").first.fill("one two three four five six seven eight nine ten eleven twelve thirteen")
    page.locator(".pe-own input").first.press("Enter")
    assert page.locator(".pe-hint").first.inner_text() == "It needs 2 to 12 words, this has 13."
    assert words(page) == ["a", "dog", "bit", "tom"]


def test_the_words_are_there_again_on_the_next_visit(page, address):
    page.locator(".pe-own input").first.fill("now or never")
    page.locator(".pe-own input").first.press("Enter")
    page.locator(".pe-word").first.focus()
    page.keyboard.press("ArrowRight")
    page.goto("about:blank")
    page.goto(address)
    wait_for_widgets(page, 3)
    assert words(page) == ["or", "now", "never"]


def test_a_row_of_the_codes_is_dragged(page):
    canvas = page.locator(".pe canvas").nth(1).bounding_box()
    page.mouse.move(canvas["x"] + 100, canvas["y"] + 60)
    page.mouse.down()
    page.mouse.move(canvas["x"] + 100, canvas["y"] + 200, steps=5)
    page.mouse.up()
    places = gallery()[1]
    places.cursor.position = int(page.locator("[data-name=position]").first.input_value())
    assert places.place() > 7 and drawn_as(page, places, 1)


def test_a_word_of_the_sentence_is_chosen_by_mouse_and_keys_and_brings_its_place(page):
    view = gallery()[2]
    _, chips, position = apart(page)
    assert drawn_as(page, view, 2)
    chips.nth(2).click()
    assert position.input_value() == "2" and chips.nth(2).get_attribute("aria-pressed") == "true"
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.innerText.trim()") == "dog" and position.input_value() == "3"
    view.chosen = 3
    view.cursor.position = 3
    assert drawn_as(page, view, 2)
    assert chips.nth(3).get_attribute("aria-label") == "dog, position 3: word found, position not found"


def test_the_reader_s_own_sentence_is_taken_apart_as_python_does(page):
    from clockwork.lessons.lesson_06.views import TakeApart

    text = "größe zählt nicht immer 😀 aber doch nicht so ganz undenkbarerweise"
    field, chips, _ = apart(page)
    field.fill(text)
    field.press("Enter")
    view = TakeApart(text)
    assert chips.all_inner_texts() == text.split() and drawn_as(page, view, 2)
    chips.nth(7).click()
    view.chosen = 7
    view.cursor.position = 7
    assert drawn_as(page, view, 2)
    squares = chips.evaluate_all("all => all.map((chip) => [...chip.querySelectorAll('i')].map((i) => i.className))")
    assert [[mark == "pe-hit" for mark in marks] for marks in squares] == view.hits().T.tolist()


def test_a_challenge_that_asks_for_a_sentence_ticks_only_at_the_width_that_loses_a_word(page):
    field, chips, _ = apart(page)
    root = page.locator(".pe").nth(2)
    field.fill("an apple a day keeps the doctor away")
    field.press("Enter")
    expect(chips).to_have_count(8)
    root.locator("[data-name=d_model]").press("End")
    assert root.locator(".pe-tick").inner_text() == "○", "all words are found at 64"
    root.locator("[data-name=d_model]").press("Home")
    expect(root.locator(".pe-tick")).to_have_text("✓")


def test_the_sentence_to_take_apart_is_there_again_on_the_next_visit(page, address):
    field, chips, position = apart(page)
    field.fill("now or never")
    field.press("Enter")
    chips.nth(1).click()
    page.wait_for_function("peMemory.record('06/take-apart/position')?.value === 1")
    page.goto("about:blank")
    page.goto(address)
    wait_for_widgets(page, 3)
    field, chips, position = apart(page)
    assert chips.all_inner_texts() == ["now", "or", "never"] and field.input_value() == "now or never"
    assert chips.nth(1).get_attribute("aria-pressed") == "true" and position.input_value() == "1"
    assert words(page) == ["a", "dog", "bit", "tom"], "each picture has a sentence of its own"
