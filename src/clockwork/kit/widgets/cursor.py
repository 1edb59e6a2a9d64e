"""One state for many pictures: whatever moves a slider of a cursor moves every view that follows it."""

from ipywidgets import HBox, VBox
from traitlets import TraitError

from clockwork.kit.widgets.widget import ORDER, Slider, Widget

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
POSITIONS = range(128)
WIDTHS = (4, 8, 16, 32, 64, 128, 256, 512)
BASES = (10, 100, 1_000, 10_000)
USUAL = {
    "position": lambda: Slider(0, POSITIONS, "position (tokens)", play=True),
    "k": lambda: Slider(5, range(-64, 65), "offset k (tokens)"),
    "hand": lambda: Slider(0, range(WIDTHS[-1] // 2), "hand"),
    "d_model": lambda: Slider(64, WIDTHS, "d_model"),
    "base": lambda: Slider(10_000, BASES, "base"),
}


class Cursor(Widget):
    """The sliders of a lesson, each a synced trait with a native, labelled input.

    `Cursor(position=22, d_model=64)` gives two of the usual ones, `position`, `k`, `hand`, `d_model` and `base`. Any
    other is named and described: `Cursor(length=Slider(32, (32, 64), "length (tokens)"))`. While a slider is dragged
    the pictures follow in the browser alone; Python is told the value on which it comes to rest, and may set it at any
    time.

    Raises:
        TraitError: A value is not in its slider's range, or a further slider is not a `Slider`.
    """

    static = "cursor"

    def __init__(self, **sliders):
        traits = {}
        values = {}
        for name, given in (sliders or {"position": 0, "d_model": 64}).items():
            if not isinstance(given, Slider) and name not in USUAL:
                raise TraitError(f"{name} must be a Slider (only {', '.join(USUAL)} have a usual range), got {given!r}")
            traits[name] = given if isinstance(given, Slider) else USUAL[name]()
            traits[name].order = next(ORDER)
            values[name] = given.default_value if isinstance(given, Slider) else given
        self.add_traits(**traits)
        super().__init__(**values)

    def __repr__(self):
        return f"Cursor({', '.join(f'{name}={getattr(self, name)!r}' for name in self.sliders)})"


class _Stack:
    """A box that leaves its children's pictures and texts behind where no widget can be shown."""

    def _repr_mimebundle_(self, **keywords):
        live, _ = _bundle(super(), **keywords)
        children = [_bundle(child, **keywords) for child in self.children]
        stills = [data for data, _ in children if "text/html" in data]
        if stills:
            live |= {"text/html": "".join(data["text/html"] for data in stills)}
            live |= {"text/plain": "\n".join(data["text/plain"] for data in stills)}
        told = [metadata[WIDGET_VIEW] for _, metadata in children if WIDGET_VIEW in metadata]
        return live, {WIDGET_VIEW: told[0]} if told else {}


def _bundle(widget, **keywords) -> tuple[dict, dict]:
    """Return the data and the metadata of a widget's output; ipywidgets' own have no metadata."""
    bundle = widget._repr_mimebundle_(**keywords)
    return bundle if isinstance(bundle, tuple) else (bundle, {})


class Column(_Stack, VBox):
    """Widgets below one another."""


class Row(_Stack, HBox):
    """Widgets beside one another."""
