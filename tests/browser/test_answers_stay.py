"""What a reader answered or turned is there after Run All, a restart, the next days and in another browser."""

import ast
import os
import signal
from pathlib import Path

import nbformat
import pytest
from driving import SCRIPT, agree, axe_source, headless, open_page, violations

pytestmark = pytest.mark.browser
GALLERY = Path(__file__).resolve().parents[1] / "kit/questions"
SETUP = f"""
from pathlib import Path
from clockwork.kit import memory, widgets
from clockwork.kit.widgets import questions
questions.ROOMS = Path({str(GALLERY)!r})
"""
PICTURES = """
from clockwork.lessons.lesson_01.views import Sentence
from clockwork.lessons.lesson_04.views import Sketch
from clockwork.lessons.lesson_10.views import Wall
---
goal = widgets.Challenge("Go beyond 30.", lambda position: position > 30)
cursor = widgets.Cursor(position=22, hand=1, d_model=8)
widgets.Clock(cursor, challenges=[goal], remember="02/dial")
---
Sketch(range(5), [4, 1, 0, 1, 4], ask="Draw.", ylim=(0, 4), points=5, remember="02/sketch")
---
Sentence("tom bit a dog", remember="02/words")
---
Wall(remember="02/wall")
"""
FIRST_GUESS, LATER_GUESS = 173, 90
FOLDED = "() => jupyterapp.shell.currentWidget.content.widgets[2].outputHidden"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("overnight")


@pytest.fixture(scope="module")
def server(folder):
    with headless.lab(folder) as address:
        yield address


@pytest.fixture
def lesson(folder, request):
    """Write a lesson with a prediction, its veiled result, two more questions and the progress view."""
    path = folder / f"{request.node.name}.ipynb"
    sources = [SETUP, 'widgets.ask("02/still-hands")', 'print("83 of 256")']
    sources += ['widgets.ask("02/what-i-counts", "02/derivation", "02/symbols")', 'widgets.Progress("02")']
    headless.write_notebook(path, sources)
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[2].metadata = {"tags": ["veil:02/still-hands", "hide-output"], "jupyter": {"outputs_hidden": True}}
    nbformat.write(notebook, path)
    return path


def open_day(browser, server, lesson, context=None):
    """Open the lesson as on a new day, without running anything; the reader's browser is `context`."""
    page = context.new_page() if context else open_page(browser)
    page.set_default_timeout(60_000)
    page.goto(f"{server}/tree/{lesson.name}?reset")
    page.wait_for_function(headless.IDLE, timeout=120_000)
    return page


def run_all(page, count=3):
    page.evaluate("() => jupyterapp.commands.execute('notebook:run-all-cells')")
    page.wait_for_function("count => document.querySelectorAll('.pe').length === count", arg=count)
    assert page.evaluate(headless.FAILED) == []


