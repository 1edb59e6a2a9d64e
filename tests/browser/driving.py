"""How the browser tests find a browser, open a page, and move what is on it."""

import contextlib
import importlib
import importlib.util
import pkgutil
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import needed_cells
import numpy as np
from conftest import require

HOME = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(HOME))

from tools import headless, stills, widget_states  # noqa: E402
from tools import lessons as every_lesson  # noqa: E402

from clockwork import lessons as rooms_of_lessons  # noqa: E402
from clockwork.kit import widgets  # noqa: E402

SCRIPT = Path(__file__).with_name("driving.js").read_text("utf-8")
AXE = "axe-core@4.11.0"
TOLERANCE = 1e-4
IMPATIENCE = "[anywidget] Failed to initialize model."  # after two seconds; the view is drawn all the same
BRIEF = """
import ast
from clockwork.kit import training
class Doubtless(ast.NodeTransformer):
    def visit_Assert(self, node):
        return ast.copy_location(ast.Pass(), node)
get_ipython().ast_transformers.append(Doubtless())
train_in_full = training.train
training.train = lambda *given, **options: train_in_full(*given, **options | {"steps": 2})
"""  # models are trained for two steps, and nothing is asserted of what they have learned


@contextlib.contextmanager
def chromium():
    """Start a browser, or say how to get one."""
    require(headless.chromium_path(), headless.HOW_TO_GET_IT)
    with headless.chromium() as browser:
        yield browser


def open_page(browser, **options):
    """Open a page that keeps its complaints in `page.complaints` and knows the functions of driving.js."""
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 1000}, **options})
    page = context.new_page()
    page.complaints = []

    def note(words):
        if IMPATIENCE not in words:
            page.complaints.append(words)

    page.on("pageerror", lambda error: note(str(error)))
    page.on("console", lambda said: note(said.text) if said.type == "error" else None)
    if options.get("java_script_enabled", True):
        page.add_init_script(SCRIPT)
    page.set_default_timeout(60_000)
    return page


def page_of(widgets, before=""):
    """Return a page that shows widgets as the site does: their stills, and their models with the host of these."""
    from ipywidgets import Widget

    texts = {}
    state = Widget.get_manager_state()["state"]
    held = widget_states.written(state, {model: model for model in state}, texts)
    shown = [(widget.model_id, widget._repr_mimebundle_()[0]["text/html"]) for widget in widgets]
    body = "".join(f'<div data-widget="{model}">{still}</div>' for model, still in shown)
    return f"""<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Gallery</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body {{ background: #fff; color: #1f2328 }}
[data-theme="dark"] body {{ background: #111417; color: #e8eaed }}
main {{ max-width: 744px; margin: auto }}
img {{ max-width: 100% }}
</style>
<script>document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"
document.addEventListener("clockwork:mounted", () => {{
  for (const fold of document.querySelectorAll(".pe-more")) fold.open = true;
}});
</script></head><body><main>{before}{body}</main>{stills.scripts(held, texts)}</body></html>"""


def wait_for_widgets(page, count):
    """Wait until `count` widgets stand on the page and every picture among them is drawn that nothing folds away."""
    page.wait_for_function(
        """count => document.querySelectorAll(".pe").length >= count &&
                    [...document.querySelectorAll(".pe canvas")]
                      .every((c) => c.getAttribute("aria-label") || c.closest("details:not([open])"))""",
        arg=count,
        timeout=120_000,
    )


def sliders(page):
    """List the handles of all sliders that follow nothing but the reader, with their names."""
    return [(h, h.get_attribute("data-name")) for h in page.query_selector_all(".pe-slider input[data-name]")]


