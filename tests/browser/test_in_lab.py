"""JupyterLab, started as `course.py lab` starts it, with a notebook of the kit's widgets and the lessons' pictures.

Of each lesson there is one picture, drawn by the lesson's code: what every kind computes and says, test_every_view.py
compares on a page. With CLOCKWORK_EVERY_PICTURE set, all pictures are there, in a few notebooks of several lessons
each, since a page with all of them takes its time over each move.
The lessons' questions are not there: two of the kit's are, and test_answers_stay.py has each of their formats.
"""

import ast
import inspect
import json
import os
import re

import nbformat
import pytest
from driving import (
    BRIEF,
    agree,
    axe_source,
    drag,
    every_lesson,
    every_view,
    headless,
    lessons,
    one_picture,
    open_page,
    same_words,
    violations,
    widget_code,
)
from tools import copies

from clockwork.lessons.lesson_00 import clock as lesson_00

pytestmark = pytest.mark.browser
PATIENCE = 300  # tenths of a second
PARTS = range(4) if os.environ.get("CLOCKWORK_EVERY_PICTURE") else ["sample"]  # notebooks of the lessons' pictures
ELSEWHERE = {"Sketch", "Adversary"}  # drawn, typed: test_grabbing, _lesson_02_by_hand
ASKS = re.compile(r"^widgets\.(ask|Progress)\([^()]*\)\s*\Z", flags=re.M)
KIT = """
from ipywidgets import HBox, IntSlider, jslink
from clockwork.kit import widgets
from clockwork.lessons.lesson_02.views import Wave
kit_cursor = widgets.Cursor(position=22, d_model=widgets.Slider(16, (8, 16, 32)))
widgets.Clock(kit_cursor, hand=3)
---
Wave(kit_cursor, hand=2)
---
kit_plain = IntSlider(min=0, max=127, description="plain")
kit_tie = jslink((kit_plain, "value"), (kit_cursor, "position"))
widgets.Row([kit_plain, widgets.Clock(kit_cursor)])
---
from clockwork.kit.widgets.questions import Questions, question
number = dict(ask="How many?", answer=58, range=[0, 256], because="Count.", predict=True)
Questions(questions=[question("guess/how-many", number)])
---
from clockwork.kit import memory
kit_keys = [("guess", "how-many"), ("choice", "why")]
why = dict(ask="Why?", choices={"a": ["a", "The misconception A."], "b": ["b", "Yes."]}, answer="b")
Questions(questions=[question("choice/why", why)])
"""
# what the tests ask in the kernel has names that no lesson gives to a variable of its own
WHOLE = """
import json, numpy
from clockwork.kit import widgets
from ipywidgets.widgets.widget import _instances
from clockwork.kit.widgets import Widget, View
def kit_tell():
    kits = {key: kit for key, kit in _instances.items() if isinstance(kit, Widget) and kit.sliders}
    return {key: {name: getattr(kit, name) for name in kit.sliders} for key, kit in kits.items()}
def kit_said(view):
    plain = lambda value: numpy.ravel(value.detach() if hasattr(value, "detach") else value).tolist()
    return view.describe(), {name: plain(value) for name, value in view.numbers().items()}
def kit_expect(key):
    stack, kits = [_instances[key]] if key in _instances else [], []  # a bar of training is gone
    while stack:
        one = stack.pop(0)
        stack = list(getattr(one, "children", ())) + stack
        kits += [one] if isinstance(one, Widget) else []
    return [(type(kit).__name__, kit_said(kit) if isinstance(kit, View) else None) for kit in kits]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("lab")


@pytest.fixture(scope="module")
def server(folder):
    with headless.lab(folder) as address:
        yield address


@pytest.fixture(scope="module")
def notebook(request, folder):
    """Write a notebook with the kit's cells, or with the cells that some pictures of the lessons need."""
    if request.param == "kit":
        cells = KIT.split("---")
    elif request.param == "sample":
        cells = [source for path in every_lesson.mains() for source in one_picture(path)]
    else:
        cells = [source for path in lessons()[request.param :: len(PARTS)] for source in widget_code(path)]
    path = folder / f"widgets-{request.param}.ipynb"
    headless.write_notebook(path, [BRIEF, WHOLE, *(cell for cell in cells if not ASKS.search(cell))])
    return path


