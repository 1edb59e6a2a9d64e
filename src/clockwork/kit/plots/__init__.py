"""Draw the figures of the course in one style, each with an alternative text and a caption.

Importing this module sets the style. A colour means the same in every lesson, and what it means stands in
kit/colors.toml. `LIGHT` and `DARK` are the same meanings for either theme.
"""

import base64
import html
import io
import tomllib
from collections.abc import Sequence
from pathlib import Path

import matplotlib
import matplotlib.style
import numpy as np
from cycler import cycler
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.lines import Line2D

from clockwork.kit import veil

COLORS = tomllib.loads((Path(__file__).parents[1] / "colors.toml").read_text("utf-8"))
LIGHT, DARK, SCALES = COLORS["light"], COLORS["dark"], COLORS["scales"]
SIN, COS, HERE, THERE = (LIGHT[name] for name in ("sin", "cos", "here", "there"))
QUERY, KEY = SIN, COS  # where queries and keys are drawn and no sine is
GREEN, PINK, GREY, FAINT = (LIGHT[name] for name in ("green", "pink", "grey", "faint"))
INK, SOFT, LINE, RAISED, PAPER = (LIGHT[name] for name in ("ink", "soft", "line", "raised", "paper"))
SIGNED, ANGLE = COLORS["maps"]["signed"], COLORS["maps"]["angle"]
WEIGHTS, MAGNITUDE = "clockwork weights", "clockwork shares"

WIDTH, HEIGHT = 7.2, 3.2  # inches, of a figure with one row of axes
NARROW = 3.125  # inches, 300 CSS pixels: what a phone of 390 pixels leaves a figure below an answered question
CSS_PIXELS = 96  # per inch: a wide figure takes 691 of a notebook's 700 pixels
SHARPNESS = 2  # picture pixels per CSS pixel, for high-resolution screens

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
for name, scale in ((WEIGHTS, "weights"), (MAGNITUDE, "shares")):
    colormaps.register(LinearSegmentedColormap.from_list(name, SCALES["light"][scale]), force=True)
matplotlib.style.use([Path(__file__).with_name("pe.mplstyle"), COLORED])


def figure(rows: int = 1, cols: int = 1, **subplots) -> tuple[Figure, Axes | np.ndarray]:
    """Make a figure as wide as a page, 7.2 × 3.2 inches; return it with its axes.

    pyplot does not know the figure: it appears when it is given to `show`, and need not be closed.

    Args:
        rows: rows of axes; each further row adds 0.6 of the height.
        cols: columns of axes. One row and one column give a single `Axes`, otherwise an array of them.
        subplots: passed to `Figure.subplots`, for example `sharey=True`.
    """
    fig = Figure(figsize=(WIDTH, HEIGHT * (1 + 0.6 * (rows - 1))))
    return fig, fig.subplots(rows, cols, **subplots)


def panels(count: int, height: float = HEIGHT, *, rows: int = 1, **subplots) -> tuple[Figure, np.ndarray]:
    """Make a figure of panels that stand side by side on a wide page, and one below the other on a phone.

    No panel is wider than `NARROW`, and each is laid out by itself: it needs its own title and the names of its axes.

    Args:
        count: how many panels.
        height: in inches.
        rows: rows of axes in each panel.
        subplots: passed to `SubFigure.subplots`, for example `height_ratios=[3, 2]`.

    Returns:
        The figure, and its axes, (count,), or (rows, count) with several rows.
    """
    fig = Figure(figsize=(count * min(NARROW, WIDTH / count), height))
    fig.get_layout_engine().set(w_pad=0.08)  # inches: a name of an axis stands apart from the panel before it
    parts = fig.subfigures(1, count, wspace=0, squeeze=False)[0]
    axes = np.array([part.subplots(rows, squeeze=False, **subplots)[:, 0] for part in parts]).T
    return fig, axes if rows > 1 else axes[0]


def narrow(height: float = HEIGHT, rows: int = 1, cols: int = 1, **subplots) -> tuple[Figure, Axes | np.ndarray]:
    """Make a figure that a phone shows whole; return it with its axes.

    Args:
        height: in inches.
        rows: rows of axes.
        cols: columns of axes. One row and one column give a single `Axes`, otherwise an array of them.
        subplots: passed to `Figure.subplots`, for example `sharey=True`.
    """
    fig = Figure(figsize=(NARROW, height))
    return fig, fig.subplots(rows, cols, **subplots)


