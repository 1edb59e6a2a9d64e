"""How nearly all hands of a head agree on a key, by how far back it is: of trained heads, Gemma 4, one's own."""

import numpy as np
import traitlets

from clockwork.kit import configurations
from clockwork.kit.numbers import fixed
from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.guide import Step
from clockwork.lessons.lesson_12 import layers, todays_models

LENGTH = 256  # tokens of the text: keys are 0 to 255 tokens back
RIGHT = 3  # tokens back: the key that the task asks for
NEAR = 4  # tokens: a key nearer to the right one is beside it, and no rival
LOOKS_RIGHT = 0.85  # mean cosine; of the heads that were trained, those with a key above it got most wrong
CLOSE = 1e-9  # two programs need not round a cosine alike
TRAINED = {  # names here, and in data/todays_models.json
    "back after 50": "6 hands, back after 50",
    "crowded, even": "6 hands, 1 to 0.80",
    "crowded, uneven": "6 crowded hands",
    "spread out": "6 finished, 0 unfinished",
}
GEMMA = "Gemma 4, 64 hands"
OWN = "my own six"
SPEEDS = tuple(round(0.005 * step, 3) for step in range(40, 211))  # rad a token: all come round in 32 tokens
START = (1.0, 0.85, 0.7, 0.55, 0.4, 0.25)
NAMES = tuple(f"speed_{i}" for i in range(len(START)))
TOUR = (
    Step("At 53, 103, 153, 203 and 253 back, all six hands stand as they do 3 back.", head="back after 50"),
    Step("Six hands crowded between 1 and 0.80, in even ratios: two rivals, and 0.67 right.", head="crowded, even"),
    Step("As crowded, but these never all agree again: no rival, and 0.99 right.", head="crowded, uneven"),
    Step("The 64 moving hands of Gemma 4's full layers: more than three tokens off, nothing comes near.", head=GEMMA),
)


def alike(speeds: np.ndarray) -> np.ndarray:
    """Return the mean cosine between the hands at each key, 0 to 255 back, and those at the right one, (256,)."""
    return np.cos((np.arange(LENGTH)[:, None] - RIGHT) * np.asarray(speeds)).mean(1)


def best(curve: np.ndarray) -> int:
    """Return how far back the key is that looks most like the right one; the nearest of several."""
    first = RIGHT + NEAR
    rivals = curve[first:]
    return first + int(np.argmax(rivals > rivals.max() - CLOSE))


def calm(head: str, rivals: int) -> bool:
    """Say whether a head of the reader's own has no rival."""
    return head == OWN and rivals == 0


class Agreement(View):
    """Choose a head, or six speeds, and see which keys look like the one 3 back, from 0 to 255 tokens back.

    Two keys look alike to a head if all its hands stand alike there: the mean cosine of their differences is 1.
    """

    static = "agreement"
    head = Slider("back after 50", (next(iter(TRAINED)), OWN, *list(TRAINED)[1:], GEMMA), "head")
    speed_0 = Slider(START[0], SPEEDS, "speed of my first hand (rad a token)")
    speed_1 = Slider(START[1], SPEEDS, "second")
    speed_2 = Slider(START[2], SPEEDS, "third")
    speed_3 = Slider(START[3], SPEEDS, "fourth")
    speed_4 = Slider(START[4], SPEEDS, "fifth")
    speed_5 = Slider(START[5], SPEEDS, "sixth")
    heads = traitlets.Dict(help="Speeds of the named heads, and their share of right answers.").tag(sync=True)
    main = ("head",)
    todo = "Choose a head. Then take one with six hands, and drag the dots below the curve."
    caption = (
        "The curve: for each key, the mean cosine between the hands there and the hands 3 back. At 1 all hands stand "
        "alike, so the key looks right. Below: a dot for each hand, at its speed."
    )

    def __init__(self, cursor=None, **traits):
        recorded = todays_models.all_round()
        heads = {}
        for name, run in TRAINED.items():
            part, speeds = recorded[run]
            right = layers.recorded(part)[run]["accuracy"][:, -1].mean().item()
            heads[name] = {"speeds": speeds.tolist(), "right": right}
        gemma = configurations.find("Gemma 4 26B").full.inv_freq
        heads[GEMMA] = {"speeds": gemma[gemma > 0].tolist(), "right": None}
        super().__init__(cursor, heads=heads, **{"steps": TOUR} | traits)

    def values(self, name: str) -> list:
        """List the values of a slider, or what a challenge may ask: how many rivals there are."""
        return list(range(LENGTH)) if name == "rivals" else super().values(name)

    def speeds(self) -> list[float]:
        """Return the speeds of the chosen head's hands, in rad a token."""
        head = self.at("head")
        return [self.at(name) for name in NAMES] if head == OWN else self.heads[head]["speeds"]

    def rivals(self) -> int:
        """Return how many keys further back look nearly like the right one."""
        return int((alike(self.speeds())[RIGHT + NEAR :] > LOOKS_RIGHT).sum())

    def numbers(self) -> dict:
        """Return the curve, the place and height of the best rival, and how many rivals there are."""
        curve = alike(self.speeds())
        return {"alike": curve, "best": [best(curve), curve[best(curve)]], "rivals": [self.rivals()]}

    def said(self) -> dict:
        """Say the best rival's agreement."""
        curve = alike(self.speeds())
        return {"again": fixed(curve[best(curve)])}

    def describe(self) -> str:
        """Say the head, its rivals, and what such models got right."""
        head = self.at("head")
        curve = alike(self.speeds())
        back = best(curve)
        right = self.heads.get(head, {}).get("right")
        told = "not trained here" if right is None else f"{fixed(right)} of the answers right at {LENGTH} tokens"
        again = fixed(curve[back])
        return f"head {head}: {self.rivals()} rivals above 0.85, the best key is {back} back with {again}; {told}"
