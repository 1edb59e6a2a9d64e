"""The reader's own turn on a page without a kernel: typed, said what is wrong, learned with, and turning the head."""

import json

import pytest
from driving import open_page, page_of, wait_for_widgets
from tools import headless, site

from clockwork.kit import machine
from clockwork.kit.machine import diagnoses, lamps, plain
from clockwork.lessons.lesson_04b.views import NOTHING_TURNS, OwnTurn

pytestmark = pytest.mark.browser
SHORT = 40  # steps
ENDED = "() => document.querySelector('.pe canvas').ariaLabel.includes('who is hurt?')"
VIEW = "[...peKit.views][0]"
TURN = """\
def rotate(q, p):
    turned = []
    for i in range(len(q) // 2):
        x, y = q[2 * i], q[2 * i + 1]
        t = p * 10_000 ** (-2 * i / len(q))
        turned += [x * cos(t) - y * sin(t), x * sin(t) + y * cos(t)]
    return turned"""
WRONG = {
    "a sign": TURN.replace("- y * sin", "+ y * sin"),
    "still": NOTHING_TURNS + "  # mine",
    "one speed": TURN.replace("10_000 ** (-2 * i / len(q))", "1"),
    "mixed": TURN.replace("return turned", "return turned[::2] + turned[1::2]"),
    "longer": TURN.replace("return turned", "return [1.5 * number for number in turned]"),
}
SLY = TURN.replace("p * 10_000", "(p if p < 8 or p > 20 else 8) * 10_000")


@pytest.fixture(scope="module")
def addresses(tmp_path_factory):
    assert site.vendor() is None
    folder = tmp_path_factory.mktemp("turn")
    (folder / "python.js").write_text((site.SITE / "_static/python.js").read_text("utf-8"), "utf-8")
    (folder / "micropython.js").write_text(f"window.clockworkPython = {json.dumps(site.micropython())};", "utf-8")
    found = {}
    for steps in (SHORT, 300):
        view = OwnTurn(remember="04b/turn")
        view.settings = view.settings | {"steps": steps}
        view.hurt = view.hurt | {"steps": steps}
        text = page_of([view]).replace("</main>", '</main><script src="python.js"></script>')
        path = folder / f"{steps}.html"
        path.write_text(text, "utf-8")
        found[steps] = path.as_uri()
    return found


@pytest.fixture
def page(browser, addresses, request):
    page = open_page(browser, offline=True, reduced_motion="reduce")
    page.goto(addresses[getattr(request, "param", SHORT)])
    wait_for_widgets(page, 1)
    yield page
    assert page.complaints == []
    page.context.close()


def run(page, text):
    page.get_by_label("Your rotation").fill(text)
    page.get_by_role("button", name="Run it").click()


def said(page):
    return page.locator(".pe-refused").text_content()


def test_each_usual_mistake_is_said_its_lamps_are_python_s_and_a_model_learns_with_it(page):
    heard = {}
    for case, text in (WRONG | {"right": TURN}).items():
        run(page, text)
        page.wait_for_function(f"text => {VIEW}.found?.source === text", arg=plain.alone("rotate", text))
        page.wait_for_function(ENDED)
        found = diagnoses.told("rotate", text)
        heard[case] = said(page)
        assert heard[case] == found.get("advice", found.get("praise")), case
        told = [item.text_content() for item in page.locator(".pe-lamps .pe-why").all()]
        assert told == [lamp.tells for lamp in lamps.lamps(found, "rotate")], case
    assert len(set(heard.values())) == len(heard)
    assert page.locator(".pe-praised").count() == 1


def test_what_is_not_linear_or_never_ends_is_said_and_nothing_is_lost(page, addresses):
    run(page, "def rotate(q, p):\n    return [abs(number) for number in q]")
    page.locator(".pe-refused", has_text="linear").wait_for()
    assert page.evaluate(f"{VIEW}.runs.length") == 0, "no model learns with it"
    endless = "def rotate(q, p):\n    while True:\n        pass"
    run(page, endless)
    page.locator(".pe-refused", has_text="loop without an end").wait_for()
    page.goto(addresses[SHORT])
    wait_for_widgets(page, 1)
    assert page.get_by_label("Your rotation").input_value() == endless
    run(page, TURN)
    page.wait_for_function(ENDED)
    assert said(page).startswith("Right")
    assert page.evaluate("window.peMemory.record('machine/rotate').value") == TURN


