"""Where the clocks are today: the hands of a published model, and a text that grows past the length it knows."""

import numpy as np

from clockwork.kit import configurations
from clockwork.kit.widgets.base import Slider, View
from clockwork.kit.widgets.data import Data
from clockwork.kit.widgets.hands import TURN

MODELS = ("GPT-NeoX-20B", "ModernBERT-base", "SmolLM3-3B")  # their hands turn at the speeds of training
LENGTHS = [round(2 ** (power / 4)) for power in range(28, 81)]  # tokens: 128 to 1,048,576
DIALS = 8
SLACK = 1 + 1e-9


class TodaysHands(View):
    """Draw eight hands of one of three models: the angles of training, and around them those of a text of any length.

    These hands turn queries and keys (rotary encoding, RoPE). Of each model we take the layers that see the whole text.
    """

    static = "todays_hands"
    length = Slider(512, LENGTHS, "length of the text (tokens)")
    model = Slider(MODELS[2], MODELS, "model")
    main = ("length",)
    todo = "Make the text longer, past the length that the model was made for."
    caption = (
        "Eight hands of a layer that turns them, as they point at the last token. Shaded: the angles of a text of "
        "the length that the model was made for. The band: the angles of your text; vermilion are the new ones."
    )

    def __init__(self, cursor=None, **keywords):
        found = [configurations.find(name) for name in MODELS]
        self.years = [model.year for model in found]
        self.trained = [model.reach(model.full) for model in found]
        self.speeds = [model.full.inv_freq[model.full.inv_freq > 0].numpy() for model in found]
        self.shown = [np.round(np.linspace(0, len(speeds) - 1, DIALS)).astype(int) for speeds in self.speeds]
        data = Data(
            years=np.array(self.years),
            trained=np.array(self.trained),
            count=np.array([len(speeds) for speeds in self.speeds]),
            shown=np.stack(self.shown),
            met=np.stack([self.swept(m, trained) for m, trained in enumerate(self.trained)]),
            swept=np.array([[self.swept(m, length) for length in LENGTHS] for m in range(len(MODELS))]),
            points=np.array([[self.points(m, length) for length in LENGTHS] for m in range(len(MODELS))]),
            fresh=np.array([[self.fresh(m, length) for length in LENGTHS] for m in range(len(MODELS))]),
        )
        super().__init__(cursor, data=data, **keywords)

    def swept(self, m: int, length: int) -> np.ndarray:
        """Return how far the shown hands of model `m` turn from token 0 to the last, (8,), in rad: a turn at most."""
        return np.minimum((length - 1) * self.speeds[m][self.shown[m]], TURN)

    def points(self, m: int, length: int) -> np.ndarray:
        """Return where the shown hands of model `m` point at the last token, (8,), in rad: less than a turn."""
        return (length - 1) * self.speeds[m][self.shown[m]] % TURN

    def fresh(self, m: int, length: int) -> int:
        """Return how many of the hands of model `m` reach at least one angle that no text of its own length shows."""
        speeds = self.speeds[m]
        return int(((self.trained[m] * speeds < TURN) & (length > self.trained[m] * SLACK)).sum())

    def numbers(self) -> dict:
        """Return how many hands of the model come to new angles, how far the shown ones turn, and their last angle."""
        m = MODELS.index(self.model)
        return {
            "fresh": self.fresh(m, self.length),
            "swept": self.swept(m, self.length),
            "points": self.points(m, self.length),
        }

    def said(self):
        """Say how many hands of the model come to new angles."""
        return {"fresh": str(self.numbers()["fresh"])}

    def describe(self) -> str:
        """Say how many of the model's hands come to new angles."""
        count = len(self.speeds[MODELS.index(self.model)])
        hands = f"{self.said()['fresh']} of {count} hands of {self.model}"
        return f"text of {self.length} tokens: {hands} reach at least one angle that training did not show"