in_the_kit = pytest.mark.parametrize("notebook", ["kit"], indirect=True)
in_every_lesson = pytest.mark.parametrize("notebook", PARTS, indirect=True)


@pytest.fixture(scope="module")
def page(browser, server, notebook):
    """Open the notebook and run all of it."""
    page = open_page(browser)
    page.traffic = headless.count_traffic(page, "comm_msg")
    headless.open_notebook(page, server, notebook.name)
    keys = [key for _, key in page.evaluate(headless.OUTPUTS)]
    count = know(page, f"sum(len(kit_expect(key)) for key in {keys})")
    page.wait_for_function(
        """count => document.querySelectorAll(".pe").length === count &&
            [...document.querySelectorAll(".pe canvas")].every((c) => c.getAttribute("aria-label"))""",
        arg=count,
    )
    page.evaluate(headless.OUTPUTS)
    yield page
    page.context.close()


def ask(page, code):
    """Return the value of an expression in the kernel."""
    return ast.literal_eval(page.evaluate(headless.ASK, code))


def know(page, code):
    """Return the value of an expression that JSON can carry."""
    return json.loads(ask(page, f"json.dumps({code})"))


def hears(page, code, value):
    """Say whether an expression in the kernel comes to have a value; JupyterLab tells Python in a thread of its own."""
    page.evaluate("frame()")
    for _ in range(PATIENCE):
        if ask(page, code) == value:
            return True
        page.wait_for_timeout(100)
    return False


def changed(before, after):
    """List what differs between two states of all models."""
    return {name: after[key][name] for key in before for name in before[key] if before[key][name] != after[key][name]}


def compared(page, cell, key, until=lambda state: True):
    """Compare the pictures of an output with what Python says of the same widgets; return the state of all models."""
    page.evaluate("frame()")
    roots = page.query_selector_all(f".pe[data-cell='{cell}']")
    for _ in range(PATIENCE):
        expected, state = know(page, f"[kit_expect('{key}'), kit_tell()]")
        wrong = [
            words for root, (kind, said) in zip(roots, expected, strict=True) for words in unlike(root, kind, said)
        ]
        if not wrong and until(state):
            break
        page.wait_for_timeout(100)
    assert not wrong, wrong[0]
    return state


def unlike(root, kind, said):
    """Say in which words or numbers a picture differs from Python's."""
    seen = root.evaluate("stateOf")
    if said and not same_words(seen["alt"], said[0]):
        yield f"{kind} says {seen['alt']!r}, Python {said[0]!r}"
    elif said and not agree(seen["shown"], said[1]):
        yield f"{kind} draws other numbers than Python's where {said[0]}"


def test_every_kind_of_picture_is_in_a_lesson():
    cells = "\n".join(source for path in lessons() for source in widget_code(path))
    cells += "".join(inspect.getsource(getattr(lesson_00, name)) for name in re.findall(r"clock\.(\w+)\(", cells))
    assert [kind for kind in every_view() if not re.search(rf"\b{kind}\(", cells)] == []


@pytest.fixture(scope="module")
def done():
    """Hold the sliders that a lesson has shown to work."""
    return set()


