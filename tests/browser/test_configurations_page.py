"""*Paste a config.json* in a browser, from a file: it shows the speeds of `from_config` and refuses in its words."""

import json
import math

import pytest
from driving import open_page
from tools import site

from clockwork.kit import configurations
from clockwork.lessons.lesson_12 import plain_reading
from pe_helpers import rope_scaling

pytestmark = pytest.mark.browser
BASE = {"head_dim": 64, "rope_theta": 1e4, "max_position_embeddings": 4096}
YARN = {"type": "yarn", "factor": 8.0, "original_max_position_embeddings": 2048}
SEVERAL = ("Gemma 3 4B", "gpt-oss-120b")  # kinds of layers
READ = {name: configurations.find(name).config() for name in site.PUBLISHED if name not in SEVERAL} | {
    "partial": {**BASE, "partial_rotary_factor": 0.25},
    "old names": {"model_type": "gpt_neox", "hidden_size": 512, "num_attention_heads": 8, "rotary_emb_base": 25000},
    "yarn": {**BASE, "rope_scaling": YARN},
    "dynamic": {**BASE, "rope_scaling": {"type": "dynamic", "factor": 4.0}},
    "longrope": {
        "head_dim": 8,
        "rope_theta": 1e4,
        "max_position_embeddings": 8192,
        "original_max_position_embeddings": 1024,
        "rope_scaling": {"type": "longrope", "short_factor": [1, 1, 1, 1.5], "long_factor": [1, 2, 3.5, 4]},
    },
}
REFUSED = {
    "no base": {"head_dim": 64},
    "a rule without a rule": {**BASE, "rope_scaling": {"type": "spiral", "factor": 2.0}},
    "a setting without a rule": {**BASE, "rope_ratio": 2},
    "a head that is text": {**BASE, "head_dim": "<b>64</b>"},
    "half a pair": {**BASE, "head_dim": 63},
    "no factor": {**BASE, "rope_scaling": {"type": "linear"}},
    "two names": {**BASE, "rope_scaling": YARN, "rope_parameters": {"rope_type": "default"}},
    "no mapping": [3],
}
SHOWN = """() => [...document.querySelectorAll("#clockwork-reading svg")].map((picture) =>
  [...picture.querySelectorAll("circle")].map((dot) => parseFloat(dot.getAttribute("cx"))))"""


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Return the page as a file, with its scripts beside it and without the theme."""
    assert site.vendor() is None
    folder = tmp_path_factory.mktemp("configurations")
    for name in ("python.js", "configurations.js"):
        (folder / name).write_text((site.SITE / "_static" / name).read_text("utf-8"), "utf-8")
    (folder / "micropython.js").write_text(f"window.clockworkPython = {json.dumps(site.micropython())};", "utf-8")
    body = site.reading().removeprefix("```{raw} html\n").removesuffix("\n```")
    (folder / "page.html").write_text(
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Paste</title></head>'
        f'<body>{body}<script src="python.js"></script><script src="configurations.js"></script></body></html>',
        "utf-8",
    )
    return (folder / "page.html").as_uri()


@pytest.fixture
def page(browser, address):
    page = open_page(browser, offline=True)
    page.goto(address)
    yield page
    assert page.complaints == []
    page.context.close()


def paste(page, *texts, length=131_072):
    """Type configurations and a length; return what is said when the reading of just these stands."""
    page.get_by_label("Length in tokens").fill(str(length))
    for number, text in enumerate((*texts, "")[:2], start=1):
        page.get_by_label(f"Configuration {number}", exact=True).fill(text)
    wanted = plain_reading.html(list(texts), length)
    page.evaluate(
        "(html) => (window.wanted = Object.assign(document.createElement('div'), { innerHTML: html }))", wanted
    )
    said = page.locator("#clockwork-reading")
    page.wait_for_function(
        "() => document.querySelector('#clockwork-reading').textContent === window.wanted.textContent", timeout=15_000
    )
    return said.inner_text()


def test_the_page_shows_the_speeds_of_from_config(page):
    for name, config in READ.items():
        speeds, _ = rope_scaling.from_config(config, seq_len=4097)
        said = paste(page, json.dumps(config), length=4097)
        (found,) = page.evaluate(SHOWN)
        wanted = [3 + 94 * max(math.log10(2 * math.pi / speed), 0) / 9 for speed in speeds.tolist() if speed]
        assert found == pytest.approx(wanted, abs=0.006), name
        assert f"{len(wanted)} of {len(speeds)} hands turn" in said, name


def test_the_page_refuses_in_the_words_of_from_config(page):
    for name, config in REFUSED.items():
        with pytest.raises((TypeError, ValueError)) as caught:
            rope_scaling.from_config(config)
        assert str(caught.value) in paste(page, json.dumps(config)), name


def test_two_configurations_stand_side_by_side_and_the_first_to_break_is_named(page):
    llama, ministral = (json.dumps(READ[name]) for name in ("Llama 3.1 8B", "Ministral 3 8B"))
    said = paste(page, ministral, llama, length=131_072)
    assert "configuration 2" in said and "past 65,536 tokens" in said
    tops = page.locator("#clockwork-reading section").evaluate_all(
        "all => all.map((s) => s.getBoundingClientRect().top)"
    )
    assert len(tops) == 2 and tops[0] == tops[1]
    assert page.locator("#clockwork-reading circle[fill=none]").count() == 29
    paste(page, ministral, llama, length=65_536)
    assert page.locator("#clockwork-reading circle[fill=none]").count() == 0


def test_what_is_not_json_is_told_below_its_field_and_the_last_reading_stays(page):
    paste(page, json.dumps(BASE))
    field = page.get_by_label("Configuration 1", exact=True)
    field.fill('{"head_dim": 64,\n "rope_theta": 1e4,}')
    assert "not JSON" in page.locator("#fault-1").inner_text()
    assert field.get_attribute("aria-invalid") == "true"
    assert page.locator("#clockwork-reading.pe-stale svg").count() == 1
    assert "32 of 32 hands" in paste(page, '{"head_dim": 64,\n "rope_theta": 1e4}')
    assert page.locator("#fault-1").inner_text() == "" and page.locator(".pe-stale").count() == 0
    field.fill(" ")
    assert "Paste" in page.locator("#fault-1").inner_text()


def test_by_keyboard_a_published_model_is_chosen_and_the_length_is_moved(page):
    for number in (1, 2):
        choice = page.locator(f"select[data-fills=config-{number}]")
        choice.focus()
        choice.press("Home")
    page.locator("#clockwork-reading", has_text="never").or_(
        page.locator("#clockwork-reading", has_text="12 of 12")
    ).wait_for()
    assert page.locator("#clockwork-reading section").count() == 1, "the second is empty"
    scale = page.get_by_label("Length, by doubling")
    scale.press("Home")
    assert page.get_by_label("Length in tokens").input_value() == "128"
    assert scale.get_attribute("aria-valuetext") == "128 tokens"
    page.locator("#clockwork-reading", has_text="At 128 tokens none").wait_for()


def test_every_published_model_of_the_page_is_read_with_the_speeds_of_the_table():
    for name in site.PUBLISHED:
        model = configurations.find(name)
        kinds = plain_reading.read(json.dumps(model.config()), 1)["kinds"]
        full = next(kind for kind in kinds if kind["kind"] in (None, "full_attention"))
        turning = [speed for speed in full["inv_freq"] if speed]
        assert turning == pytest.approx(model.full.inv_freq[model.full.inv_freq > 0].tolist())
        length = 10**6
        if not model.full.names_reach:
            assert full["trained"] is None
            continue
        assert len(plain_reading._new(full, length)) == int(model.new_angles(model.full, length).sum())


def test_where_python_does_not_load_the_page_says_so(browser, address):
    page = open_page(browser)
    page.route("**/micropython.js", lambda route: route.abort())
    page.goto(address)
    page.get_by_label("Length in tokens").fill("77")
    page.locator("#clockwork-reading", has_text="broke off").wait_for()
    page.context.close()


def test_without_javascript_the_page_shows_two_models(browser, address):
    page = open_page(browser, java_script_enabled=False)
    page.goto(address)
    assert page.locator("#clockwork-reading svg").count() == 2
    assert not page.locator("form").is_visible()
    page.context.close()
