"""What the site keeps of a lesson's widgets from one build to the next."""

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from tools import site, widget_states


def test_kept_widgets_stay_with_their_cell_when_text_is_added_above_it(tmp_path, monkeypatch):
    ran = []

    def run(notebooks, opening):
        ran.extend(notebooks)
        for notebook in notebooks:
            notebook.cells[-1].outputs = [new_output("display_data", {site.WIDGET_VIEW: {"model_id": "clock"}})]
        return {"clock": {"state": {"_model_name": "AnyModel", "position": 22}}}

    monkeypatch.setattr(widget_states, "run_widgets", run)
    still = new_output("display_data", {"text/html": "<img>"})
    lesson = new_notebook(cells=[new_code_cell("widgets.Clock()", outputs=[still])])
    site.live({"02": lesson}, "", tmp_path)
    lesson.cells.insert(0, new_markdown_cell("More text."))
    kept = site.live({"02": lesson}, "", tmp_path)
    assert len(ran) == 1, "no widget has changed"
    assert site.mount(lesson, kept["02"], {})["w0"]["state"]["position"] == 22
    assert lesson.cells[1].outputs[0].data["text/html"] == '<div data-widget="w0"><img></div>'


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


NEEDED = {  # what a widget's cell says: which of the cells above it must have run
    "views.Clock(table)": [0],
    "views.Clock([kind for kind in table])": [0],
    "for kind in range(3):\n    print(kind)\nviews.Clock(3)": [],
    "def kind():\n    return table\nviews.Clock(kind())": [0],
    "views.Clock((lambda kind: kind)(3))": [],
    "views.Clock(sorted(table, key=lambda row: kind))": [0, 1],
    "if table:\n    kind = 3\nviews.Clock(kind)": [0, 1],
    "kind += 1\nviews.Clock(kind)": [1],
}


@pytest.mark.parametrize("source", NEEDED)
def test_a_widget_waits_for_the_cells_whose_names_it_reads_and_no_others(source):
    above = ["table = [1, 2]", "for kind in (1, 2):\n    print(kind)"]
    lesson = new_notebook(cells=list(map(new_code_cell, [*above, source])))
    assert widget_states.widget_cells(lesson) == [*NEEDED[source], 2]


def test_a_lessons_widgets_are_run_anew_for_its_own_room_and_the_kit_alone(tmp_path, monkeypatch):
    rooms = {"lesson_02": "", "lesson_03": "from clockwork.lessons import lesson_04", "lesson_04": "", "lesson_05": ""}
    files = {f"clockwork/lessons/{room}/views.py": code for room, code in rooms.items()}
    for name, text in (files | {"clockwork/kit/plots.py": "", "pe_helpers/rotary.py": ""}).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.setattr(site, "SOURCES", tmp_path)
    lesson = new_notebook(cells=[new_code_cell("from clockwork.lessons.lesson_03 import views\nviews.Clock()")])
    seen = {site.digest(lesson, "")}
    for changed, anew in {"lesson_02": False, "lesson_05": False, "lesson_04": True, "lesson_03": True}.items():
        (tmp_path / f"clockwork/lessons/{changed}/views.py").write_text("import math", "utf-8")
        digest = site.digest(lesson, "")
        assert (digest not in seen) is anew, changed
        seen.add(digest)
    (tmp_path / "clockwork/kit/plots.py").write_text("import math", "utf-8")
    assert site.digest(lesson, "") not in seen
