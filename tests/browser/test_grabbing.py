"""What can be grabbed: by mouse, finger and keyboard, in the picture and in the words around it; without a kernel."""

import math

import pytest
from driving import agree, open_page, page_of, same_words, wait_for_widgets

pytestmark = pytest.mark.browser
WORDS = """<p id="words">Here <span class="pe-hand-2">hand 2</span> turns. At position
<span class="pe-scrub-position">22</span> it has turned <span class="pe-show-angle">…</span> rad.</p>"""


def gallery():
    """Make one view of each kind that can be grabbed."""
    from clockwork.kit import widgets
    from clockwork.lessons.lesson_02.views import Trace, Wave
    from clockwork.lessons.lesson_04.views import Offsets, Sketch
    from pe_helpers import sinusoidal

    cursor = widgets.Cursor(position=22, hand=1, d_model=widgets.Slider(16, (4, 8, 16, 32)))
    reached = widgets.Challenge("Put [[hand 1|hand=1]] at 3.", lambda position: position == 5)
    step = widgets.Step("At position 9 [[the hand|hand]] has turned [[show angle]] rad.", position=9, hand=0)
    offsets = range(31)
    truth = sinusoidal.kernel(offsets, 16)
    return [
        widgets.Clock(cursor, challenges=[reached]),
        Wave(cursor, steps=[widgets.Step("Look."), step]),
        Trace(cursor),
        Offsets(position=5, d_model=16),
        Sketch(offsets, truth, ask="Draw K(k).", because="It rises again.", ylim=(-2, 8), ylabel="K(k)"),
    ]


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    path = tmp_path_factory.mktemp("grabbing") / "gallery.html"
    path.write_text(page_of(gallery(), before=WORDS), encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def open_gallery(browser, address):
    """Return a function that opens the gallery; every page is closed and must not have complained."""
    pages = []

    def opened(**options):
        page = open_page(browser, **{"viewport": {"width": 1280, "height": 4200}} | options)
        page.goto(address)
        wait_for_widgets(page, 5)
        pages.append(page)
        return page

    yield opened
    for page in pages:
        assert page.complaints == []
        page.context.close()


def state(page):
    """Return the value of every slider on the page, by the number of its view and its name."""
    return page.evaluate(
        """() => Object.fromEntries(inOrder().flatMap((p, i) =>
            [...p.root.querySelectorAll("input[type=range]")].map(({ dataset: { name } }) =>
                [`${i} ${name}`, p.get(name)])))"""
    )


def changes(before, after):
    return {name: after[name] for name in before if before[name] != after[name]}


def tip(page, view, hand, share=0.9):
    """Return where on the screen a hand of the clock can be gripped."""
    return page.evaluate(
        """([i, hand, share]) => {
          const p = inOrder()[i], box = p.canvas.getBoundingClientRect(), n = p.get("d_model") / 2;
          const side = Math.min(p.h, p.w * 0.46), R = (side / 2 - 30) * (1 - (0.65 * hand) / (n - 1)) * share;
          const angle = p.get("position") * 10000 ** ((-2 * hand) / p.get("d_model"));
          return [box.left + side / 2 + R * Math.sin(angle), box.top + p.h / 2 - R * Math.cos(angle),
                  box.left + side / 2, box.top + p.h / 2];
        }""",
        [view, hand, share],
    )


def rotate(page, hand, angle, steps=8):
    """Turn a hand of the clock by an angle in rad, as a mouse does."""
    x, y, x0, y0 = tip(page, 0, hand)
    start, radius = math.atan2(x - x0, y0 - y), math.hypot(x - x0, y - y0)
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(1, steps + 1):
        turned = start + angle * step / steps
        page.mouse.move(x0 + radius * math.sin(turned), y0 - radius * math.cos(turned))
    page.mouse.up()
    page.evaluate("frame()")


@pytest.mark.parametrize(("hand", "turns"), [(0, 1.5), (1, 1.0), (1, -0.5), (2, 0.25)])
def test_a_dragged_hand_brings_the_position_to_which_it_was_turned_and_draws_what_the_slider_draws(
    open_gallery, hand, turns
):
    page = open_gallery()
    before = state(page)
    rotate(page, hand, turns * 2 * math.pi)
    speed = 10_000 ** (-2 * hand / 16)
    expected = 22 + turns * 2 * math.pi / speed
    after = state(page)
    assert abs(after["0 position"] - expected) <= 0.51 + 0.1 / speed, "the hand does not follow the pointer"
    assert {name.split()[1] for name in changes(before, after)} <= {"position", "hand"}
    page.mouse.move(1, 1)
    page.evaluate("frame()")
    dragged = page.query_selector(".pe").evaluate("stateOf")
    slider = page.query_selector("input[data-name=position]")
    slider.evaluate("i => { i.value = 0; i.dispatchEvent(new Event('input')); }")
    page.evaluate("frame()")
    slider.evaluate("(i, v) => { i.value = v; i.dispatchEvent(new Event('input')); }", after["0 position"])
    page.evaluate("frame()")
    assert page.query_selector(".pe").evaluate("stateOf") == dragged


TIP = """key => { const p = inOrder()[3], box = p.canvas.getBoundingClientRect(), { hit } = p.areas.get(key);
    let best = [Infinity];
    for (let y = 0; y < p.h; y += 1) for (let x = 0; x < p.w; x += 1) {
      const off = hit(x, y);
      if (off < best[0]) best = [off, box.left + x, box.top + y];
    }
    return best.slice(1); }"""  # an arrow is gripped most surely at its tip


def test_an_arrow_pulled_by_nearly_half_a_turn_at_once_brings_the_offset_that_puts_it_there(open_gallery):
    page = open_gallery()
    tips = {}
    for k in (14, 5):  # the arrow of hand 1 turns by 10^(-1/2) rad a token: 2.85 rad lie between the two
        page.evaluate("k => bring(3, { k })", k)
        tips[k] = page.evaluate(TIP, "arrow 1")
    page.mouse.move(*tips[5])
    page.mouse.down()
    page.mouse.move(*tips[14])
    page.mouse.up()
    assert page.evaluate("inOrder()[3].get('k')") == 14


def test_of_hands_that_lie_on_one_another_the_chosen_one_is_gripped(open_gallery):
    page = open_gallery()
    slider = page.query_selector("input[data-name=position]")
    slider.evaluate("i => { i.value = 0; i.dispatchEvent(new Event('input')); }")
    page.evaluate("frame()")
    before = state(page)
    rotate(page, 1, math.pi)
    assert {name.split()[1] for name in changes(before, state(page))} == {"position"}, "another hand was gripped"
    assert abs(state(page)["0 position"] - math.pi * 10_000 ** (2 / 16)) <= 1


def test_with_shift_a_hand_turns_alone_and_no_position_fits(open_gallery):
    page = open_gallery()
    before = state(page)
    page.keyboard.down("Shift")
    rotate(page, 1, 1.0)
    page.keyboard.up("Shift")
    changed = changes(before, state(page))
    assert set(changed) == {"0 alone"} and abs(changed["0 alone"] - math.degrees(1.0)) <= 5
    assert "no position has these hands" in page.locator(".pe-reading").first.inner_text()


def test_a_finger_drags_a_hand_and_the_page_stays_while_beside_it_the_page_scrolls(open_gallery):
    page = open_gallery(has_touch=True, viewport={"width": 800, "height": 700}, is_mobile=True)
    page.query_selector(".pe canvas").scroll_into_view_if_needed()
    tools = page.context.new_cdp_session(page)

    def swipe(start, end):
        points = [[a + (b - a) * step / 10 for a, b in zip(start, end, strict=True)] for step in range(11)]
        touch = [{"x": points[0][0], "y": points[0][1]}]
        tools.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": touch})
        for x, y in points[1:]:
            tools.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": x, "y": y}]})
        tools.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        page.wait_for_timeout(300)

    x, y, x0, y0 = tip(page, 0, 1)
    before, top = state(page), page.evaluate("scrollY")
    swipe((x, y), (x0 + (x - x0) * 0.2 - (y0 - y), y0 - (y0 - y) * 0.2 - (x - x0)))
    assert "0 position" in changes(before, state(page))
    assert page.evaluate("scrollY") == top, "the page scrolled under the finger"
    sizes = page.evaluate("[...document.querySelectorAll('.pe-slider input, .pe button')].map((e) => e.offsetHeight)")
    assert min(size for size in sizes if size) >= 44


def test_a_word_of_the_page_lights_its_hand_in_every_linked_view_and_a_click_chooses_it(open_gallery):
    page = open_gallery()
    word = page.locator("#words .pe-hand-2")
    dark = [page.query_selector_all(".pe")[i].evaluate("stateOf")["hash"] for i in (0, 1)]
    word.hover()
    page.evaluate("frame()")
    page.evaluate("frame()")
    lit = [page.query_selector_all(".pe")[i].evaluate("stateOf")["hash"] for i in (0, 1)]
    assert all(a != b for a, b in zip(dark, lit, strict=True))
    assert word.evaluate("e => e.classList.contains('pe-lit')")
    page.mouse.move(1, 1)
    page.evaluate("frame()")
    assert not word.evaluate("e => e.classList.contains('pe-lit')")
    assert page.query_selector(".pe").evaluate("stateOf")["hash"] == dark[0]
    word.focus()
    page.evaluate("frame()")
    assert word.evaluate("e => e.classList.contains('pe-lit')")
    word.press("Enter")
    page.evaluate("frame()")
    assert state(page)["0 hand"] == 2
    number = page.locator("#words .pe-show-angle")
    assert number.inner_text() == f"{22 / 10_000 ** (4 / 16):.2f}"


def test_a_number_in_a_sentence_is_scrubbed_by_mouse_and_keys_within_its_range(open_gallery):
    page = open_gallery()
    number = page.locator("#words .pe-scrub-position")
    box = number.bounding_box()
    page.mouse.move(box["x"] + 4, box["y"] + 8)
    page.mouse.down()
    page.mouse.move(box["x"] + 64, box["y"] + 8, steps=4)
    page.mouse.up()
    page.evaluate("frame()")
    assert state(page)["0 position"] == 32 and number.inner_text() == "32"
    for key, value in (("ArrowLeft", 31), ("Home", 0), ("ArrowLeft", 0), ("End", 127), ("PageDown", 117)):
        number.press(key)
        page.evaluate("frame()")
        assert state(page)["1 position"] == value and number.get_attribute("aria-valuetext") == str(value)
    assert page.evaluate("document.activeElement.className").startswith("pe-scrub")
    page.locator(".pe-reading [data-scrub=hand]").first.press("ArrowRight")
    page.evaluate("frame()")
    assert state(page)["0 hand"] == 2


def test_a_challenge_ticks_when_it_is_reached_and_stays_ticked(open_gallery):
    page = open_gallery()
    tick = page.locator(".pe-tick").first
    assert tick.inner_text() == "○"
    slider = page.query_selector("input[data-name=position]")
    for value in (4, 5, 6):
        slider.evaluate("(i, v) => { i.value = v; i.dispatchEvent(new Event('input')); }", value)
        assert (tick.inner_text() == "✓") == (value >= 5)


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_a_tour_s_next_step_moves_the_sliders_and_back_returns_to_the_text(open_gallery, motion):
    page = open_gallery(reduced_motion=motion)
    back, forward = page.query_selector_all(".pe-tour button")
    assert back.is_disabled() and page.locator(".pe-count").inner_text() == "0 of 2"
    begun = state(page)
    forward.click()
    page.evaluate("frame()")
    assert back.is_disabled() and page.locator(".pe-step").inner_text() == "Look." and state(page) == begun
    forward.click()
    if motion == "reduce":
        page.evaluate("frame()")
        assert state(page)["1 position"] == 9, "moved in time although motion is unwelcome"
    page.wait_for_function("inOrder()[1].get('position') === 9 && inOrder()[1].get('hand') === 0")
    page.evaluate("frame()")
    assert page.locator(".pe-step").inner_text() == "At position 9 the hand has turned 9.00 rad."
    assert forward.is_disabled()
    back.click()
    assert page.locator(".pe-step").inner_text() == "Look."


def test_a_sketch_is_drawn_then_the_truth_is_shown_and_the_gap_named(open_gallery):
    page = open_gallery()
    sketch = gallery()[4]
    root = page.query_selector(".pe:has(.pe-ask)")
    show = root.query_selector("button")
    assert show.is_disabled() and "It rises" not in root.inner_text()
    box = root.query_selector("canvas").bounding_box()
    page.mouse.move(box["x"] + 60, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 30, box["y"] + 200, steps=3)
    page.mouse.up()
    page.evaluate("frame()")
    drawn = root.evaluate("stateOf")["shown"]["sketch"]
    assert len(set(drawn)) > 6 and drawn == sorted(drawn, reverse=True), "a straight stroke sets points on a line"
    root.query_selector("summary").click()
    point = root.query_selector("input[data-name=point_4]")
    point.focus()
    page.keyboard.press("End")
    page.evaluate("frame()")
    drawn = root.evaluate("stateOf")["shown"]["sketch"]
    assert drawn[4] == 8
    show.click()
    page.evaluate("frame()")
    for n, height in enumerate(drawn):
        setattr(sketch, f"point_{n}", height)
    sketch.shown = True
    seen = root.evaluate("stateOf")
    assert agree(seen["shown"], sketch.numbers()) and same_words(seen["alt"], sketch.describe())
    assert "It rises again." in root.inner_text() and "off by" in root.inner_text()
