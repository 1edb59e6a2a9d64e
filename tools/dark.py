"""Give a figure a second rendering for dark pages, from its picture alone.

What is drawn on the paper in the course's colours and scales takes the same colours' values for the dark; the paper
becomes transparent. A map of signed numbers or of angles stays as it is, since a colour is a number there.
"""

import functools
import io

import numpy as np
from matplotlib.colors import to_rgb
from PIL import Image

from clockwork.kit import plots

REACH = 3  # pixels: what is more than twice this wide and high is an area, the rest is line or text
WHITE = 250  # and more, in each channel, is paper
NEAR = 16  # how far a colour may be from a mixture of paper and one ink, of 255
MOST = 0.95  # share of a band's, a bar's or a dot's pixels that are such mixtures; a colour map has fewer
SHARE = 0.3  # of the pixels of a large area: with so many in the colours of hands it is a map of magnitudes
LARGE = 64  # pixels, in width and height
GRAIN = 4  # pixels of a cell in which areas are told apart
HANDS = 48  # colours of the palette of hands


def darkened(png: bytes) -> bytes:
    """Return the PNG of a figure as it stands on a dark page."""
    picture = Image.open(io.BytesIO(png))
    if picture.mode != "P":
        picture = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    which = np.asarray(picture)
    colors = np.array(picture.getpalette("RGB")).reshape(-1, 3)
    inked, explained, hands = in_the_dark(colors.astype(float))
    kept = np.concatenate([colors, np.full((len(colors), 1), 255)], axis=1)
    palettes = np.stack([inked, kept]).astype(np.uint8)
    paper = (colors >= WHITE).all(1)[which]
    near = grown(opened(paper, 2 * REACH), 4 * REACH) & paper
    maps = maps_among(opened(~near, REACH), which, explained, hands)
    pixels = palettes[maps.astype(int), which]
    file = io.BytesIO()
    Image.fromarray(pixels, "RGBA").quantize(256, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(
        file, "png", optimize=True
    )
    return file.getvalue()


@functools.cache
def inks() -> tuple[np.ndarray, np.ndarray]:
    """Return the colours that lines and text have on white, and what each becomes in the dark, in 0 … 255."""
    light = [*plots.LIGHT.values(), "#000000", *scales("light")]
    dark = [*plots.DARK.values(), plots.DARK["ink"], *scales("dark")]
    pairs = [(a, b) for a, b in zip(light, dark, strict=True) if a != plots.PAPER]
    return tuple(255 * np.array([to_rgb(pair[side]) for pair in pairs]) for side in (0, 1))


def scales(theme: str) -> list[str]:
    """Return the colours of the course's scales in a theme, those of hands last."""
    return [color for scale in ("weights", "shares", "hands") for color in plots.between(scale, HANDS, theme)]


def in_the_dark(colors: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return each colour as ink (red, green, blue, opacity), whether paper and one ink mix it, and whether a hand's."""
    light, dark = inks()
    darker = 255 - light
    share = np.clip((255 - colors) @ darker.T / (darker**2).sum(1), 0, 1)  # of the ink, for each colour and each ink
    share[(colors >= WHITE).all(1)] = 0
    missed = np.linalg.norm(255 - share[..., None] * darker - colors[:, None], axis=2)
    best = missed.argmin(1)
    rows = np.arange(len(colors))
    explained = missed[rows, best] <= NEAR
    mixed = np.concatenate([dark[best], 255 * share[rows, best, None]], axis=1)
    turned = 255 - colors.max(1, keepdims=True) - colors.min(1, keepdims=True) + colors  # the hue stays, light is dark
    turned = np.concatenate([turned, np.full((len(colors), 1), 255)], axis=1)
    return np.where(explained[:, None], mixed, turned).round(), explained, explained & (best >= len(light) - HANDS)


def maps_among(areas: np.ndarray, which: np.ndarray, explained: np.ndarray, hands: np.ndarray) -> np.ndarray:
    """Return the pixels of those areas that are colour maps: with colours that no ink has, or with those of hands."""
    rows, cols = (-(-size // GRAIN) for size in areas.shape)
    padded = np.pad(areas, [(0, rows * GRAIN - areas.shape[0]), (0, cols * GRAIN - areas.shape[1])])
    small = labelled(padded.reshape(rows, GRAIN, cols, GRAIN).any((1, 3)))
    labels = small.repeat(GRAIN, 0).repeat(GRAIN, 1)[: areas.shape[0], : areas.shape[1]]
    labels = np.where(areas, labels, 0)
    count = np.bincount(labels.ravel()).astype(float)
    flat = np.bincount(labels.ravel(), explained[which].ravel()) >= MOST * count
    handed = np.bincount(labels.ravel(), hands[which].ravel()) >= SHARE * count
    for label in np.flatnonzero(flat & handed):
        inside = small == label
        flat[label] = min(inside.any(0).sum(), inside.any(1).sum()) * GRAIN <= LARGE
    return areas & ~flat[labels]


def labelled(mask: np.ndarray) -> np.ndarray:
    """Return the connected parts of a mask, each with a number of its own above 0."""
    edged = np.pad(mask, 1)
    width = edged.shape[1]
    steps = [down * width + right for down in (-1, 0, 1) for right in (-1, 0, 1)]
    labels = np.zeros(edged.size, int)
    left = set(edged.ravel().nonzero()[0].tolist())
    number = 0
    while left:
        number += 1
        queue = [left.pop()]
        while queue:
            place = queue.pop()
            labels[place] = number
            around = left.intersection([place + step for step in steps])
            left -= around
            queue += around
    return labels.reshape(edged.shape)[1:-1, 1:-1]


def grown(mask: np.ndarray, reach: int) -> np.ndarray:
    """Return a mask with all pixels within a square of `reach` pixels round its own."""
    size = 2 * reach + 1
    for _ in range(2):  # along the columns, then along the rows
        mask = np.pad(mask, [(reach, reach), (0, 0)])
        held = 1  # pixels that each one speaks for
        while held < size:
            step = min(held, size - held)
            mask = mask[step:] | mask[:-step]
            held += step
        mask = mask.T
    return mask


def opened(mask: np.ndarray, reach: int) -> np.ndarray:
    """Return those parts of a mask that hold a square of 2 · `reach` + 1 pixels."""
    edged = np.pad(~mask, reach)  # beyond the border all is as at the border
    return grown(~grown(edged, reach)[reach:-reach, reach:-reach], reach)
