"""Draw every still picture of the course in one style, with an alternative text and a caption.

Importing this module turns the style on. Colours carry meaning and keep it in every lesson: blue is the sine and the
query, vermilion the cosine and the key; signed values run from blue over white to red, magnitudes through viridis.
"""

import base64
import html
import io
from pathlib import Path

import matplotlib
import matplotlib.style
import numpy as np
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.lines import Line2D

SIN = QUERY = "#0072B2"
COS = KEY = "#D55E00"
GREEN = "#009E73"
PINK = "#CC79A7"
GREY = "#6B6B6B"  # curves and points without a meaning of their own
FAINT = "#BFC5CB"  # what is not chosen, and lines to compare with
INK = "#1F2328"  # text
SOFT = "#59636E"  # axes, ticks and zero lines
LINE = "#D8DDE3"  # grids and frames
RAISED = "#F4F6F8"  # the band behind a chosen row
SIGNED = "RdBu_r"
MAGNITUDE = "viridis"
ANGLE = "twilight"

SIZES = {"wide": (7.2, 3.2), "square": (4.6, 4.6)}  # inches, for one row of axes
CSS_PIXELS = 96  # per inch: a wide picture fills 691 of a notebook's 700 pixels
SHARPNESS = 2  # picture pixels per CSS pixel, for dense screens

COLORED = {
    "axes.prop_cycle": cycler(color=[SIN, COS, GREEN, PINK, GREY]),
    "text.color": INK,
    "axes.labelcolor": INK,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "axes.edgecolor": SOFT,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "grid.color": LINE,
}
matplotlib.style.use([Path(__file__).with_name("pe.mplstyle"), COLORED])


def figure(rows: int = 1, cols: int = 1, size: str = "wide", **subplots) -> tuple[Figure, Axes | np.ndarray]:
    """Make a figure of the house and its axes.

    It is not registered anywhere: nothing appears until `show`, nothing has to be closed.

    Args:
        rows: Rows of axes; each further row adds 0.6 of the height.
        cols: Columns of axes. One row and one column give a single `Axes`, otherwise an array of them.
        size: "wide" (7.2 × 3.2 inches) or "square" (4.6 × 4.6 inches).
        subplots: Passed to `Figure.subplots`, for example `sharey=True`.

    Raises:
        ValueError: `size` is neither of the two.
    """
    if size not in SIZES:
        raise ValueError(f"size must be one of {', '.join(SIZES)} (the house has two), got {size!r}")
    width, height = SIZES[size]
    fig = Figure(figsize=(width, height * (1 + 0.6 * (rows - 1))))
    return fig, fig.subplots(rows, cols, **subplots)


