"""The moving pictures of a measured model: rows of bars, curves, and a table of shares."""

from clockwork.measure.views.bars import bars
from clockwork.measure.views.curves import curves
from clockwork.measure.views.table import table

__all__ = ["bars", "curves", "table"]
