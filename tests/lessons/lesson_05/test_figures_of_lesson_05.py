"""The pictures of lesson 05 draw what the lesson says of them."""

import io

import numpy as np
import pytest
from PIL import Image
from safetensors.numpy import load_file

from clockwork.kit import plots
from clockwork.kit.datafiles import data_file
from clockwork.lessons.lesson_05 import figures

RATES = (0.0025, 0.005, 0.01, 0.02)
SCALES = {"sinusoid": (0.1, 0.3, 1.0), "learned": (0.02, 0.1, 0.3, 1.0)}


@pytest.fixture
def grid():
    rng = np.random.default_rng(0)
    return {
        task: {scheme: rng.uniform(0.5, 1, size=(len(scales), 4, 12)) for scheme, scales in SCALES.items()}
        for task in ("three_back", "who_came_first")
    }


def test_each_tile_is_the_mean_of_the_tuning_seeds_and_the_ring_is_round_the_best(grid):
    fig = figures.tuning(grid, {task: SCALES for task in grid}, RATES, tuned_on=4)
    panels = [grid[task][scheme] for scheme in SCALES for task in grid]  # a side is a column
    for ax, results in zip(fig.axes, panels, strict=True):
        means = results[..., :4].mean(-1)
        np.testing.assert_allclose(ax.images[0].get_array(), means[::-1])
        assert [float(text.get_text()) for text in ax.texts] == pytest.approx(means[::-1].ravel(), abs=0.005)
        ring = ax.patches[0].get_bbox()
        scale, rate = np.unravel_index(means.argmax(), means.shape)
        assert ring.x0 < rate < ring.x1 and ring.y0 < len(means) - 1 - scale < ring.y1


def test_the_pink_frames_are_the_untuned_comparison(grid):
    fig = figures.tuning(grid, {task: SCALES for task in grid}, RATES, tuned_on=4)
    for ax, (scheme, at) in zip(fig.axes[::2], (("sinusoid", 1.0), ("learned", 0.02)), strict=True):
        frame = ax.patches[1].get_bbox()
        middle = ((frame.x0 + frame.x1) / 2, (frame.y0 + frame.y1) / 2)
        assert middle == (RATES.index(0.005), SCALES[scheme][::-1].index(at))
    assert all(len(ax.patches) == 1 for ax in fig.axes[1::2])


@pytest.mark.parametrize("order", [1, -1])
def test_every_fresh_seed_is_a_dot_beside_its_table_s_name_and_hollow_means_not_trained(order):
    rng = np.random.default_rng(0)
    results = {scheme: rng.uniform(0.5, 1, size=8) for scheme in list(figures.LABELS)[::order]}
    (ax,) = figures.verdict({"who_came_first": results}).axes
    schemes = {label: scheme for scheme, label in figures.LABELS.items()}
    rows = {round(text.get_position()[1] + 0.33): text.get_text() for text in ax.texts if text.get_text() in schemes}
    dots = [line for line in ax.lines if line.get_marker() == "o"]
    for line in dots:
        scheme = schemes[rows.pop(np.rint(np.mean(line.get_ydata())))]
        assert sorted(line.get_xdata()) == pytest.approx(sorted(results[scheme]))
        assert (line.get_markerfacecolor() == "none") == (scheme in ("sinusoid", "random table", "index"))
        starts = figures.plots.SIN if "sinusoid" in scheme else figures.plots.KEY
        assert line.get_color() == (figures.plots.GREY if scheme == "index" else starts)
    assert not rows


def test_the_key_names_a_mark_and_a_colour_as_the_rows_use_them():
    rng = np.random.default_rng(0)
    results = {
        name: rng.uniform(0.5, 1, size=8) for name in ("sinusoid", "learned", "trained sinusoid", "random table")
    }
    (ax,) = figures.verdict({"who_came_first": results}).axes
    key = {line.get_label(): line for line in ax.get_legend().get_lines()}
    schemes = {label: scheme for scheme, label in figures.LABELS.items()}
    named = [text for text in ax.texts if text.get_text() in schemes]
    dots = [line for line in ax.lines if line.get_marker() == "o"]
    assert len(key) == len(named) == len(dots) == 4
    for text, line in zip(named, dots, strict=True):
        scheme = schemes[text.get_text()]
        mark = key["trained" if scheme in ("learned", "trained sinusoid") else "not trained"]
        start = key["starts as sinusoid" if "sinusoid" in scheme else "starts at random"]
        assert (mark.get_markerfacecolor() == "none") == (line.get_markerfacecolor() == "none")
        assert start.get_color() == line.get_color()


