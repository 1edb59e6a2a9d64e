"""The playground in a notebook."""

import anywidget
import traitlets

from clockwork.kit.playground import bundle, recorded
from clockwork.kit.widgets import widget

CHOICES = (
    "task",
    "code",
    "base",
    "slope",
    "scale",
    "causal",
    "layers",
    "heads",
    "d",
    "length",
    "rate",
    "steps",
    "seed",
)


def stylesheet() -> str:
    """Return the playground's style, with the colours of the course in light and dark."""
    return widget.style(widget.STATIC / "kit.js") + (bundle.STATIC / "playground.css").read_text("utf-8")


class Playground(anywidget.AnyWidget):
    """Train a small transformer in the browser; the kernel computes nothing.

    Args:
        stories: Whether the guided experiments are offered.
        settings: What to begin with, for example `code="rotary", length=32`; all that the page lets one choose.

    Raises:
        TraitError: A setting that cannot be chosen.

    Example:
        >>> Playground(task="who came first", code="none", causal=False).settings["code"]
        'none'
    """

    _esm = bundle.module()
    _css = stylesheet()
    settings = traitlets.Dict(help="What to begin with.").tag(sync=True)
    stories = traitlets.Bool(True, help="Whether the guided experiments are offered.").tag(sync=True)

    def __init__(self, *, stories: bool = True, **settings):
        for name, value in settings.items():
            if name not in CHOICES:
                raise traitlets.TraitError(f"a setting must be one of {', '.join(CHOICES)}, got {name}={value!r}")
        super().__init__(settings=settings, stories=stories)

    def _repr_mimebundle_(self, **keywords):
        live, metadata = super()._repr_mimebundle_(**keywords)
        still, sizes = recorded.still()
        return live | still, metadata | sizes
