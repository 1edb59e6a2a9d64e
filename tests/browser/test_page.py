"""A lesson's page: one column under a slim bar, a drawer, one left edge, few sizes of type, little weight."""

import json
import re

import pytest
from driving import open_page
from test_site import LESSONS, PAGES, built, settle, soup  # noqa: F401
from tools import front, site

pytestmark = pytest.mark.browser
MOST = 900_000  # bytes of a lesson's page and of all that it loads, without its recorded data and its figures
WIDTHS = {390: 844, 700: 900, 1280: 800, 1600: 900}
BOXES = """() => [...document.querySelectorAll("article section > :is(p, h2, h3, ul, ol, .cell)")]
  .filter((one) => one.checkVisibility() && one.getBoundingClientRect().width > 40 && !one.closest(".pe"))
  .map((one) => [one.matches(".cell"), one.getBoundingClientRect()])
  .map(([cell, { left, width }]) => [cell, left, width])"""
SIZES = """() => { const sizes = new Map(); const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let at; (at = walk.nextNode()); ) {
    const one = at.parentElement;
    const formula = one.closest("sub, sup, mjx-container, .pe-raised, .pe-lowered");
    if (!at.data.trim() || !one.checkVisibility() || formula) continue;
    const size = getComputedStyle(one).fontSize;
    sizes.set(size, (sizes.get(size) ?? 0) + at.data.trim().length);
  } return Object.fromEntries(sizes); }"""
STACKS = """() => [...document.querySelectorAll("article .pe:has(canvas)")]
  .filter((one) => one.checkVisibility() && !one.matches(".pe-questions"))
  .map((one) => [one.querySelector("canvas").ariaLabel, one.offsetHeight, one.querySelector("canvas").offsetWidth])"""


@pytest.fixture
def opened(browser, built):  # noqa: F811
    """Return a function that opens a page at a width."""
    pages = []

    def at(name, width=1280, **options):
        page = open_page(browser, offline=True, viewport={"width": width, "height": WIDTHS.get(width, 800)}, **options)
        page.goto((built / f"{name}.html").as_uri())
        settle(page)
        pages.append(page)
        return page

    yield at
    for page in pages:
        assert page.complaints == []
        page.context.close()


@pytest.mark.parametrize("name", PAGES[:-1])
def test_a_page_has_one_column_and_all_else_in_a_closed_drawer(built, name):  # noqa: F811
    page = soup(built, name)
    assert [one.name for one in page.body.find_all(recursive=False) if one.name != "script"] == [
        "a",
        "header",
        "dialog",
        "main",
        "footer",
    ]
    assert not page.select("aside, [class*=sidebar]") and not page.dialog.has_attr("open")
    listed = {link["href"].partition("#")[0] for link in page.dialog.select("nav a")}
    assert {f"{stem}.html" for stem in LESSONS if "deeper" not in stem and stem != name} <= listed


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["00_start_here", "04_relative_offsets"])
def test_text_has_its_measure_pictures_have_the_column_and_both_one_left_edge(opened, name, width):
    page = opened(name, width)
    boxes = page.evaluate(BOXES)
    assert len({round(left) for _, left, _ in boxes}) == 1
    text = max(size for cell, _, size in boxes if not cell)
    pictures = max(size for cell, _, size in boxes if cell)
    column = min(1000, width - (80 if width >= 640 else 40))
    assert round(pictures) == column and round(text) == min(660, column)
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")


@pytest.mark.parametrize("name", [stem for stem in LESSONS if "deeper" not in stem])
def test_at_most_five_sizes_carry_nearly_all_letters_of_a_lesson(opened, name):
    sizes = opened(name).evaluate(SIZES)
    largest = sorted(sizes.values(), reverse=True)
    assert sum(largest[5:]) <= 0.02 * sum(largest), sizes


@pytest.mark.parametrize("name", ["00_start_here", "02_deriving_the_sinusoid", "04_relative_offsets"])
def test_a_picture_and_what_stands_round_it_fit_a_laptops_screen(opened, name):
    page = opened(name)
    page.evaluate("document.querySelectorAll('details:has(canvas)').forEach((one) => { one.open = true; })")
    settle(page)
    tall = {label[:60]: height for label, height, _ in page.evaluate(STACKS) if height > 620}
    assert tall == {}


def test_the_drawer_keeps_the_focus_and_gives_it_back(opened):
    page = opened("02_deriving_the_sinusoid")
    opens = page.get_by_role("button", name="Contents and lessons")
    inside = "document.querySelector('.pe-drawer').contains(document.activeElement)"
    links = page.locator(".pe-drawer a")
    assert not links.first.is_visible()
    opens.press("Enter")
    for key in ("Tab", "Shift+Tab"):
        for _ in range(links.count() + 3):
            page.keyboard.press(key)
            assert page.evaluate(f"{inside} || document.activeElement === document.body"), (
                "the page behind has the focus"
            )
    assert links.filter(has_text="03 · Clock hands").is_visible()
    page.keyboard.press("Escape")
    assert not links.first.is_visible() and opens.evaluate("one => one === document.activeElement")
    opens.click()
    page.mouse.click(1000, 400)
    assert not links.first.is_visible(), "a click beside it closes it"
    opens.click()
    links.filter(has_text="Which speeds").click()
    page.wait_for_function("location.hash === '#which-speeds'")
    assert not links.first.is_visible()


