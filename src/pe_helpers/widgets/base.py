"""What every widget is built on: Python computes, JavaScript draws and selects, matplotlib draws the same for paper.

How to build a view (clock.py and static/clock.js are a complete example):

1. `widgets/<name>.py`: subclass `View` with `static = "<name>"` and
   - `needs = ("position", …)`: the cursor's sliders that the picture follows; they appear above it by themselves.
     A slider of the view's own is a class attribute: `hand = Slider(0, range(64), "hand")`. Any other synced trait
     works as well and raises `TraitError("name must rule (why), got value")`.
   - `__init__(self, cursor, …)`: compute, once, all numbers that any position of the sliders can show and hand them
     over: `super().__init__(cursor, data=Data(scores=array, …))`. Arrays travel as 16-bit integers, so whole tables
     are cheap; several views may share one `Data`.
   - `describe()`: one sentence, what the picture shows now, beginning with the sliders' values.
   - `numbers()`: the numbers drawn now, {name: array}, straight from the package in float64.
   - `picture()`: a matplotlib `Figure` of this state (small multiples where one frame does not make the point),
     and `caption`, its message.
2. `static/<name>.js`: `export default view({ height, draw, build })`; painter.js and kit.js stand in front of it.
   - `height: (w) => …`: the picture's height in CSS pixels for a width of w = 300 … 700.
   - `draw(p)`: draw into `p.ctx`, a box of `p.w × p.h`. Read sliders and traits by `p.get("position")`, arrays by
     `p.data.scores.at(i, j)` or `.row(i)`, colours by `p.color.sin, cos, green, pink, ink, soft, line, paper` (they
     follow the theme). Helpers: `p.text, stroke, dot, axes, heat, limit`. Return `{ alt, numbers }`: the sentence of
     `describe()` and the numbers of `numbers()`, flat; a test compares both with Python's at every slider's ends.
     `p.recall("02/turn/position")` is what the reader's memory (static/memory.js, memory.py) holds under a key, or
     undefined. `p.remember(key, value)` keeps a JSON value across kernels and days: call it at rest, never in a drag.
   - `build(p)`, optional, once: add controls to `p.controls` (`p.button("label", act)`), change a trait by
     `p.set(name, value)`, then tell Python by `p.settle()`. `p.recalled(act)` calls
     `act()` whenever the memory has changed: by this page, another one, the kernel, or cleared.
3. `static/<name>.css`, optional; class names begin with `pe-`, colours are `var(--pe-ink)` and so on (kit.css).
4. Export the class in `widgets/__init__.py`. The browser tests find every widget that a lesson shows.
"""

import itertools
import json
from pathlib import Path

import anywidget
import traitlets
from ipywidgets import widget_serialization
from matplotlib import colormaps
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from traitlets import TraitError

from pe_helpers import memory, plots

ORDER = itertools.count()  # sliders appear in the order in which they were declared
STATIC = Path(__file__).parent / "static"
COLORS = {name: getattr(plots, name.upper()) for name in ("sin", "cos", "green", "pink", "grey")}
MAPS = {
    kind: [to_hex(colormaps[name](step / 32)) for step in range(33)]
    for kind, name in {"signed": plots.SIGNED, "magnitude": plots.MAGNITUDE, "angle": plots.ANGLE}.items()
}


def source(name: str, kind: str) -> str:
    """Return the kit's and then the named widget's own source ("js" or "css") as one text: nothing is bundled."""
    if kind == "js":
        head = f"const MAPS = {json.dumps(MAPS, separators=(',', ':'))};\n"
    else:
        head = f".pe {{ {' '.join(f'--pe-{name}: {color};' for name, color in COLORS.items())} }}\n"
    parts = [STATIC / f"{part}.{kind}" for part in ("painter", "memory", "kit", name)]
    return head + "".join(part.read_text("utf-8") for part in parts if part.exists())


