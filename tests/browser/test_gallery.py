"""Widgets on a page of the site: no kernel, no network, from a file; and without JavaScript the stills."""

import pytest
from driving import (
    axe_source,
    open_page,
    page_of,
    sliders,
    violations,
    wait_for_widgets,
)

pytestmark = pytest.mark.browser


DRAWS = [{"p": 5, "k": 12, "on": 17}, {"p": 40, "k": 3, "on": 43}, {"p": 60, "k": 9, "on": 69}]
ANSWERS = {f"{one['p']} and {one['k']}?": one["on"] for one in DRAWS}


def asked(key, **table):
    """Make one question, as a lesson's file has it."""
    from clockwork.kit.widgets import questions

    return questions.Questions(questions=[questions.question(key, {"ask": "How many?"} | table)])


def gallery():
    """Make the kit's own widgets, two pictures on one cursor."""
    from clockwork.kit import widgets
    from clockwork.lessons.lesson_02 import views

    cursor = widgets.Cursor(position=22, d_model=widgets.Slider(16, (4, 8, 16, 32)))
    first = {"predict": True}
    which = {"K(3)": ["K(3)"], "`K(5)`": ["`K(5)`"]}
    why = {"a": ["a", "The **misconception** A."], "b": ["b", "Yes."]}
    return {
        "clock": widgets.Clock(cursor, hand=3),
        "wave": views.Wave(cursor, hand=2),
        "number": asked("guess/how-many", range=[0, 256], answer=58, unit="hands", because="Count $ω_i$.", **first),
        "choice": asked("guess/which", choices=which, answer="K(3)", because="It is *not* monotone.", **first),
        "why": asked("choice/why", choices=why, answer="b"),
        "drawn": asked("drawn/on", ask="{p} and {k}?", range=[0, 99], answer="{on}", within=0.5, draws=DRAWS),
    }


@pytest.fixture(scope="module")
def made():
    return gallery()


@pytest.fixture(scope="module")
def gallery_page(made, tmp_path_factory):
    path = tmp_path_factory.mktemp("gallery") / "gallery.html"
    said = [widget.describe() for widget in made.values() if hasattr(widget, "describe")]
    path.write_text(page_of(made.values()), encoding="utf-8")
    return path.as_uri(), said


@pytest.fixture
def page(browser, gallery_page, made):
    page = open_page(browser, offline=True)
    page.asked = []
    page.on("request", lambda request: page.asked.append(request.url))
    page.goto(gallery_page[0])
    wait_for_widgets(page, len(made))
    yield page
    page.context.close()


def test_every_step_of_every_slider_is_drawn_without_a_network_a_jump_or_a_complaint(page):
    for handle, name in sliders(page):
        if handle.get_attribute("data-swept"):
            continue
        result = handle.evaluate("sweep")
        steps = result["steps"]
        assert result["heights"] == 1, f"the layout jumps while {name} is dragged"
        assert [step["told"] for step in steps] == [step["named"] for step in steps]
        assert len({step["told"] for step in steps}) == len(steps), name
        at_rest = ("alone", "0")  # a hand that is not turned alone is not spoken of
        assert all(step["told"] in step["alt"] for step in steps if (name, step["told"]) != at_rest), name
        assert len({step["hash"] for step in steps}) == len(steps), f"two values of {name} look the same"
    assert page.complaints == []
    assert [url for url in page.asked if not url.startswith(("file:", "blob:"))] == []


HAND = """root => {
  const canvas = root.querySelector("canvas"), side = Math.floor(canvas.width * 0.4);  // the dial stands on the left
  const { data } = canvas.getContext("2d").getImageData(0, 0, side, canvas.height), xs = [], ys = [];
  for (let i = 0; i < data.length; i += 4)
    if (Math.abs(data[i] - 68) + Math.abs(data[i + 1] - 1) + Math.abs(data[i + 2] - 84) < 9) {
      xs.push((i / 4) % side);
      ys.push(Math.floor(i / 4 / side));
    }
  const span = (v) => [Math.min(...v), Math.max(...v)];
  return [...span(xs), ...span(ys)];
}"""


