"""The site: built without a warning, alive without a kernel or a network, and open to every reader."""

import copy
import functools
import importlib
import json
import re
import subprocess
import sys
import tomllib
import urllib.parse
from pathlib import Path

import pytest
import yaml
from bs4 import BeautifulSoup
from driving import HOME, axe_source, npm_package, open_page, wait_for_widgets
from tools import asked, formulas, site

from clockwork.kit.checks import CheckFailed
from clockwork.kit.machine import plain
from clockwork.kit.playground import recorded
from clockwork.kit.widgets import progress

pytestmark = pytest.mark.browser
ADDRESS = "https://clockwork.example"
LESSONS = sorted(path.stem for path in site.NOTEBOOKS.glob("*.ipynb"))
SCRUBBED = [stem for stem in LESSONS if "pe-scrub-" in (site.NOTEBOOKS / f"{stem}.ipynb").read_text("utf-8")]
PAGES = [
    *LESSONS,
    "index",
    "all",
    "questions",
    "configurations",
    "measured",
    "summary",
    "which_scheme",
    "glossary",
    "teachers",
    "engineers",
    "SOURCES",
    "search",
]
SCROLLS = "() => document.documentElement.scrollWidth > innerWidth"
WALK = """() => {
  const met = new Set();
  let again = 0;
  window.walk = { stops: 0, left: false };
  document.activeElement.blur();
  const nowhere = () => document.activeElement === document.body;
  addEventListener("keydown", () => { walk.left ||= walk.stops > 0 && nowhere(); }, true);
  addEventListener("focusin", ({ target }) => {
    walk.stops += !walk.left;
    again += met.has(target);
    met.add(target);
    walk.left ||= again > 5 && target === met.values().next().value;
  });
}"""  # it has left when the focus is on no element, or went round and is at the first again
BRIGHT = """() => [...document.querySelectorAll("article img")].map((image) => [image, getComputedStyle(image)])
  .filter(([image, { display, backgroundColor }]) => image.src.endsWith("-dark.png")
    ? display === "none" || backgroundColor !== "rgba(0, 0, 0, 0)" : display !== "none")
  .map(([image]) => image.src)"""
REACHED = """() => [...document.querySelectorAll(
  "pre, .cell_output > .output, .pe-table, article figure")]
  .every((box) => box.scrollWidth <= box.clientWidth || box.tabIndex === 0)"""  # the Tab key comes to what scrolls
STRIDE = 20  # presses of the Tab key after which somebody looks where the focus is
STILL = """async () => {
  const page = document.querySelector("main");
  for (let width, frames = 0; frames < 20; frames = page.clientWidth === width ? frames + 1 : 0) {
    width = page.clientWidth;
    await frame();
  }
}"""
AXE_ALL = """async () => (await axe.run({ resultTypes: ["violations"], preload: false, selectors: false,
  rules: { "color-contrast": { enabled: false }, "label-content-name-mismatch": { enabled: true } } })).violations"""
AXE_CONTRAST = """async (exclude) => (await axe.run({ include: [["html"]], exclude }, { resultTypes: ["violations"],
  preload: false, selectors: false, runOnly: ["color-contrast"] })).violations"""
CLIPPED = """() => [...document.querySelectorAll("article *")]
  .filter((box) => box.clientWidth > 1 && !box.closest("svg") && getComputedStyle(box).overflowX !== "visible")
  .filter((box) => box.scrollWidth > box.clientWidth + 3)
  .map((box) => `${box.tagName} ${box.className} ${box.scrollWidth} > ${box.clientWidth}`)"""
VEILED = """() => [...document.querySelectorAll("article .below-input:not([open]) .output")]
  .filter((box) => box.checkVisibility())
  .map((box) => box.innerText)"""  # an answer on the paper, beside its question
BLANK = """() => [...document.querySelectorAll("article canvas")]
  .filter((canvas) => canvas.checkVisibility())
  .filter((canvas) => {
    if (!canvas.width || !canvas.height) return true;
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return !data.some((value, index) => index % 4 === 3 && value);
  }).length"""