@in_every_lesson
def test_every_slider_goes_to_both_ends_by_mouse_and_keyboard_and_python_hears_and_draws_the_same(page, done):
    before_this = len(done)
    page.evaluate("document.querySelectorAll('.pe details:has(.pe-slider)').forEach((fold) => (fold.open = true))")
    heights = page.evaluate("peers()")
    for cell, key in page.evaluate(headless.OUTPUTS):
        if not page.query_selector(f".pe[data-cell='{cell}'] canvas"):
            continue
        state = compared(page, cell, key)
        kinds = [kind for kind, _ in know(page, f"kit_expect('{key}')")]
        for kind, root in zip(kinds, page.query_selector_all(f".pe[data-cell='{cell}']"), strict=True):
            if kind in ELSEWHERE:
                continue
            for handle in root.query_selector_all(".pe-slider input[type=range][data-name]"):
                name, last = handle.get_attribute("data-name"), int(handle.get_attribute("max"))
                if (kind, name, last) in done:
                    continue
                done.add((kind, name, last))
                for share, place, back in ((1, last, "ArrowLeft"), (0, 0, "ArrowRight")):
                    drag(page, handle, share)
                    before, state = state, compared(page, cell, key)
                    assert int(handle.input_value()) == place, f"{kind}: {name} by mouse"
                    assert changed(before, state).keys() <= {name}
                    handle.press(back)
                    before, state = state, compared(page, cell, key, lambda now, old=state: changed(old, now))
                    assert int(handle.input_value()) == abs(place - 1), f"{kind}: {name} by keyboard"
                    assert changed(before, state).keys() == {name}, f"Python was not told of {name}"
                    assert handle.evaluate("i => document.activeElement === i"), "JupyterLab took the focus"
            buttons = root.query_selector_all("input[type=radio][data-name]")
            names = {(kind, button.get_attribute("data-name"), "buttons") for button in buttons}
            if names <= done:
                continue
            done |= names
            for button in reversed(buttons):
                if button.is_checked():
                    continue
                name = button.get_attribute("data-name")
                button.evaluate("i => i.labels[0].click()")
                before, state = state, compared(page, cell, key, lambda now, old=state: changed(old, now))
                assert changed(before, state).keys() == {name}, f"Python was not told of {name}"
    assert page.evaluate("peers()") == heights, "the layout jumps"
    assert page.complaints == []
    assert len(done) > before_this


@in_every_lesson
def test_no_serious_violation_of_accessibility_in_either_theme(page, tmp_path_factory):
    axe = axe_source(tmp_path_factory.getbasetemp())
    for theme in ("JupyterLab Dark", "JupyterLab Light"):
        page.evaluate("theme => jupyterapp.commands.execute('apputils:change-theme', {theme})", theme)
        page.wait_for_function(f"document.body.dataset.jpThemeLight === '{str('Light' in theme).lower()}'")
        assert violations(page, axe) == []


@in_every_lesson
def test_a_saved_notebook_reopened_shows_every_picture_and_no_missing_model(page, notebook):
    page.evaluate("() => jupyterapp.commands.execute('docmanager:save')")
    count = page.locator(".pe canvas").count()
    page.reload()
    page.wait_for_function(headless.IDLE)
    page.wait_for_function("count => document.querySelectorAll('.pe canvas[aria-label]').length === count", arg=count)
    assert page.get_by_text("model not found").count() == 0


def clock(page):
    return page.query_selector(".pe:has(canvas)")


def position(page):
    return clock(page).query_selector("input[data-name=position]")


@in_the_kit
def test_python_is_told_the_value_at_rest_and_sets_it_in_turn(page):
    drag(page, position(page), 0)
    drag(page, position(page), 1)
    assert hears(page, "kit_cursor.position", 127)
    ask(page, "kit_cursor.set_trait('position', 7)")
    page.wait_for_function("() => document.querySelector('.pe canvas').ariaLabel.startsWith('position 7,')")
    assert position(page).input_value() == "7"


@in_the_kit
def test_an_ordinary_slider_linked_in_the_browser_moves_every_picture(page):
    ask(page, "kit_plain.set_trait('value', 31)")
    page.wait_for_function(
        """() => [...document.querySelectorAll(".pe canvas")].slice(0, 3)
            .every((canvas) => canvas.ariaLabel.startsWith("position 31,"))"""
    )


