"""The playground in a notebook, and two trained models that a reader steers."""

import html

import anywidget
import traitlets

from clockwork.kit.playground import bundle, kept, recorded
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

STILLS = {
    "who is hurt": "A model of one layer reads “tom bit a dog” and answers: dog. Moved to the right past the dog, with "
    "all hands of its clock, tom is the answer.",
    "knob": "A model learned to name the letter three places earlier. With its one head turned further, it names the "
    "letter any number of places earlier, and nothing was trained again.",
}


def stylesheet() -> str:
    """Return the playground's style, with the colours of the course in light and dark."""
    return widget.source(("kit",), "css") + (bundle.STATIC / "playground.css").read_text("utf-8")


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


class Steered(anywidget.AnyWidget):
    """A trained model that answers while a reader steers it; the kernel computes nothing.

    Args:
        kind: "who is hurt": drag the words of *tom bit a dog* along the line of positions. "knob": turn the head of a
            model that learned *three back*, and it answers any number of places back.

    Raises:
        TraitError: Another kind.

    Example:
        >>> Steered("knob").kept["settings"]["layers"]
        1
    """

    _esm = bundle.module("steer.js")
    _css = stylesheet()
    kind = traitlets.Enum(tuple(STILLS), help="Which of the models.").tag(sync=True)
    kept = traitlets.Dict(help="The model: settings, weights as float16 and, for sentences, its words.").tag(sync=True)

    def __init__(self, kind: str):
        if kind not in STILLS:
            raise traitlets.TraitError(f"kind must be one of {', '.join(STILLS)} (these are trained), got {kind!r}")
        super().__init__(kind=kind, kept=kept.for_a_page(kept.load()[kind]))

    def _repr_mimebundle_(self, **keywords):
        live, metadata = super()._repr_mimebundle_(**keywords)
        return live | {"text/html": still_of(self.kind), "text/plain": STILLS[self.kind]}, metadata


def still_of(kind: str) -> str:
    """Return the sentence that stands where no JavaScript runs, as HTML."""
    return f"<p>{html.escape(STILLS[kind], quote=False)}</p>"