VALIDATOR = "html-validate@9.7.1"
RULES = [  # those of the standard, not of taste
    "attribute-allowed-values",
    "attribute-misuse",
    "close-order",
    "deprecated",
    "element-name",
    "element-permitted-content",
    "element-permitted-occurrences",
    "element-permitted-order",
    "element-permitted-parent",
    "element-required-ancestor",
    "element-required-attributes",
    "element-required-content",
    "form-dup-name",
    "map-dup-name",
    "missing-doctype",
    "no-dup-attr",
    "no-dup-class",
    "no-dup-id",
    "no-missing-references",
    "no-multiple-main",
    "no-raw-characters",
    "no-unused-disable",
    "script-element",
    "unrecognized-char-ref",
    "void-content",
]
FIRST = {  # what people type, and what the address of the first result holds
    "M-RoPE": "#m-rope-what-are-the-three",
    "x-pos": "#what-does-xpos-add",
    "sinusodial": "sinusoid",
    "sinusiodal": "sinusoid",
    "rope": "04b_turn_the_words.html#added-or-turned",
    "how does rope work": "04b_turn_the_words.html#added-or-turned",
}
SOUGHT = {  # what people type, and how the address of one of the first two results begins
    "rope ignores position ids": "questions.html#packing-must-positions",
    "reset_position_ids": "questions.html#packing-must-positions",
    "why is half of the vector rotated instead of every two elements": "questions.html#rotate-half-pairs",
    "which pairs of dimensions does rope rotate": "questions.html#rotate-half-pairs",
    "rotary applied to each head rather than full dimensions": "questions.html#should-rope-turn-each-head",
    "only first half of dimensions gets rotary chatglm": "questions.html#partial-rotary",
    "position_ids out of bounds": "questions.html#how-do-i-run-bert",
    "max_position_embeddings relative attention": "questions.html#t5-takes-more",
    "does swapping tokens yield identical outputs": "questions.html#what-is-positional-encoding",
    "inner product between two positions decays": "questions.html#does-the-dot-product",
    "convert llama weights permute q k": "questions.html#freqs-cis-and-complex-numbers",
    "gpt2 index out of range position embedding 1024": "questions.html#how-do-i-run-bert",
    "why 10000": "questions.html#why-10-000-and-not-100",
    "10,000": "questions.html#why-10-000-and-not-100",
    "base 10000 and not 100": "questions.html#why-10-000-and-not-100",
    "θ": "questions.html#does-theta-mean-the-base-or",
    "theta": "questions.html#does-theta-mean-the-base-or",
    "sqrt(d)": "questions.html#why-are-embeddings-multiplied-by-d",
    "multiply by √d_model": "questions.html#why-are-embeddings-multiplied-by-d",
    "why scale embeddings up instead of the code down": "questions.html#why-are-embeddings-multiplied-by-d",
    "rotate_half": "questions.html#rotate-half-pairs-i-with-i",
    "rotate_half bug": "questions.html#rotate-half-pairs-i-with-i",
    "partial rotary": "questions.html#partial-rotary-what-does-0-25",
    "partial_rotary_factor 0.25": "questions.html#partial-rotary-what-does-0-25",
    "KV cache": "questions.html#kv-cache-are-keys-stored-before",
    "left padding": "questions.html#left-padding-which-position-ids",
    "wrong text for the shorter prompts, padding side": "questions.html#left-padding-which-position-ids",
    "is rope absolute or relative": "questions.html#is-rope-absolute-or-relative",
    "concatenate": "questions.html#why-is-the-position-added-to",
    "summed and not concatenated": "questions.html#why-is-the-position-added-to",
    "what does the cosine buy": "questions.html#sines-alone-are-already-unique-what",
    "sines rather than binary": "questions.html#why-sines-and-cosines-and-not",
    "all sines then all cosines": "questions.html#sines-and-cosines-in-turn-or",
    "do decoders need positional encoding": "questions.html#does-a-decoder-need-positions-does",
    "run BERT past 512 tokens": "questions.html#how-do-i-run-bert-or",
    "T5 more than 512 tokens": "questions.html#t5-takes-more-than-512-tokens",
    "rope_theta ignored": "questions.html#why-do-long-context-models-raise",
    "which rope_scaling for 8k to 120k": "questions.html#which-rope-scaling-do-i-choose",
    "dynamic NTK": "questions.html#dynamic-ntk-is-the-factor-recomputed",
    "no_rope_layers": "questions.html#no-rope-layers-are-0-and",
    "packing": "14_positions_at_work.html#two-documents-in-one-row",
    "bf16": "questions.html#do-positions-survive-bfloat16",
    "attention sink": "questions.html#what-is-an-attention-sink-and",
    "why does alibi extrapolate": "questions.html#why-does-alibi-extrapolate",
    "2D RoPE": "questions.html#how-does-rope-go-on-images",
    "mrope_section": "questions.html#m-rope-what-are-the-three",
    "long-term decay": "questions.html#does-rope-make-far-tokens-count",
    "whisper": "questions.html#whisper-which-positions-does-it-have",
    "batch_first": "questions.html#all-tokens-get-the-same-code",
    "apply_rotary_emb": "engineers.html#pe_helpers.rotary.apply_rotary_emb",
    "GPT-2 helix": "09_deeper.html#gpt-2-s-positional-embedding-is",
    "dropout": "03_deeper.html#what-does-dropout-leave-of-a",
    "KERPLE": "07_deeper.html#kerple",
    "rel_shift": "questions.html#transformer-xl-and-conformer-what-does",
    "conformer relative shift": "questions.html#transformer-xl-and-conformer-what-does",
    "DETR": "questions.html#detr-why-are-positions-added",
    "positions in queries and keys but not in values": "questions.html#detr-why-are-positions-added",
    "t5 relative bias shared between layers": "07_deeper.html#t5-s-relative-bias-one-table",
    "alibi for encoders": "07_deeper.html#one-sided-alibi",
    "odd d_model": "questions.html#d-model-is-odd-and",
    "embedding dimension must be even": "questions.html#d-model-is-odd-and",
    "size of tensor a must match size of tensor b positional encoding": "questions.html#the-size-of-tensor-a-must",
    "max_len 5000": "questions.html#the-size-of-tensor-a-must",
    "interpolate position embedding vision transformer": "questions.html#vit-how-do-i-resize-the",
    "2d positional encoding": "questions.html#how-does-rope-go-on-images",
    "dropout after positional encoding": "questions.html#what-does-dropout-do-to-the",
    "is positional encoding learned or fixed": "summary.html#learned-or-fixed",
    "unit test positional encoding": "questions.html#how-do-i-test-an-encoding",
    "is my rope implemented correctly": "questions.html#how-do-i-test-an-encoding",
    "GPT-J style": "10_deeper.html#rotate-half-neox-or-gpt-j",
    "alibi cross attention": "questions.html#can-alibi-be-used-in-cross",
    "freqs_cis complex": "questions.html#freqs-cis-and-complex-numbers",
    "roberta 514": "questions.html#why-does-roberta-have-514",
    "flash attention with alibi bias": "questions.html#does-flashattention-work-with-alibi",
    "cls token position": "questions.html#which-position-does-the-cls",
    "tensor2tensor": "02_deeper.html#do-the-wavelengths-run-from",
    "chunked prefill": "questions.html#chunked-prefill-where-does-the",
    "rotary with cu_seqlens": "14_positions_at_work.html#two-documents-in-one-row",
    "right padding was detected": "questions.html#padding-on-the-left-or-on",
    "positions after kv eviction": "questions.html#after-kv-cache-eviction-old-positions",
    "ring buffer": "questions.html#ring-buffer-or-paged-cache-must",
    "k-shift but no v-shift": "questions.html#can-a-cached-key-be-moved",
    "draft model positions off by one": "questions.html#tree-or-speculative-decoding",
    "mrope_position_delta": "questions.html#m-rope-what-are-the-three",
    "how many sink tokens": "questions.html#what-is-an-attention-sink-and",
    "half_dim - 1": "questions.html#ddpm-divides-by-half-dim-1",
    "king queen noise in embedding": "questions.html#does-the-code-not-spoil-the",
    "rope negative sign for key": "questions.html#rope-must-the-key-turn-the",
    "random start position in training": "questions.html#does-it-help-to-count-from",
    "t5 cross attention bias": "questions.html#can-alibi-be-used-in-cross",
}
TRIES = {  # the exercises that are solved in the page, each with a wrong answer
    "01_why_order_matters": {"best_guess": "def best_guess(symbols, place):\n    return 1 / 16"},
    "01_deeper": {"design": "def my_code(p):\n    return [p >> i & 1 for i in range(6)]"},
    "02_deriving_the_sinusoid": {
        "code": "def code(p):\n    return [f(p * 10_000 ** (i / 16)) for i in range(16) for f in (sin, cos)]"
    },
    "02_deeper": {
        "design": "my_speeds = [1, 0.2, 0.04, 0.008]",
        "twins": "def twins(omega, k):\n    return 2, 6",
    },
    "03_clock_hands": {"read": "def read(code):\n    return atan2(code[0], code[1]) % (2 * pi)"},
    "03_deeper": {"hours": "my_hours = [6.2, 3.13, 1.57, 0.157]"},
    "04_relative_offsets": {
        "shift": "def shift(k):\n    return [[float(i == j) for j in range(16)] for i in range(16)]",
        "moved": "def moved(code, k):\n    return [2 * number for number in code]",
    },
    "04b_turn_the_words": {
        "score": "def score(a, b, angle):\n    return a[0] * b[0] + a[1] * b[1]",
        "rotated": "def rotated(x, p):\n    return x",
        "reordered": "def reordered(rows):\n    return rows",
    },
    "05_learned_vs_fixed": {
        "unfair": 'my_settings = {"learning_rate": 0.02, "sinusoid": 1.0, "learned": 1.0}',
    },
    "06_adding_without_losing": {
        "one_number": "my_words = list(range(20))\nmy_codes = list(range(8))\ndef read(z):\n    return 0, 0"
    },
    "07_three_doors": {
        "digits": "my_slope = 0.29\ndef read(totals, slope):\n    return 0",
    },
    "07_deeper": {
        "falling": "def bound(k):\n    return 1 / (k + 1)\n\ndef witness(k, n):\n    return [0] * n",
    },
    "08_beyond_the_training_length": {
        "new_hands": "def new_hands(trained, now, trained_len, seq_len, causal):\n    return list(range(len(trained)))",
        "rivals": "def rivals(speeds, k, reach, tolerance):\n    return []",
    },
    "09_what_tables_learn": {"mean_turn": "def mean_turn(points):\n    return 0.0"},
    "10_spot_the_bug": {"diagnosis": "def diagnosis(rows):\n    return 'sound'"},
    "11_inside_a_model_that_ships": {
        "unfinished": "def unfinished(head_dim, base, trained_len):\n"
        "    return [i for i in range(head_dim // 2) if trained_len * base ** (-2 * i / head_dim) < 1]",
        "four_hands": "turning = [0, 1, 2, 3]",
    },
    "12_what_todays_models_do": {
        "speeds": "def speeds(config):\n    return [1.0] * config['hidden_size']",
        "audit": "audit = {}",
    },
    "13_inside_a_trained_head": {"lookalikes": "def lookalikes(speeds, strengths, k, reach, count):\n    return [0]"},
    "05_deeper": {"paired": "def paired_p(a, b):\n    return abs(sum(a) - sum(b)) / len(a)"},
    "14_positions_at_work": {
        "number": "def position_ids(row):\n    return list(range(len(row)))",
        "shift": "def shifted(cache, speeds, start, count):\n    return cache[:start] + cache[start + count :]",
    },
    "15_beyond_words": {
        "states": "def states_of(low, high, wavelengths):\n    return ['tells' for _ in wavelengths]",
        "chosen": "def wavelengths_for(low, high, step, count):\n    return [step * 2**i for i in range(count)]",
    },
    "15_deeper": {
        "weekly": "def angles(hours):\n    return [hours / 24, hours / 168]",
        "own": 'quantity = {"low": 0, "high": 1, "step": 0.01, "hands": 8, "scale": 1, "base": 10000}',
    },
    "14_deeper": {"following": "def next_ids(masks, step):\n    return [step for mask in masks]"},
    "08_deeper": {"raised": "def raised(hand, factor, base, head_dim):\n    return base * factor"},
    "11_deeper": {
        "longer": "def longer(inv_freq, trained_len, factor):\n    return [speed / factor for speed in inv_freq]"
    },
    "12_deeper": {
        "places": "def places(before, rows, columns, after):\n"
        "    return [[p] * 3 for p in range(before + rows * columns + after)]",
    },
}


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """Build the site."""
    assert site.vendor() is None
    site.prepare("https://github.com/example/clockwork", "https://hub.example")
    folder = tmp_path_factory.mktemp("site") / "first"
    assert site.build(folder, ADDRESS) == 0, "the build has warnings"
    return folder


