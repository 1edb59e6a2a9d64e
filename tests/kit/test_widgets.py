import math
import re
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from traitlets import TraitError

from clockwork.kit import plots, widgets
from clockwork.kit.plots import hands as drawn
from clockwork.kit.widgets import cursor as cursor_module
from clockwork.kit.widgets import data as data_module
from clockwork.kit.widgets import progress, widget, words
from clockwork.lessons.lesson_02.views import Trace, Wave

HOME = Path(__file__).parents[2]

VIEWS = {
    "clock": lambda cursor: widgets.Clock(cursor, hand=3),
    "wave": lambda cursor: Wave(cursor, hand=2),
    "trace": lambda cursor: Trace(cursor, hand=2),
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
    reals = np.linspace(-3, 3, 7 * 5).reshape(7, 5)
    small = np.arange(-4, 3)
    large = np.array([2**31 - 1, -7])
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


def test_numbers_of_the_hands_are_the_papers(cursor):
    code = naive_code(22, 16)
    np.testing.assert_allclose(np.ravel(widgets.Clock(cursor).numbers()["hands"]), code, atol=1e-12)
    traced = Trace(cursor, hand=2).numbers()
    np.testing.assert_allclose([traced["sine"], traced["cosine"]], code[4:6], atol=1e-12)


@pytest.mark.parametrize("power", [10, 100, 1_000, 10_000])
@pytest.mark.parametrize("d_model", [4, 16, 32])
def test_the_row_and_the_wave_are_the_papers_for_every_width_and_base(d_model, power, cursor):
    cursor.d_model = d_model
    wave = Wave(cursor, hand=1)
    wave.base = power
    numbers = wave.numbers()
    np.testing.assert_allclose(numbers["row"], naive_code(22, d_model, power), atol=1e-12)
    column = [naive_code(position, d_model, power)[2:4] for position in range(128)]
    np.testing.assert_allclose(numbers["wave"], column, atol=1e-12)


def test_a_hand_turned_alone_fits_no_position_and_the_nearest_is_the_one_whose_worst_hand_is_least_wrong(cursor):
    clock = widgets.Clock(cursor, hand=3)
    assert clock.nearest() == (22, 0) and "no position" not in clock.describe()
    clock.alone = 120
    turned = [22 / 10_000 ** (2 * i / 16) + (i == 3) * math.radians(120) for i in range(8)]
    off = {}
    for position in range(128):
        gaps = [position / 10_000 ** (2 * i / 16) - angle for i, angle in enumerate(turned)]
        off[position] = max(abs(math.atan2(math.sin(gap), math.cos(gap))) for gap in gaps)
    position, worst = clock.nearest()
    assert off[position] == pytest.approx(min(off.values())) and worst == pytest.approx(off[position])
    assert f"no position has these hands: {position} comes nearest" in clock.describe()


@pytest.mark.parametrize("hour", range(1, 13))
def test_the_hour_of_a_hand_is_the_nearest_one(hour, cursor):
    cursor.position = 0
    clock = widgets.Clock(cursor, hand=0)
    for degrees in (-10, 0, 10):
        clock.alone = (hour * 30 + degrees + 175) % 360 - 175
        assert clock.hour() == hour


def test_a_view_without_a_cursor_has_its_own_and_says_what_it_needs():
    clock = widgets.Clock(position=9, hand=2)
    assert (clock.at("position"), clock.at("d_model"), clock.at("hand")) == (9, 64, 2)
    with pytest.raises(TraitError, match=r"position must be an integer from 0 to 127 .*got 500"):
        widgets.Clock(position=500)

    class Odd(widgets.View):
        needs = ("position", "mood")

    with pytest.raises(TraitError, match=r"cursor must be a Cursor with the sliders position, mood, got None"):
        Odd()


def test_where_the_cursor_has_a_hand_every_view_follows_it_and_none_has_another():
    cursor = widgets.Cursor(position=22, hand=5, d_model=64)
    clock = widgets.Clock(cursor)
    wave = Wave(cursor)
    cursor.hand = 7
    assert clock.at("hand") == wave.at("hand") == clock.chosen() == 7
    assert clock.follows == ["position", "d_model", "hand"]
    with pytest.raises(TraitError, match=r"hand must be set on the cursor \(it has that slider\), got 3"):
        widgets.Clock(cursor, hand=3)


@pytest.mark.parametrize("secret", [-1, 128])
def test_a_secret_is_a_position(secret):
    with pytest.raises(TraitError, match=f"secret must be a position from 0 to 127 .*got {secret}"):
        widgets.Clock(secret=secret)


def test_beside_a_secret_dial_the_caption_speaks_of_it_and_not_of_the_map_that_it_replaces():
    assert "all positions" in widgets.Clock().caption
    assert "secret" in widgets.Clock(secret=77).caption and "all positions" not in widgets.Clock(secret=77).caption
    assert widgets.Clock(secret=77, caption="Mine.").caption == "Mine."


def test_a_challenge_is_reached_in_the_states_in_which_its_rule_is_true_and_in_no_other():
    cursor = widgets.Cursor(position=22, hand=1, d_model=widgets.Slider(16, (8, 16)))

    def at_three(position, d_model):
        return abs(math.remainder(position / 10_000 ** (2 / d_model) - math.pi / 2, 2 * math.pi)) < 0.1

    clock = widgets.Clock(cursor, challenges=[widgets.Challenge("Point to [[3|hand=1]] o'clock.", at_three)])
    (goal,) = clock.goals
    assert goal["names"] == ["position", "d_model"]
    expected = [[p, d] for p in range(128) for d in (8, 16) if at_three(p, d)]
    assert goal["reached"] == expected and 0 < len(expected) < 256
    assert "<li>Point to" in clock._repr_mimebundle_()[0]["text/html"]
    with pytest.raises(TraitError, match=r"rule must be true somewhere .*Never"):
        widgets.Clock(cursor, challenges=[widgets.Challenge("Never.", lambda position: False)])


def test_a_step_sets_sliders_to_values_that_they_have():
    clock = widgets.Clock(steps=[widgets.Step("Look at [[hand 3|hand=3]].", position=7, hand=3)])
    assert clock.tour[0]["state"] == {"position": 7, "hand": 3}
    assert 'data-term="hand" data-value="3"' in clock.tour[0]["words"]
    with pytest.raises(TraitError, match=r"position must be a value of its slider .*got 999"):
        widgets.Clock(steps=[widgets.Step("Too far.", position=999)])


def test_a_caption_s_ties_become_words_and_the_present_numbers_on_paper():
    caption = "At position [[scrub position]] [[the third hand|hand=2]] has turned [[show angle]] rad."
    clock = widgets.Clock(position=22, d_model=16, hand=2, caption=caption)
    page = clock._repr_mimebundle_()[0]["text/html"]
    assert f"At position 22 the third hand has turned {22 / 10_000 ** (4 / 16):.2f} rad." in page
    assert '<span data-scrub="position"></span>' in clock.caption_html


def test_a_caption_s_words_are_marked_on_paper_as_in_the_live_picture():
    page = widgets.Clock(caption="*Who* turns $M_k$, and is 1 < 2?")._repr_mimebundle_()[0]["text/html"]
    assert "<em>Who</em> turns <i>M<sub>k</sub></i>, and is 1 &lt; 2?</figcaption>" in page


def test_colab_is_told_which_widget_manager_to_use(monkeypatch):
    class Output:
        _widgets = type("Widgets", (), {"_installed_url": "https://manager.example"})
        enable_custom_widget_manager = staticmethod(lambda: None)

    views = [widgets.Clock(), widgets.Progress(), widgets.Column([widgets.Clock()])]
    monkeypatch.setitem(sys.modules, "google.colab.output", Output)
    for view in views:
        _, metadata = view._repr_mimebundle_()
        colab = metadata["application/vnd.jupyter.widget-view+json"]["colab"]
        assert colab == {"custom_widget_manager": {"url": "https://manager.example"}}


@pytest.mark.parametrize("name", VIEWS)
def test_one_output_carries_the_live_view_and_says_its_state(name, cursor):
    view = VIEWS[name](cursor)
    data, _ = view._repr_mimebundle_()
    assert set(data) == {"application/vnd.jupyter.widget-view+json", "text/html", "text/plain"}
    assert view.describe() in data["text/plain"] and "position 22, d_model 16" in data["text/plain"]
    cursor.position = 23
    moved, _ = view._repr_mimebundle_()
    assert "position 22" in data["text/html"] and "position 23" in moved["text/html"]


def test_a_stack_leaves_its_children_s_pictures_on_paper(cursor):
    data, _ = widgets.Column([widgets.Clock(cursor), widgets.Row([Wave(cursor), cursor])])._repr_mimebundle_()
    assert data["text/html"].count("<figure") == 2
    assert "application/vnd.jupyter.widget-view+json" in data


@pytest.mark.parametrize("value", [-1, 128, 2.5, "7", True, None, np.nan, [3]])
def test_a_value_outside_the_slider_is_refused_and_changes_nothing(value, cursor):
    view = widgets.Clock(cursor)
    before = view._repr_mimebundle_()[0]["text/html"]
    with pytest.raises(TraitError) as caught:
        cursor.position = value
    assert str(caught.value) == f"position must be an integer from 0 to 127 (the slider's range), got {value!r}"
    assert cursor.position == 22 and view._repr_mimebundle_()[0]["text/html"] == before


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
    with pytest.raises(TraitError, match=r"mood must be a Slider .*got 4"):
        widgets.Cursor(mood=4)
    with pytest.raises(TraitError, match=r"k must be an integer from 0 to 8 in steps of 2 .*got 3"):
        widgets.Cursor(k=widgets.Slider(3, range(0, 9, 2)))


def test_a_view_says_which_slider_its_cursor_lacks():
    with pytest.raises(
        TraitError, match=r"cursor must have a slider 'd_model' \(a picture follows it\), got Cursor\(position=1\)"
    ):
        widgets.Clock(widgets.Cursor(position=1))


def test_a_cursor_tells_observers_and_links_with_ordinary_sliders(cursor):
    from ipywidgets import IntSlider, link

    heard = []
    plain = IntSlider(min=0, max=127)
    cursor.observe(lambda change: heard.append((change.old, change.new)), "position")
    link((cursor, "position"), (plain, "value"))
    plain.value = 40
    assert heard == [(22, 40)] and cursor.position == 40
    cursor.position = 7
    assert plain.value == 7


@pytest.mark.parametrize(
    "file, constant, value",
    [
        ("hands.js", r"const SHORTEST = ([\d.]+);", drawn.SHORTEST),
        ("hands.js", r"const BASE = (\d+);", cursor_module.USUAL["base"]().default_value),
        ("kit.js", r"v === (-\d+) \? NaN", data_module.LEAST),
    ],
)
def test_a_number_that_javascript_repeats_is_python_s(file, constant, value):
    assert [float(found) for found in re.findall(constant, (widget.STATIC / file).read_text("utf-8"))] == [value]


def test_colours_beyond_those_of_plots_are_named_in_kit_css_alone():
    known = {color.lower() for color in [*plots.LIGHT.values(), *plots.DARK.values(), "#000000"]}
    kit = (widget.STATIC / "kit.css").read_text("utf-8")
    named = set(re.findall(r"^  --pe-[\w-]+: (#\w{6});", kit, flags=re.M))
    for path in [*widget.STATIC.glob("*.js"), *widget.STATIC.glob("*.css")]:
        found = set(re.findall(r"#[0-9a-f]{6}\b", path.read_text("utf-8").lower()))
        assert found <= (known | named if path.name == "kit.css" else known), path.name


def test_the_dark_pages_of_kit_css_are_those_for_which_plots_has_its_dark_colours():
    kit = (widget.STATIC / "kit.css").read_text("utf-8")
    selectors = re.search(r"\}\n((?:[^{}]+,\n)+[^{},]+) \{\n  color-scheme: dark", kit)[1]
    assert tuple(selectors.split(",\n")) == widget.DARK_PAGES


def test_the_colours_of_both_themes_come_from_one_file():
    file = tomllib.loads((HOME / "src/clockwork/kit/colors.toml").read_text("utf-8"))
    light, dark, *_ = re.findall(r"\{([^}]*)\}", widget.style(widget.STATIC / "kit.js"))
    for theme, css in (("light", light), ("dark", dark)):
        told = dict(re.findall(r"--pe-([\w-]+): ([^;]+);", css))
        assert {name: told[name] for name in file[theme]} == file[theme]
        assert {name: told[name].split() for name in file["scales"][theme]} == file["scales"][theme]
    assert (
        file["light"].keys() == file["dark"].keys() and file["scales"]["light"].keys() == file["scales"]["dark"].keys()
    )
    assert "--pe-signed: #053061 " in light
    pen = HOME / "src/clockwork/kit/playground/static/pen.js"
    for path in (widget.STATIC / "painter.js", pen):  # what JavaScript asks CSS for, it has
        lists = re.findall(r"(?:names = |names.push|SCALES = |NAMES = )([^;]+);", path.read_text("utf-8"))
        asked = re.findall(r'"(\w+)"|(\w+): ""', "".join(lists))
        assert len(asked) >= 16 and all(f"--pe-{one or other}:" in light for one, other in asked), path.name


@pytest.mark.parametrize(
    ("marked", "page"),
    [
        ("$\\omega_i = b^{-2i/d}$", "<i>ω<sub>i</sub> = b<sup>−2i/d</sup></i>"),
        ("**bold** and *slanted*, 2 * 3 * 4", "<strong>bold</strong> and <em>slanted</em>, 2 * 3 * 4"),
        ("<script>", "&lt;script&gt;"),
        ("$\\Delta \\cdot x$", "<i>Δ·x</i>"),
        ("`a_b`", "<code>a_b</code>"),
        ("*dog* and *dog*, *a* and *a*", "<em>dog</em> and <em>dog</em>, <em>a</em> and <em>a</em>"),
        ("`2*p, 3*p**2` is *code*", "<code>2*p, 3*p**2</code> is <em>code</em>"),
        ("**`a` or *b*:** `**`", "<strong><code>a</code> or <em>b</em>:</strong> <code>**</code>"),
        ("[[hand 3|hand=3]]", '<span data-term="hand" data-value="3">hand 3</span>'),
        (
            "[[it|hand]] at [[scrub position]]",
            '<span data-term="hand">it</span> at <span data-scrub="position"></span>',
        ),
        (
            "{Left}: $M_{k}$",
            '<span class="pe-beside">Left</span><span class="pe-below">Above</span>: <i>M<sub>k</sub></i>',
        ),
        ("[[<b>|hand=1]]", '<span data-term="hand" data-value="1">&lt;b&gt;</span>'),
    ],
)
def test_marks_become_safe_html(marked, page):
    assert words.inline(marked) == page


def test_one_is_counted_in_the_singular():
    one = {"questions": [{"key": "a"}, {"key": "b"}, {"key": "c"}], "exercises": ["x"], "beside": ["c"]}
    assert progress.counts(one) == "2 questions, 1 exercise; side paths: 1 question, 0 exercises"
