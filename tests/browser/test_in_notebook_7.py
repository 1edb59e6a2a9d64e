"""Notebook 7 shows the course's widgets as JupyterLab does: they are drawn, they move, and Python hears of it."""

import pytest
from driving import chromium, drag, headless, open_page, sliders, wait_for_widgets

pytestmark = pytest.mark.browser
CELLS = [
    "from pe_helpers import widgets\ncursor = widgets.Cursor(position=22, d_model=16)\nwidgets.Clock(cursor)",
    "widgets.Wave(cursor)",
]


def test_a_slider_moves_every_view_and_tells_python(tmp_path):
    headless.write_notebook(tmp_path / "widgets.ipynb", CELLS)
    with headless.notebook_7(tmp_path) as address, chromium() as browser:
        page = open_page(browser)
        page.goto(f"{address}/notebooks/widgets.ipynb")
        page.wait_for_function(headless.IDLE, timeout=120_000)
        before = list(page.complaints)  # Notebook's own
        page.evaluate("() => jupyterapp.commands.execute('notebook:run-all-cells')")
        wait_for_widgets(page, len(CELLS))
        assert page.evaluate(headless.FAILED) == []
        said = page.evaluate("() => [...document.querySelectorAll('.pe canvas')].map((c) => c.ariaLabel)")
        handle = next(handle for handle, name in sliders(page) if name == "position")
        drag(page, handle, 1)
        page.wait_for_function(
            "said => [...document.querySelectorAll('.pe canvas')].every((c, i) => c.ariaLabel !== said[i])", arg=said
        )
        last = handle.evaluate("input => input.max")
        page.wait_for_function(f"async (last) => await ({headless.ASK})('cursor.position') === last", arg=last)
        assert page.complaints == before
        page.context.close()
