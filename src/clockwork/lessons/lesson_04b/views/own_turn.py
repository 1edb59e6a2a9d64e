"""The reader's own rotation: he types it, a model learns with it, and it turns the head that the model has learned."""

import traitlets

from clockwork.kit.machine import lamps
from clockwork.kit.machine.bench import SETTINGS, Bench
from clockwork.kit.widgets.base import Slider

FIRST = "nothing turns"
NOTHING_TURNS = """\
def rotate(q, p):
    turned = []
    for i in range(len(q) // 2):
        x, y = q[2 * i], q[2 * i + 1]
        turned += [x, y]
    return turned"""
FARTHEST = 20  # tokens back
SENTENCES = {"first": "tom bit a dog", "last": "dog bit a tom"}
MODEL = SETTINGS | {"layers": 1, "keep": True}
HURT = MODEL | {"task": "who is hurt", "length": 8, "vocab": 11}


LETTERS = "hbkpcnfaoejdlgimpbhcanko"  # the text that is shown


class OwnTurn(Bench):
    """Type `rotate(q, p)`: models learn *three back* and *who is hurt?* with it, then it turns the first one's head."""

    static = "own_turn"
    back = Slider(3, range(1, FARTHEST + 1), "how many back the head looks (tokens)")
    tom = Slider("first", tuple(SENTENCES), "tom stands")
    todo = "Turn the pair x, y by the angle of place p, and run it: two models learn with your lines."
    idea = "The head learned to look three back. Your own turn, applied to its query, takes it anywhere."
    caption = (
        "{Right}, what the first model answers, and whom its last letter listens to; then a second model reads one "
        "sentence in two orders."
    )
    tokens = traitlets.List([ord(letter) - ord("a") for letter in LETTERS], help="The text.").tag(sync=True)
    hurt = traitlets.Dict(HURT, help="What is trained second.").tag(sync=True)

    def __init__(self, **traits):
        super().__init__({FIRST: NOTHING_TURNS}, FIRST, function="rotate", **traits)
        self.found = {name: value for name, value in self.found.items() if name != "turns"}
        self.settings = MODEL

    def lamps(self) -> list[lamps.Lamp]:
        """Return the lamps of the first text."""
        return lamps.lamps(self.found, "rotate")

    def describe(self) -> str:
        """Say what the lamps say of the text in the field, and what is asked of the models."""
        told = "; ".join(f"{lamp.name}: {'met' if lamp.met else 'not met'}" for lamp in self.lamps())
        return f"{FIRST}: {told}. {self.back} back; {SENTENCES[self.tom]}. Nothing has been trained yet"

    def numbers(self) -> dict:
        """Return the numbers that decide of the lamps; models are trained in the page alone."""
        return {"lamps": [value for lamp in self.lamps() for value in lamp.numbers]}