@functools.cache
def soup(built, name):
    """Return a page that is parsed once for all tests: whoever changes it takes a copy."""
    return BeautifulSoup((built / f"{name}.html").read_text("utf-8"), "html.parser")


def test_a_lessons_page_is_at_most_400_kb(built):
    sizes = {stem: (built / f"{stem}.html").stat().st_size for stem in LESSONS}
    assert {stem: size for stem, size in sizes.items() if size > 400_000} == {}


@pytest.mark.parametrize("stem", LESSONS)
def test_a_lessons_page_is_alive_from_a_file_and_asks_no_other_host(browser, built, stem):
    page = open_page(browser, offline=True)
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((built / f"{stem}.html").as_uri())
    places = page.locator("[data-widget]").count()
    wait_for_widgets(page, places)
    assert page.locator("[data-widget] > figure").count() == 0, "a still was not replaced"
    page.evaluate("document.querySelectorAll('details:has(canvas), .pe-more').forEach((one) => { one.open = true; })")
    wait_for_widgets(page, places)
    legends = page.locator("legend").evaluate_all(
        "all => all.map((l) => [getComputedStyle(l).fontSize, getComputedStyle(l.parentElement).fontSize])"
    )
    assert all(size == beside for size, beside in legends), "a legend is larger than what it names"
    heights = page.evaluate("peers()")
    for root in page.query_selector_all(".pe:has(canvas)"):
        named = lambda handle: handle.get_attribute("data-name")  # noqa: E731
        handles = root.query_selector_all(".pe-slider input[data-name]")
        handles = [handle for handle in handles if handle.is_visible() and handle.is_enabled()]  # some wait for a guess
        drew = dict.fromkeys(map(named, handles), False)
        for handle in handles * 2:  # twice: the width changes no pixel of hand 0, but it does of the last hand
            if handle.get_attribute("max") == "0":  # another slider leaves it one value: a first query sees one key
                drew[named(handle)] = True
                continue
            before = root.evaluate("stateOf")
            handle.press("End" if handle.input_value() == handle.get_attribute("min") else "Home")
            page.evaluate("frame()")
            after = root.evaluate("stateOf")
            assert after["alt"] != before["alt"], f"{named(handle)} says nothing"
            drew[named(handle)] |= after["hash"] != before["hash"]
        assert [name for name, pixels in drew.items() if not pixels] == [], "these sliders change no pixel"
    assert page.evaluate("peers()") == heights, "the layout jumps"
    page.evaluate("document.querySelector('article').style.width = '370px'")
    page.evaluate("frame()")
    cut = "[...document.querySelectorAll('.pe')].filter((r) => r.scrollWidth > r.clientWidth).map((r) => r.innerText)"
    assert page.evaluate(cut) == [], "the end of a line is cut off"
    assert [url for url in asked if not url.startswith(("file:", "blob:", "data:"))] == []
    assert page.complaints == []
    page.context.close()


