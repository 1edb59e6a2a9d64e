"""A table of shares, one page of it at a time."""

import numpy as np
import traitlets

from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import View
from clockwork.kit.widgets.data import Data
from clockwork.measure.views.chosen import sent, with_slider


class Table(View):
    """Show shares as colours, rows by columns, and say the largest."""

    static = "table"

    rows = traitlets.List(traitlets.Unicode(), help="What the rows are called.").tag(sync=True)
    columns = traitlets.List(traitlets.Unicode(), help="What the columns are called.").tag(sync=True)
    scale = traitlets.Unicode("shares", help="The scale of colours.").tag(sync=True)
    xlabel = traitlets.Unicode().tag(sync=True)
    ylabel = traitlets.Unicode().tag(sync=True)

    def _largest(self) -> tuple[int, int, float]:
        page = self.shares[self.values("shown").index(self.shown)]
        row, column = np.unravel_index(int(np.argmax(page)), page.shape)
        return row, column, page[row, column]

    def describe(self) -> str:
        """Say the largest share."""
        row, column, most = self._largest()
        return f"{self.shown}: largest {fixed(most)}, {self.rows[row]}, {self.columns[column]}"

    def numbers(self) -> dict:
        """Return the largest share and where it is."""
        row, column, _ = self._largest()
        return {"largest": [row, column]}


def table(pages: dict[str, list], rows: list[str], columns: list[str], *, label="", shown=0, **words) -> Table:
    """Return a table of shares from 0 to 1: by page, then rows, then columns.

    Args:
        pages: by what the slider chooses.
        rows: their names.
        columns: their names.
        label: of the slider.
        shown: the page to begin with.
        words: `xlabel`, `ylabel`, `scale`, `todo`, `caption`.
    """
    values = np.array(list(pages.values()), dtype=float)
    made = with_slider(Table, "shown", list(pages), label or "page")
    picture = made(data=Data(share=values), rows=rows, columns=columns, shown=list(pages)[shown], **words)
    picture.shares = sent(picture.data, "share", values)
    return picture
