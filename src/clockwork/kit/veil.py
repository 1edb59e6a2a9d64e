"""Veil the outcome of a drawn figure or of a printed result until its question is answered, and nothing else of it.

Two cells as a lesson has them; the question stands above (a card, or a picture that asks):

    plots.show(figures.counts(), asks="02/gap")   # axes, names and ticks stand; what is drawn between them is hatched

    with veil.printed("02/gap"):                  # the same lines, each number hatched
        print(f"without clocks {share:.2f}")

On paper the veiled form stands above the whole one, which is folded. Once the question is answered, static/veil.js
shows the whole one alone.
"""

import contextlib
import html
import io
import re
from collections.abc import Iterator

from matplotlib import rcParams
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.spines import Spine
from matplotlib.text import Text

NUMBER = re.compile(r"[-−+]?\d+(?:[.,]\d+)*")
WORDS = "What is hatched shows once you have guessed."


def veiled(key: str, before: str, after: str) -> str:
    """Return, as HTML, a result before the guess and, folded, the whole of it.

    Args:
        key: the question, such as "02/gap".
        before: the result without its outcome, as HTML of the same size.
        after: the result, as HTML.
    """
    fold = f"<details><summary>Guess first, then open</summary>{after}</details>"
    return f'<div data-veil="{html.escape(key)}"><div data-before>{before}<p>{WORDS}</p></div>{fold}</div>'


@contextlib.contextmanager
def covered(figure: Figure) -> Iterator[Figure]:
    """Hatch all that a figure draws within its axes, for as long as the context lasts; axes, ticks and names stay.

    Titles stay too: a title is the question, not its answer.
    """
    hidden = [part for ax in figure.axes for part in ax.get_children() if part.get_visible() and not stays(ax, part)]
    limits = [(ax, ax.get_xlim(), ax.get_ylim()) for ax in figure.axes]
    for part in hidden:
        part.set_visible(False)
    look = {"facecolor": "none", "edgecolor": rcParams["axes.edgecolor"], "hatch": "///", "linewidth": 0}
    sheets = [ax.add_patch(Rectangle((0, 0), 1, 1, transform=ax.transAxes, **look)) for ax in figure.axes]
    for ax, across, up in limits:
        ax.set(xlim=across, ylim=up)
    try:
        yield figure
    finally:
        for part in hidden:
            part.set_visible(True)
        for sheet in sheets:
            sheet.remove()


def stays(ax: Axes, part: Artist) -> bool:
    """Say whether a part of axes tells nothing of what is drawn within them: their frame, ticks, names and title."""
    titles = {ax.get_title(loc=side) for side in ("left", "center", "right")}
    return part is ax.patch or isinstance(part, (Axis, Spine)) or (isinstance(part, Text) and part.get_text() in titles)


@contextlib.contextmanager
def printed(key: str) -> Iterator[None]:
    """Show what is printed within the context with its numbers hatched, and the whole once `key` is answered."""
    from IPython.display import display

    with contextlib.redirect_stdout(io.StringIO()) as said:
        yield
    text = said.getvalue()
    before = NUMBER.sub(lambda found: "▒" * len(found[0]), text)
    page = veiled(key, *(f"<pre>{html.escape(part, quote=False)}</pre>" for part in (before, text)))
    display({"text/html": page, "text/plain": before}, raw=True)