def test_where_the_views_do_not_load_their_stills_stay(browser, built):
    page = open_page(browser)
    page.route("**/kit.js*", lambda route: route.abort())
    page.add_init_script("window.tried = new Promise((done) => document.addEventListener('clockwork:mounted', done))")
    page.goto((built / "04_relative_offsets.html").as_uri())
    page.evaluate("async () => { await window.tried; }")
    assert page.locator("[data-widget] canvas").count() == 0
    assert page.locator("[data-widget]:visible figure").count() > 0
    page.context.close()


@pytest.mark.parametrize("name", PAGES)
def test_every_formula_is_drawn_in_the_page_and_can_be_read_aloud(built, name):
    page = soup(built, name)
    drawn = {letter["id"] for letter in page.select(".pe-letters path")}
    assert {use["href"].removeprefix("#") for use in page.select("mjx-container use")} == drawn
    for formula in page.select(".math"):
        assert formula.select_one("mjx-container > svg > g > *") and formula.select_one("mjx-assistive-mml > math > *")
    read = copy.copy(page)
    for unread in read.select("script, style, pre, code"):
        unread.decompose()
    assert re.findall(r".*(?:\$|\\[(\[]|\\begin).*", read.text) == [], "TeX is left"


@pytest.mark.parametrize("tex", [r"\frac{1", r"\unheard", "é"])
def test_a_formula_that_cannot_be_set_is_named(tmp_path, built, tex):
    (tmp_path / "page.html").write_text(rf'<article><span class="math">\({tex}\)</span></article>', "utf-8")
    assert tex in formulas.set_all(tmp_path, site.VENDOR / "node_modules")


def test_a_speed_in_a_formula_lights_a_hand_and_is_lit(browser, built):
    page = open_page(browser, offline=True)
    page.goto((built / "02_deriving_the_sinusoid.html").as_uri())
    settle(page)
    speed = page.locator("article g.pe-mark").first
    color = speed.evaluate("speed => getComputedStyle(speed).fill")
    dark = page.evaluate("() => inOrder().map((p) => stateOf(p.root).hash)")
    speed.hover()
    page.wait_for_function("dark => inOrder().some((p, i) => stateOf(p.root).hash !== dark[i])", arg=dark)
    assert speed.evaluate("speed => getComputedStyle(speed).fill") != color
    page.context.close()


@pytest.mark.parametrize("stem", SCRUBBED)
def test_the_numbers_in_a_lessons_sentences_are_scrubbed_and_the_figure_follows(browser, built, stem):
    page = open_page(browser, offline=True)
    page.goto((built / f"{stem}.html").as_uri())
    wait_for_widgets(page, page.locator("[data-widget]").count())
    numbers = page.locator("article span[class*=pe-scrub-]:not(.pe *)")
    assert numbers.count()
    for number in numbers.all():
        said, looked = number.inner_text(), page.evaluate("() => inOrder().map((p) => stateOf(p.root).alt)")
        number.press("ArrowRight")
        page.evaluate("frame()")
        assert number.inner_text() != said
        assert page.evaluate("() => inOrder().map((p) => stateOf(p.root).alt)") != looked
        number.press("End")
        page.evaluate("frame()")
        assert number.get_attribute("aria-valuenow") == number.get_attribute("aria-valuemax"), (
            "the last is not the last"
        )
    shown = page.locator("article span[class*=pe-show-]:not(.pe *)").all_inner_texts()
    assert "…" not in shown
    assert page.complaints == []
    page.context.close()


@pytest.fixture(scope="module")
def look(browser, built, tmp_path_factory):
    """Look at a page once: light on a phone, then dark on a desk; then walk through it with the Tab key."""
    axe = axe_source(tmp_path_factory.getbasetemp())
    seen = {}

    def at(name):
        if name not in seen:
            page = open_page(browser, offline=True, color_scheme="light", viewport={"width": 360, "height": 740})
            page.goto((built / f"{name}.html").as_uri())
            settle(page)
            seen[name] = {"wide": page.evaluate(SCROLLS), "phone": {}, "dark": {}}
            if name != "all":
                seen[name]["phone"] = broken_rules(page, axe, name)
            page.set_viewport_size({"width": 1280, "height": 900})
            page.evaluate("document.documentElement.dataset.theme = 'dark'")
            settle(page)
            page.evaluate(STILL)  # the theme moves its bars a moment after a change of width
            page.wait_for_function(REACHED)
            if name != "all":
                seen[name]["dark"] = broken_rules(page, axe, name)
            seen[name]["bright"] = page.evaluate(BRIGHT)
            seen[name]["stops"] = tab_stops(page)
            page.context.close()
        return seen[name]

    return at


def settle(page):
    """Wait until all widgets stand."""
    wait_for_widgets(page, page.locator("[data-widget]").count())
    page.evaluate("frame()")