def end_day(page):
    """Save, end the kernel and close the page."""
    page.evaluate("() => jupyterapp.commands.execute('docmanager:save')")
    page.wait_for_function("() => !jupyterapp.shell.currentWidget.context.model.dirty")
    page.evaluate("() => jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    page.close()


def question(page, name):
    return page.locator(f"[data-question='02/{name}']")


def guess(page, number):
    number_question = question(page, "still-hands")
    number_question.locator("input[type=text]").fill(str(number))
    number_question.locator(".pe-primary").click()


def answer_all(page):
    """Guess twice, choose a wrong answer, move a step, and match one pair without checking."""
    guess(page, FIRST_GUESS)
    question(page, "still-hands").get_by_role("button", name="Try again").click()
    guess(page, LATER_GUESS)
    question(page, "what-i-counts").locator("input").first.check()
    question(page, "what-i-counts").locator(".pe-primary").click()
    question(page, "derivation").locator("button[aria-label^='move down']").first.click()
    question(page, "symbols").locator(".pe-chip").first.click()
    question(page, "symbols").locator(".pe-slot").first.click()


def seen(page):
    """Say all that a page shows of the answers."""
    page.wait_for_selector("[data-question='02/symbols']")
    return {
        "guess": question(page, "still-hands").locator("[role=status]").inner_text(),
        "choice": question(page, "what-i-counts").locator("[role=status]").inner_text(),
        "order": question(page, "derivation").locator(".pe-text").all_inner_texts(),
        "pairs": question(page, "symbols").locator(".pe-slot").all_inner_texts(),
        "progress": page.locator(".pe-lessons").inner_text(),
    }


def ask(page, code):
    return ast.literal_eval(page.evaluate(headless.ASK, code))


def forget(page):
    for name in ("Forget everything", "Really forget everything"):
        page.get_by_role("button", name=name, exact=True).click()


RESTARTED = """() => jupyterapp.shell.currentWidget.sessionContext.session.kernel.statusChanged.connect(
  (kernel, status) => { window.died ||= status === "autorestarting"; })"""


def kill_kernel(page):
    """End the kernel's process as a lack of memory does, and wait until the server has started another."""
    page.evaluate(RESTARTED)
    os.kill(ask(page, "__import__('os').getpid()"), signal.SIGKILL)
    page.wait_for_function(f"window.died && {headless.IDLE}")


def restart(page):
    page.evaluate("() => jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
    page.wait_for_function(headless.IDLE)


def test_answers_survive_two_nights_without_a_kernel_an_untouched_save_a_restart_and_run_all(browser, server, lesson):
    page = open_day(browser, server, lesson)
    context = page.context
    run_all(page)
    assert page.evaluate(FOLDED), "the result shows before the guess"
    blank = seen(page)
    answer_all(page)
    assert not page.evaluate(FOLDED), "the guess opened nothing"
    first = seen(page)
    assert "90 hands" in first["guess"] and "Your first guess: 173 hands" in first["guess"]
    assert first["choice"].startswith("✗ Then neighbouring columns")
    assert first["order"] != blank["order"] and first["pairs"] != blank["pairs"]
    assert "2 of 7 answered, 0 right at the first guess" in first["progress"]
    end_day(page)
    for night in ("first", "second"):
        page = open_day(browser, server, lesson, context)
        assert seen(page) == first, f"after the {night} night"
        end_day(page)
    page = open_day(browser, server, lesson, context)
    run_all(page)
    assert seen(page) == first
    restart(page)
    run_all(page)
    assert seen(page) == first and not page.evaluate(FOLDED)
    assert ask(page, "memory.recall('02/still-hands')") == {"answer": LATER_GUESS, "right": True}
    forget(page)
    page.close()


def test_an_exercise_that_is_passed_is_counted_at_once(browser, server, folder):
    path = folder / "passed.ipynb"
    begun = "from clockwork.kit import memory, widgets\nmemory.remember('exercise/10/escape', True)"
    headless.write_notebook(path, [begun, 'widgets.Progress("10")'])
    page = open_day(browser, server, path)
    run_all(page, 1)
    page.wait_for_selector("text=1 of 2 exercises passed")  # browser and file have been brought together
    ask(page, "memory.remember('exercise/10/diagnosis', True)")
    page.wait_for_selector("text=2 of 2 exercises passed")
    forget(page)
    page.wait_for_selector("text=0 of 2 exercises passed")
    page.close()


def test_a_folded_picture_whose_code_is_folded_too_says_that_it_is_there(browser, server, lesson):
    notebook = nbformat.read(lesson, as_version=4)
    notebook.cells[2].metadata.jupyter["source_hidden"] = True
    nbformat.write(notebook, lesson)
    page = open_day(browser, server, lesson)
    run_all(page)
    fold = page.locator(".jp-OutputPlaceholder")
    fold.wait_for(state="visible", timeout=10_000)
    assert fold.bounding_box()["height"] > 10
    fold.click()
    page.get_by_text("83 of 256", exact=True).wait_for(state="visible")
    page.close()


def test_another_browser_a_lost_file_and_forgetting(browser, server, lesson):
    page = open_day(browser, server, lesson)
    run_all(page)
    blank = seen(page)
    answer_all(page)
    answered = seen(page)
    end_day(page)

    other = open_day(browser, server, lesson)  # nothing in this browser's storage
    run_all(other)
    other.wait_for_selector("text=Your first guess")
    assert seen(other) == answered, "the file did not reach another browser"
    ask(other, "memory.path().unlink()")
    restart(other)
    run_all(other)
    other.wait_for_timeout(1000)
    assert ask(other, "memory.recall('02/still-hands')")["answer"] == LATER_GUESS, (
        "the browser did not restore the file"
    )
    forget(other)
    assert seen(other) == blank and other.evaluate(FOLDED)
    assert ask(other, "memory.load()['records']") == {}
    end_day(other)

    page = open_day(browser, server, lesson, page.context)  # this browser still holds what was forgotten elsewhere
    run_all(page)
    page.wait_for_function("() => document.querySelector('.pe-lessons').innerText.includes('0 of 7 answered')")
    assert seen(page) == blank
    page.close()


def test_an_answer_given_without_a_kernel_reaches_the_file_when_one_returns(browser, server, lesson):
    page = open_day(browser, server, lesson)
    run_all(page)
    end_day_kernel = "() => jupyterapp.shell.currentWidget.sessionContext.shutdown()"
    page.evaluate(end_day_kernel)
    page.wait_for_timeout(500)
    guess(page, FIRST_GUESS)
    page.evaluate("() => jupyterapp.shell.currentWidget.sessionContext.startKernel()")
    page.wait_for_function(headless.IDLE)
    run_all(page)
    page.wait_for_timeout(1000)
    assert ask(page, "memory.recall('02/still-hands')")["answer"] == FIRST_GUESS
    forget(page)
    page.close()


def test_show_me_opens_the_veil_and_is_no_answer(browser, server, lesson):
    page = open_day(browser, server, lesson)
    run_all(page)
    question(page, "still-hands").get_by_role("button", name="Show me").click()
    assert not page.evaluate(FOLDED)
    shown = seen(page)
    assert "83 hands" in shown["guess"] and "Your guess" not in shown["guess"]
    forget(page)
    page.close()


def test_every_format_is_accessible_in_jupyterlab_in_either_theme(browser, server, lesson, tmp_path_factory):
    axe = axe_source(tmp_path_factory.getbasetemp())
    page = open_day(browser, server, lesson)
    run_all(page)
    answer_all(page)
    for theme in ("JupyterLab Dark", "JupyterLab Light"):
        page.evaluate("theme => jupyterapp.commands.execute('apputils:change-theme', {theme})", theme)
        page.wait_for_function(f"document.body.dataset.jpThemeLight === '{str('Light' in theme).lower()}'")
        assert violations(page, axe) == []
    forget(page)
    assert page.complaints == []
    page.close()


def pull(page, view, key, way):
    """Drag what a picture calls `key` by so many pixels."""
    page.evaluate("view => inOrder()[view].canvas.scrollIntoView({ block: 'center' })", view)
    x, y = page.evaluate("([view, key]) => spotOf(view, key)", [view, key])
    page.mouse.move(x, y)
    page.mouse.down()
    for part in (0.3, 0.6, 1):
        page.mouse.move(x + part * way[0], y + part * way[1])
    page.mouse.up()


def turn_all(page):
    """Drag hands, one of them alone, move a slider, draw a curve, type a sentence, move a word and click a tile."""
    pull(page, 0, "hand 1", (-160, 60))
    page.locator("input[data-name=d_model]").first.press("ArrowRight")
    page.keyboard.down("Shift")
    pull(page, 0, "hand 0", (50, 50))
    page.keyboard.up("Shift")
    pull(page, 1, "sheet", (200, 60))
    page.get_by_role("button", name="Show the true curve").click()
    page.locator(".pe-own input").fill("now or never")
    page.locator(".pe-own input").press("Enter")
    page.locator(".pe-word").first.press("ArrowRight")
    page.evaluate("document.querySelectorAll('.pe-more').forEach((fold) => { fold.open = true; })")
    page.locator(".pe-choice label:has-text('a causal mask')").click()
    pull(page, 3, "tile 5", (0, 0))


def drawn(page):
    """Say all that the pictures show, and whether the challenge is ticked."""
    page.wait_for_function("() => document.querySelectorAll('.pe canvas[aria-label]').length === 4")
    page.evaluate("frame()")
    states = page.evaluate("() => inOrder().map((p) => stateOf(p.root))")
    tick = page.locator(".pe-tick").text_content()
    return [tick, *(state["alt"] for state in states)], [state["shown"] for state in states]


def kept(page, words, numbers):
    """Say whether the pictures come to show what they showed."""
    for _ in range(50):
        now, values = drawn(page)
        if now == words and all(agree(one, other) for one, other in zip(values, numbers, strict=True)):
            return True
        page.wait_for_timeout(100)
    return False


def test_what_was_dragged_drawn_typed_clicked_and_ticked_survives_a_killed_kernel_and_a_new_server(browser, folder):
    answers = folder / "pictures.json"
    headless.write_notebook(folder / "pictures.ipynb", [SETUP, *PICTURES.split("---")])
    with headless.lab(folder, answers) as server:
        page = open_day(browser, server, folder / "pictures.ipynb")
        context = page.context
        context.add_init_script(SCRIPT)
        run_all(page, 4)
        (_, *before), _ = drawn(page)
        turn_all(page)
        page.wait_for_timeout(1000)  # sliders are kept when they have been at rest
        words, numbers = drawn(page)
        assert words[0] == "✓" and not set(before) & set(words), "a picture was not moved"
        assert "turned alone" in words[1] and "off by" in words[2] and '"or now never"' in words[3]
        page.evaluate("() => jupyterapp.commands.execute('docmanager:save')")
        page.wait_for_function("() => !jupyterapp.shell.currentWidget.context.model.dirty")
        kill_kernel(page)
        page.close()
        for _ in ("first", "second"):
            page = open_day(browser, server, folder / "pictures.ipynb", context)
            assert kept(page, words, numbers), "lost without a kernel"
            end_day(page)
    with headless.lab(folder, answers) as server:
        page = open_page(browser)
        page.goto(f"{server}/tree/pictures.ipynb?reset")
        page.wait_for_function(headless.IDLE, timeout=120_000)
        run_all(page, 4)
        assert kept(page, words, numbers), "lost by a new server and a browser that stored nothing"
        page.context.close()
    context.close()