def png(fig: Figure) -> bytes:
    """Draw `fig` as a PNG of two pixels per CSS pixel and at most 256 colours, which keeps it small."""
    from PIL import Image

    raw, small = io.BytesIO(), io.BytesIO()
    fig.savefig(raw, format="png", dpi=CSS_PIXELS * SHARPNESS)
    raw.seek(0)
    flat = Image.open(raw).convert("RGB")
    flat.quantize(256, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(small, "png", optimize=True)
    return small.getvalue()


def bundle(image: bytes, *, alt: str, caption: str, width: float) -> tuple[dict, dict]:
    """Return (data, metadata) of one output that holds the same picture for every kind of reader.

    Args:
        image: A PNG.
        alt: What the picture shows, for a reader who cannot see it.
        caption: The message first, then how to read it. `$…$` is set as a formula.
        width: Width on the page in CSS pixels.

    Raises:
        ValueError: `alt` or `caption` is empty.
    """
    _require_words(alt=alt, caption=caption)
    code = base64.b64encode(image).decode()
    page = (
        '<figure style="margin:0.5em 0;max-width:100%">'
        f'<img alt="{html.escape(alt)}" width="{width:.0f}" style="max-width:100%;height:auto;border-radius:4px" '
        f'src="data:image/png;base64,{code}">'
        f'<figcaption style="max-width:62em;margin-top:0.4em">{html.escape(caption, quote=False)}</figcaption></figure>'
    )
    data = {"text/html": page, "image/png": code, "text/plain": f"Figure: {alt}"}
    return data, {"image/png": {"alt": alt, "width": round(width)}}


def describe(fig: Figure, *, alt: str, caption: str) -> Figure:
    """Give `fig` the words that `show` puts beside it, and return it.

    Args:
        fig: A figure that is ready to be shown.
        alt: What the picture shows, for a reader who cannot see it.
        caption: The message first, then how to read it. `$…$` is set as a formula.

    Raises:
        ValueError: `alt` or `caption` is empty.
    """
    _require_words(alt=alt, caption=caption)
    fig.alt = alt
    fig.caption = caption
    return fig


def show(fig: Figure, *, alt: str = "", caption: str = "") -> None:
    """Show `fig` with its alternative text and caption, in one output: those given here, or its own from `describe`.

    An HTML `<figure>` carries them, because notebook viewers drop the alternative text of a bare picture.

    Raises:
        ValueError: `fig` has no words of its own and none are given.
    """
    from IPython.display import display

    words = {"alt": alt or getattr(fig, "alt", ""), "caption": caption or getattr(fig, "caption", "")}
    data, metadata = bundle(png(fig), **words, width=fig.get_figwidth() * CSS_PIXELS)
    display(data, metadata=metadata, raw=True)


def _require_words(**words: str) -> None:
    for name, text in words.items():
        if not text.strip():
            raise ValueError(f"{name} must be a sentence (a reader may have only that), got {text!r}")


def ink(color: str) -> str:
    """Darken `color` until small text in it reads well on white (contrast 4.5 : 1)."""
    rgb = np.array(to_rgb(color))
    while True:
        linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
        if 1.05 / (linear @ [0.2126, 0.7152, 0.0722] + 0.05) >= 4.5:
            return to_hex(rgb)
        rgb = rgb * 0.97


def label_line(ax: Axes, line: Line2D, text: str, *, at: float | None = None) -> None:
    """Write `text` beside `line` in its colour, at its right end or at the data point nearest to x = `at`."""
    x, y = np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float)
    here = len(x) - 1 if at is None else int(np.abs(x - at).argmin())
    offset, vertical = ((5, 0), "center") if at is None else ((0, 5), "bottom")
    ax.annotate(
        text,
        (x[here], y[here]),
        xytext=offset,
        textcoords="offset points",
        va=vertical,
        color=ink(line.get_color()),
        fontsize=9,
        annotation_clip=False,
    )


def heat_map(
    ax: Axes,
    array,
    *,
    signed: bool = True,
    xlabel: str = "",
    ylabel: str = "",
    label: str = "",
    limit: float | None = None,
    colorbar: bool = True,
) -> AxesImage:
    """Draw a matrix as colours: rows downwards, one cell an entry.

    Args:
        ax: Where to draw.
        array: A matrix (tensor or array) of shape (rows, columns).
        signed: True centres red and blue on zero, False runs viridis from zero upwards.
        xlabel: Name of the columns with its unit.
        ylabel: Name of the rows with its unit.
        label: Name of the colour scale with its unit.
        limit: The value of the strongest colour, by default the largest magnitude.
        colorbar: Whether to draw the scale.

    Raises:
        ValueError: `array` is not a matrix.
    """
    array = np.asarray(array.detach().cpu() if hasattr(array, "detach") else array, dtype=float)
    if array.ndim != 2:
        raise ValueError(f"array must be a matrix (one colour an entry), got shape {array.shape}")
    limit = limit or float(np.nanmax(np.abs(array))) or 1.0
    image = ax.imshow(array, cmap=SIGNED if signed else MAGNITUDE, vmin=-limit if signed else 0, vmax=limit)
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.spines[:].set_visible(False)
    if colorbar:
        scale = ax.figure.colorbar(image, ax=ax, label=label, pad=0.02, fraction=0.05)
        scale.outline.set_visible(False)
    return image