def broken_rules(page, axe, name):
    """Return the rules of axe-core that the page breaks, each with its first element.

    Contrast takes most of the time. The colours of code and formulas are the same everywhere, so one lesson stands for
    all.
    """
    page.evaluate(axe)
    left_out = [] if name == "02_deriving_the_sinusoid" else [[".highlight"], ["mjx-container"]]
    found = page.evaluate(AXE_ALL) + page.evaluate(AXE_CONTRAST, left_out)
    return {rule["id"]: (len(rule["nodes"]), rule["nodes"][0]["html"][:200]) for rule in found}


def tab_stops(page):
    """Press Tab until the focus has left the page; return how often, or None where it stays."""
    page.evaluate(WALK)
    limit = 3 * page.locator("a, button, input, select, textarea, summary, [tabindex]").count()
    for _ in range(0, limit, STRIDE):
        for _ in range(STRIDE):
            page.keyboard.press("Tab")
        if page.evaluate("walk.left"):
            return page.evaluate("walk.stops")
    return None


@pytest.mark.parametrize("name", PAGES)
def test_no_page_is_wider_than_a_phone(look, name):
    assert not look(name)["wide"]


def test_a_narrow_figure_below_an_answered_question_is_whole_on_a_phone(browser, built):
    page = open_page(browser, offline=True, viewport={"width": 390, "height": 844})
    page.goto((built / "12_what_todays_models_do.html").as_uri())
    page.evaluate("document.querySelectorAll('details:has(figure)').forEach((veil) => { veil.open = true; })")
    room = page.locator("article details figure:has(img[width='300']:visible)").evaluate_all(
        "all => all.map((figure) => figure.clientWidth - figure.scrollWidth)"
    )
    assert room and set(room) == {0}
    page.context.close()


@pytest.mark.parametrize("name", [page for page in PAGES if page != "all"])  # the lessons stand for it
def test_no_page_breaks_a_rule_of_accessibility(look, name):
    assert look(name)["phone"] == {}
    assert look(name)["dark"] == {}


@pytest.mark.parametrize("name", PAGES)
def test_the_tab_key_leads_through_every_page_and_out_of_it(look, name):
    assert look(name)["stops"]


@pytest.mark.parametrize("name", PAGES)
def test_no_figure_is_a_white_slab_in_the_dark(look, name):
    assert look(name)["bright"] == []


def test_every_page_is_valid_html(built, tmp_path_factory):
    script = npm_package(tmp_path_factory.getbasetemp(), VALIDATOR, "html-validate/bin/html-validate.mjs")
    rules = tmp_path_factory.mktemp("rules") / "rules.json"
    rules.write_text(json.dumps({"root": True, "elements": ["html5"], "rules": dict.fromkeys(RULES, "error")}))
    pages = [str(built / f"{name}.html") for name in PAGES]
    report = rules.with_name("report.json")
    subprocess.run(["node", script, "--config", rules, "-f", f"json={report}", *pages], check=False)
    found = json.loads(report.read_text("utf-8"))
    told = [
        (Path(page["filePath"]).stem, error["line"], error["message"]) for page in found for error in page["messages"]
    ]
    assert told == []


@pytest.mark.parametrize("stem", LESSONS)
def test_a_lesson_prints_on_at_most_twelve_sheets_and_nothing_is_clipped(browser, built, stem):
    page = open_page(browser, offline=True, viewport={"width": 688, "height": 1000})  # an A4 sheet without its margins
    page.goto((built / f"{stem}.html").as_uri())
    settle(page)
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(CLIPPED) == [] and not page.evaluate(SCROLLS)
    assert page.evaluate(VEILED) == []
    sheets = re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4", prefer_css_page_size=True))
    assert 1 < len(sheets) <= 12
    page.context.close()


def test_answers_and_their_pictures_come_on_the_paper_only_where_they_are_wanted(browser, built):
    page = open_page(browser, offline=True)
    page.goto((built / "01_why_order_matters.html").as_uri())
    settle(page)
    closed = page.locator("article details.below-input:not([open])")
    wanted = closed.count()
    assert wanted > 3
    page.evaluate(f"window.print = () => {{ window.blank = ({BLANK})() }}")
    for answer, left in (("dismiss", wanted), ("accept", 0)):
        page.evaluate("window.blank = undefined")
        page.once("dialog", lambda dialog, answer=answer: getattr(dialog, answer)())
        page.locator(".pe-print").click()
        page.wait_for_function("window.blank !== undefined")
        assert closed.count() == left
        assert page.evaluate("window.blank") == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert closed.count() == wanted
    page.context.close()


@pytest.mark.parametrize("name", [*LESSONS[:5], "index"])
def test_a_page_can_be_read_without_javascript(browser, built, name):
    page = open_page(browser, offline=True, java_script_enabled=False, viewport={"width": 360, "height": 740})
    page.goto((built / f"{name}.html").as_uri())
    for image in page.locator("article figure img.pe-light").all():
        image.scroll_into_view_if_needed()
        assert image.bounding_box()["height"] > 20, "a still is missing"
    assert page.locator(f"article {'a' if name == 'index' else 'p'}:visible").count() > 5  # the front is doors
    for formula in page.locator("article .math svg").filter(visible=True).all():
        assert formula.bounding_box()["height"] > 3, "a formula is missing"
    assert page.locator("article img.pe-dark").filter(visible=True).count() == 0
    assert page.locator(".pe-try, .pe-all-code").filter(visible=True).count() == 0, "a control that does nothing"
    page.context.close()


@pytest.mark.parametrize("stem", LESSONS)
def test_what_a_guess_shall_open_is_folded_until_then(built, stem):
    for output in soup(built, stem).select(".cell.tag_hide-output .cell_output"):
        assert output.find_parent("details"), output.find_parent(class_="cell")["id"]


def test_a_guess_opens_what_it_veils_and_is_there_the_next_day(browser, built):
    page = open_page(browser)
    page.goto((built / "02_deriving_the_sinusoid.html").as_uri())
    settle(page)
    veiled = page.locator(".cell.tag_hide-output[class*='veil:02/still-hands'] details.below-input").first
    assert veiled.get_attribute("open") is None
    question = page.locator("[data-question='02/still-hands']")
    question.locator("input[type=text]").fill("173")
    question.locator(".pe-primary").click()
    assert veiled.get_attribute("open") is not None
    page.reload()
    settle(page)
    page.locator("[data-question='02/still-hands'] [role=status]", has_text="173").wait_for()
    assert veiled.get_attribute("open") is not None
    page.context.close()


