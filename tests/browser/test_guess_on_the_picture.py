"""A picture that asks: its hand works at once, its outcome alone is veiled, and the guess is a mark that keys move."""

import re

import pytest
from driving import open_page, page_of, wait_for_widgets

from clockwork.kit import veil
from clockwork.lessons.lesson_00 import clock

pytestmark = pytest.mark.browser

PICTURES = [
    "who_is_hurt",
    "swap_two_words",
    "a_number_on_each_word",
    "a_wave_through_each_digit",
    "two_waves_are_one_hand",
    "all_hands",
    "the_dial_unrolls",
    "move_the_text",
    "turn_the_clock_in_a_model",
    "the_clocks_of_today",
]
ASKING = {  # the question, what tells its answer, the state that shows the outcome, keys from where the mark waits
    "who_is_hurt": ("00/hurt", r"0\.\d\d|answers (dog|tom)", {"tom": 4.0}, 30),
    "a_wave_through_each_digit": ("00/wave", r", or \d+\?|and at position \d+ too", {"melt": 10}, 5),
    "move_the_text": ("00/moved", r"= 3 rad|differ by", {"first": 10}, 20),
    "turn_the_clock_in_a_model": ("00/knob", r"letter \d+ back|of \d+ (answers )?(are )?right", {"by": 5}, 12),
}
TOLD = """window.told = [];
for (const name of ["fillText", "strokeText"]) {
  const before = CanvasRenderingContext2D.prototype[name];
  CanvasRenderingContext2D.prototype[name] = function (words, ...rest) {
    window.told.push(String(words));
    return before.call(this, words, ...rest);
  };
}
window.painted = 0;
const drawn = CanvasRenderingContext2D.prototype.drawImage;
CanvasRenderingContext2D.prototype.drawImage = function (...given) {
  window.painted += 1;
  return drawn.apply(this, given);
};"""

HEARD = """i => { const { root, canvas } = inOrder()[i];
    return window.told.length && root.querySelector(".pe-note").textContent === canvas.getAttribute("aria-label"); }"""
ALTS = """() => { const { canvas } = inOrder()[0];
    const note = () => window.alts.push(canvas.getAttribute("aria-label"));
    window.alts = [];
    new MutationObserver(note).observe(canvas, { attributes: true }); }"""
RESTS = """async () => { const at = inOrder()[0].get("tom");
    for (let i = 0; i < 30; i += 1) await frame();
    return at === inOrder()[0].get("tom"); }"""


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    path = tmp_path_factory.mktemp("guess") / "page.html"
    path.write_text(page_of([getattr(clock, name)() for name in PICTURES]), "utf-8")
    return path.as_uri()


def opened(browser, address, **options):
    """Open all pictures as a reader meets them who has never been here."""
    page = open_page(browser, **options)
    page.add_init_script(TOLD)
    page.goto(address)
    wait_for_widgets(page, len(PICTURES))
    return page


def words_of(page, i):
    """Return all that is written on a picture or read out of it, since it was last asked, with its state of now."""
    page.evaluate("i => { window.told = []; inOrder()[i].redraw(); }", i)
    page.wait_for_function(HEARD, arg=i)
    read = """i => { const { root, canvas } = inOrder()[i];
        return [...window.told, canvas.getAttribute("aria-label"), root.querySelector(".pe-note").textContent,
                root.querySelector(".pe-guess-foot [role=status]")?.textContent ?? ""].join(" | "); }"""
    return page.evaluate(read, i)


