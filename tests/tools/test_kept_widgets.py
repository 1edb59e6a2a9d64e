"""What the site is alive from: the models that `course.py lessons` keeps of a lesson's widgets."""

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from tools import lessons, site, widget_states

CLOCK = "clockwork.kit.widgets.clock.Clock"


def executed(position=22):
    """A lesson as a kernel leaves it: one cell shows a clock."""
    shown = new_output("display_data", {lessons.WIDGET_VIEW: {"model_id": "4f1c"}})
    state = {
        "_model_name": "AnyModel",
        "_anywidget_id": CLOCK,
        "_esm": "draw",
        "position": position,
        "layout": "IPY_MODEL_5a",
    }
    models = {"4f1c": {"state": state}, "5a": {"state": {"_model_name": "LayoutModel"}}}
    metadata = {"widgets": {widget_states.WIDGET_STATE: {"state": models}}}
    return new_notebook(cells=[new_code_cell("widgets.Clock()", id="clock", outputs=[shown])], metadata=metadata)


@pytest.fixture
def course(tmp_path, monkeypatch):
    """Rooms of four lessons, and a place for what is kept."""
    rooms = {"lesson_02": "", "lesson_03": "from clockwork.lessons import lesson_04", "lesson_04": "", "lesson_05": ""}
    for room, code in rooms.items():
        (tmp_path / f"clockwork/lessons/{room}").mkdir(parents=True)
        (tmp_path / f"clockwork/lessons/{room}/views.py").write_text(code, "utf-8")
    monkeypatch.setattr(widget_states, "SOURCES", tmp_path)
    monkeypatch.setattr(widget_states, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(widget_states, "AGAIN", tmp_path / "again")
    return tmp_path


def test_kept_widgets_stay_with_their_cell_when_text_is_added_above_it(course):
    found = widget_states.keep(executed(), "02", widget_states.KEPT)
    still = new_output("display_data", {"text/html": "<img>"})
    lesson = new_notebook(cells=[new_markdown_cell("More text."), new_code_cell("", id="clock", outputs=[still])])
    texts = {}
    (model,) = site.mount(lesson, found, texts).values()
    assert model["state"]["position"] == 22
    assert lesson.cells[1].outputs[0].data["text/html"] == '<div data-widget="w0"><img></div>'
    assert "export default" in texts[model["state"]["_esm"]]


def test_a_lesson_is_run_again_where_its_code_has_changed_and_only_there(course, monkeypatch):
    ran = []

    def execute(path, store_widget_state):
        ran.append(path.stem)
        return lessons.Run(executed(23), 0, 0, {})

    monkeypatch.setattr(lessons, "execute", execute)
    path = course / "02.ipynb"
    path.write_text(lessons.nbformat.writes(executed()), "utf-8")
    widget_states.keep(executed(), "02", widget_states.KEPT)
    assert widget_states.of(path)["state"]["w0"]["state"]["position"] == 22 and not ran
    (course / "clockwork/lessons/lesson_02/views.py").write_text("import math", "utf-8")
    for _ in range(2):
        assert widget_states.of(path)["state"]["w0"]["state"]["position"] == 23
    assert ran == ["02"]


def test_widgets_come_from_their_own_room_and_those_that_it_names(course):
    lesson = new_notebook(cells=[new_code_cell("views.Clock()")])
    seen = {widget_states.digest(lesson, "03_clock_hands")}
    for changed, anew in {"lesson_02": False, "lesson_05": False, "lesson_04": True, "lesson_03": True}.items():
        (course / f"clockwork/lessons/{changed}/views.py").write_text("import math", "utf-8")
        digest = widget_states.digest(lesson, "03_clock_hands")
        assert (digest not in seen) is anew, changed
        seen.add(digest)


def test_a_run_that_follows_a_fold_stands_in_it_and_what_follows_does_not():
    fold = new_markdown_cell("<details><summary>Why?</summary>\n\nSo.\n\n</details>", metadata={"tags": ["idea"]})
    run = new_code_cell("1 + 1", metadata={"tags": ["folded"]})
    after = new_code_cell("2 + 2", metadata={"tags": []})
    lesson = new_notebook(cells=[fold, run, after])
    site.close_side_paths(lesson)
    assert [cell.source for cell in lesson.cells] == [
        "<details><summary>Why?</summary>\n\nSo.\n\n",
        "1 + 1",
        "</details>",
        "2 + 2",
    ]