@in_the_kit
def test_the_picture_follows_while_the_kernel_sleeps_and_python_hears_the_last_value(page, notebook):
    drag(page, position(page), 0)
    assert hears(page, "kit_cursor.position", 0)
    alarm = notebook.with_name("alarm")
    nap = f"import pathlib, time\ntime.sleep(4)\nwhile not pathlib.Path({str(alarm)!r}).exists(): time.sleep(0.1)"
    page.evaluate(
        """(code) => { window.asleep = true; jupyterapp.shell.currentWidget.sessionContext.session.kernel
             .requestExecute({code}).done.then(() => { window.asleep = false; }) }""",
        nap,
    )
    handle, seen = position(page), set()
    for key in ["ArrowRight"] * 12 + ["End", "Home", "ArrowRight"]:
        handle.press(key)
        page.evaluate("frame()")
        state = clock(page).evaluate("stateOf")
        assert state["alt"].startswith(f"position {handle.input_value()},")
        seen.add(state["hash"])
    assert len(seen) == 14
    assert page.evaluate("asleep")
    alarm.touch()
    assert hears(page, "kit_cursor.position", 1)
    assert handle.input_value() == "1", "an echo moved the slider back"


def fall_silent(page):
    """Wait until nothing has crossed the socket for half a second; return the bytes that crossed it till then."""
    before = -1
    while before != len(page.traffic):
        before = len(page.traffic)
        page.wait_for_timeout(500)
    return sum(page.traffic)


def traffic_of_a_drag(page, handle):
    """Count the bytes sent while a slider is dragged over its track in 60 moves, and those after its release."""
    drag(page, handle, 0)
    box = handle.bounding_box()
    page.mouse.move(box["x"] + 8, box["y"] + box["height"] / 2)
    page.mouse.down()
    fall_silent(page)
    page.traffic.clear()
    for step in range(60):
        page.mouse.move(box["x"] + 8 + (box["width"] - 16) * step / 60, box["y"] + box["height"] / 2)
        page.evaluate("frame()")
    moving = sum(page.traffic)
    page.mouse.up()
    return moving, fall_silent(page) - moving


@in_the_kit
def test_dragging_sends_nothing_and_release_sends_little(page):
    clock(page).query_selector(".pe-more").evaluate("fold => { fold.open = true; }")
    moving, resting = traffic_of_a_drag(page, clock(page).query_selector("input[data-name=hand]"))
    assert moving == 0 and 0 < resting < 6_000


@in_the_kit
def test_a_linked_ordinary_slider_costs_a_bounded_number_of_bytes_a_tick(page):
    moving, resting = traffic_of_a_drag(page, position(page))
    assert moving / 60 < 6_000 and resting < 12_000


@in_the_kit
def test_questions_tell_python_what_was_chosen(page):
    number, why = page.query_selector_all(".pe-card")[:2]
    slider = number.query_selector("input")
    guess = int(slider.input_value()) + 1
    slider.focus()
    for key in ("ArrowRight", "Tab", "Tab", "Enter"):
        page.keyboard.press(key)
    why.query_selector("input[value=a]").focus()
    for key in ("Space", "Tab", "Enter"):
        page.keyboard.press(key)
    answers = "[memory.recall(f'{kind}/{name}', {}).get('answer') for kind, name in kit_keys]"
    assert hears(page, answers, [guess, "a"])


DIRTY = "() => jupyterapp.shell.currentWidget.context.model.dirty"
STILL = {"text/html": "<figure><figcaption>three hands</figcaption></figure>", "text/plain": "Figure: three hands"}
LOSE = """([place, data, late]) => {
  const manager = inOrder()[0].model.widget_manager, { model } = manager.context, cell = model.cells.get(place);
  const id = cell.outputs.get(0).data["application/vnd.jupyter.widget-view+json"].model_id;
  const view = { "application/vnd.jupyter.widget-view+json": { model_id: late } };
  cell.outputs.set(0, { output_type: "display_data", metadata: {}, data: { ...view, ...data } });
  model.dirty = false;
  window.found = () => {
    if (late === "late") manager.register_model(late, manager.get_model(id));
    manager.restored.emit();
  };
}"""


@in_the_kit
@pytest.mark.parametrize("late, seen", [("late", ".pe canvas[aria-label]"), ("never", "text=three hands")])
def test_a_model_that_is_found_late_is_shown_after_all_and_a_lost_one_leaves_its_words(page, late, seen):
    """Under load JupyterLab says that models are restored before it has read those of the notebook."""
    place = page.evaluate(headless.OUTPUTS)[0][0]
    page.evaluate(LOSE, [place, STILL, late])
    area = page.locator(".jp-Cell").nth(place).locator(".jp-OutputArea").first
    area.get_by_text("model not found").wait_for()
    page.evaluate("found()")
    area.locator(seen).first.wait_for()
    assert area.get_by_text("model not found").count() == 0 and not page.evaluate(DIRTY)
    page.complaints.clear()


