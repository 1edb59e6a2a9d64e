"""The rendering of a figure for dark pages: ink changes, paper goes, a map of signed numbers stays."""

import io

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from PIL import Image
from tools import dark

from clockwork.kit import plots


def pixels(fig):
    """Return a figure's pixels for the dark, red, green, blue and opacity, at the size of its light picture."""
    return np.asarray(Image.open(io.BytesIO(dark.darkened(plots.png(fig)))).convert("RGBA")).astype(int)


def share_near(image, color, within=24):
    """Return the share of opaque pixels that have nearly this colour."""
    near = np.abs(image[..., :3] - 255 * np.array(to_rgb(color))).max(-1) <= within
    return (near & (image[..., 3] > 200)).mean()


@pytest.mark.parametrize("name", ["sin", "cos", "green", "pink"])
def test_a_line_takes_its_colours_value_for_the_dark(name):
    fig, ax = plots.figure()
    ax.axis("off")
    ax.plot([0, 1, 2], [0, 1, 0], color=plots.LIGHT[name], linewidth=3)
    image = pixels(fig)
    assert share_near(image, plots.DARK[name]) > 0.005
    assert share_near(image, plots.LIGHT[name]) < 0.0005


def test_the_paper_is_transparent_and_no_white_is_left():
    fig, ax = plots.figure()
    ax.bar([0, 1, 2], [3, 1, 2])
    ax.set(title="three bars", xlabel="which", ylabel="how high")
    image = pixels(fig)
    assert (image[..., 3] == 0).mean() > 0.4
    assert share_near(image, plots.PAPER, 12) < 0.001
    assert share_near(image, plots.DARK["sin"]) > 0.1


@pytest.mark.parametrize("scale", [plots.WEIGHTS, plots.MAGNITUDE])
def test_a_scale_of_sizes_grows_brighter_from_the_paper_in_the_dark(scale):
    fig, ax = plots.figure()
    ax.axis("off")
    ax.imshow(np.linspace(0, 1, 9)[None], cmap=scale)
    image = pixels(fig)[len(pixels(fig)) // 2]
    shown = (image[:, :3] * image[:, 3:]).sum(1)[image.shape[0] // 18 :: image.shape[0] // 9][1:8]
    assert (np.diff(shown) > 0).all()


def test_a_map_of_signed_numbers_stays_as_it_is():
    fig, ax = plots.figure()
    ax.axis("off")
    rows = np.r_[-1:-0.3:6j, 0.3:1:6j][:, None] * np.linspace(0.6, 1, 16)
    plots.heat_map(ax, rows, colorbar=False)
    light = np.asarray(Image.open(io.BytesIO(plots.png(fig))).convert("RGB")).astype(int)
    middle = np.s_[light.shape[0] // 4 : -light.shape[0] // 4, light.shape[1] * 2 // 5 : light.shape[1] * 3 // 5]
    assert np.abs(pixels(fig)[middle][..., :3] - light[middle]).mean() < 6
    assert (pixels(fig)[middle][..., 3] == 255).all()


def test_a_line_on_a_pale_band_stays_apart_from_it():
    fig, ax = plots.figure()
    ax.axis("off")
    ax.axhspan(0.3, 0.7, color=plots.LIGHT["line"])
    ax.plot([0, 1], [0.5, 0.5], color=plots.INK, linewidth=3)
    ax.set(ylim=(0, 1))
    image = pixels(fig)
    seen = image[..., :3] * image[..., 3:] / 255 + 255 * np.array(to_rgb(plots.DARK["paper"])) * (
        1 - image[..., 3:] / 255
    )
    band = seen[int(0.4 * len(seen)), len(seen) // 2]
    assert 30 < band.max() < 100, "the band is a pale slab, or gone"
    assert share_near(image, plots.DARK["ink"]) > 0.005
