"""A picture in which the reader's function is typed: lamps light beside it, and a model in the page trains with it."""

import weakref

import traitlets

from clockwork.kit import machine
from clockwork.kit.machine import lamps, plain
from clockwork.kit.widgets.base import View

STEPS = 300
SETTINGS = {  # as in the course's own runs; the browser draws other numbers at random
    "task": "three back",
    "code": "given",
    "causal": False,
    "layers": 2,
    "heads": plain.WIDTH // plain.HEAD_DIM,
    "d": plain.WIDTH,
    "length": plain.TEXT,
    "rate": 0.01,
    "steps": STEPS,
    "vocab": 16,
}
BENCHES: "weakref.WeakSet[Bench]" = weakref.WeakSet()


class Bench(View):
    """Type a function of the machine: five lamps, what it gives at each place, and a model that learns with it.

    Args:
        function: "code", which is added to the tokens, or "rotate", which turns queries and keys.
        starts: The texts that buttons put into the field, by name.
        first: The name of the one that stands there at first.
        record: What was recorded of them, {name: shares of right answers, one for each seed}.
        about: The name of the one that the picture's question is about; its outcome is veiled until the guess.

    Raises:
        ValueError: The first text defines no code that can be used.
    """

    engine = "learning.js"
    static = "bench"
    todo = "Type a code, or take one, and run it: the lamps light, and a model learns *three back* with it."
    caption = (
        "Left, each place's code, blue below 0, red above. Right, the share of right answers while it learns; dots: "
        "eight recorded seeds."
    )

    function = traitlets.Enum(("code", "rotate"), "code", help="The function that is typed.").tag(sync=True)
    starts = traitlets.Dict(help="The texts that buttons put into the field, by name.").tag(sync=True)
    first = traitlets.Unicode(help="The name of the one that stands there at first.").tag(sync=True)
    found = traitlets.Dict(help="What the first text gives.").tag(sync=True)
    record = traitlets.Dict(help="What was recorded of each, by name.").tag(sync=True)
    about = traitlets.Unicode(help="The name of the one that the question is about.").tag(sync=True)
    settings = traitlets.Dict(help="What is trained.").tag(sync=True)
    pieces = traitlets.List(list(plain.ORDER), help="The parts of the machine, in one file.").tag(sync=True)
    header = traitlets.Unicode(plain.HEADER, help="The first line of that file.").tag(sync=True)

    def __init__(self, starts: dict[str, str], first: str, record: dict | None = None, **traits):
        found = plain.answer(traits.get("function", "code"), starts[first])
        if "refused" in found:
            raise ValueError(f"the first text must define a code, got one that is refused: {found['refused']}")
        super().__init__(starts=starts, first=first, found=found, record=record or {}, settings=SETTINGS, **traits)
        self.on_msg(self._answer)
        BENCHES.add(self)

    def _answer(self, _, content, buffers) -> None:
        """Answer the page, which has no Python of its own."""
        if "machine" not in content:
            return
        asked = content["machine"]
        found = machine.answer(asked["name"], asked["source"])
        if asked["own"] and "refused" not in found:
            machine.put(asked["name"], found["source"])
        self.send({"machine": found | {"id": asked["id"]}})

    def hear(self, content: dict) -> None:
        """Give the page what a cell has kept."""
        self.send(content)

    def lamps(self) -> list[lamps.Lamp]:
        """Return the lamps of the first text."""
        return lamps.lamps(self.found)

    def describe(self):
        """Say what the lamps say of the code that stands in the field."""
        told = "; ".join(f"{lamp.name}: {'met' if lamp.met else 'not met'}" for lamp in self.lamps())
        return f"{self.first}: {told}. Nothing has been trained yet"

    def numbers(self):
        """Return the code of each place of a text, and the numbers that decide of the lamps."""
        return {
            "code": self.found["near"][: plain.TEXT],
            "lamps": [value for lamp in self.lamps() for value in lamp.numbers],
        }


def told(name: str, found: dict) -> None:
    """Give every picture what a cell has kept."""
    for bench in BENCHES:
        bench.hear({"kept": found | {"name": name}})


machine.LISTENERS.append(told)