def run_cell(page, check, code=None):
    """Run a Try cell as it is or with other code; return what it says."""
    cell = page.locator(f".cell.tag_try:has-text('{check}(') .pe-try")
    if code is not None:
        cell.locator("textarea").fill(code)
    cell.get_by_role("button", name="Run").click()
    page.wait_for_function(
        "() => ![...document.querySelectorAll('.pe-try button')].some((b) => b.disabled && b.textContent === 'Run')"
    )
    return cell.locator(".pe-said").inner_text()


@pytest.mark.parametrize(("stem", "checks"), TRIES.items())
def test_exercises_are_solved_in_the_page_with_the_notebooks_checks(browser, built, stem, checks):
    page = open_page(browser, offline=True)
    page.goto((built / f"{stem}.html").as_uri())
    page.wait_for_selector(".pe-try")
    assert page.locator(".pe-try").count() == len(checks)
    path = next(path for path in site.every() if path.stem == stem)
    cells = [cell.source for cell in site.nbformat.read(path, as_version=4).cells]
    for check, wrong in checks.items():
        stub = next(i for i, source in enumerate(cells) if re.search(rf"^checks\.{check}\(", source, re.M))
        call = cells[stub].splitlines()[-1]
        assert "not attempted yet" in run_cell(page, check)
        solution = re.search(r"```python\n(.*?)```", cells[stub + 1], re.S)[1]
        assert "✔" in run_cell(page, check, f"{solution}\n{call}")
        lesson = importlib.import_module(f"clockwork.lessons.lesson_{stem.split('_')[0]}.checks")
        with pytest.raises(CheckFailed) as told:
            exec(f"{plain.HEADER}\n{wrong}\n{call}", {"checks": lesson})  # as the lessons' first cells have it
        assert run_cell(page, check, f"{wrong}\n{call}") == f"✘ {told.value}"
        record = page.evaluate("(key) => window.peMemory.record(key)", f"exercise/{stem.split('_')[0]}/{check}")
        assert record["value"] is True, "a pass is forgotten"
    page.context.close()


def test_a_cell_in_the_page_names_the_readers_own_line_and_can_be_stopped(browser, built):
    page = open_page(browser, offline=True)
    page.goto((built / "03_deeper.html").as_uri())
    page.wait_for_selector(".pe-try")
    told = run_cell(page, "hours", "x = 1\nmy_hours = x / 0")
    assert "your line 2" in told and "ZeroDivisionError" in told and "cell.py" not in told
    assert "open the lesson in JupyterLab" in run_cell(page, "hours", "import torch")
    cell = page.locator(".pe-try")
    cell.locator("textarea").fill("while True:\n    pass")
    cell.get_by_role("button", name="Run").click()
    cell.get_by_role("button", name="Stop").click()
    cell.get_by_text("Stopped.").wait_for()
    assert "✘" in run_cell(page, "hours", "checks.hours([1, 2, 3, 4])"), "nothing runs after a stop"
    page.context.close()


def test_where_python_does_not_load_a_cell_says_so_and_links_to_the_lesson(browser, built):
    page = open_page(browser)
    page.route("**/micropython.js", lambda route: route.abort())
    page.goto((built / "03_deeper.html").as_uri())
    page.wait_for_selector(".pe-try")
    assert "cannot run Python" in run_cell(page, "hours")
    link = page.locator(".cell.tag_try .pe-elsewhere a")
    assert link.is_visible()
    assert link.get_attribute("href").endswith("#open-this-lesson")
    page.context.close()


@pytest.fixture(scope="module")
def search_page(browser, built):
    page = open_page(browser, offline=True)
    page.goto((built / "search.html").as_uri())
    page.wait_for_function("() => window.clockworkSearch")
    yield page
    assert page.complaints == []
    page.context.close()


def test_without_javascript_the_playground_is_a_still_and_a_table(built):
    place = soup(built, "playground").find(id="clockwork-playground")
    shown = [built / image["src"] for image in place.find_all("img", alt=True)]
    assert shown and all(image.exists() for image in shown)
    rows = [[cell.get_text() for cell in row.find_all(["th", "td"])] for row in place.find("table").find_all("tr")]
    assert rows == recorded.table()


def results(page, query):
    """Type a query into the search; return the addresses that it offers."""
    page.locator("#pe-query").fill(query)
    return page.locator(".pe-results a").evaluate_all("links => links.map(link => link.getAttribute('href'))")


@pytest.mark.parametrize(("query", "place"), SOUGHT.items())
def test_the_search_finds_what_people_type_from_a_file(search_page, query, place):
    assert any(found.startswith(place) for found in results(search_page, query)[:2])


@pytest.mark.parametrize(("query", "place"), FIRST.items())
def test_the_search_puts_first_what_was_named_or_nearly_so(search_page, query, place):
    assert place in results(search_page, query)[0]


@pytest.mark.parametrize("asked_elsewhere", [False, True])
def test_the_keyboard_reaches_the_results_after_enter(asked_elsewhere, browser, built):
    page = open_page(browser, offline=True)
    page.goto((built / "search.html").as_uri() + "?q=rope" * asked_elsewhere)
    page.wait_for_function("() => window.clockworkSearch")
    if not asked_elsewhere:
        page.locator("#pe-query").fill("rope")
        page.keyboard.press("Enter")
    links = page.locator(".pe-results a").evaluate_all("links => links.map(link => link.href)")
    for key, place in (("", 0), ("ArrowDown", 1), ("ArrowDown", 2), ("ArrowUp", 1)):
        if key:
            page.keyboard.press(key)
        assert page.evaluate("() => document.activeElement.href") == links[place]
    for _ in range(2):
        page.keyboard.press("ArrowUp")
    assert page.evaluate("() => document.activeElement.id") == "pe-query"
    page.context.close()


