"""A live picture leaves a still of its state in a lesson's output, drawn by a browser."""

import base64
import io
import re

import nbformat
import pytest
from ipywidgets import Widget
from PIL import Image
from tools import site, stills, widget_states

from clockwork.kit import widgets

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module", autouse=True)
def letters():
    assert site.vendor() is None


def executed(*shown):
    """Return a notebook as it is after cells have shown these widgets."""
    outputs = []
    for one in shown:
        data, metadata = one._repr_mimebundle_()
        outputs.append(nbformat.v4.new_output("display_data", data, metadata=metadata))
    cells = [nbformat.v4.new_code_cell(outputs=[output]) for output in outputs]
    metadata = {"widgets": {widget_states.WIDGET_STATE: Widget.get_manager_state()}}
    return nbformat.v4.new_notebook(cells=cells, metadata=metadata)


def pictures(notebook):
    return [base64.b64decode(cell.outputs[0].data["image/png"]) for cell in notebook.cells]


def test_a_still_shows_the_state_and_is_the_same_each_time(browser):
    notebook = executed(*(widgets.Clock(position=position) for position in (3, 22, 3)))
    stills.put(notebook, browser)
    first, other, again = pictures(notebook)
    assert first == again != other
    still = Image.open(io.BytesIO(first))
    assert still.width == 2 * stills.WIDTH and len(still.getcolors()) > 50, "not an empty sheet"


def test_a_still_says_what_it_shows_and_stands_above_the_caption(browser, monkeypatch):
    monkeypatch.setattr(widgets.Clock, "describe", lambda self: "hand 0 < hand 1 & 2")
    clock = widgets.Clock(position=22, caption="One < two.")
    notebook = executed(clock)
    stills.put(notebook, browser)
    (output,) = notebook.cells[0].outputs
    assert output.metadata["image/png"] == {"alt": "hand 0 < hand 1 & 2", "width": stills.WIDTH}
    page = output.data["text/html"]
    assert page.index("<img") < page.index("One &lt; two.</figcaption>") and "data-still" not in page
    assert output.data["image/png"] in page and 'alt="hand 0 &lt; hand 1 &amp; 2"' in page


@pytest.mark.parametrize("page", ["", "https://clockwork.example/04_relative_offsets.html"])
def test_a_still_leads_to_its_live_picture_where_the_site_has_an_address(browser, page):
    notebook = executed(widgets.Clock(position=22))
    stills.put(notebook, browser, page)
    links = re.findall(r'<a href="([^"]*)">', notebook.cells[0].outputs[0].data["text/html"])
    assert links == [f"{page}#cell-{notebook.cells[0].id}"] * bool(page)


def test_a_column_keeps_a_still_of_each_of_its_pictures(browser):
    notebook = executed(widgets.Column([widgets.Clock(position=3), widgets.Row([widgets.Clock(position=22)])]))
    stills.put(notebook, browser)
    (output,) = notebook.cells[0].outputs
    found = [part.partition('"')[0] for part in output.data["text/html"].split('src="data:image/png;base64,')[1:]]
    assert len(found) == len(set(found)) == 2 and "image/png" not in output.data


def test_where_nothing_is_live_nothing_is_drawn():
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 + 1")])
    stills.put(notebook, None)
    assert notebook.cells[0].outputs == []
