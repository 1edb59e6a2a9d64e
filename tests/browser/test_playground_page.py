"""The playground in a real browser, from a file and in JupyterLab: what it trains, says and refuses."""

import json
import re
import shutil

import pytest
from conftest import require
from driving import axe_source, headless, open_page, violations
from tools import playground

from clockwork.kit.playground import bundle, widget

pytestmark = pytest.mark.browser
SHORT = "#length=8&steps=100&d=16"
SETTINGS = {"task": "three back", "code": "sinusoid", "length": 8, "steps": 100, "d": 16, "layers": 1, "heads": 1}
SETTINGS |= {"causal": True, "scale": 1, "base": 10_000, "rate": 0.005, "seed": 0}
NO_WORKER = "worker-src 'none'"
NO_KERNEL = "script-src 'unsafe-inline'; worker-src 'none'"  # no WebAssembly either


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Return the address of the page as a file, with a policy for scripts where one is named."""
    folder = tmp_path_factory.mktemp("playground")

    def written(policy=""):
        file = folder / f"page{abs(hash(policy))}.html"
        allowed = f'<meta http-equiv="Content-Security-Policy" content="{policy}">' * bool(policy)
        file.write_text(
            f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Playground</title>{allowed}'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<style>{widget.stylesheet()} [data-theme=dark] body {{ background: #111417 }}</style></head>"
            f'<body><main><div id="clockwork-playground">still</div></main>'
            f"<script>{bundle.script()}</script></body></html>",
            "utf-8",
        )
        return file.as_uri()

    return written


def train(page):
    page.get_by_role("button", name="Train", exact=True).click()
    page.get_by_role("button", name="Train again").wait_for(timeout=120_000)


def status(page):
    return page.locator(".pg [role=status]").first.inner_text()


@pytest.fixture(scope="module")
def in_node():
    require(shutil.which("node"), "node is missing: install Node.js")
    (found,) = playground.in_node([{"request": "train", "settings": SETTINGS}])
    shares = zip((8, 16, 32), found["tests"][-1]["accuracy"], strict=True)
    return ", ".join(f"{share:.2f} at {length} letters" for length, share in shares)


@pytest.mark.parametrize("policy, where", [("", "a worker"), (NO_WORKER, "the page"), (NO_KERNEL, "the page")])
def test_a_page_from_disk_trains_to_the_engine_s_numbers(browser, address, in_node, policy, where):
    page = open_page(browser)
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(address(policy) + SHORT)
    train(page)
    assert in_node in status(page)
    assert page.get_attribute(".pg", "data-where") == where
    assert not [url for url in requests if not url.startswith(("file:", "blob:"))]
    page.context.close()


def test_in_jupyterlab_it_trains_to_the_engine_s_numbers_and_keeps_its_keys(browser, in_node, tmp_path):
    cell = "from clockwork.kit.playground import widget\nwidget.Playground(length=8, steps=100, d=16)"
    headless.write_notebook(tmp_path / "playground.ipynb", [cell])
    with headless.lab(tmp_path) as server:
        page = open_page(browser)
        headless.open_notebook(page, server, "playground.ipynb")
        train(page)
        assert in_node in status(page)
        assert page.get_attribute(".pg", "data-where") == "a worker"
        page.locator("[data-name=seed]").press("b")  # outside of a widget, b adds a cell
        page.locator(".pg").get_by_role("slider", name="chosen letter").press("ArrowLeft")
        page.wait_for_function("document.querySelector('.pg [role=slider]').ariaValueNow === '6'")
        assert page.evaluate("jupyterapp.shell.currentWidget.content.widgets.length") == 1
        page.context.close()


def test_a_link_holds_the_settings_and_says_what_it_cannot_set(browser, address):
    page = open_page(browser)
    page.goto(address() + "#task=who%20came%20first&code=ALiBi&slope=2&heads=3")
    page.get_by_text("Not to be had here: heads = 3").wait_for()
    assert page.locator("[data-name=slope]").is_visible() and not page.locator("[data-name=base]").is_visible()
    page.locator("[data-name=code]").select_option("rotary (RoPE)")
    page.locator("[data-name=base]").select_option("100")
    kept = page.evaluate("location.hash")
    page.goto("about:blank")
    page.goto(address() + kept)
    names = ("task", "code", "base", "heads")
    chosen = [page.eval_on_selector(f"[data-name={name}]", "s => s.selectedOptions[0].text") for name in names]
    assert chosen == ["who came first", "rotary (RoPE)", "100", "1"]
    assert not page.complaints
    page.context.close()


@pytest.mark.parametrize("link, words", [("&rate=1", "too large"), ("&layers=3&heads=8&length=256", "does not fit")])
def test_what_cannot_be_trained_is_said_in_words_and_the_choices_stay(browser, address, link, words):
    page = open_page(browser)
    page.goto(address() + "#" + link.lstrip("&") + "&steps=100")
    if "rate" in link:
        train(page)
    page.wait_for_function("words => document.querySelector('[role=status]').textContent.includes(words)", arg=words)
    assert link.lstrip("&") in page.evaluate("location.hash")
    assert page.locator(".pg-play").is_enabled() == ("rate" in link)  # what does not fit has nothing to train
    page.locator("[data-name=rate]").select_option("0.005")
    page.locator("[data-name=length]").select_option("8 letters")
    train(page)
    assert "After 100 steps" in status(page)
    page.context.close()


def test_a_bet_starts_the_training_and_is_settled(browser, address):
    page = open_page(browser)
    page.goto(address() + SHORT + "&code=none")
    page.get_by_role("button", name="hardly any better").click()
    page.get_by_role("button", name="Train again").wait_for()
    assert "You bet right" in status(page) and "Guessing gives 0.06" in status(page)
    page.context.close()


LATE = """{
  const Usual = Worker;
  window.Worker = class extends Usual {
    set onmessage(hear) {
      super.onmessage = (event) => {
        if (event.data.ended || event.data.step === undefined) hear(event);
      };
    }
  };
}"""  # of the reports of a training, the last alone arrives


@pytest.mark.parametrize("script", ["", LATE], ids=["one by one", "all in one report"])
def test_each_milestone_is_said_once_where_a_screen_reader_listens(browser, address, script):
    page = open_page(browser)
    page.add_init_script(script)
    page.goto(address())
    page.evaluate(
        """() => {
          window.told = [];
          const status = document.querySelector(".pg [role=status]");
          new MutationObserver(() => told.push(status.textContent)).observe(status, { childList: true });
        }"""
    )
    train(page)
    told = " ".join(page.evaluate("told"))
    for milestone in ("below half of what guessing costs", "of the answers at 24 letters are right", "After 300 steps"):
        assert told.count(milestone) == 1, told
    assert len(re.findall(r"Step \d+:|After \d+ steps", told)) == 3, told
    page.context.close()


def test_a_guided_experiment_is_walked_by_keyboard(browser, address):
    page = open_page(browser)
    page.goto(address())
    page.locator(".pg-guide select").select_option("Quiet or unwilling?")
    story = page.get_by_role("region", name="guided experiment")
    for count in (1, 2):
        assert story.inner_text().startswith(f"{count} of 3.")
        story.get_by_role("button").first.focus()
        page.keyboard.press("Enter")  # the bet
        story.get_by_role("button", name="Next").wait_for()
        assert page.evaluate("document.activeElement.innerText") == "Train again"
        assert "Eight recorded seeds" in story.inner_text()
        story.get_by_role("button", name="Next").focus()
        page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.closest('.pg-story').innerText").startswith("3 of 3.")
    page.context.close()


@pytest.mark.parametrize("policy", ["", NO_WORKER])
def test_pause_one_step_and_another_seed(browser, address, policy):
    page = open_page(browser)
    page.goto(address(policy) + "#steps=2000")
    page.get_by_role("button", name="One step").click()
    page.wait_for_function("document.querySelector('.pg-line').textContent.startsWith('Step 1 of')")
    page.get_by_role("button", name="Another seed").click()
    page.get_by_role("button", name="Pause").click()
    page.wait_for_timeout(300)  # a report may have been on its way
    page.get_by_role("button", name="Train", exact=True).wait_for()
    step = page.inner_text(".pg-line").split(",")[0]
    page.wait_for_timeout(300)
    assert page.inner_text(".pg-line").split(",")[0] == step
    assert page.locator("[data-name=seed]").input_value() == "1"
    page.context.close()


def test_with_reduced_motion_nothing_moves_and_the_numbers_are_the_same(browser, address, in_node):
    page = open_page(browser, reduced_motion="reduce")
    page.goto(address() + SHORT)
    page.locator(".pg-line:has-text('Step 0')").wait_for()
    page.evaluate(
        """() => {
          window.painted = 0;
          const clear = CanvasRenderingContext2D.prototype.clearRect;
          CanvasRenderingContext2D.prototype.clearRect = function (...box) {
            window.painted += 1;
            clear.apply(this, box);
          };
        }"""
    )
    train(page)
    page.wait_for_function("document.querySelector('.pg-line').textContent.startsWith('Step 100')")
    assert page.evaluate("painted") <= 3 * 4  # four pictures: begun, ended, and perhaps once resized
    assert in_node in status(page)
    page.context.close()


@pytest.mark.parametrize("width, theme", [(390, "light"), (1280, "dark")])
def test_every_reader_can_use_it_at_every_width(browser, address, tmp_path_factory, width, theme):
    page = open_page(browser, viewport={"width": width, "height": 800}, has_touch=width < 500)
    page.goto(address() + SHORT)
    page.evaluate("theme => (document.documentElement.dataset.theme = theme)", theme)
    train(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert violations(page, axe_source(tmp_path_factory.getbasetemp())) == []
    text = page.get_by_role("slider", name="chosen letter")
    before = text.get_attribute("aria-valuenow")
    text.focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("before => document.querySelector('[role=slider]').ariaValueNow != before", arg=before)
    if width < 500:
        box = text.bounding_box()
        page.touchscreen.tap(box["x"] + box["width"] / 2 + 60, box["y"] + box["height"] / 2)
        page.wait_for_function(
            "before => Number(document.querySelector('[role=slider]').ariaValueNow) < before - 1", arg=int(before)
        )
    assert all(page.eval_on_selector_all(".pg canvas", "all => all.map((c) => c.getAttribute('aria-label'))"))
    page.context.close()


def test_a_long_text_is_walked_a_stretch_at_a_time(browser, address):
    page = open_page(browser, viewport={"width": 700, "height": 900})
    page.goto(address() + "#length=128&d=16&steps=100")
    page.locator(".pg-line:has-text('Step 0')").wait_for()
    text = page.get_by_role("slider", name="chosen letter")
    text.focus()
    for _ in range(60):
        page.keyboard.press("ArrowRight")
    page.wait_for_function("document.querySelector('[role=slider]').ariaValueNow === '68'")
    text.hover(position={"x": 12, "y": 76})  # the first of the stretch that holds token 68
    page.wait_for_function("document.querySelector('[role=slider]').ariaValueNow !== '68'")
    first = int(text.get_attribute("aria-valuenow"))
    assert 30 < first < 68
    text.hover(position={"x": text.bounding_box()["width"] - 12, "y": 76})
    page.wait_for_function("document.querySelector('[role=slider]').ariaValueNow > 68")
    page.context.close()


def test_the_widget_s_script_and_style_are_small():
    assert len((bundle.module() + widget.stylesheet()).encode()) < 150_000


def test_a_setting_that_cannot_be_chosen_is_refused():
    with pytest.raises(widget.traitlets.TraitError, match="a setting must be one of task, code"):
        widget.Playground(speed=3)
    assert json.loads(json.dumps(widget.Playground(code="T5").settings)) == {"code": "T5"}