def drag(page, handle, share):
    """Drag a slider's thumb by mouse to a share 0 … 1 of its track, as a reader does; a little beyond at the ends."""
    handle.scroll_into_view_if_needed()
    box, state = handle.bounding_box(), handle.evaluate("i => (i.value - i.min) / (i.max - i.min || 1)")
    y, reach = box["y"] + box["height"] / 2, box["width"] - 16
    page.mouse.move(box["x"] + 8 + state * reach, y)
    page.mouse.down()
    for part in (0.5, 1):
        page.mouse.move(box["x"] + 8 + (state + (share - state) * part) * reach + (20 * share - 10) * part, y)
    page.mouse.up()


def agree(shown, numbers):
    """Say whether the flat numbers that JavaScript drew are those of Python, within the tolerance."""
    if set(shown) != set(numbers):
        return False
    for name, expected in numbers.items():
        here = np.array([np.nan if v is None else v for v in np.ravel(flat(shown[name]))], dtype=float)
        there = np.ravel(np.asarray(expected, dtype=float))
        if here.shape != there.shape or not np.allclose(here, there, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True):
            return False
    return True


def flat(value):
    """Return a list from what a typed array became on its way here."""
    return list(value.values()) if isinstance(value, dict) else value


def same_words(here, there):
    """Say whether two sentences agree in every word, their numbers within one unit of the last digit shown."""
    number = re.compile(r"\d+(?:\.\d+)?")
    if number.sub("#", here) != number.sub("#", there):
        return False
    pairs = zip(number.findall(here), number.findall(there), strict=True)
    return all(abs(float(a) - float(b)) <= 1.01 * 10.0 ** -len(a.partition(".")[2]) * ("." in a) for a, b in pairs)


def axe_source(folder):
    """Return the text of axe-core, fetched once into `folder`."""
    return npm_package(folder, AXE, "axe-core/axe.min.js").read_text("utf-8")


def npm_package(folder, package, name):
    """Return a file of a package from npm, fetched once into `folder`."""
    npm = shutil.which("npm")
    found = folder / "node_modules" / name
    if npm and not found.exists():
        command = [npm, "install", "--prefix", folder, "--no-audit", "--no-fund", "--ignore-scripts", "--silent"]
        subprocess.run([*command, package], check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    require(found.exists(), f"{package} is missing: install Node.js (npm) and connect to the network")
    return found


def violations(page, axe):
    """List the serious violations of accessibility that axe-core finds in the widgets."""
    page.evaluate(axe)
    rules = (
        """() => axe.run({include: [[".pe"]]}, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]})"""
    )
    found = page.evaluate(rules)["violations"]
    return [
        (v["id"], v["impact"], v["nodes"][0]["html"][:200]) for v in found if v["impact"] in ("serious", "critical")
    ]


def lessons():
    """List the lessons, each as its path."""
    return every_lesson.every()


def widget_code(path):
    """Return the sources of the cells of a lesson that its widgets need."""
    notebook = nbformat.read(path, as_version=4)
    return [notebook.cells[i].source for i in needed_cells.widget_cells(notebook)]


def one_picture(path):
    """Return the sources of the cells that one picture of a lesson or of its side paths needs; their code draws it."""
    books = [nbformat.read(part, as_version=4) for part in every_lesson.whole(path)]
    kinds = re.compile(rf"\b({'|'.join(every_view())}|clock\.\w+)\(")
    pictures = [
        [book.cells[i].source for i in sorted(cells)]
        for book in books
        for place, cells in needed_cells.needs(book).items()
        if kinds.search(book.cells[place].source)
    ]
    return random.Random(str(pictures)).choice(pictures or [[]])


def every_view():
    """List the names of the kinds of view that the kit and the lessons have."""
    found = {}
    for package in (widgets, *(importlib.import_module(f"{room.name}.views") for room in rooms())):
        found |= {name: kind for name, kind in vars(package).items() if isinstance(kind, type)}
    return sorted(name for name, kind in found.items() if issubclass(kind, widgets.View) and kind is not widgets.View)


def rooms():
    """List the lessons' rooms that have views."""
    listed = pkgutil.iter_modules(rooms_of_lessons.__path__, "clockwork.lessons.")
    return [room for room in listed if importlib.util.find_spec(f"{room.name}.views")]
