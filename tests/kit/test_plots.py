import ast
import base64
import io
import itertools
import re
from pathlib import Path

import numpy as np
import pytest
from bs4 import BeautifulSoup
from matplotlib.colors import to_hex, to_rgb
from PIL import Image

from clockwork.kit import plots
from clockwork.kit.plots import hands

HOME = Path(__file__).parents[2]


def contrast_on_white(color):
    channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 1.05 / (0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] + 0.05)


@pytest.fixture
def shown(monkeypatch):
    def show(**words):
        outputs = []
        monkeypatch.setattr("IPython.display.display", lambda data, **rest: outputs.append((data, rest["metadata"])))
        fig, ax = plots.figure()
        plots.heat_map(ax, np.sin(np.arange(40)[:, None] * np.arange(1, 17) / 9))
        plots.show(fig, **words)
        assert len(outputs) == 1
        return outputs[0]

    return show


def test_one_output_carries_page_picture_and_text(shown):
    data, metadata = shown(alt='Waves "in" rows', caption="Every column turns slower: a < b.")
    assert set(data) == {"text/html", "image/png", "text/plain"}
    assert 'alt="Waves &quot;in&quot; rows"' in data["text/html"]
    assert "<figcaption" in data["text/html"] and "a &lt; b" in data["text/html"]
    assert data["image/png"] in data["text/html"]
    assert metadata["image/png"]["alt"] == 'Waves "in" rows'


def test_the_picture_is_sharp_small_and_true_in_colour(shown):
    picture = base64.b64decode(shown(alt="a", caption="b")[0]["image/png"])
    image = Image.open(io.BytesIO(picture))
    assert image.mode == "P" and len(picture) < 60_000
    assert image.width == round(7.2 * 96 * 2)
    fig, ax = plots.figure()
    ax.plot([0, 1], [1, 1], color=plots.SIN, linewidth=40)
    pixels = np.asarray(Image.open(io.BytesIO(plots.png(fig))).convert("RGB")).reshape(-1, 3).astype(int)
    assert np.abs(pixels - (0x00, 0x72, 0xB2)).sum(1).min() <= 6


def test_panels_are_pictures_of_their_own_that_a_phone_stacks_and_nothing_is_lost_at_their_edges(shown, monkeypatch):
    outputs = []
    monkeypatch.setattr("IPython.display.display", lambda data, **rest: outputs.append(data))
    fig, axes = plots.panels(2, 2.0)
    for ax, color in zip(axes, (plots.SIN, plots.COS), strict=True):
        ax.plot([0, 1], [0, 1], color=color, linewidth=20)
        ax.set(title="a title", xlabel="a name", ylabel="another")
    plots.show(fig, alt="Two lines.", caption="Both rise.")
    page = BeautifulSoup(outputs[0]["text/html"], "html.parser")
    (row,) = page.select("figure > div")
    assert "flex-wrap:wrap" in row["style"]
    images = row.select("img")
    assert [image["alt"] for image in images] == ["Two lines.", ""]
    assert {float(image["width"]) for image in images} == {plots.NARROW * plots.CSS_PIXELS}
    codes = [image["src"].partition("base64,")[2] for image in images]
    pieces = [np.asarray(Image.open(io.BytesIO(base64.b64decode(code))).convert("RGB")) for code in codes]
    whole = np.asarray(Image.open(io.BytesIO(base64.b64decode(outputs[0]["image/png"]))).convert("RGB"))
    assert (np.concatenate(pieces, axis=1) == whole).all()
    for piece in pieces:
        assert piece[:, [0, -1]].min() >= 250, "ink at an edge"


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_no_panel_is_wider_than_a_phone_leaves_below_an_answered_question(count):
    column = 390 - 90  # pixels: a phone, less the margins of the page and of the box in which an answer stands
    fig, axes = plots.panels(count, 2.0)
    fig.draw_without_rendering()
    lefts = [ax.get_tightbbox().x0 for ax in axes] + [fig.bbox.x1]
    assert all((b - a) / fig.dpi * 96 <= column + 1 for a, b in itertools.pairwise(lefts))
    assert plots.narrow(2.0)[0].get_figwidth() * 96 <= column


