"""*Who is hurt?*, answered by the reader's own attention, with his code in front of it or without."""

import traitlets

from clockwork.kit import machine
from clockwork.kit.machine import parts, plain
from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View

BEGIN = {
    "attend": "def attend(x):\n    scores = ...\n    weights = ...\n    return ...",
    "code": "def code(p):\n    return [p]",
}
CODES = {
    "nothing": "def code(p):\n    return [0]",
    "index": BEGIN["code"],
    "large index": "def code(p):\n    return [16 * (p + 1)]",
}
TO_DO = {
    "attend": "Write `attend`, run it, and drag the words into another order.",
    "code": "Run each code, and drag the words into another order.",
}


class Hurt(View):
    """Type `attend(x)`, or a code in front of it, and see what the mean of its outputs says of the order of four words.

    Args:
        function: "attend", or "code": then the `attend` is the one that the reader has kept.
        attend: The text of an `attend`; what the picture shows at first is what it gives.
    """

    static = "hurt"
    caption = (
        "Each word is a circle, at its two numbers. A dot is the mean of the outputs for one order of the words: "
        "filled, the order above."
    )

    order = Slider(0, range(len(parts.ORDERS)), "order of the words (of 24)")
    function = traitlets.Enum(("attend", "code"), "attend", help="The function that is typed.").tag(sync=True)
    begin = traitlets.Unicode(help="What stands in the field at first.").tag(sync=True)
    starts = traitlets.Dict(help="The texts that buttons put into the field, by name.").tag(sync=True)
    found = traitlets.Dict(help="What the functions give at first, or nothing.").tag(sync=True)
    orders = traitlets.List(parts.ORDERS, help="All orders of the words.").tag(sync=True)
    words = traitlets.Dict(parts.WORDS, help="The two numbers of each word.").tag(sync=True)
    known = traitlets.List(list(parts.KNOWN), help="The two sentences whose answers are known.").tag(sync=True)
    pieces = traitlets.List(list(plain.ORDER), help="The parts of the machine, in one file.").tag(sync=True)
    header = traitlets.Unicode(plain.HEADER, help="The first line of the reader's file.").tag(sync=True)

    def __init__(self, function: str = "attend", attend: str = "", **traits):
        starts = CODES if function == "code" else {}
        found = parts.who_is_hurt(attend, CODES["index"] if function == "code" else "") if attend else {}
        traits = {"todo": TO_DO[function]} | traits
        super().__init__(function=function, begin=BEGIN[function], starts=starts, found=found, **traits)
        self.on_msg(self._answer)

    def _answer(self, _, content, buffers) -> None:
        """Answer the page, which has no Python of its own."""
        if "machine" not in content:
            return
        asked = content["machine"]
        found = machine.answer(asked["name"], asked["source"], attend=asked["attend"])
        if asked["own"] and found.get("advice") == "":
            machine.put(asked["name"], found["source"])
        self.send({"machine": found | {"id": asked["id"]}})

    @property
    def sentence(self) -> str:
        """The words as they stand now."""
        return parts.ORDERS[self.order]

    @property
    def told(self) -> bool:
        """Whether there is an outcome, and it may be seen."""
        return bool(self.found) and not self.veiled

    def numbers(self) -> dict:
        """Return the mean of the outputs, the share of *dog* in the answer, and the number of points of all orders."""
        if not self.told:
            return {}
        means = self.found["means"]
        mean = means[self.order]
        return {"mean": mean, "dog": [parts.share_dog(means, self.sentence)], "points": [parts.points(means)]}

    def describe(self) -> str:
        """Say the order and what is answered."""
        if not self.told:
            return f"{self.sentence}: nothing has been run yet"
        numbers = self.numbers()
        many = f"different means of {len(parts.ORDERS)} orders: {numbers['points'][0]}"
        return f"{self.sentence}: dog has {fixed(numbers['dog'][0])} of the answer; {many}"
