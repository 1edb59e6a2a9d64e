"""The reader's machine on a page without a kernel: a code is typed, MicroPython runs it, and a model learns with it."""

import json

import pytest
from driving import agree, open_page, page_of, same_words, wait_for_widgets
from tools import site

from clockwork.kit.machine import plain
from clockwork.lessons.lesson_02.views.race import CODES, Race

pytestmark = pytest.mark.browser
SHORT = {"steps": 60}
ENDED = """name => { const said = document.querySelector(".pe canvas").ariaLabel;
  return said.startsWith(`${name}:`) && said.includes("After") }"""


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    assert site.vendor() is None
    folder = tmp_path_factory.mktemp("machine")
    (folder / "python.js").write_text((site.SITE / "_static/python.js").read_text("utf-8"), "utf-8")
    (folder / "micropython.js").write_text(f"window.clockworkPython = {json.dumps(site.micropython())};", "utf-8")
    race = Race(remember="02/race")
    race.settings = race.settings | SHORT
    text = page_of([race]).replace("</main>", '</main><script src="python.js"></script>')
    (folder / "page.html").write_text(text, "utf-8")
    return (folder / "page.html").as_uri()


@pytest.fixture
def page(browser, address):
    page = open_page(browser, offline=True)
    page.goto(address)
    wait_for_widgets(page, 1)
    yield page
    assert page.complaints == []
    page.context.close()


def run(page, text):
    page.get_by_label("Your code").fill(text)
    page.get_by_role("button", name="Run it").click()


def states(page):
    words = {"pe-met": True, "pe-broken": False, "pe-dark": None}
    return [words[item.get_attribute("class")] for item in page.locator(".pe-lamps li").all()]


def test_the_page_draws_and_lights_what_python_computes(page):
    for name in CODES:
        page.get_by_role("button", name=name, exact=True).click()
        page.wait_for_function(ENDED, arg=name)
        seen = page.locator(".pe:has(canvas)").first.evaluate("stateOf")
        race = Race(name)
        assert agree(seen["shown"], race.numbers()), name
        assert same_words(seen["alt"].partition(". After")[0], race.describe().partition(". Nothing")[0])
        assert states(page) == [lamp.met for lamp in race.lamps()]
        told = [item.text_content() for item in page.locator(".pe-lamps .pe-why").all()]
        assert told == [lamp.tells for lamp in race.lamps()], name


def test_each_lamp_says_its_state_in_words_and_none_is_lit_by_a_code_that_fails(page):
    for lamp in page.locator(".pe-lamps li").all():
        assert "met. " in lamp.text_content()
    run(page, "def code(p):\n    return p +")
    page.locator(".pe-refused", has_text="cannot read").wait_for()
    assert states(page) == [None] * 5
    assert all("not tried yet" in lamp.text_content() for lamp in page.locator(".pe-lamps li").all())


def test_a_loop_without_an_end_leaves_the_page_alive_and_what_was_typed(page):
    endless = "def code(p):\n    while True:\n        pass"
    run(page, endless)
    page.locator(".pe-refused", has_text="loop without an end").wait_for(timeout=60_000)
    assert page.get_by_label("Your code").input_value() == endless
    run(page, CODES["index"])
    page.wait_for_function(ENDED, arg="index")
    assert page.locator(".pe-refused").text_content() == ""


def test_what_was_typed_is_there_tomorrow_and_the_kept_code_is_the_last_that_ran(page, address):
    mine = "def code(p):\n    return [sin(0.2 * p), cos(0.2 * p)]"
    run(page, mine)
    page.wait_for_function(ENDED, arg="mine")
    broken = "def code(p):\n    return 1 / 0"
    run(page, broken)
    page.locator(".pe-refused", has_text="ZeroDivision").wait_for()
    kept = page.evaluate("window.peMemory.record('machine/code').value")
    assert kept == mine == plain.alone("code", kept)
    page.goto(address)
    wait_for_widgets(page, 1)
    assert page.get_by_label("Your code").input_value() == broken
    assert states(page) == [None] * 5, "what has not been run is dark"
    with page.expect_download() as found:
        page.get_by_role("button", name="my_clock.py").click()
    names = {}
    exec(found.value.path().read_text("utf-8"), names)
    assert len(names["code"](3)) == 2


def test_the_model_learns_with_his_function_and_no_built_in_stands_in(page):
    curves = []
    for body in ("[sin(p), cos(p)]", "[sin(1 * p), cos(p)]", "[sin(p), cos(p + 1)]"):
        run(page, f"def code(p):\n    return {body}")
        ended = "count => [...peKit.views][0].runs.filter((run) => run.ended).length === count"
        page.wait_for_function(ended, arg=len(curves) + 1, timeout=120_000)
        curves.append(page.evaluate("[...peKit.views][0].runs.at(-1).rights"))
    assert curves[0] == curves[1] and curves[0] != curves[2]