@pytest.mark.parametrize("question", asked.questions((site.SITE / asked.PAGE).read_text("utf-8")), ids=lambda q: q.ask)
def test_the_search_finds_each_question_of_the_page(search_page, question):
    assert results(search_page, question.ask)[0].startswith("questions.html#")
    assert search_page.locator(".pe-results a").first.inner_text() == question.ask


def test_every_result_leads_to_its_heading(search_page, built):
    entries = search_page.evaluate(
        "() => window.clockworkIndex.entries.map(({ address, heading }) => [address, heading])"
    )
    assert len(entries) > 300
    pages = {
        name: BeautifulSoup((built / name).read_text("utf-8"), "html.parser")
        for name in {a.split("#")[0] for a, _ in entries}
    }
    for address, _ in entries:
        name, _, anchor = address.partition("#")
        assert not anchor or pages[name].find(id=anchor), address


def test_no_result_shows_an_answer(search_page):
    shown = search_page.evaluate("() => JSON.stringify(window.clockworkIndex)")
    file = tomllib.loads((HOME / "src/clockwork/lessons/lesson_04/questions.toml").read_text("utf-8"))
    question = file["longer-text"]
    assert question["ask"][:60] in shown
    assert question["because"][:60] not in shown
    assert question["choices"]["eighth"][1][:40] not in shown


def test_a_link_to_a_heading_with_brackets_in_it_ends_after_them():
    text = "[YaRN](deeper/08_deeper.ipynb#What-is-it?-(mscale)) and ([more](08_x.ipynb#Near))"
    linked = site.HEADING.sub(site.to_heading, text)
    assert linked == "[YaRN](08_deeper.ipynb#what-is-it-mscale) and ([more](08_x.ipynb#near))"


def test_a_link_into_a_fold_opens_it_and_no_other(browser, built):
    page = open_page(browser, offline=True)
    page.goto((built / "03_clock_hands.html").as_uri())
    settle(page)
    page.evaluate("""() => { for (const id of ["cell-l03-023", "cell-l03-r2"]) {
      const place = document.getElementById(id);
      const fold = place.parentElement.insertBefore(document.createElement("details"), place);
      fold.append(place);
      fold.className = "tried";
    } }""")
    page.evaluate('location.hash = "#cell-l03-r2"')
    page.wait_for_function("() => document.querySelector('details.tried[open] #cell-l03-r2')")
    assert page.locator("#cell-l03-r2").evaluate("cell => cell.getBoundingClientRect().top < innerHeight")
    assert page.locator("details.tried[open]").count() == 1
    page.context.close()


@pytest.mark.parametrize("stem", ["all", "engineers", "classroom"])  # all: every lesson and its side paths
def test_every_line_of_code_and_of_what_it_prints_fits_a_screen_of_1280_pixels(browser, built, stem):
    page = open_page(browser, offline=True, viewport={"width": 1280, "height": 800})
    page.goto((built / f"{stem}.html").as_uri())
    settle(page)
    page.evaluate("document.querySelectorAll('article details').forEach((fold) => { fold.open = true; })")
    page.evaluate("frame()")
    boxes = page.locator("article pre")
    assert boxes.count()
    cut = boxes.evaluate_all("all => all.filter((b) => b.scrollWidth > b.clientWidth).map((b) => b.textContent)")
    assert cut == []
    page.context.close()


@pytest.mark.parametrize("stem", LESSONS)
def test_an_exercise_runs_in_the_page_or_says_what_it_needs(built, stem):
    page = soup(built, stem)
    for cell in page.select(".cell"):
        if re.search(r"^lesson_\d+\.\w+\(", cell.text, flags=re.M):
            assert cell.select_one(".pe-elsewhere a[href$='#open-this-lesson']")
    assert page.select_one("#open-this-lesson")


@pytest.mark.parametrize("stem", LESSONS)
def test_a_lesson_can_be_opened_elsewhere(built, stem):
    links = {link.text: link["href"] for link in soup(built, stem).select(".pe-open a")}
    assert links["JupyterLab"] == "index.html#run-the-lessons" and soup(built, "index").select_one("#run-the-lessons")
    assert links["Binder"].startswith("https://mybinder.org/v2/gh/example/clockwork/HEAD?labpath=notebooks%2F")
    assert links["JupyterHub"].startswith("https://hub.example/hub/user-redirect/git-pull?repo=")
    assert links["Colab"] == f"https://colab.research.google.com/github/example/clockwork/blob/colab/{stem}.ipynb"
    assert links["Codespaces"] == "https://codespaces.new/example/clockwork?quickstart=1"
    assert site.nbformat.read(built / links["Download"], as_version=4).cells


@pytest.mark.parametrize("name", PAGES)
def test_every_page_has_one_place_to_say_what_is_wrong_there(built, name):
    (link,) = [one for one in soup(built, name).find_all("a") if one.text == "Report what is wrong here"]
    address, _, query = link["href"].partition("?")
    assert address == "https://github.com/example/clockwork/issues/new"
    assert f"{name}.html" in urllib.parse.parse_qs(query)["body"][0]


def test_the_front_page_leads_back_to_where_the_reader_was_and_counts(browser, built):
    page = open_page(browser, offline=True)
    page.goto((built / "index.html").as_uri())
    settle(page)
    assert page.locator(".pe-go-on, .pe-done").filter(visible=True).count() == 0
    page.goto((built / "02_deriving_the_sinusoid.html").as_uri())
    settle(page)
    question = page.locator("[data-question='02/still-hands']")
    question.locator("input[type=text]").fill("173")
    question.locator(".pe-primary").click()
    page.locator("#which-speeds h2").scroll_into_view_if_needed()
    page.evaluate("document.getElementById('which-speeds').scrollIntoView()")
    page.wait_for_function("() => window.peMemory.record('site/place')?.value.anchor === 'which-speeds'")
    page.goto((built / "index.html").as_uri())
    settle(page)
    done = page.locator("[data-lesson='02_deriving_the_sinusoid'] .pe-done")
    assert done.inner_text().startswith("1 of ") and page.locator(".pe-done").filter(visible=True).count() == 1
    page.locator(".pe-go-on a").click()
    page.wait_for_url("**/02_deriving_the_sinusoid.html#which-speeds")
    page.context.close()


