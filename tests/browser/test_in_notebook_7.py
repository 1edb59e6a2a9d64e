"""Notebook 7 shows the course's widgets as JupyterLab does, and the words of the text around them are tied to them."""

import nbformat
import pytest
from driving import drag, headless, open_page, sliders, wait_for_widgets

pytestmark = pytest.mark.browser
CELLS = [
    "from clockwork.kit import widgets\nfrom clockwork.lessons.lesson_02.views import Wave\n"
    "cursor = widgets.Cursor(position=22, hand=1, d_model=16)\nwidgets.Clock(cursor)",
    "Wave(cursor)",
]
WORDS = """<span class="pe-hand-2">Hand 2</span> turns $\\omega_i$ a token. At position
<span class="pe-scrub-position">22</span> it has turned <span class="pe-show-angle">…</span> rad."""


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    folder = tmp_path_factory.mktemp("notebook")
    headless.write_notebook(folder / "widgets.ipynb", CELLS)
    notebook = nbformat.read(folder / "widgets.ipynb", as_version=4)
    notebook.cells.insert(0, nbformat.v4.new_markdown_cell(WORDS))
    nbformat.write(notebook, folder / "widgets.ipynb")
    (folder / "notebooks").mkdir()
    headless.write_notebook(folder / "notebooks/lesson.ipynb", CELLS)
    with headless.notebook_7(folder) as address:
        page = open_page(browser)
        page.goto(f"{address}/notebooks/widgets.ipynb")
        page.wait_for_function(headless.IDLE, timeout=120_000)
        before = list(page.complaints)  # Notebook's own
        page.evaluate("() => jupyterapp.commands.execute('notebook:run-all-cells')")
        wait_for_widgets(page, len(CELLS))
        assert page.evaluate(headless.FAILED) == []
        yield page
        assert page.complaints == before
        page.context.close()


def test_a_slider_moves_every_view_and_tells_python(page):
    said = page.evaluate("() => [...document.querySelectorAll('.pe canvas')].map((c) => c.ariaLabel)")
    handle = next(handle for handle, name in sliders(page) if name == "position")
    drag(page, handle, 1)
    page.wait_for_function(
        "said => [...document.querySelectorAll('.pe canvas')].every((c, i) => c.ariaLabel !== said[i])", arg=said
    )
    last = handle.evaluate("input => input.max")
    page.wait_for_function(f"async (last) => await ({headless.ASK})('cursor.position') === last", arg=last)


def test_a_word_and_a_formula_of_the_text_light_a_hand_and_a_number_is_scrubbed(page):
    for tied in (page.locator(".jp-RenderedMarkdown .pe-hand-2"), page.locator(".jp-RenderedMarkdown mjx-msub").first):
        tied.scroll_into_view_if_needed()
        page.wait_for_function("word => word.classList.contains('pe-mark')", arg=tied.element_handle())
        dark = page.evaluate("() => inOrder().map((p) => stateOf(p.root).hash)")
        tied.hover()
        page.wait_for_function(
            "dark => inOrder().every((p, i) => stateOf(p.root).hash !== dark[i])",
            arg=dark,
        )
        page.mouse.move(1, 1)
    number = page.locator(".jp-RenderedMarkdown .pe-scrub-position")
    angle = page.locator(".jp-RenderedMarkdown .pe-show-angle")
    before = int(number.inner_text())
    said = angle.inner_text()
    number.press("ArrowLeft")
    page.wait_for_function(f"async (now) => await ({headless.ASK})('cursor.position') === now", arg=str(before - 1))
    assert number.inner_text() == str(before - 1) and angle.inner_text() != said
    assert page.evaluate("document.activeElement.className").startswith("pe-scrub"), "Notebook took the focus"


def test_nothing_is_saved_over_a_published_lesson_and_the_page_says_where_to_save_it(page):
    lesson = page.context.new_page()
    lesson.goto(page.url.replace("widgets.ipynb", "notebooks/lesson.ipynb"))
    lesson.wait_for_function(headless.IDLE, timeout=120_000)
    lesson.evaluate("() => { jupyterapp.commands.execute('docmanager:save'); }")
    lesson.locator(".jp-Dialog").get_by_text("my-course/mine_lesson.ipynb").wait_for()
    lesson.close()
