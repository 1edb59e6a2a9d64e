"""The site: built without a warning, alive without a kernel or a network, and open to every reader."""

import json
import re
import tomllib

import pytest
import yaml
from bs4 import BeautifulSoup
from driving import BRIEF, HOME, axe_source, chromium, open_page, wait_for_widgets
from tools import site

pytestmark = pytest.mark.browser
ADDRESS = "https://clockwork.example"
LESSONS = sorted(path.stem for path in site.NOTEBOOKS.glob("*.ipynb"))
SCRUBBED = [stem for stem in LESSONS if "pe-scrub-" in (site.NOTEBOOKS / f"{stem}.ipynb").read_text("utf-8")]
PAGES = [*LESSONS, "index", "all", "summary", "which_scheme", "glossary", "teachers", "engineers", "SOURCES", "search"]
SCROLLS = "() => document.documentElement.scrollWidth > innerWidth"


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """Build the site with widgets whose models are trained for two steps only."""
    assert site.vendor() is None
    site.prepare("https://github.com/example/clockwork", "https://hub.example", BRIEF, site.BUILD / "widgets-brief")
    folder = tmp_path_factory.mktemp("site") / "first"
    assert site.build(folder, ADDRESS) == 0, "the build has warnings"
    return folder


@pytest.fixture(scope="module")
def browser():
    with chromium() as started:
        yield started


def soup(built, name):
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
    heights = page.evaluate("peers()")
    for root in page.query_selector_all(".pe:has(canvas)"):
        for handle in root.query_selector_all(".pe-slider input[data-name]"):
            if not handle.is_visible():  # the sliders of a sketch are folded away
                continue
            before = root.evaluate("stateOf")
            handle.press("End" if handle.input_value() == handle.get_attribute("min") else "Home")
            page.evaluate("frame()")
            after = root.evaluate("stateOf")
            assert after["alt"] != before["alt"], f"{handle.get_attribute('data-name')} says nothing"
            assert after["hash"] != before["hash"], f"{handle.get_attribute('data-name')} changes no pixel"
    assert page.evaluate("peers()") == heights, "the layout jumps"
    page.evaluate("document.querySelector('article').style.width = '370px'")
    page.evaluate("frame()")
    cut = "[...document.querySelectorAll('.pe')].filter((r) => r.scrollWidth > r.clientWidth).map((r) => r.innerText)"
    assert page.evaluate(cut) == [], "the end of a line is cut off"
    assert [url for url in asked if not url.startswith(("file:", "blob:", "data:"))] == []
    assert page.complaints == []
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
    shown = page.locator("article span[class*=pe-show-]:not(.pe *)").all_inner_texts()
    assert shown and "…" not in shown
    assert page.complaints == []
    page.context.close()


@pytest.mark.parametrize("name", PAGES)
def test_no_page_is_wider_than_a_phone(browser, built, name):
    page = open_page(browser, viewport={"width": 360, "height": 740})
    page.goto((built / f"{name}.html").as_uri())
    page.wait_for_timeout(500)
    assert not page.evaluate(SCROLLS)
    page.context.close()


@pytest.mark.parametrize("name", ["index", "engineers", "summary", "which_scheme"])
def test_no_page_violates_a_rule_of_accessibility(browser, built, name, tmp_path_factory):
    axe = axe_source(tmp_path_factory.getbasetemp())
    found = {}
    for scheme in ("light", "dark"):
        for width in (360, 1280):
            page = open_page(browser, color_scheme=scheme, viewport={"width": width, "height": 900})
            page.goto((built / f"{name}.html").as_uri())
            page.wait_for_timeout(1500)
            page.evaluate(axe)
            for violation in page.evaluate("() => axe.run()")["violations"]:
                found[violation["id"]] = (scheme, width, violation["nodes"][0]["html"][:200], len(violation["nodes"]))
            page.context.close()
    assert found == {}


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
    cited = yaml.safe_load((HOME / "CITATION.cff").read_text("utf-8"))
    assert str(cited["version"]) == version
    assert json.loads((HOME / ".zenodo.json").read_text("utf-8"))["version"] == version
    assert {"cff-version", "message", "title", "authors"} <= set(cited)


def test_every_action_is_pinned_and_every_job_runs_a_verb():
    for path in sorted((HOME / ".github/workflows").glob("*.yml")):
        steps = [step for job in yaml.safe_load(path.read_text("utf-8"))["jobs"].values() for step in job["steps"]]
        for step in steps:
            if "uses" in step:
                assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", step["uses"]), path.name
            else:
                assert re.search(r"course\.py \w+|\.ci/run", step["run"]), path.name
