"""What the site keeps of a lesson's widgets from one build to the next."""

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
