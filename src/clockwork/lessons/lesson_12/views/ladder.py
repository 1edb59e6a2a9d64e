"""The hands of published models between two tokens: which have been round, and which turn further than before."""

import numpy as np

from clockwork.kit import configurations
from clockwork.kit.numbers import fixed
from clockwork.kit.plots import arcs
from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.data import Data
from clockwork.kit.widgets.guide import Step
from clockwork.kit.widgets.hands import TURN

NAMES = (
    "GPT-NeoX-20B",
    "Llama 3.1 8B",
    "DeepSeek-V3",
    "SmolLM3-3B",
    "gpt-oss-120b",
    "Qwen3-VL-4B",
    "Ministral 3 8B",
    "Gemma 4 26B",
)
DISTANCES = [2**power for power in range(25)]  # tokens
LLAMA = NAMES[1]
TOUR = (
    Step(
        "29 hands are hollow. Before slowing, 35 of 64 came round within 8,192 tokens; now 32 do.",
        distance=8192,
    ),
    Step("Slowed, none of them turns further in 65,536 tokens than before in 8,192.", distance=65_536),
    Step("At 131,072 tokens, as far as promised, all 29 turn further.", distance=131_072),
)
CLOSE = 1e-3  # of a decimal logarithm: data travel as 16-bit numbers


class Ladder(View):
    """Place the turning hands of a model at their wavelengths, and show how far apart two tokens are.

    The hands are those of the layers that see all keys. A hand is on new ground if it turns further between the two
    tokens than it did within the reach before slowing: on the way there it passes angles that it had not met. One that
    made a whole turn within that reach never is.
    """

    static = "ladder"
    names = NAMES
    model = Slider(LLAMA, NAMES, "model")
    distance = Slider(8192, DISTANCES, "distance between two tokens")
    caption = (
        "Each dot is a hand, at the tokens that it needs for a whole turn, as slowed. The dials show eight of the "
        "hands over the distance that you set; shaded are the angles within the reach before slowing."
    )

    def __init__(self, cursor=None, **keywords):
        kinds = [configurations.find(name).full for name in self.names]
        reaches = [configurations.find(name).reach(kind) for name, kind in zip(self.names, kinds, strict=True)]
        self.speeds = [kind.inv_freq[kind.inv_freq > 0].numpy() for kind in kinds]
        self.met = [
            reach * kind.inv_freq_before[kind.inv_freq > 0].numpy() for kind, reach in zip(kinds, reaches, strict=True)
        ]
        self.reaches = reaches
        widest = max(map(len, self.speeds))

        def padded(rows):
            return np.stack([np.pad(row, (0, widest - len(row)), constant_values=np.nan) for row in rows])

        limits = [
            np.where(met < TURN, np.log10(met / speeds), np.nan)
            for met, speeds in zip(self.met, self.speeds, strict=True)
        ]
        angles = np.stack([[self.angles(m, distance) for distance in DISTANCES] for m in range(len(self.names))])
        shown = [arcs.sampled(len(speeds)) for speeds in self.speeds]
        data = Data(
            waves=padded([np.log10(TURN / speeds) for speeds in self.speeds]),
            limits=padded(limits),
            counts=np.array([[len(kind.inv_freq), kind.turning] for kind in kinds]),
            reaches=np.log10(reaches),
            angles=angles,
            arcs=np.stack([np.minimum(met[which], TURN) for met, which in zip(self.met, shown, strict=True)]),
            shown=np.array(shown),
        )
        super().__init__(cursor, data=data, **keywords)

    def angles(self, m: int, distance: int) -> np.ndarray:
        """Return how far eight hands of model m turn over a distance, (8,), in rad, less whole turns."""
        turned = distance * self.speeds[m][arcs.sampled(len(self.speeds[m]))]
        return turned % TURN

    def state(self) -> tuple[np.ndarray, np.ndarray]:
        """Return which turning hands have been round over the distance, and which are on new ground."""
        m = self.names.index(self.at("model"))
        distance = self.at("distance")
        been = np.log10(TURN / self.speeds[m]) <= np.log10(distance) + CLOSE
        with np.errstate(invalid="ignore"):
            new = (self.met[m] < TURN) & (np.log10(distance) > np.log10(self.met[m] / self.speeds[m]) + CLOSE)
        return been, new

    def numbers(self) -> dict:
        """Return how many hands have been round, how many are on new ground, and the angles on the dials."""
        been, new = self.state()
        angles = self.angles(self.names.index(self.at("model")), self.at("distance"))
        return {"been": [been.sum()], "fresh": [new.sum()], "angles": angles}

    def said(self):
        """Say how many hands have been round and how many are on new ground."""
        been, new = self.state()
        return {"been": fixed(been.sum(), 0), "fresh": fixed(new.sum(), 0)}

    def describe(self) -> str:
        """Say how many of the hands have been round, and how many turn further than in the reach before slowing."""
        been, new = self.state()
        return (
            f"model {self.at('model')}, distance {self.at('distance')} tokens: of {len(been)} turning hands "
            f"{been.sum()}, as slowed, have been round at least once, and {new.sum()} turn further than in the reach "
            "before slowing"
        )


class Slowed(Ladder):
    """The hands of Llama 3.1 8B alone, with a tour of three distances."""

    names = (LLAMA,)
    model = Slider(LLAMA, names, "model")

    def __init__(self, cursor=None, **keywords):
        super().__init__(cursor, **{"steps": TOUR} | keywords)
