"""What every widget is made of: sliders as traits, and the texts that become its JavaScript and its style."""

import itertools
import sys
from pathlib import Path

import anywidget
import traitlets
from matplotlib import colormaps
from matplotlib.colors import to_hex
from traitlets import TraitError

from clockwork.kit import memory, modules, plots
from clockwork.kit.playground import bundle

ORDER = itertools.count()  # sliders appear in the order in which they were declared
STATIC = Path(__file__).parent / "static"
ROOT = Path(__file__).resolve().parents[2]
STOPS = 33
MAPS = {
    kind: [to_hex(colormaps[name](step / (STOPS - 1))) for step in range(STOPS)]
    for kind, name in plots.COLORS["maps"].items()
}
DARK_PAGES = (  # JupyterLab and Notebook 7, VS Code, the site
    '[data-jp-theme-light="false"] .pe',
    ".vscode-dark .pe",
    ".vscode-high-contrast:not(.vscode-high-contrast-light) .pe",
    '[data-theme="dark"] .pe',
)


def style(entry: Path) -> str:
    """Return the colours of the course and the CSS that a module of JavaScript and all its modules import."""
    return themes(".pe", ", ".join(DARK_PAGES)) + "".join(path.read_text("utf-8") for path in modules.styles(entry))


def themes(light: str, dark: str) -> str:
    """Return all colours as CSS for what the selectors `light` and `dark` find."""
    maps = colors({kind: " ".join(stops) for kind, stops in MAPS.items()})
    return (
        f"{light} {{ {colors(plots.LIGHT | scales('light'))} {maps} --pe-theme: light; }}\n"
        f"{dark} {{ {colors(plots.DARK | scales('dark'))} --pe-theme: dark; }}\n"
    )


def scales(theme: str) -> dict[str, str]:
    """Return the colours of each scale of a theme, one after another."""
    return {name: " ".join(stops) for name, stops in plots.SCALES[theme].items()}


def colors(theme: dict[str, str]) -> str:
    """Return the colours of a theme as CSS."""
    return " ".join(f"--pe-{name}: {color};" for name, color in theme.items())


class Slider(traitlets.TraitType):
    """A synced trait that takes one value of an ordered set: moved by a range input, or words chosen by buttons.

    Args:
        default: The value to begin with.
        values: A `range` or a sequence of numbers or strings, in the slider's order.
        label: The accessible name with its unit, by default the trait's name.
        play: Whether a button moves it through time.
        names: What stands on the buttons in place of the words that are the values.
    """

    def __init__(self, default, values, label: str = "", *, play: bool = False, names=(), **keywords):
        super().__init__(default, **keywords)
        self.values = values if isinstance(values, range) else list(values)
        self.label = label
        self.play = play
        self.names = list(names)
        self.order = next(ORDER)
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
        spec = {"label": self.label or self.name, "values": values, "play": self.play}
        return spec | {"names": self.names} if self.names else spec


class Widget(anywidget.AnyWidget):
    """An anywidget whose JavaScript is the module `static`, in its own folder or else in static/.

    `engine` names a module of the playground; what it exports the widget's JavaScript has as `engine`.
    """

    static = ""
    engine = ""
    sliders = traitlets.Dict(help="What JavaScript knows of the sliders.").tag(sync=True)

    def __init_subclass__(cls, **keywords):
        super().__init_subclass__(**keywords)
        if "static" in cls.__dict__:
            own = Path(sys.modules[cls.__module__].__file__).with_name(f"{cls.static}.js")
            entry = own if own.exists() else STATIC / own.name
            name = (
                f"// {entry.resolve().relative_to(ROOT).as_posix()} {cls.engine}".strip()
            )  # tools/bundles.py reads it
            engine = bundle.engine(cls.engine) if cls.engine else ""
            cls._esm = f"{name}\n{engine}{modules.joined(entry)}"
            cls._css = style(entry)

    def __init__(self, **traits):
        sliders = [trait for trait in self.traits().values() if isinstance(trait, Slider)]
        specs = {trait.name: trait.spec() for trait in sorted(sliders, key=lambda trait: trait.order)}
        super().__init__(sliders=specs, **traits)
        self.on_msg(self._remember)

    def _remember(self, _, content, buffers) -> None:
        """Bring the browser's memory and the reader's file together, and answer with what the browser lacks."""
        if "memory" not in content:
            return
        told = content["memory"]
        memory.switch(content["reader"])
        everything = content.get("all", False)
        book = memory.merge(told)
        asked = book["records"] if everything else told["records"].keys() & book["records"].keys()
        news = {key: book["records"][key] for key in asked if book["records"][key] != told["records"].get(key)}
        if everything or news:
            self.send({"memory": book | {"records": news}, "reader": content["reader"], "all": everything})

    def values(self, name: str) -> list:
        """List the values that the slider `name` can take."""
        if name not in self.sliders:
            raise TraitError(f"cursor must have a slider {name!r} (a picture follows it), got {self!r}")
        return list(self.traits()[name].values)
