import math

import numpy as np
import pytest
from traitlets import TraitError

from pe_helpers import plots, widgets
from pe_helpers.widgets import base, codes, words

VIEWS = {
    "clock": lambda cursor: widgets.Clock(cursor, hand=3),
    "wave": lambda cursor: widgets.Wave(cursor, pair=2),
}


@pytest.fixture
def cursor():
    return widgets.Cursor(position=22, d_model=widgets.Slider(16, (4, 8, 16, 32)))


def naive_code(position, d_model, power=10_000.0):
    """The paper's formula, one entry at a time."""
    code = []
    for i in range(d_model // 2):
        angle = position / power ** (2 * i / d_model)
        code += [math.sin(angle), math.cos(angle)]
    return code


def read_back(data, name):
    """What JavaScript reads: the same bytes by the header's own description."""
    head = data.header[name]
    kind = {"real": "<i2"}.get(head["kind"], head["kind"])
    raw = np.frombuffer(data.buffer, kind, head["count"], head["start"]).reshape(head["shape"])
    return np.where(raw == -32768, np.nan, raw * head["scale"]) if head["kind"] == "real" else raw


def test_data_carries_reals_to_one_part_in_65534_and_integers_exactly():
    reals, small, large = np.linspace(-3, 3, 7 * 5).reshape(7, 5), np.arange(-4, 3), np.array([2**31 - 1, -7])
    data = widgets.Data(reals=reals, small=small, large=large)
    assert np.abs(read_back(data, "reals") - reals).max() <= 3 / 65534 + 1e-12
    np.testing.assert_array_equal(read_back(data, "small"), small)
    np.testing.assert_array_equal(read_back(data, "large"), large)
    assert all(head["start"] % 4 == 0 for head in data.header.values())


def test_data_keeps_what_is_not_a_number_apart_from_the_least_number():
    data = widgets.Data(row=np.array([-1.0, np.nan, 1.0]), zeros=np.zeros(3))
    np.testing.assert_array_equal(np.isnan(read_back(data, "row")), [False, True, False])
    np.testing.assert_array_equal(read_back(data, "zeros"), [0, 0, 0])


@pytest.mark.parametrize("array", [np.array([]), np.array([1.0, np.inf]), np.array([2**31])])
def test_data_refuses_what_cannot_be_drawn(array):
    with pytest.raises(TraitError, match=r"table must .*got"):
        widgets.Data(table=array)


@pytest.mark.parametrize("name", VIEWS)
def test_numbers_of_a_view_are_the_papers(name, cursor):
    view, width = VIEWS[name](cursor), cursor.d_model
    first = next(iter(view.numbers().values()))
    np.testing.assert_allclose(np.ravel(first), naive_code(22, width), atol=1e-12)


@pytest.mark.parametrize("power", [10, 100, 1_000, 10_000])
@pytest.mark.parametrize("d_model", [4, 16, 32])
def test_every_width_and_base_is_a_stride_through_one_table(d_model, power, cursor):
    table = read_back(codes.codes(cursor, finer=4), "codes")
    stride = table.shape[1] // d_model * round(math.log10(power)) // 4
    columns = [2 * stride * (j // 2) + j % 2 for j in range(d_model)]
    assert np.abs(table[22, columns] - naive_code(22, d_model, power)).max() <= 1e-4


def test_views_of_one_cursor_share_one_table(cursor):
    assert widgets.Clock(cursor).data is widgets.Clock(cursor).data
    assert len(widgets.Clock(cursor).data.buffer) == 128 * 32 * 2


@pytest.mark.parametrize("name", VIEWS)
def test_one_output_carries_the_live_view_and_the_picture_of_its_state(name, cursor):
    view = VIEWS[name](cursor)
    data, metadata = view._repr_mimebundle_()
    assert set(data) == {"application/vnd.jupyter.widget-view+json", "text/html", "image/png", "text/plain"}
    assert view.describe() in data["text/plain"] and "position 22, d_model 16" in data["text/plain"]
    assert metadata["image/png"]["alt"] == view.describe()
    cursor.position = 23
    moved, _ = view._repr_mimebundle_()
    assert moved["image/png"] != data["image/png"] and "position 23" in moved["text/html"]


def test_a_stack_leaves_its_children_s_pictures_on_paper(cursor):
    data, _ = widgets.Column([widgets.Clock(cursor), widgets.Row([widgets.Wave(cursor), cursor])])._repr_mimebundle_()
    assert data["text/html"].count("<figure") == 2
    assert "application/vnd.jupyter.widget-view+json" in data


@pytest.mark.parametrize("value", [-1, 128, 2.5, "7", True, None, np.nan, [3]])
def test_a_value_outside_the_slider_is_refused_and_changes_nothing(value, cursor):
    view = widgets.Clock(cursor)
    before = view._repr_mimebundle_()[0]["image/png"]
    with pytest.raises(TraitError) as caught:
        cursor.position = value
    assert str(caught.value) == f"position must be an integer from 0 to 127 (the slider's range), got {value!r}"
    assert cursor.position == 22 and view._repr_mimebundle_()[0]["image/png"] == before


def test_numpy_and_torch_integers_are_positions(cursor):
    cursor.position = np.int64(5)
    assert cursor.position == 5 and type(cursor.position) is int
    torch = pytest.importorskip("torch")
    cursor.position = torch.tensor(6)
    assert cursor.position == 6 and type(cursor.position) is int


def test_a_width_between_the_offered_ones_is_refused(cursor):
    with pytest.raises(TraitError, match=r"d_model must be one of 4, 8, 16, 32 \(the slider's range\), got 12"):
        cursor.d_model = 12


def test_a_cursor_names_its_sliders_in_the_order_given_and_refuses_nameless_ranges():
    cursor = widgets.Cursor(position=3, k=widgets.Slider(2, range(0, 9, 2), "offset k (tokens)"), d_model=8)
    assert list(cursor.sliders) == ["position", "k", "d_model"]
    assert repr(cursor) == "Cursor(position=3, k=2, d_model=8)"
    assert cursor.sliders["k"] == {
        "label": "offset k (tokens)",
        "values": {"start": 0, "step": 2, "count": 5},
        "play": False,
    }
    with pytest.raises(TraitError, match=r"k must be a Slider .*got 4"):
        widgets.Cursor(k=4)
    with pytest.raises(TraitError, match=r"k must be an integer from 0 to 8 in steps of 2 .*got 3"):
        widgets.Cursor(k=widgets.Slider(3, range(0, 9, 2)))


def test_a_view_says_which_slider_its_cursor_lacks():
    with pytest.raises(
        TraitError, match=r"cursor must have a slider 'd_model' \(a picture follows it\), got Cursor\(position=1\)"
    ):
        widgets.Clock(widgets.Cursor(position=1))


def test_a_cursor_tells_observers_and_links_with_ordinary_sliders(cursor):
    from ipywidgets import IntSlider, link

    heard, plain = [], IntSlider(min=0, max=127)
    cursor.observe(lambda change: heard.append((change.old, change.new)), "position")
    link((cursor, "position"), (plain, "value"))
    plain.value = 40
    assert heard == [(22, 40)] and cursor.position == 40
    cursor.position = 7
    assert plain.value == 7


def test_the_house_colours_exist_once():
    css = base.source("clock", "css")
    for name, color in {"sin": plots.SIN, "cos": plots.COS, "green": plots.GREEN, "pink": plots.PINK}.items():
        assert f"--pe-{name}: {color};" in css
    assert base.MAPS["signed"][0] == "#053061" and len(base.MAPS["magnitude"]) == 33


@pytest.mark.parametrize(
    ("marked", "page"),
    [
        ("$\\omega_i = b^{-2i/d}$", "<i>ω<sub>i</sub> = b<sup>−2i/d</sup></i>"),
        ("**bold** and *slanted*, 2 * 3 * 4", "<strong>bold</strong> and <em>slanted</em>, 2 * 3 * 4"),
        ("<script>", "&lt;script&gt;"),
        ("$\\Delta \\cdot x$", "<i>Δ·x</i>"),
        ("`a_b`", "<code>a_b</code>"),
    ],
)
def test_marks_become_safe_html(marked, page):
    assert words.inline(marked) == page