def test_the_drawn_hand_stands_at_12_at_position_0_and_turns_clockwise(page):
    clock = page.query_selector(".pe:has(canvas)")
    seen = {}
    for position in (0, 11):  # 11 rad are one and three quarters of a turn: 9 o'clock
        for handle, name in sliders(page):
            if name in ("position", "hand"):
                move = "async (i, v) => { i.value = v; i.dispatchEvent(new Event('input')); await frame(); }"
                handle.evaluate(move, position if name == "position" else 0)
        seen[position] = clock.evaluate(HAND)
    (left, right, top, bottom), (far, near, above, below) = seen[0], seen[11]
    assert bottom - top > 4 * (right - left) and near - far > 4 * (below - above)
    assert top < above and bottom <= below and far < left and near <= right


def test_predict_shows_guess_and_answer_together_and_choose_names_the_misconception(page):
    number, choice, why, _ = page.query_selector_all(".pe-card")
    assert number.query_selector(".pe-primary").is_disabled()
    again = number.query_selector("text=Try again")
    assert not again.is_visible()
    slider = number.query_selector("input")
    guess = int(slider.input_value()) + 1
    slider.focus()
    page.keyboard.press("ArrowRight")
    for key in ("Tab", "Tab", "Enter"):  # over the field for typing
        page.keyboard.press(key)
    assert f"{guess} hands" in number.inner_text() and "58 hands" in number.inner_text()
    assert number.query_selector("input").is_disabled()
    assert again.is_visible() and not number.query_selector(".pe-primary").is_visible()
    choice.query_selector("input[value='`K(5)`']").focus()
    for key in ("Space", "Tab", "Enter"):
        page.keyboard.press(key)
    assert (
        choice.query_selector(".pe-compare b").inner_text() == "K(5)" and "It is not monotone." in choice.inner_text()
    )
    for value, words in (("a", "✗ The misconception A."), ("b", "✓ Yes.\n\nYour first guess: a")):
        why.query_selector(f"input[value={value}]").click()
        why.query_selector(".pe-primary").click()
        assert why.query_selector("[role=status]").inner_text() == words
    assert page.complaints == []


def test_a_new_try_takes_other_numbers_and_an_answer_keeps_those_that_it_was_given_to(page, made):
    card = page.locator("[data-question='drawn/on']")

    def seen():
        return card.locator(".pe-question").inner_text()

    def answer(number):
        card.get_by_role("textbox").fill(str(number))
        card.get_by_role("button", name="Check").click()

    first = seen()
    answer(ANSWERS[first] + 1)
    assert seen() == first and "Not yet" in card.inner_text(), "a wrong answer may be mended"
    answer(ANSWERS[first])
    assert "Right" in card.inner_text()
    tried = [first]
    for _ in DRAWS[1:]:
        card.get_by_role("button", name="Try again").click()
        tried.append(seen())
        assert "Right" not in card.inner_text() and card.get_by_role("textbox").input_value() == ""
        answer(ANSWERS[tried[-1]])
        assert "Right" in card.inner_text() and "first guess" not in card.inner_text()
    assert sorted(tried) == sorted(ANSWERS)
    page.reload()
    wait_for_widgets(page, len(made))
    assert seen() == tried[-1] and "Right" in card.inner_text()
    assert page.complaints == []