def test_only_lengths_past_the_trained_one_are_drawn_one_line_a_seed_and_grey_is_the_mean_without_a_code():
    rows = np.linspace(0, 1, 21).reshape(3, 7)
    run = {"lengths": [16, 32, 33, 48, 64, 96, 128], "beyond": rows}
    without = {"lengths": run["lengths"], "beyond": np.linspace(0.3, 0.1, 14).reshape(2, 7)}
    fig = figures.lengths({"none": without, "sinusoid": run, "learned": run}, trained_to=32)
    assert len(fig.axes) == 2
    for ax in fig.axes:
        seeds = [line for line in ax.lines if line.get_marker() == "."]
        np.testing.assert_allclose([line.get_ydata() for line in seeds], rows[:, 2:])
        assert all(min(line.get_xdata()) == 33 for line in seeds)
        (grey,) = [line for line in ax.lines if line.get_color() == plots.GREY and line.get_linestyle() == "-"]
        np.testing.assert_allclose(grey.get_ydata(), without["beyond"][:, 2:].mean(0))


def test_the_area_that_was_never_trained_is_told_from_paper_in_the_packed_picture():
    run = {"lengths": [32, 33, 128], "beyond": np.full((1, 3), 0.1)}
    fig = figures.lengths({"none": run, "sinusoid": run, "learned": run}, trained_to=32)
    picture = np.asarray(Image.open(io.BytesIO(plots.png(fig))).convert("RGB")).astype(int)
    ax = fig.axes[0]
    columns, height = ax.transData.transform([(26, 0.8), (50, 0.8)]).T
    old, new = (picture[-int(height[0]), int(column)] for column in columns * len(picture[0]) / fig.bbox.width)
    assert (old >= 250).all(), "paper, which is transparent on a dark page"
    assert (new < 245).all()


def test_the_curve_of_a_learned_table_is_the_cosine_of_neighbours_and_dips_where_it_is_labelled():
    tables = {
        name: table.astype(float) for name, table in load_file(data_file("whisper_position_tables.safetensors")).items()
    }
    ax = figures.shipped(tables["encoder"], tables["decoder"]).axes[2]
    formula, learned = (line.get_ydata() for line in ax.lines[:2])
    assert np.ptp(formula) == 0
    decoder = tables["decoder"]
    for p in (0, 100, 223, 224, 446):
        here, there = decoder[p], decoder[p + 1]
        assert learned[p] == pytest.approx(here @ there / np.sqrt(here @ here * (there @ there)))
    labels = {text.get_text(): text.get_position()[1] for text in ax.texts if "position" in text.get_text()}
    assert labels == {
        "position 0": pytest.approx(learned[0]),
        "position 224": pytest.approx(min(learned[223], learned[224])),
    }


def test_the_numbers_behind_the_curve_are_cosines_of_the_rows_they_name_with_both_dips_among_them():
    tables = {
        name: table.astype(float) for name, table in load_file(data_file("whisper_position_tables.safetensors")).items()
    }
    header, median, *rows = figures.shipped(tables["encoder"], tables["decoder"]).numbers
    assert header[1:] == ("formula", "learned table") and median[1:] == ("0.97", "0.83")

    def cosine(table, here, there):
        return table[here] @ table[there] / np.sqrt((table[here] ** 2).sum() * (table[there] ** 2).sum())

    found = {}
    for name, formula, learned in rows:
        here, there = (int(word) for word in name.split() if word.isdigit())
        assert there == here + 1
        assert learned == f"{cosine(tables['decoder'], here, there):.2f}"
        if there < len(tables["encoder"]):
            assert formula == f"{cosine(tables['encoder'], here, there):.2f}"
        found[here] = float(learned)
    assert sorted(found, key=found.get)[:3] == [0, 223, 224] and max(found) == len(tables["decoder"]) - 2