WIDE = {  # figures that no phone shows whole: it scrolls them
    ("02", "hand"),
    ("04", "moved"),
    ("11", "needed"),
}


def test_only_figures_that_are_named_here_are_wider_than_a_phone():
    found = set()
    for path in sorted((HOME / "src" / "clockwork" / "lessons").glob("*/figures.py")):
        source = path.read_text("utf-8")
        for node in ast.parse(source).body:
            if isinstance(node, ast.FunctionDef):
                body = ast.get_source_segment(source, node)
                if re.search(r"plots\.figure\(|plots\.WIDTH|hands\.dial_with_waves\(", body):
                    found.add((path.parent.name[-2:], node.name))
    assert found == WIDE


@pytest.mark.parametrize("missing", ["alt", "caption"])
def test_a_picture_without_words_is_refused(missing, shown):
    words = {"alt": "a", "caption": "b"} | {missing: " "}
    with pytest.raises(ValueError, match=rf"{missing} must be a sentence .*got ' '"):
        shown(**words)


def test_a_figure_that_knows_its_words_is_shown_in_one_line(monkeypatch):
    outputs = []
    monkeypatch.setattr("IPython.display.display", lambda data, **rest: outputs.append(data))
    fig, _ = plots.figure()
    assert plots.describe(fig, alt="A flat line.", caption="Nothing moves.") is fig
    plots.show(fig)
    assert 'alt="A flat line."' in outputs[0]["text/html"] and "Nothing moves.</figcaption>" in outputs[0]["text/html"]
    with pytest.raises(ValueError, match=r"caption must be a sentence .*got ''"):
        plots.describe(fig, alt="A flat line.", caption="")


def test_the_numbers_of_a_figure_unfold_as_a_table_with_named_rows_and_columns():
    numbers = [("accuracy", "mean"), ("a < b", "0.50")]
    data, _ = plots.bundle(b"", alt="Dots.", caption="Seeds.", width=1, numbers=numbers)
    page = BeautifulSoup(data["text/html"], "html.parser")
    (fold,) = page.select("figure + details")
    assert "open" not in fold.attrs and fold.select("summary")
    assert [cell.text for cell in fold.select("thead th[scope=col]")] == ["accuracy", "mean"]
    assert [cell.text for cell in fold.select("tbody th[scope=row]")] == ["a < b"]
    assert [cell.text for cell in fold.select("tbody td")] == ["0.50"]
    assert "<details" not in plots.bundle(b"", alt="Dots.", caption="Seeds.", width=1)[0]["text/html"]


def test_the_colours_stand_out_and_their_ink_is_readable_on_white():
    for color in (plots.SIN, plots.COS, plots.GREEN, plots.PINK, plots.GREY):
        assert contrast_on_white(color) > 2.8
        assert contrast_on_white(plots.ink(color)) >= 4.45


def test_no_other_file_of_plots_and_widgets_names_a_colour_by_its_number():
    package = Path(plots.__file__).parents[1]
    files = [*package.glob("plots/*.py"), *package.glob("plots/*.mplstyle"), *package.glob("widgets/*.py")]
    found = [path.name for path in files if re.search(r"\b#?[0-9A-Fa-f]{6}\b(?=[\"'\]\s])", path.read_text("utf-8"))]
    assert found == []