def test_a_test_that_is_done_is_asked_again_for_what_was_missed_with_other_numbers(browser, tmp_path):
    from clockwork.kit.widgets import questions

    which = {"ask": "Which?", "answer": "a", "choices": {"a": ["A", "Yes."], "b": ["B", "No."]}}
    drawn = {"ask": "{p} and {k}?", "range": [0, 99], "answer": "{on}", "within": 0.5, "draws": DRAWS}
    tables = {"quiz/one": which, "quiz/two": which, "quiz/drawn": drawn}
    test = questions.Questions(
        questions=[questions.question(key, table) for key, table in tables.items()], summary={"quiz": "A quiz"}
    )
    path = tmp_path / "quiz.html"
    path.write_text(page_of([test]), encoding="utf-8")
    page = open_page(browser)
    page.goto(path.as_uri())
    wait_for_widgets(page, 1)
    keys = "(cards) => cards.map((card) => card.dataset.question)"
    summary, again = page.locator(".pe-summary"), page.get_by_role("button", name="Ask again what I missed")

    def choose(key, name):
        card = page.locator(f"[data-question='{key}']")
        card.locator(f"input[value={name}]").click()
        card.get_by_role("button", name="Check").click()

    def number(key, off=0):
        card = page.locator(f"[data-question='{key}']")
        numbers = card.locator(".pe-question").inner_text()
        card.get_by_role("textbox").fill(str(ANSWERS[numbers] + off))
        card.get_by_role("button", name="Check").click()
        return numbers

    choose("quiz/one", "a")
    choose("quiz/two", "b")
    choose("quiz/two", "a")
    assert not again.is_visible(), "one is open"
    asked = number("quiz/drawn", off=1)
    assert "1 of 3 right at the first guess" in summary.inner_text()
    assert page.locator(".pe-last").count() == 0, "nothing moves under the reader's hand"
    page.reload()
    wait_for_widgets(page, 1)
    assert "1 of 3 right at the first guess" in page.locator(".pe-last").inner_text()
    again.first.click()
    assert page.locator("[data-question]").evaluate_all(keys) == ["quiz/two#2", "quiz/drawn#2"]
    assert page.locator("input:checked").count() == 0 and page.locator(".pe-last").count() == 0
    assert number("quiz/drawn#2") != asked
    choose("quiz/two#2", "a")
    assert "2 of 2 right at the first guess" in summary.inner_text()
    assert not again.is_visible(), "nothing was missed"
    page.get_by_role("button", name="Ask everything again (3)").click()
    assert page.locator("[data-question]").evaluate_all(keys) == ["quiz/one#3", "quiz/two#3", "quiz/drawn#3"]
    first = page.evaluate("() => ['one', 'two', 'drawn'].map((n) => window.peMemory.record(`quiz/${n}`).first.right)")
    assert first == [True, False, False], "the first sitting stays what it was"
    page.reload()
    wait_for_widgets(page, 1)
    assert page.locator("[data-question]").evaluate_all(keys) == ["quiz/one#3", "quiz/two#3", "quiz/drawn#3"]
    assert page.complaints == []


@pytest.mark.parametrize(("width", "words"), [(1280, ("Left,", "Right,")), (390, ("Above,", "Below,"))])
def test_a_caption_says_where_the_parts_of_its_picture_stand(page, width, words):
    page.set_viewport_size({"width": width, "height": 800})
    page.evaluate("frame()")
    said = (
        page.locator(".pe:has(canvas)")
        .first.locator(".pe-caption")
        .evaluate_all("all => all.map((p) => p.innerText).join(' ')")
    )
    assert [word for word in ("Left,", "Right,", "Above,", "Below,") if word in said] == list(words)


def test_play_moves_and_pauses_and_is_a_single_step_when_motion_is_unwelcome(browser, page, gallery_page, made):
    button, value = page.query_selector(".pe-play"), page.query_selector("output")
    button.click()
    page.wait_for_function("document.querySelector('output').textContent > 23")
    button.click()
    stopped = value.inner_text()
    page.wait_for_timeout(400)
    assert value.inner_text() == stopped
    still = open_page(browser, reduced_motion="reduce")
    still.goto(gallery_page[0])
    wait_for_widgets(still, len(made))
    still.query_selector(".pe-play").click()
    still.wait_for_timeout(400)
    assert still.query_selector("output").inner_text() == "23"
    still.context.close()


@pytest.mark.parametrize(("scheme", "width"), [("light", 400), ("dark", 1280)])
def test_no_serious_violation_of_accessibility(browser, gallery_page, made, scheme, width, tmp_path_factory):
    axe = axe_source(tmp_path_factory.getbasetemp())
    page = open_page(browser, color_scheme=scheme, viewport={"width": width, "height": 900})
    page.goto(gallery_page[0])
    wait_for_widgets(page, len(made))
    page.query_selector(".pe-card input[value=a]").click()
    assert violations(page, axe) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page is wider than the screen"
    page.context.close()


def test_without_javascript_words_stand_where_no_still_was_kept(browser, gallery_page):
    page = open_page(browser, java_script_enabled=False)
    page.goto(gallery_page[0])
    assert page.locator("figure > p").all_inner_texts() == gallery_page[1]
    assert page.locator("figcaption").filter(visible=True).count() == len(gallery_page[1])
    assert page.locator("details").count() == 4
    page.context.close()
