"""Pictures that move: a `Cursor` holds the sliders, views follow it in the browser, and a still remains on paper."""

from clockwork.kit.widgets.base import View
from clockwork.kit.widgets.clock import Clock
from clockwork.kit.widgets.cursor import Column, Cursor, Row
from clockwork.kit.widgets.data import Data
from clockwork.kit.widgets.guide import Challenge, Step
from clockwork.kit.widgets.progress import Progress
from clockwork.kit.widgets.questions import Questions, ask
from clockwork.kit.widgets.widget import Slider, Widget

__all__ = [
    "Challenge",
    "Clock",
    "Column",
    "Cursor",
    "Data",
    "Progress",
    "Questions",
    "Row",
    "Slider",
    "Step",
    "View",
    "Widget",
    "ask",
]