MISSING = {  # Machado et al. 2009: what a reader without one kind of cone sees, in linear light
    "red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "blue": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
TO_XYZ = [[0.4339, 0.3762, 0.1899], [0.2126, 0.7152, 0.0722], [0.0177, 0.1095, 0.8729]]  # with white at 1, 1, 1


def linear(color):
    channels = np.array(to_rgb(color))
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def lab(light):
    x, y, z = np.cbrt(np.clip(TO_XYZ @ light, 0, 1))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("kind", MISSING)
@pytest.mark.parametrize("pair", [("here", "there"), ("sin", "cos")])
@pytest.mark.parametrize("theme", [plots.LIGHT, plots.DARK], ids=["light", "dark"])
def test_two_colours_that_are_compared_stay_two_to_colour_blind_readers(theme, pair, kind):
    one, other = (lab(np.clip(MISSING[kind] @ linear(theme[name]), 0, 1)) for name in pair)
    assert np.linalg.norm(one - other) > 25


@pytest.mark.parametrize("scale", ["hands", "weights", "shares"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_fast_hand_and_the_large_number_stand_out_most_from_the_paper_in_either_theme(theme, scale):
    paper = linear((plots.LIGHT if theme == "light" else plots.DARK)["paper"])
    apart = [np.abs(lab(linear(color))[0] - lab(paper)[0]) for color in plots.SCALES[theme][scale]]
    assert (np.diff(apart[::-1] if scale == "hands" else apart) > 0).all()


def test_text_and_axes_can_be_read_on_white():
    for color in (plots.INK, plots.SOFT):
        assert contrast_on_white(color) >= 4.5


def test_figures_are_drawn_in_the_named_colours():
    _, ax = plots.figure()
    lines = [ax.plot([0, 1])[0].get_color() for _ in range(5)]
    assert lines == [plots.SIN, plots.COS, plots.GREEN, plots.PINK, plots.GREY]
    assert ax.xaxis.label.get_color() == ax.title.get_color() == plots.INK
    assert to_hex(ax.spines["left"].get_edgecolor()).upper() == plots.SOFT


def test_a_hand_starts_at_12_turns_clockwise_and_points_at_the_hours_of_its_dial():
    """Four hands a quarter turn apart stand at 12, 3, 6 and 9, and these numbers stand where they point."""
    _, ax = plots.figure()
    hands.dial(ax, np.arange(4) * np.pi / 2)
    written = {text.get_text(): np.array(text.get_position()) for text in ax.texts if text.get_fontsize() == 9}
    lines = [line for line in ax.lines if len(line.get_xydata()) == 2 and not np.any(line.get_xydata()[0])]
    tips = {line.get_color(): line.get_xydata()[1] for line in lines}
    turned = [tips[color] for color in plots.hand_colors(4)]
    expected = [(0, 1), (1, 0), (0, -1), (-1, 0)]
    for tip, hour, (x, y) in zip(turned, ("12", "3", "6", "9"), expected, strict=True):
        assert tip / np.hypot(*tip) == pytest.approx((x, y), abs=1e-9)
        assert written[hour] / np.hypot(*written[hour]) == pytest.approx((x, y), abs=1e-9)


def test_signed_heat_map_is_centred_on_zero():
    _, ax = plots.figure()
    image = plots.heat_map(ax, [[-1.0, 3.0]])
    assert image.get_clim() == (-3, 3) and image.cmap.name == "RdBu_r"
    _, ax = plots.figure()
    image = plots.heat_map(ax, [[1.0, 3.0]], signed=False)
    assert image.get_clim() == (0, 3) and image.cmap.name == plots.MAGNITUDE


def test_heat_map_names_its_rule_for_a_vector():
    _, ax = plots.figure()
    with pytest.raises(ValueError, match=r"array must be a matrix .*got shape \(3,\)"):
        plots.heat_map(ax, [1.0, 2.0, 3.0])


def test_heat_map_takes_a_tensor_that_asks_for_gradients():
    torch = pytest.importorskip("torch")
    _, ax = plots.figure()
    assert plots.heat_map(ax, torch.ones(2, 3, requires_grad=True)).get_array().shape == (2, 3)


def test_label_stands_at_the_asked_point_in_the_line_s_ink():
    _, ax = plots.figure()
    (line,) = ax.plot([0, 1, 2], [5, 6, 7], color=plots.COS)
    plots.label_line(ax, line, "cos", at=1.2)
    plots.label_line(ax, line, "end")
    near, end = ax.texts
    assert near.xy == (1, 6) and end.xy == (2, 7)
    assert near.get_color() == plots.ink(plots.COS)