class Slider(traitlets.TraitType):
    """A synced trait that takes one value of an ordered set and is moved by a range input.

    Args:
        default: The value to begin with.
        values: A `range` or a sequence of numbers or strings, in the slider's order.
        label: The accessible name with its unit, by default the trait's name.
        play: Whether a button moves it through time.
    """

    def __init__(self, default, values, label: str = "", *, play: bool = False, **keywords):
        super().__init__(default, **keywords)
        self.values = values if isinstance(values, range) else list(values)
        self.label, self.play, self.order = label, play, next(ORDER)
        self.tag(sync=True)

    def validate(self, owner, value):
        """Return `value` as one of `values`; an equal NumPy or torch scalar counts, a truth value does not."""
        value = value.item() if getattr(value, "shape", None) == () else value
        if not isinstance(value, bool) and isinstance(value, (int, float, str)) and value in self.values:
            return self.values[self.values.index(value)]
        values = self.values
        if isinstance(values, range):
            rule = f"an integer from {values[0]} to {values[-1]}" + (f" in steps of {values.step}" * (values.step != 1))
        else:
            rule = "one of " + ", ".join(map(repr, values))
        raise TraitError(f"{self.name} must be {rule} (the slider's range), got {value!r}")

    def spec(self) -> dict:
        """Describe the slider to JavaScript."""
        values = self.values
        if isinstance(values, range):
            values = {"start": values.start, "step": values.step, "count": len(values)}
        return {"label": self.label or self.name, "values": values, "play": self.play}


class Kit(anywidget.AnyWidget):
    """An anywidget whose JavaScript and CSS are the kit's followed by its own."""

    static = ""
    sliders = traitlets.Dict(help="What JavaScript knows of the sliders.").tag(sync=True)

    def __init_subclass__(cls, **keywords):
        super().__init_subclass__(**keywords)
        if "static" in cls.__dict__:
            cls._esm, cls._css = source(cls.static, "js"), source(cls.static, "css")

    def __init__(self, **traits):
        sliders = [trait for trait in self.traits().values() if isinstance(trait, Slider)]
        specs = {trait.name: trait.spec() for trait in sorted(sliders, key=lambda trait: trait.order)}
        super().__init__(sliders=specs, **traits)
        self.on_msg(self._remember)

    def _remember(self, _, content, buffers) -> None:
        """Bring the browser's memory and the reader's file together, and answer with what the browser lacks."""
        if "memory" not in content:
            return
        told, everything = content["memory"], content.get("all", False)
        book = memory.merge(told)
        asked = book["records"] if everything else told["records"].keys() & book["records"].keys()
        news = {key: book["records"][key] for key in asked if book["records"][key] != told["records"].get(key)}
        if everything or news:
            self.send({"memory": book | {"records": news}, "all": everything})

    def values(self, name: str) -> list:
        """List the values that the slider `name` can take."""
        if name not in self.sliders:
            raise TraitError(f"cursor must have a slider {name!r} (a picture follows it), got {self!r}")
        return list(self.traits()[name].values)


class View(Kit):
    """A picture that follows a `Cursor`; see the module's text for how to make one."""

    needs: tuple[str, ...] = ()
    caption = "The sliders move this picture where the lesson runs."

    cursor = traitlets.Instance(Kit).tag(sync=True, **widget_serialization)
    data = traitlets.Instance(Kit, allow_none=True).tag(sync=True, **widget_serialization)
    follows = traitlets.List(help="The cursor's sliders that are shown above the picture.").tag(sync=True)

    def __init__(self, cursor: Kit, **traits):
        for name in self.needs:
            cursor.values(name)
        super().__init__(cursor=cursor, follows=list(self.needs), **traits)

    def at(self, name: str):
        """Return the value of the cursor's slider `name`."""
        return getattr(self.cursor, name)

    def describe(self) -> str:
        """Say in one sentence what the picture shows now."""
        return f"{type(self).__name__} at " + ", ".join(f"{name} {self.at(name)}" for name in self.needs)

    def numbers(self) -> dict:
        """Return the numbers that the picture draws now, by name."""
        return {}

    def picture(self) -> Figure:
        """Draw the same state with matplotlib."""
        return plots.figure()[0]

    def _repr_mimebundle_(self, **keywords):
        live, _ = super()._repr_mimebundle_(**keywords)
        fig = self.picture()
        width = fig.get_figwidth() * plots.CSS_PIXELS
        still, metadata = plots.bundle(plots.png(fig), alt=self.describe(), caption=self.caption, width=width)
        return live | still, metadata
