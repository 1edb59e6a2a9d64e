"""One state for many pictures: whatever moves a slider of a cursor moves every view that follows it."""

from ipywidgets import HBox, VBox
from traitlets import TraitError

from pe_helpers.widgets.base import ORDER, Kit, Slider

POSITIONS = range(128)
WIDTHS = (4, 8, 16, 32, 64, 128, 256, 512)


class Cursor(Kit):
    """The sliders of a lesson, each a synced trait with a native, labelled range input.

    `Cursor(position=22, d_model=64)` gives the two usual ones; any further slider is named and described:
    `Cursor(position=22, k=Slider(5, range(61), "offset k (tokens)"))`. While a slider is dragged the pictures follow in
    the browser alone; Python is told the value on which it comes to rest, and may set it at any time.

    Raises:
        TraitError: A value is not in its slider's range, or a further slider is not a `Slider`.
    """

    static = "cursor"

    def __init__(self, **sliders):
        usual = {
            "position": Slider(0, POSITIONS, "position (tokens)", play=True),
            "d_model": Slider(64, WIDTHS, "d_model"),
        }
        traits, values = {}, {}
        for name, given in (sliders or {"position": 0, "d_model": 64}).items():
            if not isinstance(given, Slider) and name not in usual:
                raise TraitError(
                    f"{name} must be a Slider (only position and d_model have a usual range), got {given!r}"
                )
            traits[name] = given if isinstance(given, Slider) else usual[name]
            traits[name].order = next(ORDER)
            values[name] = given.default_value if isinstance(given, Slider) else given
        self.add_traits(**traits)
        super().__init__(**values)

    def __repr__(self):
        return f"Cursor({', '.join(f'{name}={getattr(self, name)!r}' for name in self.sliders)})"


class _Stack:
    """A box that leaves its children's pictures and texts behind where no widget can be shown."""

    def _repr_mimebundle_(self, **keywords):
        live, metadata = super()._repr_mimebundle_(**keywords), {}
        live = live[0] if isinstance(live, tuple) else live
        parts = [part for part in map(_still, self.children) if part]
        if parts:
            live |= {"text/html": "".join(part["text/html"] for part in parts)}
            live |= {"text/plain": "\n".join(part["text/plain"] for part in parts)}
        return live, metadata


def _still(child) -> dict | None:
    bundle = child._repr_mimebundle_()
    data = bundle[0] if isinstance(bundle, tuple) else bundle
    return data if "text/html" in data else None


class Column(_Stack, VBox):
    """Widgets below one another."""


class Row(_Stack, HBox):
    """Widgets beside one another."""