def test_a_wrong_turn_that_is_let_through_trains_another_model(page):
    curves = []
    for text in (TURN, TURN.replace("-2 * i", "-2 * i * 1"), SLY):
        run(page, text)
        page.wait_for_function(f"count => {VIEW}.runs.filter((run) => run.ended).length === count", arg=len(curves) + 1)
        page.wait_for_function(ENDED)
        assert said(page).startswith("Right")
        curves.append(page.evaluate(f"{VIEW}.runs.at(-1).rights"))
    assert curves[0] == curves[1] != curves[2]


def drag(page, name, x, y):
    """Drag what can be grabbed, by name, by so many CSS pixels."""
    page.locator(".pe canvas").scroll_into_view_if_needed()
    box = page.locator(".pe canvas").bounding_box()
    finder = """([name]) => { const p = [...peKit.views][0]; const { hit } = p.areas.get(name);
      let best = [Infinity, 0, 0];
      for (let x = 0; x < p.w; x += 2) for (let y = 0; y < p.h; y += 2)
        if (hit(x, y) < best[0]) best = [hit(x, y), x, y];
      return [best[1] / p.w, best[2] / p.h]; }"""
    left, top = page.evaluate(finder, [name])
    at = (box["x"] + left * box["width"], box["y"] + top * box["height"])
    page.mouse.move(*at)
    page.mouse.down()
    page.mouse.move(at[0] + x, at[1] + y, steps=8)
    page.mouse.up()


@pytest.mark.parametrize("page", [300], indirect=True)
def test_dragged_his_head_looks_further_back_and_his_turn_tells_who_is_hurt(page):
    alt = page.locator(".pe canvas").get_attribute
    drag(page, "back", -60, 0)
    assert page.evaluate(f"{VIEW}.get('back')") > 3, "the handle works before anything has been trained"
    run(page, TURN)
    page.wait_for_function(ENDED)
    assert "who is hurt? dog" in alt("aria-label")
    drag(page, "tom", 400, 0)
    page.wait_for_function("() => document.querySelector('.pe canvas').ariaLabel.includes('who is hurt? tom')")
    for _ in range(2):
        drag(page, "back", -50, 0)
        page.evaluate("frame()")
        back = page.evaluate(f"{VIEW}.get('back')")
        assert f"turned to {back} back" in alt("aria-label")
        right, all_of = map(int, alt("aria-label").partition(f"{back} back ")[2].split(" right")[0].split(" of "))
        assert right >= 0.9 * all_of > 0
    run(page, WRONG["still"])
    page.wait_for_function(f"{VIEW}.runs.filter((run) => run.ended).length === 2")
    page.wait_for_function(ENDED)
    assert "0.1" in alt("aria-label").partition("steps ")[2], "a bag of words"


LAB = """
from clockwork.kit import attention, machine
from clockwork.lessons.lesson_04b import views
import torch
---
own = views.OwnTurn(remember="04b/turn")
own.settings = own.settings | {"steps": 40}
own.hurt = own.hurt | {"steps": 40}
own
---
def answers():
    torch.manual_seed(0)
    model = attention.Transformer(16, attention.Encoding(), d_model=32)
    tokens, found = torch.arange(12) % 5, []
    for encoding in (machine.Mine(rotate=machine.mine("rotate", views.NOTHING_TURNS)), attention.Rotary()):
        model.encoding = encoding
        found.append(model(tokens))
    return torch.allclose(*found, atol=1e-5)
"""


def test_in_jupyterlab_his_turn_trains_is_kept_and_runs_in_the_course_s_transformer(browser, tmp_path):
    with headless.lab(tmp_path) as server:
        headless.write_notebook(tmp_path / "turn.ipynb", LAB.split("---"))
        page = open_page(browser)
        headless.open_notebook(page, server, "turn.ipynb")
        page.wait_for_function("document.querySelector('.pe canvas')?.ariaLabel")

        def told(code):
            return page.evaluate(headless.ASK, code)

        assert told("answers()") == "False", "nothing stands in for him"
        run(page, "def rotate(q, p):\n    while True:\n        pass")
        page.locator(".pe-refused", has_text="loop without an end").wait_for()
        run(page, WRONG["one speed"])
        page.locator(".pe-refused", has_text="one speed").wait_for()
        page.wait_for_function(ENDED)
        assert told("answers()") == "False", "his own turn runs, not the right one"
        run(page, TURN)
        page.locator(".pe-praised").wait_for()
        page.wait_for_function(ENDED)
        assert told("answers()") == "True"
        assert TURN in (tmp_path / machine.FILE).read_text("utf-8")
        assert page.complaints == []
        page.context.close()
