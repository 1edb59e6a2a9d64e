"""Pictures that move: a `Cursor` holds the sliders, views follow it in the browser, and a still remains on paper."""

from pe_helpers.widgets.base import Kit, Slider, View
from pe_helpers.widgets.clock import Clock
from pe_helpers.widgets.cursor import Column, Cursor, Row
from pe_helpers.widgets.data import Data
from pe_helpers.widgets.faults import Faults
from pe_helpers.widgets.gap import Gap
from pe_helpers.widgets.guide import Challenge, Step
from pe_helpers.widgets.ladder import Ladder
from pe_helpers.widgets.offsets import Offsets
from pe_helpers.widgets.places import Places
from pe_helpers.widgets.planes import Planes
from pe_helpers.widgets.progress import Progress
from pe_helpers.widgets.query import Query
from pe_helpers.widgets.questions import Choose, Predict, Questions, ask
from pe_helpers.widgets.real_heads import RealHeads
from pe_helpers.widgets.sentence import Sentence
from pe_helpers.widgets.sharpness import Sharpness
from pe_helpers.widgets.sketch import Sketch
from pe_helpers.widgets.slope import Slope
from pe_helpers.widgets.slowing import Slowing
from pe_helpers.widgets.stopped_hands import StoppedHands, stops
from pe_helpers.widgets.stretch import Stretch
from pe_helpers.widgets.take_apart import TakeApart
from pe_helpers.widgets.trace import Trace
from pe_helpers.widgets.trained import TrainedModels
from pe_helpers.widgets.two_tables import TwoTables
from pe_helpers.widgets.wave import Wave

__all__ = [
    "Challenge",
    "Choose",
    "Clock",
    "Column",
    "Cursor",
    "Data",
    "Faults",
    "Gap",
    "Kit",
    "Ladder",
    "Offsets",
    "Places",
    "Planes",
    "Predict",
    "Progress",
    "Query",
    "Questions",
    "RealHeads",
    "Row",
    "Sentence",
    "Sharpness",
    "Sketch",
    "Slider",
    "Slope",
    "Slowing",
    "Step",
    "StoppedHands",
    "Stretch",
    "TakeApart",
    "Trace",
    "TrainedModels",
    "TwoTables",
    "View",
    "Wave",
    "ask",
    "stops",
]