def test_the_theme_is_the_systems_until_one_is_chosen_and_that_one_stays(opened):
    page = opened("03_clock_hands", color_scheme="dark")
    paper = "getComputedStyle(document.documentElement).backgroundColor"
    dark = page.evaluate(paper)
    button = page.get_by_role("button", name="Dark theme")
    assert button.get_attribute("aria-pressed") == "true"
    button.click()
    assert page.evaluate(paper) != dark
    page.reload()
    assert page.evaluate(paper) != dark and button.get_attribute("aria-pressed") == "false"


def test_the_bar_says_how_far_down_the_page_the_reader_is(opened):
    page = opened("01_deeper")
    share = "Number(document.querySelector('.pe-read').style.getPropertyValue('--read'))"
    assert page.evaluate(share) == 0
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    page.wait_for_function(f"{share} > 0.99")


@pytest.mark.parametrize("stem", LESSONS)
def test_a_lesson_loads_the_pictures_that_it_shows_and_no_others(built, stem):  # noqa: F811
    page = soup(built, stem)
    files = {one["src"].partition("?")[0] for one in page.select("script[src]")}
    assert not [file for file in files if "fontawesome" in file or "bootstrap" in file]
    if data := page.find(id="clockwork-widgets"):
        shown = {held["state"].get("_esm", "") for held in json.loads(data.string).values()}
        script = (built / f"_static/pages/{stem}.js").read_text("utf-8") + (built / "_static/kit.js").read_text("utf-8")
        assert f"_static/pages/{stem}.js" in files
        assert all(f'"{name}": ' in script for name in shown if name.endswith(".js"))
        rooms = set(
            re.findall(r'^"lessons/(lesson_\w+)/', (built / f"_static/pages/{stem}.js").read_text("utf-8"), re.M)
        )
        assert rooms <= {name.split("/")[1] for name in shown if name.startswith("lessons/")}, "another lesson's"


@pytest.mark.parametrize("stem", LESSONS)
def test_a_lessons_page_with_all_that_it_loads_is_light_without_its_data(browser, built, stem):  # noqa: F811
    page = open_page(browser)
    weight = {}
    page.on("response", lambda response: weight.update({response.url: len(response.body())}))
    page.goto((built / f"{stem}.html").as_uri())
    settle(page)
    data = soup(built, stem).find(id="clockwork-widgets")
    held = len(data.string.encode()) if data else 0
    loaded = sum(size for url, size in weight.items() if "/figures/" not in url)
    assert loaded - held <= MOST
    page.context.close()


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
def test_the_front_page_shows_the_hand_and_three_doors_on_one_screen(opened, size):
    page = opened("index", size[0])
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.evaluate("frame()")
    places = [*page.locator(".pe-doors a").all(), page.locator(".pe canvas").first, page.locator("h1")]
    assert len(places) == 5
    for place in places:
        box = place.bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= size[1]
    links = [door.get_attribute("href") for door in places[:3]]
    assert links == ["00_start_here.html", "playground.html", "01_why_order_matters.html"]
    slider = page.locator(".pe-slider input").first
    assert slider.is_enabled()
    before = page.evaluate("stateOf(inOrder()[0].root)")
    slider.press("End")
    page.evaluate("frame()")
    after = page.evaluate("stateOf(inOrder()[0].root)")
    assert after["hash"] != before["hash"] and "answers tom" in after["alt"], "the hand's answer is not veiled here"


def test_the_front_page_is_no_copy_of_the_short_way(built):  # noqa: F811
    said = {re.sub(r"\s+", " ", p.text).strip() for p in soup(built, "00_start_here").select("article p")}
    here = {re.sub(r"\s+", " ", p.text).strip() for p in soup(built, "index").select("article p")}
    assert len(said & here) <= 1
    assert len(soup(built, "index").select("[data-widget]")) == 1


@pytest.mark.parametrize(
    ("source", "plumbing"),
    {
        "import torch\nfrom x import y": True,
        "views.Shift(position=10)": True,
        "import torch\n\nwidgets.ask('04/words')": True,
        "goal = widgets.Challenge('x', f)\nviews.Sharpness(challenges=[goal])": True,
        "plots.show(figures.block(1))": True,
        "resting = 3\nplots.show(figures.block(resting))": False,
        "print(codes @ codes.T)": False,
        "views_seen = 3": False,
    }.items(),
)
def test_code_that_only_puts_a_picture_on_the_page_is_told_from_the_argument(source, plumbing):
    assert site.is_plumbing(source) is plumbing


@pytest.mark.parametrize("stem", LESSONS)
def test_no_plumbing_is_seen_and_what_a_cell_draws_stands_above_its_code(built, stem):  # noqa: F811
    for cell in soup(built, stem).select(".cell"):
        code = cell.select_one(".cell_input pre")
        if not code:
            continue
        assert not re.match(r"(views|widgets|clock)\.\w+\(", code.text) and not re.fullmatch(
            r"plots\.show\(figures\..*\)\s*", code.text, re.S
        )
        if picture := cell.select_one(".cell_output figure"):
            assert picture.sourceline <= code.sourceline


def test_the_groups_of_the_drawer_are_those_of_the_front_page(built):  # noqa: F811
    page = soup(built, "index")
    headings = [one.text.replace("#", "").strip() for one in page.select("article h3")]
    captions = [one.text.strip() for one in page.select(".pe-drawer .caption")]
    assert [name for name in front.GROUPS if name in headings] == headings == captions[: len(headings)]