def test_two_readers_of_one_browser_are_kept_apart(browser, built):
    page = open_page(browser, offline=True)
    page.goto((built / "02_deriving_the_sinusoid.html").as_uri())
    settle(page)
    question = page.locator("[data-question='02/still-hands']")
    whose = page.locator(".pe-whose input")

    def turn_to(name):
        whose.fill(name)
        whose.press("Enter")

    turn_to("Anna")
    question.locator("input[type=text]").fill("173")
    question.locator(".pe-primary").click()
    feedback = question.locator(".pe-answer")
    assert feedback.is_visible()
    turn_to("Ben")
    assert not feedback.is_visible() and question.locator("input[type=text]").input_value() != "173"
    page.reload()
    settle(page)
    assert whose.input_value() == "Ben" and not feedback.is_visible()
    turn_to("Anna")
    assert feedback.is_visible() and question.locator("input[type=text]").input_value() == "173"
    page.context.close()


def test_the_front_page_counts_what_the_lessons_remember():
    for path in site.mains():
        stem = path.stem
        notebooks = [site.nbformat.read(part, as_version=4) for part in site.whole(path)]
        entry = progress.entry("core" if stem.startswith("05b") else stem.split("_")[0])
        counted = site.tasks(stem, notebooks, "")
        assert set(counted["questions"]) <= {question["key"] for question in entry["questions"]}
        assert len(set(counted["questions"])) == len(counted["questions"]) > 0
        assert sorted(counted["exercises"]) == sorted(entry["exercises"])


def test_shift_held_while_dragging_draws_no_frame_round_the_picture(browser, built):
    page = open_page(browser, offline=True)
    page.goto((built / "03_clock_hands.html").as_uri())
    settle(page)
    page.locator(".pe canvas").first.click()
    page.keyboard.down("Shift")
    framed = "() => [...document.querySelectorAll(':focus-visible')].map((e) => getComputedStyle(e).outlineStyle)"
    assert set(page.evaluate(framed)) <= {"none"}
    page.context.close()


def test_what_was_typed_into_an_exercise_is_there_after_a_reload(browser, built):
    page = open_page(browser, offline=True)
    page.goto((built / "03_clock_hands.html").as_uri())
    settle(page)
    field = page.locator(".pe-try textarea")
    field.fill("my_hours = [1, 2]  # not run yet")
    page.reload()
    settle(page)
    assert field.input_value() == "my_hours = [1, 2]  # not run yet"
    page.get_by_role("button", name="Start again").click()
    page.reload()
    settle(page)
    assert "not run yet" not in field.input_value()
    page.context.close()


def test_a_changed_lesson_alone_is_written_anew_and_all_else_stays(built, tmp_path):
    """The pages that are read again, without a change, come out as they were; one with a change has it."""
    again = tmp_path / "again"
    for stem in ("04_relative_offsets", "09_what_tables_learn"):
        (site.READ / f"{stem}.ipynb").touch()
    changed = site.READ / "02_deriving_the_sinusoid.ipynb"
    before = changed.read_text("utf-8")
    changed.write_text(before.replace(" wave", " ripple", 1))
    try:
        assert site.build(again, ADDRESS) == 0
    finally:
        changed.write_text(before, "utf-8")
    files = sorted(path.relative_to(built).as_posix() for path in built.rglob("*") if path.is_file())
    assert files == sorted(path.relative_to(again).as_posix() for path in again.rglob("*") if path.is_file())
    different = {file for file in files if (built / file).read_bytes() != (again / file).read_bytes()}
    assert different == {"02_deriving_the_sinusoid.html", "all.html", "_static/search-index.js"}


@pytest.mark.parametrize("name", PAGES[:-1])
def test_a_page_has_one_first_heading_and_says_what_it_is(built, name):
    page = soup(built, name)
    assert len(page.select("article h1")) == 1
    assert page.html["lang"] == "en"
    assert page.title.text.strip()
    assert page.find("meta", {"name": "description"})["content"]
    assert page.find("meta", {"property": "og:image"})["content"].startswith(ADDRESS)


@pytest.mark.parametrize("stem", LESSONS)
def test_a_lesson_is_described_by_its_own_objectives(built, stem):
    page = soup(built, stem)
    data = json.loads(page.find("script", {"type": "application/ld+json"}).string)
    head = site.nbformat.read(site.NOTEBOOKS / f"{stem}.ipynb", as_version=4).cells[0].source
    assert data["teaches"] == [line[2:].rstrip(";,.") for line in head.splitlines() if line.startswith("- ")]
    assert data["name"] in head


@pytest.mark.parametrize("stem", LESSONS)
def test_no_answer_stands_in_the_code_of_a_question(built, stem):
    code = " ".join(part.text for part in soup(built, stem).select(".cell_input"))
    assert "because=" not in code and "correct=" not in code and "feedback =" not in code


def test_the_sitemap_lists_every_lesson(built):
    written = (built / "sitemap.xml").read_text("utf-8")
    assert all(f"<loc>{ADDRESS}/{stem}.html</loc>" in written for stem in LESSONS)


def test_the_citation_names_the_packages_version():
    version = tomllib.loads((HOME / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert str(yaml.safe_load((HOME / "CITATION.cff").read_text("utf-8"))["version"]) == version
    assert json.loads((HOME / ".zenodo.json").read_text("utf-8"))["version"] == version


@pytest.mark.parametrize(
    ("schema", "pattern"), [("citation-file-format", "CITATION.cff"), ("github-workflows", ".github/workflows/*.yml")]
)
def test_citation_and_workflows_follow_their_schemas(schema, pattern):
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}"]
    files = sorted(HOME.glob(pattern))
    said = subprocess.run([*command, *files], capture_output=True, text=True, check=False)
    assert files and said.returncode == 0, said.stdout + said.stderr


def test_every_action_is_pinned_and_every_job_runs_a_verb():
    for path in sorted((HOME / ".github/workflows").glob("*.yml")):
        steps = [step for job in yaml.safe_load(path.read_text("utf-8"))["jobs"].values() for step in job["steps"]]
        for step in steps:
            if "uses" in step:
                assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", step["uses"]), path.name
            else:
                assert re.search(r"course\.py \w+|\.ci/run", step["run"]), path.name
