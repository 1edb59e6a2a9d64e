"""A lesson's pictures are alive as the server hands it out, and no file ever holds them."""

import asyncio
import json
import runpy

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbconvert import HTMLExporter
from tools import copies, lessons, pictures, widget_states
from traitlets.config import Config

VIEW = lessons.WIDGET_VIEW
STILL = {"text/html": "<img>", "image/png": "iVBO", "text/plain": "Figure: a clock"}
MINE = {"model_name": "AnyModel", "model_module": "anywidget", "state": {}}


def anywidget(kind, **state):
    told = {"_anywidget_id": f"clockwork.kit.widgets.{kind}", "_model_name": "AnyModel", "_esm": "old", "_css": "old"}
    return {"model_name": "AnyModel", "model_module": "anywidget", "state": told | {"tooltip": None} | state}


def executed():
    """Return a lesson of two clocks on one cursor as a kernel leaves it."""
    state = {
        "c1": anywidget("clock.Clock", cursor="IPY_MODEL_k", position=22),
        "c2": anywidget("clock.Clock", cursor="IPY_MODEL_k", position=3),
        "k": anywidget("cursor.Cursor"),
        "shown nowhere": anywidget("clock.Clock"),
        "gone": {"state": {"_model_name": "HBoxModel"}},
    }
    cells = [nbformat.v4.new_code_cell("print(1)", outputs=[nbformat.v4.new_output("stream", text="1\n")])]
    for key in ("c1", "c2"):
        bar = nbformat.v4.new_output("display_data", {VIEW: {"model_id": "gone"}, "text/plain": "  0%|"})
        view = nbformat.v4.new_output("display_data", {VIEW: {"model_id": key}} | STILL)
        cells.append(nbformat.v4.new_code_cell(f"widgets.Clock({key})", outputs=[bar, view]))
    return nbformat.v4.new_notebook(cells=cells, metadata={"widgets": {widget_states.WIDGET_STATE: {"state": state}}})