def png(fig: Figure) -> bytes:
    """Return `fig` as a PNG with two pixels per CSS pixel and at most 256 colours, which keeps it small."""
    raw = io.BytesIO()
    fig.savefig(raw, format="png", dpi=CSS_PIXELS * SHARPNESS)
    return small(raw.getvalue())


def cut(image: bytes, fig: Figure) -> list[bytes]:
    """Return the PNG of a figure as a list: one PNG for each of its `panels`, or the whole."""
    from PIL import Image

    whole = Image.open(io.BytesIO(image))
    pieces = []
    for part in fig.subfigs:
        left, right = (round(edge / fig.bbox.width * whole.width) for edge in (part.bbox.x0, part.bbox.x1))
        file = io.BytesIO()
        whole.crop((left, 0, right, whole.height)).save(file, "png", optimize=True)
        pieces.append(file.getvalue())
    return pieces or [image]


def small(image: bytes, colors: int = 256) -> bytes:
    """Return a PNG with few colours."""
    from PIL import Image

    file = io.BytesIO()
    flat = Image.open(io.BytesIO(image)).convert("RGB")
    flat.quantize(colors, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(file, "png", optimize=True)
    return file.getvalue()


def bundle(
    image: bytes,
    *,
    alt: str,
    caption: str,
    width: float,
    numbers: Sequence[Sequence[str]] = (),
    pieces: Sequence[bytes] = (),
) -> tuple[dict, dict]:
    """Return (data, metadata) of one notebook output: the picture as HTML, as a PNG and as text.

    Args:
        image: a PNG.
        alt: what the picture shows, for a reader who cannot see it.
        caption: the message first, then how to read it. `$…$` is set as a formula.
        width: width on the page, in CSS pixels.
        numbers: what the picture measures, as a table that unfolds: its header, then its rows, each beginning with its
            name.
        pieces: the picture cut into equally wide PNGs, which a narrow page shows one below the other.

    Raises:
        ValueError: if `alt` or `caption` is empty.
    """
    _require_words(alt=alt, caption=caption)
    code = base64.b64encode(image).decode()
    picture = beside(pieces, alt, width / len(pieces)) if len(pieces) > 1 else embedded(code, alt, width)
    page = framed(picture, html.escape(caption, quote=False)) + unfolding(numbers)
    data = {"text/html": page, "image/png": code, "text/plain": f"Figure: {alt}"}
    return data, {"image/png": {"alt": alt, "width": round(width)}}


def embedded(code: str, alt: str, width: float) -> str:
    """Return a PNG, given in base64, as HTML."""
    return (
        f'<img alt="{html.escape(alt)}" width="{width:.0f}" style="max-width:100%;height:auto;border-radius:4px" '
        f'src="data:image/png;base64,{code}">'
    )


def beside(pieces: Sequence[bytes], alt: str, width: float) -> str:
    """Return PNGs of one width as HTML, as many side by side as the page has room for; the first is described."""
    codes = [base64.b64encode(piece).decode() for piece in pieces]
    images = "".join(embedded(code, alt * (i == 0), width) for i, code in enumerate(codes))
    return f'<div style="display:flex;flex-wrap:wrap">{images}</div>'


def framed(picture: str, caption: str) -> str:
    """Return a picture above its caption, both given as HTML."""
    return (
        f'<figure style="margin:0.5em 0;max-width:100%">{picture}'
        f'<figcaption style="max-width:62em;margin-top:0.4em">{caption}</figcaption></figure>'
    )


def unfolding(numbers: Sequence[Sequence[str]]) -> str:
    """Return a table, given as its header and its rows, as HTML that shows one line until it is unfolded."""
    if not numbers:
        return ""
    header, *rows = [[html.escape(text, quote=False) for text in row] for row in numbers]
    head = "".join(f'<th scope="col">{text}</th>' for text in header)
    body = "".join(
        f'<tr><th scope="row">{name}</th>' + "".join(f"<td>{text}</td>" for text in rest) + "</tr>"
        for name, *rest in rows
    )
    table = f'<div style="overflow-x:auto"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
    return f'<details class="pe-numbers"><summary>The numbers</summary>{table}</details>'


def describe(fig: Figure, *, alt: str, caption: str, numbers: Sequence[Sequence[str]] = ()) -> Figure:
    """Attach to `fig` the alternative text, the caption and the table that `show` displays; return `fig`.

    Args:
        fig: a finished figure.
        alt: what the picture shows, for a reader who cannot see it.
        caption: the message first, then how to read it. `$…$` is set as a formula.
        numbers: what the picture measures, for a reader who cannot see it or wants it exactly: the header of a table,
            then its rows, each beginning with its name.

    Raises:
        ValueError: if `alt` or `caption` is empty.
    """
    _require_words(alt=alt, caption=caption)
    fig.alt = alt
    fig.caption = caption
    fig.numbers = numbers
    return fig


def show(fig: Figure, *, alt: str = "", caption: str = "", asks: str = "") -> None:
    """Display `fig` with the alternative text and caption given here, or else with those from `describe`.

    The output is an HTML `<figure>`, because notebook viewers drop the alternative text of a plain picture.

    Args:
        fig: a finished figure.
        alt: what it shows, for a reader who cannot see it.
        caption: the message first, then how to read it.
        asks: the question that veils what is drawn within the axes until it is answered, such as "02/gap" (veil.py).

    Raises:
        ValueError: if `alt` or `caption` is empty and `fig` has none from `describe`.
    """
    from IPython.display import display

    words = {"alt": alt or getattr(fig, "alt", ""), "caption": caption or getattr(fig, "caption", "")}
    image = png(fig)
    width = fig.get_figwidth() * CSS_PIXELS
    data, metadata = bundle(image, **words, width=width, numbers=getattr(fig, "numbers", ()), pieces=cut(image, fig))
    if asks:
        with veil.covered(fig):
            image = png(fig)
        names = " and ".join(filter(None, (ax.get_title() or ax.get_ylabel() for ax in fig.axes))) or "what is asked"
        before, metadata = bundle(image, alt=f"Empty axes: {names}", caption="Before your guess.", width=width)
        data = before | {"text/html": veil.veiled(asks, before["text/html"], data["text/html"])}
    display(data, metadata=metadata, raw=True)


def _require_words(**words: str) -> None:
    for name, text in words.items():
        if not text.strip():
            raise ValueError(f"{name} must be a sentence (some readers have only that), got {text!r}")


def hand_colors(count: int, theme: str = "light") -> list[str]:
    """Return one colour a hand, from the fastest to the slowest: the same on a dial, along a wave and over a column."""
    return between("hands", count, theme)


def between(scale: str, count: int, theme: str) -> list[str]:
    """Return `count` colours of a scale, from its first to its last."""
    stops = LinearSegmentedColormap.from_list(scale, SCALES[theme][scale])
    return [to_hex(stops(at)) for at in np.linspace(0, 1, count)]


def ink(color: str) -> str:
    """Return `color`, darkened until small text in it can be read on white (contrast 4.5 : 1)."""
    rgb = np.array(to_rgb(color))
    while True:
        linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
        if 1.05 / (linear @ [0.2126, 0.7152, 0.0722] + 0.05) >= 4.5:
            return to_hex(rgb)
        rgb = rgb * 0.97


def label_line(ax: Axes, line: Line2D, text: str, *, at: float | None = None) -> None:
    """Write `text` next to `line` in its colour: after its right end, or above the data point nearest to x = `at`."""
    x = np.asarray(line.get_xdata(), float)
    y = np.asarray(line.get_ydata(), float)
    if at is None:
        here = len(x) - 1
        offset = (5, 0)
        vertical = "center"
    else:
        here = int(np.abs(x - at).argmin())
        offset = (0, 5)
        vertical = "bottom"
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
    """Draw a matrix as colours, one cell for each entry, the first row at the top.

    Args:
        ax: where to draw.
        array: a tensor or array of shape (rows, columns).
        signed: True centres red and blue on zero; False runs from pale to dark, from zero upwards.
        xlabel: name of the columns, with its unit.
        ylabel: name of the rows, with its unit.
        label: name of the colour scale, with its unit.
        limit: the value of the strongest colour; by default the largest magnitude.
        colorbar: whether to draw the scale.

    Raises:
        ValueError: if `array` is not a matrix.
    """
    if hasattr(array, "detach"):
        array = array.detach().cpu()
    array = np.asarray(array, dtype=float)
    if array.ndim != 2:
        raise ValueError(f"array must be a matrix (one colour for each entry), got shape {array.shape}")
    limit = limit or float(np.nanmax(np.abs(array))) or 1.0
    image = ax.imshow(array, cmap=SIGNED if signed else MAGNITUDE, vmin=-limit if signed else 0, vmax=limit)
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.spines[:].set_visible(False)
    if colorbar:
        scale = ax.figure.colorbar(image, ax=ax, label=label, pad=0.02, fraction=0.05)
        scale.outline.set_visible(False)
    return image