@in_the_kit
def test_a_foreign_notebook_says_what_its_pictures_showed_and_no_error(page, notebook, server):
    page.evaluate("() => jupyterapp.commands.execute('docmanager:save')")
    foreign = nbformat.read(notebook, as_version=4)
    foreign.metadata.pop("widgets", None)
    for cell in foreign.cells:
        cell.metadata.pop("trusted", None)
    foreign.cells.append(nbformat.v4.new_markdown_cell("not signed on this machine"))
    nbformat.write(foreign, notebook.with_name("foreign.ipynb"))
    page.goto(f"{server}/tree/foreign.ipynb?reset")
    page.wait_for_function("document.querySelectorAll('.jp-OutputArea-output figcaption').length >= 2")
    assert page.get_by_text("model not found").count() == 0
    assert page.locator(".jp-RenderedText[data-mime-type='application/vnd.jupyter.stderr']").count() == 0


ALIVE = """() => window.jupyterapp?.shell.currentWidget && document.querySelectorAll(".pe canvas[aria-label]").length"""
FAR_FROM_THE_TOP = """() => Math.max(...[...document.querySelectorAll(".jp-Notebook, .jp-WindowedPanel-outer")]
    .map((box) => box.scrollTop))"""


def open_alive(browser, server, name):
    """Open a notebook and wait until its first picture is drawn and the kernel is there; nothing is run."""
    page = open_page(browser)
    page.goto(f"{server}/tree/{name}?reset")
    page.wait_for_function(ALIVE, timeout=120_000)
    page.wait_for_function(headless.IDLE, timeout=120_000)
    page.wait_for_function("jupyterapp.shell.currentWidget.context.model.getMetadata('language_info')?.version")
    page.evaluate("frame()")
    return page


def test_a_lesson_opens_alive_at_its_top_and_again_when_it_was_saved_and_no_file_holds_it(browser, server, folder):
    lesson = every_lesson.mains()[0]
    copy = folder / lesson.name
    copy.write_bytes(copies.as_opened(lesson))
    for _ in range(2):
        page = open_alive(browser, server, copy.name)
        assert not page.evaluate(DIRTY) and page.evaluate(FAR_FROM_THE_TOP) == 0
        picture = page.locator(".pe:has(canvas):has(.pe-slider)").first
        before = picture.locator("canvas").get_attribute("aria-label")
        picture.locator(".pe-slider input[data-name]").first.press("ArrowRight")
        page.wait_for_function(
            "([root, before]) => root.querySelector('canvas').ariaLabel !== before",
            arg=[picture.element_handle(), before],
        )
        page.evaluate("() => jupyterapp.commands.execute('docmanager:save')")
        assert page.get_by_text("model not found").count() == 0
        assert [words for words in page.complaints if "widget model not found" not in words] == []
        page.context.close()
        saved = nbformat.read(copy, as_version=4)
        assert "widgets" not in saved.metadata and copies.substance(copy) == copies.substance(lesson)


def test_a_lesson_that_was_run_and_saved_reopens_with_nothing_to_save(browser, server, folder):
    headless.write_notebook(folder / "run.ipynb", ["from clockwork.kit import widgets\nwidgets.Clock(position=22)"])
    page = open_page(browser)
    headless.open_notebook(page, server, "run.ipynb")
    page.wait_for_function(ALIVE)
    page.evaluate("() => jupyterapp.commands.execute('docmanager:save')")
    page.evaluate("() => jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    page.context.close()
    for _ in range(2):
        page = open_alive(browser, server, "run.ipynb")
        assert not page.evaluate(DIRTY)
        page.evaluate("() => jupyterapp.commands.execute('docmanager:save')")
        page.context.close()