@pytest.fixture
def course(tmp_path, monkeypatch):
    """Publish that lesson with its record; return its path and what loads and saves as the server does."""
    notebook = executed()
    (tmp_path / "notebooks").mkdir()
    path = tmp_path / "notebooks/02_clocks.ipynb"
    monkeypatch.setattr(widget_states, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(lessons, "every", lambda: [path])
    monkeypatch.setenv("CLOCKWORK_PICTURES", str(tmp_path / "bundles"))
    widget_states.keep(notebook, path.stem, widget_states.KEPT)
    published = lessons.tidy(notebook)
    nbformat.write(published, path)
    pictures.bundles(tmp_path / "bundles")
    made = Config()
    runpy.run_path(pictures.HOME / "tools/jupyter_server_config.py", {"c": made})
    manager = made.ServerApp.contents_manager_class(root_dir=str(tmp_path))
    manager.pre_save_hook = made.ContentsManager.pre_save_hook
    (tmp_path / "my-course").mkdir()
    mine = tmp_path / "my-course/02.ipynb"
    nbformat.write(published, mine)

    def load():
        return asyncio.run(manager.get("my-course/02.ipynb"))["content"]

    def save(content):
        asyncio.run(manager.save({"type": "notebook", "content": content}, "my-course/02.ipynb"))

    return mine, load, save


def shown(notebook):
    return [output.data.get(VIEW, {}).get("model_id") for cell in notebook.cells[1:] for output in cell.outputs]


def states(notebook):
    return notebook["metadata"].get("widgets", {}).get(widget_states.WIDGET_STATE, {}).get("state", {})


def test_what_the_server_hands_out_is_alive_and_trusted(course):
    _, load, _ = course
    lesson = load()
    held = states(lesson)
    assert [held[model]["state"]["position"] for model in shown(lesson)] == [22, 3]
    assert len(held) == 3, "two clocks and their cursor"
    cursors = {held[model]["state"]["cursor"].removeprefix("IPY_MODEL_") for model in shown(lesson)}
    assert cursors == held.keys() - set(shown(lesson))
    assert all(cell.metadata.trusted for cell in lesson.cells)


def test_the_modules_are_the_installed_ones_and_stand_there_once(course):
    from clockwork.kit import widgets

    _, load, _ = course
    lesson = load()
    short, whole = sorted((states(lesson)[model]["state"] for model in shown(lesson)), key=lambda s: len(s["_esm"]))
    assert whole["_esm"] == widgets.Clock._esm and whole["_css"] == widgets.Clock._css
    assert any(model in short["_esm"] for model in shown(lesson))
    assert len(short["_esm"]) < 1000 and "_css" not in short


def test_no_file_holds_them_when_a_lesson_is_saved(course):
    mine, load, save = course
    before = json.loads(mine.read_text("utf-8"))
    save(load())
    after = json.loads(mine.read_text("utf-8"))
    assert after["cells"] == before["cells"] and "widgets" not in after["metadata"]
    assert shown(load()) == shown(load()) != [None, None]


def test_what_the_reader_has_run_stays_theirs_and_the_rest_stays_alive(course):
    mine, load, save = course
    lesson = load()
    lesson.cells[1].source = "widgets.Clock(mine)"
    lesson.cells[1].outputs[0].data[VIEW] = {"model_id": "mine"}
    states(lesson)["mine"] = MINE
    save(lesson)
    assert states(json.loads(mine.read_text("utf-8"))) == {"mine": MINE}
    again = load()
    assert shown(again)[0] == "mine" and shown(again)[1] in states(again).keys() - {"mine"}


def run(lesson):
    """Change in a lesson what running all of it changes."""
    for place, cell in enumerate(lesson.cells[1:]):
        words = {"text/html": f'<p data-still="m{place}">three hands</p>', "text/plain": "Figure: three hands"}
        (output,) = cell.outputs
        output.data = {VIEW: {"model_id": f"m{place}"}} | words
        states(lesson)[f"m{place}"] = MINE


def test_a_lesson_that_was_run_keeps_its_stills_and_does_not_count_as_changed(course):
    mine, load, save = course
    published = copies.substance(mine)
    lesson = load()
    run(lesson)
    save(lesson)
    assert shown(load()) == ["m0", "m1"] and copies.substance(mine) == published


@pytest.mark.parametrize("edited", [False, True])
def test_an_exported_page_needs_no_network_for_its_pictures(edited, course):
    _, load, _ = course
    lesson = load()
    run(lesson)
    if edited:
        lesson.cells[1].source = "widgets.Clock(mine)"
    made = Config()
    runpy.run_path(pictures.HOME / "tools/jupyter_server_config.py", {"c": made})
    page, _ = HTMLExporter(config=made).from_notebook_node(lesson)
    shown_there = BeautifulSoup(page, "html.parser")
    assert not shown_there.select("script[type*=widget]") and "html-manager" not in page
    assert len(shown_there.select(".jp-OutputArea img")) == 2 - edited
    assert ("three hands" in shown_there.text) is edited


@pytest.mark.parametrize("what", ["source", "output", "more", "version"])
def test_a_cell_that_is_not_as_published_is_neither_alive_nor_trusted(what, course):
    mine, load, _ = course
    foreign = nbformat.read(mine, as_version=4)
    data = foreign.cells[1].outputs[0].data
    if what == "source":
        foreign.cells[1].source += "  # mine"
    elif what == "output":
        data["text/html"] = "<script>"
    elif what == "more":
        data["application/javascript"] = "alert(1)"
    else:
        foreign.metadata.clockwork.outputs = "0" * 64
    nbformat.write(foreign, mine)
    lesson = load()
    assert shown(lesson)[0] is None and not lesson.cells[1].metadata.get("trusted")


@pytest.mark.parametrize("name", ["../../secret", "", "/etc/passwd", None])
def test_a_notebook_names_no_other_file(name, course, tmp_path):
    mine, load, _ = course
    (tmp_path.parent / "secret.json").write_text("{")
    foreign = nbformat.read(mine, as_version=4)
    foreign.metadata.clockwork = {"outputs": name} if name is not None else {}
    nbformat.write(foreign, mine)
    assert shown(load()) == [None, None]


def test_what_was_kept_of_another_version_brings_nothing_to_life(course, tmp_path):
    _, load, _ = course
    (kept,) = widget_states.KEPT.glob("*.json")
    kept.write_text(json.dumps(json.loads(kept.read_text("utf-8")) | {"digest": "other"}))
    pictures.bundles(tmp_path / "bundles")
    assert shown(load()) == [None, None]


@pytest.mark.parametrize("path", lessons.every(), ids=lambda path: path.stem)
def test_every_output_that_shows_a_picture_has_its_model(path):
    found = pictures.kept(path) or {"shown": {}}  # tests/lessons: what is kept is of the lesson as it is
    cells = {cell.id: cell for cell in pictures.read(path).cells}
    for cell, models in found["shown"].items():
        bundled = pictures.bundled(cells[cell], models)
        assert [model for model in bundled["models"] if model] == [pictures.PUBLISHED + model for model in models]