@pytest.mark.parametrize("width", [1280, 390])
def test_the_first_touch_moves_each_picture_before_any_answer(browser, address, width):
    page = opened(browser, address, viewport={"width": width, "height": 844}, reduced_motion="reduce")
    assert (
        page.evaluate(
            "document.querySelectorAll('.pe :is(input, [role=slider]):is(:disabled, [aria-disabled])').length"
        )
        == 0
    )
    for i, name in enumerate(PICTURES):
        page.evaluate("i => inOrder()[i].canvas.scrollIntoView({ block: 'center' })", i)
        before = page.evaluate("i => stateOf(inOrder()[i].root).hash", i)
        handle = page.evaluate("""i => [...inOrder()[i].areas].find(([, area]) => area.at)[1].at""", i)
        box = page.evaluate(
            "i => { const { left, top } = inOrder()[i].canvas.getBoundingClientRect(); return [left, top]; }", i
        )
        spot = [box[0] + handle[0], box[1] + handle[1]]
        page.mouse.move(*spot)
        page.mouse.down()
        page.mouse.move(spot[0] + 55, spot[1] + 4)
        page.mouse.move(spot[0] + 110, spot[1] + 4)
        page.evaluate("frame()")
        moved = page.evaluate("i => stateOf(inOrder()[i].root).hash", i)
        page.mouse.up()
        assert moved != before, name
    assert page.complaints == []
    page.context.close()


@pytest.mark.parametrize("name", ASKING)
def test_a_guess_by_keys_is_kept_with_its_interval_and_the_outcome_is_told_only_then(browser, address, name):
    key, telling, outcome, presses = ASKING[name]
    i = PICTURES.index(name)
    page = opened(browser, address, reduced_motion="reduce")
    view = getattr(clock, name)()
    slider = next(iter(outcome))
    for value in view.values(slider)[:: max(1, len(view.values(slider)) // 12)]:
        if value == getattr(view, slider):
            continue
        page.evaluate("([i, state]) => bring(i, state)", [i, {slider: value}])
        said = words_of(page, i)
        assert not re.search(telling, said), (slider, value, said)
    view_alt = page.evaluate("i => stateOf(inOrder()[i].root).alt", i)
    setattr(view, slider, page.evaluate("([i, s]) => inOrder()[i].get(s)", [i, slider]))
    assert view_alt == view.describe()

    page.evaluate("([i, state]) => bring(i, state)", [i, {slider: getattr(getattr(clock, name)(), slider)}])
    mark = page.locator(f".pe:has([data-question='{key}']) .pe-guess")
    mark.focus()
    assert mark.get_attribute("aria-valuetext") == "not placed yet"
    for _ in range(presses):
        page.keyboard.press("ArrowLeft")
    heard = mark.get_attribute("aria-valuetext")
    page.keyboard.press("Enter")
    kept = page.evaluate("key => peMemory.record(key).value", key)
    low, high = view.question["right"]
    assert kept["interval"] == [low, high] and kept["unit"] and kept["right"] == (low <= kept["answer"] <= high)
    assert float(re.search(r"[\d.]+", heard)[0]) == kept["answer"]
    status = page.locator(f"[data-question='{key}'] [role=status]")
    because = re.sub("<[^>]+>", "", view.question["because"])[:40]
    assert because not in status.inner_text(), "it explains before the hand has shown it"
    for value in [value for value in view.values(slider) if value <= outcome[slider]]:
        page.evaluate("([i, state]) => bring(i, state)", [i, {slider: value}])
    if name == "a_wave_through_each_digit":
        for position in (2, 3, 2, 1):
            page.evaluate("([i, state]) => bring(i, state)", [i, {"position": position}])
        page.evaluate("([i, state]) => bring(i, state)", [i, {"position": 2}])
    page.evaluate("frame()")
    assert re.search(telling, words_of(page, i))
    assert because in status.inner_text()
    assert page.complaints == []
    page.context.close()


@pytest.mark.parametrize("finger", [False, True])
def test_the_mark_follows_a_pointer_and_moves_nothing_else(browser, address, finger):
    page = opened(browser, address, reduced_motion="reduce", has_touch=finger, viewport={"width": 800, "height": 800})
    mark = page.locator("[data-question='00/hurt']").locator("xpath=..").locator(".pe-guess")
    mark.scroll_into_view_if_needed()
    box = mark.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    step = (page.evaluate("inOrder()[0].w") - 2 * 34) / 6  # CSS pixels between two positions of the line
    if finger:
        tools = page.context.new_cdp_session(page)
        for kind, dx in (("touchStart", 0), ("touchMove", -step), ("touchMove", -2 * step), ("touchEnd", None)):
            points = [] if dx is None else [{"x": x + dx, "y": y}]
            tools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    else:
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x - 2 * step, y, steps=3)
        page.mouse.up()
    page.evaluate("frame()")
    assert mark.get_attribute("aria-valuetext") == "position 3.4"  # it waits at 5.4
    assert page.evaluate("inOrder()[0].get('tom')") == 0 and page.evaluate("scrollY") == 0
    assert page.evaluate("peMemory.record('00/hurt') === undefined"), "a guess is made by the button"
    page.get_by_role("button", name="This is my guess", exact=True).first.click()
    assert page.evaluate("peMemory.record('00/hurt').value.answer") == 3.4
    page.context.close()


def test_show_me_brings_about_what_the_question_asks_and_is_no_answer(browser, address):
    page = opened(browser, address, reduced_motion="reduce")
    for name, (key, telling, _, _) in ASKING.items():
        page.locator(f"[data-question='{key}'] >> text=Show me").click()
        page.evaluate("frame()")
        shows = getattr(clock, name)().question["shows"]
        state = page.evaluate(
            "([i, names]) => names.map((name) => inOrder()[i].get(name))", [PICTURES.index(name), list(shows)]
        )
        assert state == list(shows.values())
        kept = page.evaluate("key => peMemory.record(key).value", key)
        assert "answer" not in kept and kept["shown"]
        assert re.search(telling, words_of(page, PICTURES.index(name)))
    page.context.close()


def test_by_itself_a_picture_moves_once_tells_nothing_and_stops_before_the_event(browser, address):
    page = opened(browser, address)
    page.evaluate(ALTS)
    page.wait_for_function("inOrder()[0].get('tom') === 2")
    page.wait_for_function(RESTS)
    assert page.evaluate("inOrder()[0].get('tom')") == 2
    told = page.evaluate("window.alts")
    assert len(told) > 5, "it did not move through the places between"
    assert all("hidden until you have guessed" in alt for alt in told if "tom at 0.0" not in alt)
    assert page.evaluate("inOrder()[9].get('length')") == clock.the_clocks_of_today().length, "it moves out of view"
    page.context.close()


def test_where_motion_is_unwelcome_no_frame_is_drawn_and_nothing_breathes(browser, address):
    page = opened(browser, address, reduced_motion="reduce")
    page.evaluate("async () => { for (let i = 0; i < 30; i += 1) await frame(); window.painted = 0; }")
    page.evaluate("async () => { for (let i = 0; i < 60; i += 1) await frame(); }")
    assert page.evaluate("window.painted") == 0
    assert page.evaluate("inOrder()[0].get('tom')") == 0
    names = page.evaluate(
        "[...document.querySelectorAll('.pe-ghost')].map((g) => getComputedStyle(g, '::before').animationName)"
    )
    assert names and set(names) == {"none"}
    page.context.close()


def test_what_else_a_guess_veils_keeps_its_room_and_opens_with_it(browser, tmp_path):
    tall = '<div style="height:400px">after</div>'
    fold = f'<details class="hide below-input"><summary>Guess first</summary>{tall}</details>'
    before = veil.veiled("00/hurt", "<p>hatched</p>", "<p>whole</p>") + f'<div class="tag_veil:00/hurt">{fold}</div>'
    path = tmp_path / "page.html"
    path.write_text(page_of([clock.who_is_hurt()], before), "utf-8")
    page = open_page(browser, reduced_motion="reduce")
    page.goto(path.as_uri())
    wait_for_widgets(page, 1)
    room = page.locator("details.hide")
    assert room.get_attribute("open") is None and room.bounding_box()["height"] >= 400
    assert page.get_by_text("hatched", exact=True).is_visible() and not page.get_by_text("whole").is_visible()
    page.get_by_role("button", name="Show me", exact=True).click()
    assert not page.get_by_text("hatched", exact=True).is_visible() and page.get_by_text("whole").is_visible()
    assert room.get_attribute("open") is not None
    page.context.close()
